// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/http_client/fetcher.h"
#include "base/sql/migration.h"
#include "base/sql/store_place.h"
#include "runtime/comfyui/event_socket.h"
#include "runtime/comfyui/server/comfy_server.h"

namespace parley::comfyui {

// Limit of the servers in DATA/comfyui.db, and of those in the settings.
// Limit (ComfyUI servers and their tools): servers, registered and of the settings together.
// Reached: `resource_exhausted` in the wrapper; more in the settings: the server does not start.
inline constexpr std::size_t kMaxComfyServers = 100;

// The ComfyUI servers of all users: those of the settings, and those of DATA/comfyui.db. Reads use
// memory; changes run on a thread of their own, and each callback is called once on the given
// scheduler. Thread-safe. Errors of changes: `not_found` (field "id"), `failed_precondition` (a
// server of the settings), `already_exists` (field "serverKey"), `resource_exhausted`
// (kMaxComfyServers), those of apply() and of sql::Database.
class ServerRegistry {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  static const sql::Schema& schema();
  // Creates the file if it is missing. Duplicate addresses count once. Errors: `invalid_argument`
  // (field "comfyui"), those of sql::open_store().
  static core::Result<std::unique_ptr<ServerRegistry>> open(
      const sql::StorePlace& place, const std::vector<std::string>& settings,
      const core::Clock& clock);
  virtual ~ServerRegistry() = default;

  // The servers of the settings first, in their order, then the others in the order of creation.
  virtual std::vector<ServerPtr> all() const = 0;
  // Null if unknown.
  virtual ServerPtr find(std::string_view id) const = 0;
  virtual ServerPtr find_key(std::string_view key) const = 0;
  // The first server of the settings, the default of sessions that name none; may be null.
  virtual ServerPtr first_of_settings() const = 0;

  virtual void create(ServerDraft draft, core::Scheduler& scheduler, Done<ServerPtr> done) = 0;
  virtual void update(std::string id, ServerDraft draft, core::Scheduler& scheduler,
                      Done<ServerPtr> done) = 0;
  virtual void remove(std::string id, core::Scheduler& scheduler, Done<void> done) = 0;
  // Reads the registered servers again, which another node of a cluster may have changed. Does not
  // wait. Call about once a second.
  virtual void poll() = 0;
  // Kept in memory only. No-op if the server has been removed.
  virtual void note_health(std::string_view id, Health health) = 0;
};

// Dependencies of all calls to ComfyUI servers. They must outlive all clients.
struct ComfyDependencies {
  ServerRegistry& servers;
  http_client::Fetcher& fetcher;
  EventSockets& sockets;
  core::Entropy& entropy;

  // Creates a client for the thread of `home`.
  std::shared_ptr<ComfyClient> client(const ComfyServer& server, core::Scheduler& home) const;
};

}  // namespace parley::comfyui
