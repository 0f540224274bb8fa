// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/entropy.h"
#include "base/net/http/http_gate.h"
#include "dialects/api/api.h"
#include "services/search/search_service.h"
#include "tests/support/api/openapi_check.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/memory_session_store.h"

namespace parley::api::testing {

// Tokens in memory: the token "T" has the id "id-T".
class FakeTokens final : public auth::TokenStore {
 public:
  core::Result<auth::Identity> verify(std::string_view token, std::string_view) override {
    for (const auth::TokenInfo& info : infos_) {
      if (info.identity.name == token && !info.revoked_at) return info.identity;
    }
    return core::fail(core::Code::unauthenticated, "The token is not valid.");
  }
  core::Result<std::string> create(const auth::NewToken& wanted) override {
    if (verify(wanted.name, "")) return core::fail(core::Code::already_exists, "Taken.", "name");
    const auth::Rights usual =
        wanted.name == auth::kDefaultTokenName ? auth::Rights::all() : auth::Rights::usual();
    const std::string id = "id-" + wanted.name;
    infos_.push_back({{wanted.workspace.empty() ? id : wanted.workspace, wanted.name,
                       wanted.expires_at, wanted.rights.value_or(usual), false, id},
                      core::from_unix_ms(1),
                      std::nullopt});
    return wanted.name;
  }
  core::Result<std::vector<auth::TokenInfo>> list() override { return infos_; }
  core::Result<auth::TokenInfo> rename(std::string_view name_or_id,
                                       std::string_view name) override {
    if (verify(name, "")) return core::fail(core::Code::already_exists, "Taken.", "name");
    for (auth::TokenInfo& info : infos_) {
      if (info.identity.name != name_or_id && info.identity.token_id != name_or_id) continue;
      info.identity.name = name;
      return info;
    }
    return core::fail(core::Code::not_found, "No token has this name.", "name");
  }
  core::Result<void> revoke(std::string_view name) override {
    for (auth::TokenInfo& info : infos_) {
      if (info.identity.name != name || info.revoked_at) continue;
      info.revoked_at = core::from_unix_ms(2);
      return {};
    }
    return core::fail(core::Code::not_found, "No token has this name.", "name");
  }
  auth::Identity allow_for_this_run(std::string_view, std::string_view) override { return {}; }
  void poll(const std::function<void(const auth::EndedToken&)>&) override {}
  auth::TokenWatchers& watchers() override { return watchers_; }
  void tell(const std::string& id) { watchers_.tell(id); }

 private:
  auth::TokenWatchers watchers_;
  std::vector<auth::TokenInfo> infos_;
};

// Answer to one request.
struct Reply {
  struct Body final : net::BodyWriter {
    std::string text;
    std::size_t writes = 0;  // write() calls
    bool ended = false;
    bool gone = false;
    std::size_t stuck = 0;  // bytes that the peer does not read
    bool fills = false;     // written bytes are added to `stuck`
    core::Task on_disconnect_task;

    void write(std::string_view bytes) override {
      if (ended || gone) return;
      text += bytes;
      if (fills) stuck += bytes.size();
      ++writes;
    }
    void end() override { ended = true; }
    bool open() const override { return !ended && !gone; }
    std::size_t queued() const override { return stuck; }
    void on_disconnect(core::Task task) override { on_disconnect_task = std::move(task); }
    void leave() {
      gone = true;
      if (on_disconnect_task) on_disconnect_task();
    }
  };

  std::optional<net::Response> response;
  std::shared_ptr<Body> body;  // for a stream
  std::size_t stuck = 0;       // initial Body::stuck of a stream
  bool fills = false;          // initial Body::fills of a stream

