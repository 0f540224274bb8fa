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

// The most servers in DATA/comfyui.db, and the most in the settings.
inline constexpr std::size_t kMaxComfyServers = 100;

// The ComfyUI servers of all users: those of the settings, and those of DATA/comfyui.db. Reading is
// done in memory; changes run on a thread of their own, and each callback runs once on the
// scheduler that is named. Thread-safe. Changes fail with `not_found` (field "id"),
// `failed_precondition` (a server of the settings), `already_exists` (field "serverKey"),
// `resource_exhausted` (kMaxComfyServers), as apply(), and as sql::Database does.
class ServerRegistry {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  static sql::FileKind file_kind();
  // Makes the file if it is missing. Addresses that are given twice count once. Errors:
  // `invalid_argument` (field "comfyui"), those of sql::open_file().
  static core::Result<std::unique_ptr<ServerRegistry>> open(
      const std::string& path, const std::vector<std::string>& settings, const core::Clock& clock);
  ~ServerRegistry();
  ServerRegistry(const ServerRegistry&) = delete;
  ServerRegistry& operator=(const ServerRegistry&) = delete;

  // The servers of the settings first, in their order, then the others in the order of their
  // making.
  std::vector<ServerPtr> all() const;
  // Null: there is none.
  ServerPtr find(std::string_view id) const;
  ServerPtr find_key(std::string_view key) const;
  // The first of the settings, or null: the server of sessions that name none.
  ServerPtr first_of_settings() const;

  void create(ServerDraft draft, core::Scheduler& scheduler, Done<ServerPtr> done);
  void update(std::string id, ServerDraft draft, core::Scheduler& scheduler, Done<ServerPtr> done);
  void remove(std::string id, core::Scheduler& scheduler, Done<void> done);
  // Kept in memory alone. A server that is gone meanwhile is left out.
  void note_health(std::string_view id, Health health);

 private:
  ServerRegistry(sql::Database database, const core::Clock& clock);
  core::Result<void> load();
  core::Result<void> store(ComfyServer& server, bool is_new);
  core::Result<ComfyServer> changeable(const std::string& id) const;
  core::Result<void> check_key(const ComfyServer& server) const;
  ServerPtr keep(ComfyServer server);

  sql::Database database_;  // used by the worker, once it goes on
  const core::Clock& clock_;
  mutable std::mutex mutex_;                      // guards the lists
  std::vector<ServerPtr> settings_;               // changed by note_health() alone
  std::map<std::int64_t, ServerPtr> registered_;  // by number
  core::Worker worker_;                           // last: it uses all the others
};

// Everything that calls to ComfyUI servers need. The parts outlive all clients.
struct ComfyGround {
  ServerRegistry& servers;
  http_client::Fetcher& fetcher;
  EventSockets& sockets;
  core::Entropy& entropy;

  // A client for the thread of `home`.
  std::shared_ptr<ComfyClient> client(const ComfyServer& server, core::Scheduler& home) const;
};

}  // namespace parley::comfyui
