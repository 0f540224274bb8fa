// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/server/health_checks.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "base/core/worker.h"

namespace parley::comfyui {
namespace {

// The checks of one registry, on a thread of their own.
class Checks {
 public:
  Checks(ServerRegistry& servers, http_client::Fetcher& fetcher, core::Entropy& entropy,
         const core::Clock& clock)
      : servers_(servers), fetcher_(fetcher), entropy_(entropy), clock_(clock), worker_(clock) {}
  Checks(const Checks&) = delete;
  Checks& operator=(const Checks&) = delete;

  ~Checks() {
    worker_.post([this] {
      stopping_ = true;
      for (auto& [id, source] : sources_) source.cancel("The server is shutting down.");
    });
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return open_.empty(); });
  }

  // Begins a check if one is due. Any thread; returns at once.
  void look(const ServerPtr& server) {
    if (server == nullptr || !is_due(*server)) return;
    {
      const std::scoped_lock lock(mutex_);
      if (!open_.insert(server->id).second) return;
    }
    // `server` may be older than the end of a check that was open until now.
    const ServerPtr now = servers_.find(server->id);
    if (now == nullptr || !is_due(*now)) return end(server->id);
    worker_.post([this, now] { begin(now); });
  }

 private:
  bool is_due(const ComfyServer& server) const {
    if (!server.enabled) return false;
    if (!server.checked_at_ms) return true;
    const core::Millis age(core::to_unix_ms(clock_.wall()) - *server.checked_at_ms);
    // Negative if the wall clock was set back.
    return age < core::Millis(0) ||
           age >= (server.health == Health::healthy ? kHealthyAge : kUnhealthyAge);
  }

  void begin(const ServerPtr& server) {
    if (stopping_) return end(server->id);
    ClientOptions options = server->client_options();
    options.request_timeout = std::min(options.request_timeout, kHealthCheckTime);
    options.max_retries = 0;
    const auto client =
        std::make_shared<ComfyClient>(server->address, options, fetcher_, entropy_, worker_);
    client->system_stats(sources_[server->id].token(),
                         [this, client, server](const core::Result<boost::json::object>& stats) {
                           note(*server, stats ? Health::healthy : Health::unhealthy);
                           sources_.erase(server->id);
                           end(server->id);
                         });
  }

  // An address that has changed meanwhile was not checked.
  void note(const ComfyServer& server, Health health) {
    const ServerPtr now = stopping_ ? nullptr : servers_.find(server.id);
    if (now != nullptr && now->base_url == server.base_url) servers_.note_health(server.id, health);
  }

  void end(const std::string& id) {
    const std::scoped_lock lock(mutex_);
    open_.erase(id);
    ended_.notify_all();
  }

  ServerRegistry& servers_;
  http_client::Fetcher& fetcher_;
  core::Entropy& entropy_;
  const core::Clock& clock_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::set<std::string, std::less<>> open_;  // ids; guarded by mutex_
  // Worker's thread only.
  std::map<std::string, core::CancelSource, std::less<>> sources_;
  bool stopping_ = false;
  core::Worker worker_;  // last: it uses all the others
};

class CheckedRegistry final : public ServerRegistry {
 public:
  CheckedRegistry(std::unique_ptr<ServerRegistry> inner, http_client::Fetcher& fetcher,
                  core::Entropy& entropy, const core::Clock& clock)
      : inner_(std::move(inner)),
        checks_(std::make_unique<Checks>(*inner_, fetcher, entropy, clock)) {
    for (const ServerPtr& server : inner_->all()) checks_->look(server);
  }

  std::vector<ServerPtr> all() const override {
    std::vector<ServerPtr> servers = inner_->all();
    for (const ServerPtr& server : servers) checks_->look(server);
    return servers;
  }
  ServerPtr find(std::string_view id) const override { return looked(inner_->find(id)); }
  ServerPtr find_key(std::string_view key) const override { return looked(inner_->find_key(key)); }
  ServerPtr first_of_settings() const override { return looked(inner_->first_of_settings()); }

  void create(ServerDraft draft, core::Scheduler& scheduler, Done<ServerPtr> done) override {
    inner_->create(std::move(draft), scheduler, std::move(done));
  }
  void update(std::string id, ServerDraft draft, core::Scheduler& scheduler,
              Done<ServerPtr> done) override {
    inner_->update(std::move(id), std::move(draft), scheduler, std::move(done));
  }
  void remove(std::string id, core::Scheduler& scheduler, Done<void> done) override {
    inner_->remove(std::move(id), scheduler, std::move(done));
  }
  void poll() override { inner_->poll(); }
  void note_health(std::string_view id, Health health) override { inner_->note_health(id, health); }

 private:
  ServerPtr looked(ServerPtr server) const {
    checks_->look(server);
    return server;
  }

  const std::unique_ptr<ServerRegistry> inner_;
  const std::unique_ptr<Checks> checks_;  // uses inner_
};

}  // namespace

std::unique_ptr<ServerRegistry> with_health_checks(std::unique_ptr<ServerRegistry> inner,
                                                   http_client::Fetcher& fetcher,
                                                   core::Entropy& entropy,
                                                   const core::Clock& clock) {
  return std::make_unique<CheckedRegistry>(std::move(inner), fetcher, entropy, clock);
}

}  // namespace parley::comfyui