  int status() const { return response ? response->status : 0; }
  boost::json::value json() const { return boost::json::parse(response->body); }
};

// The whole API without a port: two shards, a store in memory, a fake clock. The first shard
// accepts the requests; the hub places the sessions. Every JSON answer is checked against the
// OpenAPI document.
class World {
 public:
  explicit World(core::Millis heartbeat = core::Millis(15'000),
                 session::Placement placement = nullptr)
      : hub_(make_shards(), std::move(placement)),
        context_{hub_, store_, tokens_, entropy_, disk_} {
    context_.heartbeat = heartbeat;
    install(router_, context_);
    EXPECT_TRUE(tokens_.create({"default"}).has_value());
    for (const char* name : {"alice", "bob"}) {
      EXPECT_TRUE(tokens_.create({name, {}, auth::Rights::all().without(auth::Right::admin)}));
    }
  }
  ~World() { hub_.shut_down(), settle(); }

  // Sends a request and returns at once; the reply is filled as the schedulers run.
  std::shared_ptr<Reply> send(std::string method, std::string target, std::string token,
                              std::string body = {},
                              std::vector<std::pair<std::string, std::string>> headers = {}) {
    auto reply = std::make_shared<Reply>();
    net::Request request;
    request.method = method;
    request.target = target;
    const auto parsed = net::parse_target(target);
    request.path = parsed->path;
    request.query = parsed->query;
    request.body = std::move(body);
    request.peer = peer_;
    request.hops = hops_;
    for (auto& [name, value] : headers) request.headers.add(name, value);
    if (!token.empty()) request.headers.add("Authorization", "Bearer " + token);
    const net::Router::Match match = router_.match(method, request.path);
    if (match.handler == nullptr) {
      reply->response = net::Response::text(405, "");
      return reply;
    }
    request.path_params = match.params;
    (*match.handler)(std::move(request),
                     net::Responder(std::make_unique<FakeResponder>(reply, shard(0))));
    return reply;
  }

  // Sends a request, runs all due tasks, and checks the answer against the document.
  Reply call(const std::string& method, const std::string& target, const std::string& token,
             const std::string& body = {},
             std::vector<std::pair<std::string, std::string>> headers = {}) {
    const auto reply = send(method, target, token, body, std::move(headers));
    settle();
    if (!reply->response) {
      ADD_FAILURE() << method << " " << target << " was not answered";
      reply->response = net::Response::text(0, "{}");
    } else {
      check(method, target, *reply);
    }
    return *reply;
  }

  void check(const std::string& method, const std::string& target, const Reply& reply) {
    const std::string pattern = pattern_of(target);
    if (pattern.empty()) return;
    EXPECT_EQ(openapi_.fault(method, pattern, reply.status(), reply.response->body), "");
  }

  void settle() {
    std::size_t ran = 1;
    while (ran > 0) ran = shard(0).run_ready() + shard(1).run_ready() + disk_.run_ready();
  }
  // Both shards share the clock.
  void advance(core::Millis by, core::Millis step = core::Millis(10)) {
    for (core::Millis passed{0}; passed < by; passed += step) {
      settle();
      clock_.advance(step);
    }
    settle();
  }

  // Calls `use` with a session, on its shard.
  void with_session(const std::string& token, std::function<void(session::Session&)> use) {
    hub_.with_session({"assistant-id-" + token, "assistant", "id-" + token},
                      [use = std::move(use)](core::Result<session::Session*> session) {
                        ASSERT_TRUE(session.has_value());
                        use(**session);
                      });
  }
  void append(const std::string& token, const std::string& type = "note",
              const std::string& payload = "{}") {
    with_session(token, [type, payload](session::Session& session) {
      session.append("in", type, payload,
                     [](core::Result<std::uint64_t> seq) { EXPECT_TRUE(seq.has_value()); });
    });
  }

  // The services of the routes of runs, which outlive this object.
  void set_runs(run::RunService& runs, run::RunWatchers* changes = nullptr) {
    context_.runs = &runs;
    context_.run_changes = changes;
  }
  void set_notify(notify::NotificationService* service) { context_.notify = service; }
  void set_setup(std::function<core::Result<std::string>()> report) {
    context_.setup = std::move(report);
  }
  void set_rules(RuleEditor editor) { context_.rules = std::move(editor); }
  void set_tls(const certificate::TlsReport& report) { context_.tls = &report; }
  core::Entropy& entropy() { return entropy_; }
  // The services of the routes of studies, which outlive this object.
  void set_studies(study::StudyService* studies, const study::Kit* kit) {
    context_.studies = studies;
    context_.kit = kit;
  }

  // Runs the token store's calls; driven by settle().
  core::FakeScheduler& disk() { return disk_; }
  // Indexes what the store has by now, and serves the routes of searches.
  void start_search(const std::string& folder) {
    search_.emplace(folder, disk_);
    search_->start(store_);
    context_.search = &*search_;
    settle();
  }
  // Adds a token with these rights and no others.
  void add_token(const std::string& name, auth::Rights rights) {
    EXPECT_TRUE(tokens_.create({name, {}, rights}));
  }
  // Revokes a token as another process would: watchers are not notified before notify_end().
  void revoke_token(const std::string& name) { EXPECT_TRUE(tokens_.revoke(name)); }
  // Reports the end of one token or login of this workspace.
  void notify_end(const std::string& workspace) { tokens_.tell(workspace); }
  void set_peer(std::string peer) { peer_ = std::move(peer); }
  // Nodes of a cluster that have passed on the further requests.
  void set_hops(int hops) { hops_ = hops; }
  void set_homes(net::HomePassage* homes) { context_.homes = homes; }
  // Serves the completion of paths.
  void serve_paths(const std::string& own_data, std::vector<std::string> folders) {
    std::filesystem::create_directories(own_data);
    paths_.emplace(own_data, std::string(), disk_);
    context_.paths = &*paths_;
    context_.project_folders = std::move(folders);
  }
  core::WallTime now() const { return clock_.wall(); }
  core::FakeScheduler& shard(std::size_t index) { return schedulers_.at(index); }
  event::MemorySessionStore& store() { return store_; }
  session::Hub& hub() { return hub_; }
  net::Router& router() { return router_; }
  const OpenApiCheck& openapi() const { return openapi_; }

 private:
  class FakeResponder final : public net::Responder::Impl {
   public:
    FakeResponder(std::shared_ptr<Reply> reply, core::Scheduler& scheduler)
        : reply_(std::move(reply)), scheduler_(scheduler) {}
    void send(net::Response response) override {
      if (!response.shared_body.empty()) response.body = response.content();
      reply_->response = std::move(response);
    }
    std::shared_ptr<net::BodyWriter> start(net::Response head) override {
      reply_->response = std::move(head);
      reply_->body = std::make_shared<Reply::Body>();
      reply_->body->stuck = reply_->stuck;
      reply_->body->fills = reply_->fills;
      return reply_->body;
    }
    void on_disconnect(core::Task) override {}
    core::Scheduler& scheduler() override { return scheduler_; }

   private:
    std::shared_ptr<Reply> reply_;
    core::Scheduler& scheduler_;
  };

  std::vector<std::unique_ptr<session::Shard>> make_shards() {
    std::vector<std::unique_ptr<session::Shard>> out;
    for (core::FakeScheduler& scheduler : schedulers_) {
      out.push_back(
          std::make_unique<session::Shard>(scheduler, entropy_, store_, session::SessionLimits{}));
    }
    return out;
  }

  // The pattern of the route that matches a target; empty: none.
  static std::string pattern_of(const std::string& target) {
    const std::string path = target.substr(0, target.find('?'));
    for (const Route& route : routes()) {
      if (same_shape(path, route.pattern)) return std::string(route.pattern);
    }
    return {};
  }
  static bool same_shape(std::string_view path, std::string_view pattern) {
    while (true) {
      const std::string_view part = path.substr(0, path.find('/'));
      const std::string_view wanted = pattern.substr(0, pattern.find('/'));
      if (!wanted.starts_with('{') && part != wanted) return false;
      const bool path_ends = part.size() == path.size();
      const bool pattern_ends = wanted.size() == pattern.size();
      if (path_ends || pattern_ends) return path_ends && pattern_ends;
      path.remove_prefix(part.size() + 1);
      pattern.remove_prefix(wanted.size() + 1);
    }
  }

  core::FakeClock clock_;
  core::SeededEntropy entropy_{7};
  std::array<core::FakeScheduler, 2> schedulers_ = {core::FakeScheduler(clock_),
                                                    core::FakeScheduler(clock_)};
  core::FakeScheduler disk_{clock_};
  std::string peer_ = "memory";
  int hops_ = 0;
  event::MemorySessionStore store_;
  FakeTokens tokens_;
  session::Hub hub_;
  std::optional<search::SearchService> search_;
  std::optional<tool::PathFinder> paths_;
  Context context_;
  net::Router router_;
  OpenApiCheck openapi_{openapi_document()};
};

}  // namespace parley::api::testing
