// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <boost/json/parse.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/mcp/asking_offer.h"
#include "dialects/mcp_http/routes.h"
#include "tests/support/auth/fake_verifier.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/mcp/fake_assistant_calls.h"

// MCP over HTTP on a fake clock and two threads' schedulers, for tests and fuzz targets. Answers
// are recorded; the person's side is FakeAssistantCalls.
namespace parley::mcp_http {

// The client's side of one HTTP request.
struct Caller {
  std::optional<net::Response> response;
  std::string stream;      // of an event stream
  bool streaming = false;  // the stream has begun and not ended
  bool ended = false;      // the answer is complete
  core::Task on_disconnect;

  // The client closes its connection.
  void gone() {
    streaming = false;
    if (on_disconnect) std::exchange(on_disconnect, nullptr)();
  }
  boost::json::value json() const { return boost::json::parse(response->body); }
  // The data of the stream's events, in order; that of an event without data is null.
  std::vector<boost::json::value> data() const {
    std::vector<boost::json::value> out;
    for (const std::string& line : lines("data: ")) {
      out.push_back(line.empty() ? boost::json::value() : boost::json::parse(line));
    }
    return out;
  }
  std::vector<std::string> ids() const { return lines("id: "); }

 private:
  std::vector<std::string> lines(std::string_view field) const {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t end = std::min(stream.find('\n', at), stream.size());
      const std::string_view line = std::string_view(stream).substr(at, end - at);
      if (line.starts_with(field)) out.emplace_back(line.substr(field.size()));
      at = end + 1;
    }
    return out;
  }
};
using CallerPtr = std::shared_ptr<Caller>;

class FakeBody final : public net::BodyWriter {
 public:
  explicit FakeBody(CallerPtr caller) : caller_(std::move(caller)) {}
  void write(std::string_view bytes) override {
    if (caller_->streaming) caller_->stream.append(bytes);
  }
  void end() override {
    caller_->streaming = false;
    caller_->ended = true;
    caller_->on_disconnect = nullptr;
  }
  bool open() const override { return caller_->streaming; }
  std::size_t queued() const override { return 0; }
  void on_disconnect(core::Task task) override { caller_->on_disconnect = std::move(task); }

 private:
  const CallerPtr caller_;
};

class FakeResponder final : public net::Responder::Impl {
 public:
  FakeResponder(CallerPtr caller, core::Scheduler& scheduler)
      : caller_(std::move(caller)), scheduler_(scheduler) {}
  void send(net::Response response) override {
    caller_->response = std::move(response);
    caller_->ended = true;
    caller_->on_disconnect = nullptr;
  }
  std::shared_ptr<net::BodyWriter> start(net::Response head) override {
    caller_->response = std::move(head);
    caller_->streaming = true;
    return std::make_shared<FakeBody>(caller_);
  }
  void on_disconnect(core::Task task) override { caller_->on_disconnect = std::move(task); }
  core::Scheduler& scheduler() override { return scheduler_; }

 private:
  const CallerPtr caller_;
  core::Scheduler& scheduler_;
};

using Changed = std::function<void(const mcp::Change&)>;

// An offer whose questions the test answers; they are shared by all clients. `changed` becomes the
// function that tells the client that watched last.
class WorldOffer final : public mcp::Offer {
 public:
  WorldOffer(core::Scheduler& scheduler, mcp::AssistantCalls& calls, core::Entropy& entropy,
             Changed& changed)
      : asking_(scheduler, calls, entropy, {}), changed_(changed) {}
  void write_capabilities(core::JsonWriter& json, std::string_view revision) const override {
    asking_.write_capabilities(json, revision);
  }
  std::string_view instructions() const override { return asking_.instructions(); }
  bool handle(const mcp::ExchangePtr& exchange) override { return asking_.handle(exchange); }
  std::vector<mcp::MirroredArgument> mirrored_arguments(std::string_view) const override {
    return {{"Project", {"project_directory"}}};
  }
  void watch(const mcp::Interests& /*interests*/, Changed changed) override {
    changed_ = std::move(changed);
  }

 private:
  mcp::AskingOffer asking_;
  Changed& changed_;
};

class McpHttpWorld {
 public:
  explicit McpHttpWorld(McpHttpOptions options = {}) {
    verifier.allow("tok", "w1");
    verifier.allow("other", "w2");
    context.emplace(
        std::vector<core::Scheduler*>{&schedulers[0], &schedulers[1]}, verifier, entropy, metrics,
        mcp::McpServer::Identity{"test", "Test", "1"},
        [this](const auth::Identity&, core::Scheduler& scheduler) {
          return std::make_unique<WorldOffer>(scheduler, calls, entropy, changed);
        },
        options);
    install(router, *context);
  }
  ~McpHttpWorld() {
    context->shut_down();
    run();
  }

  void run() {
    while (schedulers[0].run_ready() + schedulers[1].run_ready() > 0) {
    }
  }
  // Both schedulers share the clock.
  void advance(core::Millis by) {
    schedulers[0].advance(by);
    run();
  }

  // Sends a request on the connection of a thread.
  CallerPtr send(std::string method, std::string body,
                 const std::vector<std::pair<std::string, std::string>>& fields = {},
                 std::size_t thread = 0, const std::string& token = "tok") {
    net::Request request;
    request.method = method;
    request.path = std::string(kPath);
    request.body = std::move(body);
    request.peer = "127.0.0.1";
    request.headers.add("Authorization", "Bearer " + token);
    if (method == "POST") request.headers.add("Content-Type", "application/json");
    for (const auto& [name, value] : fields) request.headers.set(name, value);
    auto caller = std::make_shared<Caller>();
    const net::Router::Match match = router.match(method, kPath);
    if (match.admit != nullptr && *match.admit) {
      if (auto admitted = (*match.admit)(request); !admitted) {
        caller->response = std::move(admitted.error());
        return caller;
      }
    }
    (*match.handler)(std::move(request),
                     net::Responder(std::make_unique<FakeResponder>(caller, schedulers[thread])));
    run();
    return caller;
  }

  core::FakeClock clock;
  std::deque<core::FakeScheduler> schedulers = make_schedulers();
  core::SeededEntropy entropy{5};
  net::Metrics metrics;
  auth::FakeVerifier verifier;
  mcp::FakeAssistantCalls calls;
  Changed changed;  // see WorldOffer
  net::Router router;
  std::optional<McpHttpContext> context;

 private:
  std::deque<core::FakeScheduler> make_schedulers() {
    std::deque<core::FakeScheduler> created;
    created.emplace_back(clock);
    created.emplace_back(clock);
    return created;
  }
};

}  // namespace parley::mcp_http
