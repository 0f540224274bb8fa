// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/server/server_registry.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "base/core/ask.h"
#include "base/core/number_text.h"
#include "base/core/result.h"
#include "base/core/worker.h"
#include "base/sql/database.h"
#include "base/sql/opening.h"

namespace parley::comfyui {
namespace {

using core::Code;
using core::Result;
using sql::Statement;

constexpr std::string_view kPlace = "ComfyUI servers";

constexpr const char* kSteps[] = {R"(
CREATE TABLE servers (
  id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  description TEXT NOT NULL, base_url TEXT NOT NULL, user TEXT NOT NULL, password TEXT NOT NULL,
  timeout_seconds INTEGER NOT NULL, max_retries INTEGER NOT NULL, enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL))"};

constexpr sql::Schema kSchema{.steps = kSteps};

// 0 if it is not the id of a server in the database.
std::int64_t number_of_id(std::string_view id) {
  return std::max<std::int64_t>(core::parse_number<std::int64_t>(id).value_or(0), 0);
}

Result<ComfyServer> server_of(const Statement& row) {
  ComfyServer server;
  server.id = std::to_string(row.integer(0));
  server.key = row.text(1);
  server.name = row.text(2);
  server.description = row.text(3);
  server.base_url = row.text(4);
  Result<ServerAddress> address = ServerAddress::parse(server.base_url);
  if (!address) {
    return core::fail(Code::data_loss,
                      "The file comfyui.db has a server \"" + server.key +
                          "\" whose address is not valid: " + address.error().message);
  }
  server.address = std::move(*address);
  server.credentials.user = row.text(5);
  server.credentials.password = row.text(6);
  server.timeout_seconds = row.integer(7);
  server.max_retries = row.integer(8);
  server.enabled = row.flag(9);
  server.created_at_ms = row.integer(10);
  server.updated_at_ms = row.integer(11);
  return server;
}

class SqlServerRegistry final : public ServerRegistry {
 public:
  SqlServerRegistry(sql::Database database, const core::Clock& clock)
      : database_(std::move(database)), clock_(clock), worker_(clock) {}

  ~SqlServerRegistry() override { worker_.stop(); }

  // Call once, before anything else. `urls`: the servers of the settings.
  Result<void> load(const std::vector<std::string>& urls) {
    for (const std::string& url : urls) {
      PARLEY_TRY(ComfyServer server, server_of_settings(url));
      if (find(server.id) != nullptr) continue;
      if (settings_.size() >= kMaxComfyServers) {
        return core::fail(
            Code::invalid_argument,
            "comfyui: there may be at most " + std::to_string(kMaxComfyServers) + " servers.",
            "comfyui");
      }
      server.created_at_ms = server.updated_at_ms = core::to_unix_ms(clock_.wall());
      settings_.push_back(std::make_shared<const ComfyServer>(std::move(server)));
    }
    return load_registered();
  }

  void poll() override {
    if (is_polling_.exchange(true)) return;
    worker_.post([this] {
      is_polling_ = false;
      const Result<void> done = load_registered();
      if (!done) spdlog::warn("ComfyUI servers: {}", done.error().message);
    });
  }

  std::vector<ServerPtr> all() const override {
    const std::scoped_lock lock(mutex_);
    std::vector<ServerPtr> out = settings_;
    for (const auto& [number, server] : registered_) out.push_back(server);
    return out;
  }

  ServerPtr find(std::string_view id) const override {
    const std::vector<ServerPtr> servers = all();
    const auto found = std::find_if(servers.begin(), servers.end(),
                                    [id](const ServerPtr& server) { return server->id == id; });
    return found == servers.end() ? nullptr : *found;
  }

  ServerPtr find_key(std::string_view key) const override {
    const std::vector<ServerPtr> servers = all();
    const auto found = std::find_if(servers.begin(), servers.end(),
                                    [key](const ServerPtr& server) { return server->key == key; });
    return found == servers.end() ? nullptr : *found;
  }

  ServerPtr first_of_settings() const override {
    const std::scoped_lock lock(mutex_);
    return settings_.empty() ? nullptr : settings_.front();
  }

  void note_health(std::string_view id, Health health) override {
    const auto checked = [&](const ServerPtr& server) {
      ComfyServer changed = *server;
      changed.health = health;
      changed.checked_at_ms = core::to_unix_ms(clock_.wall());
      return std::make_shared<const ComfyServer>(std::move(changed));
    };
    const std::scoped_lock lock(mutex_);
    for (ServerPtr& server : settings_) {
      if (server->id == id) server = checked(server);
    }
    const auto found = registered_.find(number_of_id(id));
    if (found != registered_.end()) found->second = checked(found->second);
  }

  void create(ServerDraft draft, core::Scheduler& scheduler, Done<ServerPtr> done) override {
    core::ask(worker_, kPlace, scheduler, std::move(done),
              [this, draft = std::move(draft)]() -> Result<ServerPtr> {
                ComfyServer server;
                Result<void> fine = apply(draft, server);
                if (fine) fine = check_key(server);
                if (fine && all().size() >= kMaxComfyServers) {
                  fine = core::fail(Code::resource_exhausted,
                                    "The limit of " + std::to_string(kMaxComfyServers) +
                                        " ComfyUI servers is reached. Delete some first.");
                }
                server.created_at_ms = server.updated_at_ms = core::to_unix_ms(clock_.wall());
                if (fine) fine = store(server);
                if (!fine) return core::fail(std::move(fine.error()));
                return keep(std::move(server));
              });
  }

