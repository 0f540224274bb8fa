// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/core/json_member.h"
#include "base/net/http/metrics.h"
#include "dialects/chat/chat_connection.h"
#include "tests/support/auth/fake_verifier.h"
#include "tests/support/net/fake_websocket.h"
#include "tests/support/run/run_world.h"
#include "tests/support/session/test_actors.h"

// Chats on a fake clock: real runs with a scripted model, and sockets that record the frames sent
// to them. For tests.
namespace parley::chat {

// The server side, with the tokens "tok" of alice and "other" of bob, and one session of alice.
class ChatWorld {
 public:
  ChatWorld() {
    tokens.allow("tok", "alice", "Alice");
    tokens.allow("other", "bob", "Bob");
    sessions = std::move(ChatSessionStore::open(folder_.path(), runs.clock, runs.entropy).value());
    front_end =
        std::move(front_end::FrontEndStore::open(folder_.path(), runs.clock, runs.entropy).value());
    make_context();
    code = make_session("alice", "");
  }
  ChatWorld(const ChatWorld&) = delete;
  ChatWorld& operator=(const ChatWorld&) = delete;

  // Restarts the server as after kill -9. All peers must be gone.
  void restart() {
    context.reset();
    runs.restart();
    make_context();
  }
  void make_context() {
    context = std::unique_ptr<ChatContext>(new ChatContext{*runs.hub, runs.store, *runs.service,
                                                           *sessions, tokens, runs.entropy, workers,
                                                           gate, ChatCounters(metrics)});
    context->front_end = front_end.get();
  }

  std::string make_session(const std::string& owner, const std::string& rules) {
    std::optional<core::Result<ChatSession>> created;
    sessions->create(owner, {"", rules}, runs.scheduler,
                     [&](core::Result<ChatSession> out) { created = std::move(out); });
    wait([&] { return created.has_value(); });
    return created->value().code;
  }
  // Runs due tasks until `done` returns true; the session store's thread works meanwhile.
  template <typename Done>
  void wait(Done done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!done()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "it takes too long";
      if (runs.scheduler.run_ready() == 0) std::this_thread::yield();
    }
  }
  // Runs tasks until none is left.
  void run() {
    bool told = false;
    sessions->find("", "", runs.scheduler, [&told](const auto&) { told = true; });
    wait([&told] { return told; });
    runs.scheduler.run_ready();
  }

  run::RunWorld runs;
  auth::FakeVerifier tokens;
  net::Metrics metrics;
  tool::WorkerPool workers{1};
  core::WorkGate gate;
  std::unique_ptr<ChatSessionStore> sessions;
  std::unique_ptr<front_end::FrontEndStore> front_end;
  std::unique_ptr<ChatContext> context;
  std::string code;

 private:
  core::TempFolder folder_{"parley-chat"};
};

// A front end: a socket and its connection.
class ChatPeer {
 public:
  ChatPeer(ChatWorld& world, Generation generation,
           std::optional<std::uint64_t> after = std::nullopt, bool detail = false)
      : world_(world), socket(world.runs.scheduler) {
    ChatCaller caller{"alice", "Alice", "tok", auth::Rights::all(), session::answering_token()};
    caller.session_code = world.code;
    caller.generation = generation;
    caller.after = after;
    caller.detail = detail;
    connection_ = std::make_unique<ChatConnection>(*world.context, std::move(caller));
    connection_->on_open(socket);
    world_.run();
  }
  ~ChatPeer() { leave(); }
  ChatPeer(const ChatPeer&) = delete;
  ChatPeer& operator=(const ChatPeer&) = delete;

  void leave() {
    if (connection_) connection_->on_close(socket, net::close_code::kGoingAway, "");
    connection_.reset();
  }
  // Delivers the frame and runs no task.
  void put(const std::string& text) {
    simdjson::padded_string padded(text);
    connection_->on_message(socket, net::MessageType::text, padded);
  }
  void send(const std::string& text) {
    put(text);
    world_.run();
  }
  // A message of this session; `rest`: further members.
  std::string frame(std::string_view type, std::string_view request_id,
                    const std::string& rest = "") const {
    return R"({"type":")" + std::string(type) + R"(","sessionCode":")" + world_.code +
           R"(","requestId":")" + std::string(request_id) + "\"" + (rest.empty() ? "" : ",") +
           rest + "}";
  }
  void say(std::string_view type, std::string_view request_id, const std::string& rest = "") {
    send(frame(type, request_id, rest));
  }
  void message(std::string_view request_id, std::string_view content,
               const std::string& data = R"({"workflowContent":""})") {
    say("USER_MESSAGE", request_id,
        R"("content":")" + std::string(content) + R"(","data":)" + data);
  }
  // Frames since the last call, in short: "THINKING", "STREAM Hello", "COMPLETE_FRAME".
  std::vector<std::string> told() {
    std::vector<std::string> out;
    for (; next_ < socket.texts.size(); ++next_) out.push_back(in_short(socket.texts[next_]));
    return out;
  }

  // True if any frame so far has this text.
  bool has_frame(std::string_view text) const {
    return std::any_of(socket.texts.begin(), socket.texts.end(), [text](const std::string& frame) {
      return frame.find(text) != std::string::npos;
    });
  }

  ChatWorld& world_;
  net::FakeWebSocket socket;

 private:
  static std::string in_short(const std::string& frame) {
    simdjson::dom::parser parser;
    const simdjson::dom::object object = parser.parse(frame).get_object();
    std::string type = core::string_member(object, "type");
    if (type == "AGENT_STREAM") return "STREAM " + core::string_member(object, "content");
    simdjson::dom::object data;
    if (object["data"].get(data) != simdjson::SUCCESS) return type;
    if (type == "AGENT_TOOL_CALL_REQUEST") {
      return "REQUEST " + core::string_member(data, "toolName");
    }
    if (type != "AGENT_PROMPT") return type;
    std::string prompt = core::string_member(data, "promptType");
    return prompt == "ERROR" ? "ERROR " + core::string_member(data, "message") : prompt;
  }

  std::unique_ptr<ChatConnection> connection_;
  std::size_t next_ = 0;
};

}  // namespace parley::chat
