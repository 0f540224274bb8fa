// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/net/http/http.h"
#include "dialects/assistant/assistant_context.h"
#include "dialects/assistant/codec.h"
#include "dialects/assistant/connect_rpc.h"
#include "dialects/assistant/ui_connection.h"
#include "identity/auth/token_store.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/memory_session_store.h"
#include "tests/support/net/fake_websocket.h"
#include "tests/support/session/other_node.h"

// The dialect on a fake clock, for tests and fuzz targets. Sockets and callers record the messages
// sent to them.
namespace parley::assistant {

class ListVerifier final : public auth::Verifier {
 public:
  core::Result<auth::Identity> verify(std::string_view token, std::string_view peer) override {
    last_peer = std::string(peer);
    if (exhausted) return core::fail(core::Code::resource_exhausted, "Too many failures.");
    const auto found = ids.find(token);
    if (found != ids.end()) return auth::Identity{found->second, "name", std::nullopt, rights};
    return core::fail(core::Code::unauthenticated, "The token is not valid.", "token");
  }
  auth::Verdict judge(std::string_view token, std::string_view peer) override {
    auth::Verdict verdict{verify(token, peer)};
    if (!verdict.identity) verdict.wait = wait;
    return verdict;
  }
  auth::TokenWatchers& watchers() override { return watched; }
  auth::TokenWatchers watched;
  std::map<std::string, std::string, std::less<>> ids;  // token -> token id
  auth::Rights rights = auth::Rights::all();
  core::Millis wait{0};  // delay of the answer to a wrong token
  std::string last_peer;
  bool exhausted = false;  // true: this address has had too many failures
};

// The caller of one RPC.
struct Caller {
  std::optional<net::Response> response;
  core::Task on_disconnect;
  bool is_missing = false;

  // The caller disconnects: later answers are discarded.
  void gone() {
    is_missing = true;
    if (on_disconnect) on_disconnect();
  }

  pb::AskQuestionResponse answer() const {
    pb::AskQuestionResponse out;
    if (response && response->status == 200) out.ParseFromString(response->body);
    return out;
  }
};

class FakeResponder final : public net::Responder::Impl {
 public:
  FakeResponder(std::shared_ptr<Caller> caller, core::Scheduler& scheduler)
      : caller_(std::move(caller)), scheduler_(scheduler) {}

  void send(net::Response response) override {
    if (!caller_->is_missing) caller_->response = std::move(response);
  }
  std::shared_ptr<net::BodyWriter> start(net::Response head) override {
    send(std::move(head));
    return nullptr;
  }
  void on_disconnect(core::Task task) override { caller_->on_disconnect = std::move(task); }
  core::Scheduler& scheduler() override { return scheduler_; }

 private:
  std::shared_ptr<Caller> caller_;
  core::Scheduler& scheduler_;
};

// The server side: shards, store, tokens "tok" and "other".
class AssistantServer {
 public:
  explicit AssistantServer(std::size_t shards = 1, AssistantOptions options = {},
                           session::SessionLimits limits = {})
      : options_(std::move(options)), limits_(limits) {
    for (std::size_t i = 0; i < shards; ++i) schedulers.emplace_back(clock);
    verifier.ids = {{"tok", "t1"}, {"other", "t2"}};
    start();
  }

  // Restarts the server on the same store, as after kill -9. All connections must be closed.
  void restart() {
    context.reset();
    hub.reset();
    start();
    hub->recover(store, schedulers[0], [](const core::Result<std::size_t>&) {});
    run();
  }

  void run() {
    std::size_t count = 1;
    while (count > 0) {
      count = 0;
      for (core::FakeScheduler& scheduler : schedulers) count += scheduler.run_ready();
    }
  }

  // Advances the clock that all shards share, in steps of 100 ms; all shards run their due tasks
  // after each step.
  void advance(core::Millis by) {
    for (core::Millis left = by; left > core::Millis(0); left -= core::Millis(100)) {
      schedulers[0].advance(std::min(left, core::Millis(100)));
      run();
    }
  }

  session::Session* session(const std::string& token_id) {
    const std::string id = AssistantContext::session_key(token_id).id;
    return hub->home_of(id).find(id);
  }

  // Asks in the session of a run, which the inbox of `token_id` shows.
  void ask_in_run(const std::string& token_id, session::AskRequest request,
                  session::Session::AskDone done) {
    request.in_inbox = true;
    hub->with_session({"run", "loom", token_id},
                      [&request, &done](core::Result<session::Session*> found) {
                        (*found)->ask(std::move(request), std::move(done));
                      });
    run();
  }

  std::shared_ptr<Caller> call(RpcMethod method, net::Request request, std::size_t home = 0) {
    auto caller = std::make_shared<Caller>();
    serve_rpc(*context, method, std::move(request),
              net::Responder(std::make_unique<FakeResponder>(caller, schedulers[home])));
    return caller;
  }

  core::FakeClock clock;
  std::deque<core::FakeScheduler> schedulers;
  core::SeededEntropy entropy{11};
  event::MemorySessionStore store;
  session::OtherNode other_node;
  ListVerifier verifier;
  std::unique_ptr<net::Metrics> metrics;
  std::unique_ptr<session::Hub> hub;
  std::unique_ptr<AssistantContext> context;

