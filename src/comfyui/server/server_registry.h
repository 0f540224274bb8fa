// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "comfyui/event_socket.h"
#include "comfyui/server/comfy_server.h"
#include "core/clock.h"
#include "core/entropy.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "core/worker.h"
#include "http_client/fetcher.h"
#include "sql/database.h"
#include "sql/migration.h"

namespace parley::comfyui {

// Limit of the servers in DATA/comfyui.db, and of those in the settings.
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

  static sql::FileKind file_kind();
  // Creates the file if it is missing. Duplicate addresses count once. Errors: `invalid_argument`
  // (field "comfyui"), those of sql::open_file().
  static core::Result<std::unique_ptr<ServerRegistry>> open(
      const std::string& path, const std::vector<std::string>& settings, const core::Clock& clock);
  ~ServerRegistry();
  ServerRegistry(const ServerRegistry&) = delete;
  ServerRegistry& operator=(const ServerRegistry&) = delete;

  // The servers of the settings first, in their order, then the others in the order of creation.
  std::vector<ServerPtr> all() const;
  // Null if unknown.
  ServerPtr find(std::string_view id) const;
  ServerPtr find_key(std::string_view key) const;
  // The first server of the settings, the default of sessions that name none; may be null.
  ServerPtr first_of_settings() const;

  void create(ServerDraft draft, core::Scheduler& scheduler, Done<ServerPtr> done);
  void update(std::string id, ServerDraft draft, core::Scheduler& scheduler, Done<ServerPtr> done);
  void remove(std::string id, core::Scheduler& scheduler, Done<void> done);
  // Kept in memory only. No-op if the server has been removed.
  void note_health(std::string_view id, Health health);

 private:
  ServerRegistry(sql::Database database, const core::Clock& clock);
  core::Result<void> load();
  core::Result<void> store(ComfyServer& server);
  core::Result<ComfyServer> changeable(const std::string& id) const;
  core::Result<void> check_key(const ComfyServer& server) const;
  ServerPtr keep(ComfyServer server);

  sql::Database database_;  // worker's thread only, once that runs
  const core::Clock& clock_;
  mutable std::mutex mutex_;                      // guards the lists
  std::vector<ServerPtr> settings_;               // changed by note_health() only
  std::map<std::int64_t, ServerPtr> registered_;  // by number
  core::Worker worker_;                           // last: it uses all members above
};

// Dependencies of all calls to ComfyUI servers. They must outlive all clients.
struct ComfyGround {
  ServerRegistry& servers;
  http_client::Fetcher& fetcher;
  EventSockets& sockets;
  core::Entropy& entropy;

  // Creates a client for the thread of `home`.
  std::shared_ptr<ComfyClient> client(const ComfyServer& server, core::Scheduler& home) const;
};

}  // namespace parley::comfyui