  void update(std::string id, ServerDraft draft, core::Scheduler& scheduler,
              Done<ServerPtr> done) override {
    core::ask(worker_, kPlace, scheduler, std::move(done),
              [this, id = std::move(id), draft = std::move(draft)]() -> Result<ServerPtr> {
                PARLEY_TRY(ComfyServer server, changeable(id));
                const std::string url = server.base_url;
                Result<void> fine = apply(draft, server);
                if (fine) fine = check_key(server);
                if (server.base_url != url) {
                  server.health = Health::unknown;
                  server.checked_at_ms.reset();
                }
                server.updated_at_ms = core::to_unix_ms(clock_.wall());
                if (fine) fine = store(server);
                if (!fine) return core::fail(std::move(fine.error()));
                return keep(std::move(server));
              });
  }

  void remove(std::string id, core::Scheduler& scheduler, Done<void> done) override {
    core::ask(
        worker_, kPlace, scheduler, std::move(done), [this, id = std::move(id)]() -> Result<void> {
          PARLEY_TRY_VOID(changeable(id));
          const std::int64_t number = number_of_id(id);
          Result<void> done_delete = database_.run("DELETE FROM servers WHERE id = ?1", number);
          if (!done_delete) return done_delete;
          const std::scoped_lock lock(mutex_);
          registered_.erase(number);
          return {};
        });
  }

 private:
  // A server that has not changed keeps its health.
  Result<void> load_registered() {
    std::map<std::int64_t, ServerPtr> now;
    PARLEY_TRY_VOID(database_.each(
        "SELECT id, key, name, description, base_url, \"user\", password, timeout_seconds, "
        "max_retries, enabled, created_at, updated_at FROM servers",
        [&now](const Statement& row) -> Result<void> {
          PARLEY_TRY(ComfyServer server, server_of(row));
          const std::int64_t number = number_of_id(server.id);
          now[number] = std::make_shared<const ComfyServer>(std::move(server));
          return {};
        }));
    const std::scoped_lock lock(mutex_);
    for (auto& [number, server] : now) {
      const auto known = registered_.find(number);
      if (known == registered_.end()) continue;
      if (known->second->updated_at_ms == server->updated_at_ms) server = known->second;
    }
    registered_ = std::move(now);
    return {};
  }

  ServerPtr keep(ComfyServer server) {
    const std::int64_t number = number_of_id(server.id);
    auto shared = std::make_shared<const ComfyServer>(std::move(server));
    const std::scoped_lock lock(mutex_);
    registered_[number] = shared;
    return shared;
  }

  Result<ComfyServer> changeable(const std::string& id) const {
    const ServerPtr server = find(id);
    if (server == nullptr) {
      return core::fail(Code::not_found, "There is no such ComfyUI server.", "id");
    }
    if (server->from_settings) {
      return core::fail(Code::failed_precondition,
                        "The server \"" + server->key +
                            "\" is defined in the settings (`comfyui`). Change it there, and "
                            "restart the Parley server.",
                        "id");
    }
    return *server;
  }

  Result<void> check_key(const ComfyServer& server) const {
    const ServerPtr other = find_key(server.key);
    if (other == nullptr || other->id == server.id) return {};
    return core::fail(Code::already_exists,
                      "Another ComfyUI server has the serverKey \"" + server.key + "\" already.",
                      "serverKey");
  }

  // Inserts a server without an id, which it gets, or updates the one of its id.
  Result<void> store(ComfyServer& server) {
    const auto write = [&](std::string_view sql, auto... id) {
      return database_.integer(sql, server.key, server.name, server.description, server.base_url,
                               server.credentials.user, server.credentials.password,
                               server.timeout_seconds, server.max_retries, server.enabled,
                               server.created_at_ms, server.updated_at_ms, id...);
    };
    PARLEY_TRY(
        const std::int64_t id,
        server.id.empty()
            ? write("INSERT INTO servers (key, name, description, base_url, \"user\", password, "
                    "timeout_seconds, max_retries, enabled, created_at, updated_at) "
                    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) RETURNING id")
            : write("UPDATE servers SET key = ?1, name = ?2, description = ?3, base_url = ?4, "
                    "\"user\" = ?5, password = ?6, timeout_seconds = ?7, max_retries = ?8, "
                    "enabled = ?9, created_at = ?10, updated_at = ?11 WHERE id = ?12 RETURNING id",
                    number_of_id(server.id)));
    server.id = std::to_string(id);
    return {};
  }

  sql::Database database_;  // worker's thread only, once that runs
  const core::Clock& clock_;
  mutable std::mutex mutex_;                      // guards the lists
  std::vector<ServerPtr> settings_;               // changed by note_health() only
  std::map<std::int64_t, ServerPtr> registered_;  // by number
  std::atomic<bool> is_polling_{false};
  core::Worker worker_;  // last: it uses all members above
};

}  // namespace

std::shared_ptr<ComfyClient> ComfyDependencies::client(const ComfyServer& server,
                                                       core::Scheduler& home) const {
  return std::make_shared<ComfyClient>(server.address, server.client_options(), fetcher, entropy,
                                       home);
}

const sql::Schema& ServerRegistry::schema() { return kSchema; }

Result<std::unique_ptr<ServerRegistry>> ServerRegistry::open(
    const sql::StorePlace& place, const std::vector<std::string>& settings,
    const core::Clock& clock) {
  PARLEY_TRY(auto database, sql::open_store(place, "comfyui", kSchema));
  auto registry = std::make_unique<SqlServerRegistry>(std::move(database), clock);
  PARLEY_TRY_VOID(registry->load(settings));
  return registry;
}

}  // namespace parley::comfyui