 private:
  void start() {
    std::vector<std::unique_ptr<session::Shard>> shards;
    for (core::FakeScheduler& scheduler : schedulers) {
      shards.push_back(std::make_unique<session::Shard>(scheduler, entropy, store, limits_));
    }
    hub = std::make_unique<session::Hub>(std::move(shards), other_node.placement());
    metrics = std::make_unique<net::Metrics>();
    context = std::make_unique<AssistantContext>(*hub, verifier, entropy, *metrics, options_,
                                                 net::RecordedMessage::make);
  }

  AssistantOptions options_;
  session::SessionLimits limits_;
};

// A user interface: a socket and its connection.
class Ui {
 public:
  explicit Ui(AssistantServer& server, UiHello hello = {}, std::size_t home = 0)
      : socket(server.schedulers[home]),
        server_(server),
        connection_(std::make_unique<UiConnection>(*server.context, hello)) {
    connection_->on_open(socket);
  }
  ~Ui() { hang_up(); }
  Ui(const Ui&) = delete;
  Ui& operator=(const Ui&) = delete;

  // The network closes the socket.
  void hang_up() {
    if (!connection_) return;
    socket.is_open = false;
    connection_->on_close(socket, net::close_code::kAbnormal, "");
    connection_.reset();
    server_.run();
  }

  void send_bytes(std::string_view bytes, net::MessageType type = net::MessageType::binary) {
    connection_->on_message(socket, type, bytes);
  }
  void send(const pb::WebsocketMessage& message) {
    send_bytes(encode(message));
    server_.run();
  }
  void send_cmd(std::string_view cmd) {
    pb::WebsocketMessage message;
    message.set_cmd(std::string(cmd));
    send(message);
  }
  void log_in(std::string_view token, std::string_view nickname = "") {
    pb::WebsocketMessage message;
    message.set_cmd("UserLogin");
    message.set_strparam(std::string(token));
    message.set_nickname(std::string(nickname));
    send(message);
  }
  // Logs in and discards the frames sent meanwhile. Returns the client id.
  std::string enter(std::string_view token, std::string_view nickname = "") {
    log_in(token, nickname);
    std::string id;
    for (const pb::WebsocketMessage& message : take()) {
      if (message.cmd() == "UserLogin") id = message.userloginresponse().client_id();
    }
    return id;
  }

  // Frames sent since the last call.
  std::vector<pb::WebsocketMessage> take() {
    std::vector<pb::WebsocketMessage> out;
    for (const std::string& bytes : std::exchange(socket.sent, {})) {
      out.push_back(decode_frame(bytes).value_or(pb::WebsocketMessage()));
    }
    socket.shared.clear();
    return out;
  }
  // Cmds of the frames sent since the last call.
  std::vector<std::string> take_cmds() {
    std::vector<std::string> out;
    for (const pb::WebsocketMessage& message : take()) out.push_back(message.cmd());
    return out;
  }

  net::FakeWebSocket socket;

 private:
  AssistantServer& server_;
  std::unique_ptr<UiConnection> connection_;
};

// --- messages ------------------------------------------------------------------------------------

inline net::Request rpc_request(std::string body, std::string_view type = "application/proto") {
  net::Request request;
  request.id = "req";
  request.method = "POST";
  request.peer = "192.0.2.8";
  request.headers.set("Content-Type", std::string(type));
  request.body = std::move(body);
  return request;
}

inline net::Request question(std::string_view id, std::string_view text, int timeout_s = 0,
                             std::string_view token = "tok") {
  pb::AskQuestionRequest message;
  message.set_id(std::string(id));
  message.set_usertoken(std::string(token));
  message.mutable_request()->set_projectdirectory("/p");
  message.mutable_request()->set_question(std::string(text));
  message.mutable_request()->set_timeout(timeout_s);
  return rpc_request(encode(message));
}

inline net::Request report(std::string_view id, std::string_view summary,
                           std::string_view token = "tok") {
  pb::TaskFinishRequest message;
  message.set_id(std::string(id));
  message.set_usertoken(std::string(token));
  message.mutable_request()->set_projectdirectory("/p");
  message.mutable_request()->set_summary(std::string(summary));
  return rpc_request(encode(message));
}

inline pb::WebsocketMessage question_reply(std::string_view id, std::string_view text) {
  pb::WebsocketMessage message;
  message.set_cmd("AskQuestionReply");
  message.mutable_askquestionrequest()->set_id(std::string(id));
  session::Answer answer;
  session::Content content;
  content.text = std::string(text);
  answer.contents.push_back(content);
  *message.mutable_askquestionresponse() = question_response(id, answer);
  return message;
}

inline pb::WebsocketMessage report_reply(std::string_view cmd, std::string_view id,
                                         std::string_view text) {
  pb::WebsocketMessage message;
  message.set_cmd(std::string(cmd));
  message.mutable_taskfinishrequest()->set_id(std::string(id));
  session::Answer answer;
  session::Content content;
  content.text = std::string(text);
  answer.contents.push_back(content);
  *message.mutable_taskfinishresponse() = report_response(id, answer);
  return message;
}

}  // namespace parley::assistant
