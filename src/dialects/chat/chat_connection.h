// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/net/websocket/websocket.h"
#include "dialects/chat/chat_context.h"
#include "dialects/chat/chat_history.h"
#include "dialects/chat/chat_message.h"
#include "dialects/chat/chat_view.h"
#include "model/session/subscription.h"

namespace parley::chat {

inline constexpr std::string_view kBusy =
    "A run of this session goes on. Wait for its end, or interrupt it; /clear ends it too.";

// Parameters of a client in its opening handshake.
struct ChatCaller {
  std::string owner;  // id of its token
  std::string name;   // name of the token
  std::string token;
  auth::Rights rights;
  session::Authority authority;
  std::string session_code = {};              // owned by `owner`
  Generation generation = Generation::first;  // until a message shows another
  std::optional<std::uint64_t> after = {};  // last event that the client has; empty: only new ones
  bool detail = false;  // sends the frames of tools that only Parley's own page reads
};

// A client of a chat session. It receives all runs of the session, no matter which client started
// them, and starts a run with each message. Its runs continue after it disconnects. All calls are
// on the thread of the socket.
class ChatConnection final : public net::WebSocketHandler {
 public:
  ChatConnection(ChatContext& context, ChatCaller caller);
  ~ChatConnection() override;

  void on_open(net::WebSocket& socket) override;
  void on_message(net::WebSocket& socket, net::MessageType type, std::string_view data) override;
  void on_close(net::WebSocket& socket, std::uint16_t code, std::string_view reason) override;

 private:
  // Points at the connection while it exists; used on its thread only.
  using Link = std::shared_ptr<ChatConnection*>;

  // A message whose run is being started.
  struct Starting {
    std::string request_id;
    std::string run_id;  // empty: the message starts no run
    bool interrupted = false;
  };

  core::Scheduler& scheduler() { return socket_->scheduler(); }
  session::SessionKey session_key() const;
  bool still_allowed();
  void close(std::uint16_t code, std::string_view reason);
  void cut_link();
  // Wraps a callback: `use` is called with this and the result, unless the connection has closed.
  template <typename T, typename Use>
  absl::AnyInvocable<void(core::Result<T>)> answering(Use use);

  // --- output ----------------------------------------------------------------------------------
  void subscribe();
  void on_joined(const core::Result<std::uint64_t>& visible);
  void bound_replay();
  void send_replay_cut(std::uint64_t after);
  void read_context(std::uint64_t until);
  void on_context(const core::Result<event::EventPage>& page, std::uint64_t until);
  void read_on();
  void on_page(const core::Result<event::EventPage>& page);
  void go_live();
  // Looks up the run that the view has in progress, and ends it in the view if it was interrupted.
  // Calls `then` with false if no run is in progress now.
  void check_run(absl::AnyInvocable<void(bool goes_on)> then);
  void on_events(const event::Unit& unit);
  void show(const event::Event& event, bool shown);
  void look_up_token_limit();
  void on_opened(const session::Interaction& interaction);
  void on_closed(const session::Interaction& interaction);

  // --- messages of the client ------------------------------------------------------------------
  void take(const ClientMessage& message);
  void refuse(std::string_view request_id, std::string_view message);
  // The same for a message that would have begun a run.
  void refuse_run(std::string_view request_id, std::string_view message);
  void user_message(const ClientMessage& message);
  // Appends the request to the session, then starts its run, if it has one.
  void begin(const ClientMessage& message, const ChatSession& session, const Continued& continued);
  // Reads the uploads that the message names; then calls open_workflow().
  void read_uploads(ClientMessage message, ChatSession session, Continued continued);
  // Reads the saved workflow that the message names, unless the message contains one; then calls
  // begin().
  void open_workflow(ClientMessage message, ChatSession session, Continued continued);
  run::RunRequest run_request(const ClientMessage& message, const ChatSession& session);
  void on_started(const core::Result<run::Run>& run);
  void user_order(const ClientMessage& message);
  // The command and its reply are stored in the session.
  void help(const ClientMessage& message);
  void unknown_order(const ClientMessage& message);
  void clear(const ClientMessage& message);
  void append_clear(const std::string& request_id);
  void end_clear(std::string_view request_id);
  void append(std::string type, std::string payload, session::Session::EventDone done);
  void interrupt(const ClientMessage& message);
  void cancel_run();
  void cancel_start(const std::string& run_id);
  WaitingQuestion* open_question();
  void answer_question(const ClientMessage& message, WaitingQuestion& question);
  void tool_answer(const ClientMessage& message);
  void remember(const std::string& request_id, run::ToolOrigin tool, Scope scope);
  WaitingTool* find_tool(const ClientMessage& message);

  ChatContext& context_;
  ChatCaller caller_;
  net::WebSocket* socket_ = nullptr;  // null: closed
  Link link_;
  std::string client_id_;
  auth::TokenWatch token_watch_;
  std::size_t waiting_ = 0;  // callbacks of answering() that are pending

  FrameWriter frames_;
  ChatView view_;
  session::Subscription subscription_;
  std::uint64_t visible_ = 0;   // the last event visible in the session
  std::uint64_t position_ = 0;  // events up to this one were passed to the view, or are lost
  std::uint64_t shown_to_ = 0;  // events up to this one are not sent: seen, or cut from the replay
  std::uint64_t reading_to_ = 0;  // `visible_` when the last read began
  bool live_ = false;
  std::vector<WaitingTool> tools_;          // in the order of their requests
  std::vector<WaitingQuestion> questions_;  // likewise
  std::optional<Starting> starting_;
  std::string interrupted_;                  // the run that this client has cancelled
  std::optional<std::string> clears_after_;  // request of a /clear that waits for the run's end
};

template <typename T, typename Use>
absl::AnyInvocable<void(core::Result<T>)> ChatConnection::answering(Use use) {
  ++waiting_;
  return [link = link_, use = std::move(use)](core::Result<T> result) mutable {
    if (*link == nullptr) return;
    --(*link)->waiting_;
    use(**link, std::move(result));
  };
}

}  // namespace parley::chat
