// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/net/websocket/websocket.h"
#include "dialects/assistant/assistant_context.h"
#include "dialects/assistant/frames.h"
#include "identity/access/entrance.h"
#include "model/session/participant.h"
#include "model/session/session.h"

namespace parley::assistant {

// Parameters of a client in its URL.
struct UiHello {
  Generation generation = Generation::unknown;  // ?gen=1|2|3
  bool ack = false;    // ?ack=1: notifies the client of its own accepted replies, after commit
  bool aware = false;  // ?aware=1: the client says which question it answers, and is told the
                       // same of others
};

// Notices of one connection that it answers a question; further ones are dropped.
// Limit (The assistant dialect): `Answering` of one client in a second. Reached: dropped, counted.
inline constexpr std::uint8_t kMaxAnsweringPerSecond = 50;

// A user interface on `/ws`: waits for UserLogin, moves to the shard of its token's session, joins
// it, and translates between WebsocketMessage frames and the session (contract sections 2.2-2.3).
// All calls are on the thread of the socket.
class UiConnection final : public net::WebSocketHandler, public session::Participant {
 public:
  // `handshake`: for the way to another node; null: there is none.
  UiConnection(AssistantContext& context, UiHello hello,
               std::unique_ptr<const net::Request> handshake = nullptr);
  ~UiConnection() override;

  void on_open(net::WebSocket& socket) override;
  void on_message(net::WebSocket& socket, net::MessageType type, std::string_view data) override;
  void on_close(net::WebSocket& socket, std::uint16_t code, std::string_view reason) override;

  const session::ParticipantInfo& info() const override { return info_; }
  void on_opened(const session::InteractionPtr& interaction) override;
  void on_closed(const session::InteractionPtr& interaction) override;
  void on_presence(const session::ParticipantInfo& who, session::Presence what) override;
  void on_direct_message(const session::DirectMessage& message) override;
  void on_signal(const session::Signal& signal) override;
  void on_answering(const session::Answering& answering) override;
  void on_event(const event::Event& event) override;
  void on_leave_required(session::LeaveReason reason) override;

 private:
  enum class State : std::uint8_t { waiting_for_login, logging_in, active, closed };
  struct Command;
  // Points at the connection while it belongs to the thread and the session for which the link was
  // made; null afterwards. Read and cleared on that thread only.
  using Link = std::shared_ptr<UiConnection*>;

  static const Command* find_command(std::string_view name);
  void handle_frame(std::string_view data);
  void note_malformed(std::string_view what);
  void hold(std::string_view data);

  void log_in(const pb::WebsocketMessage& message, std::string_view frame);
  bool passes_on(const std::string& workspace, std::string_view login);
  void set_nickname(std::string_view wanted);
  void change_nickname(std::string_view wanted);
  void enter(const std::string& token_id);
  void join();
  void on_session(core::Result<session::Session*> session);
  // Closes the connection if its token has been revoked or has expired.
  void check_token();
  void take_held_frames();
  // Sends the questions that were on no page at the login, unless the client lists them itself.
  void push_unsent_after(core::Millis delay);
  void push_unsent();
  void refuse_login(const core::Error& error);
  // Refuses the login after the delay of `refused.wait`; reads no frames meanwhile.
  void refuse_login_later(const access::Refused& refused);
  // Ignores and counts a command whose right the token lacks; a reply is answered with its
  // question's state.
  void refuse_command(const pb::WebsocketMessage& message, const core::Error& error);
  void cut_link();
  void leave_session();
  // Closes the socket and leaves the session.
  void close(std::uint16_t code, std::string_view reason);
  void shut(std::uint16_t code, std::string_view reason);

  void question_reply(const pb::WebsocketMessage& message);
  void task_finish_reply(const pb::WebsocketMessage& message);
  void work_report_reply(const pb::WebsocketMessage& message);
  void report_reply(const pb::WebsocketMessage& message, Generation shown);
  template <typename Request, typename Response>
  void take_reply(session::InteractionKind kind, const Request& request, bool has_response,
                  const Response& response);
  // The interaction that the card with this ID shows: its key, or that of an approval asked again.
  std::string key_of_card(const std::string& id) const;
  // Shows an approval again, because the reply to the card `id` decided nothing.
  void ask_again(const session::Interaction& approval, const std::string& id,
                 const session::Answer& reply);
  void on_receipt(const std::string& id, const core::Result<session::AnswerReceipt>& receipt);
  void check_validity(const pb::WebsocketMessage& message);
  void pending_messages(const pb::WebsocketMessage& message);
  void send_pending();
  void online_users(const pb::WebsocketMessage& message);
  void chat(const pb::WebsocketMessage& message);
  void forward_query(const pb::WebsocketMessage& message);
  void forward_answer(const pb::WebsocketMessage& message);
  void forward_changed(const pb::WebsocketMessage& message);
  void forward_error(const pb::WebsocketMessage& message);
  void answering(const pb::WebsocketMessage& message);
  void relay(const pb::WebsocketMessage& message, const std::string& to_client_id);
  void undeliverable(std::string_view what);

  void send(const pb::WebsocketMessage& message);
  void send_opened(const session::Interaction& interaction);
  void send_closed(const session::Interaction& interaction);
  bool was_notified(const session::Interaction& closed) const;
  bool is_own_answer(const session::Interaction& closed) const;
  QuestionForm form_of(const session::Interaction& interaction) const;
  Naming naming() const { return aware_ ? Naming::holder : Naming::nickname; }
  void send_validity(const std::string& id);
  FrameCache& frames();
  core::WallTime now() const;
  // True if one more line about this client may be logged.
  bool may_log();

  AssistantContext& context_;
  const std::unique_ptr<const net::Request> handshake_;
  net::WebSocket* socket_ = nullptr;
  session::Session* session_ = nullptr;  // while joined
  session::ParticipantInfo info_;
  std::string token_id_;  // id of the token of the login in progress
  auth::Rights rights_;
  std::optional<session::Authority> authority_;  // since the login
  std::string token_;             // verified again after the join, and when a token has ended
  auth::TokenWatch token_watch_;  // while joined
  std::vector<std::string> held_;
  Link link_;
  core::TimerId login_timer_ = 0;
  core::TimerId unsent_timer_ = 0;
  std::vector<std::string> unsent_;  // ids of the questions that nobody had been sent at the login
  // Approvals that were asked again: key, and ID of the last card.
  std::map<std::string, std::string> again_;
  std::uint64_t joined_seq_ = 0;         // `visible_seq` of the session at the join
  core::WallTime joined_at_;             // for the ends of interactions of other sessions
  std::uint32_t replies_in_flight_ = 0;  // replies whose outcome is being committed
  std::uint32_t malformed_in_a_row_ = 0;
  std::uint8_t log_budget_ = 20;
  State state_ = State::waiting_for_login;
  Generation generation_;
  bool generation_fixed_;
  bool ack_;
  bool aware_;
  std::uint8_t answering_told_ = 0;  // in the current second, for kMaxAnsweringPerSecond
  std::uint32_t answering_second_ = 0;
  bool reading_paused_ = false;
  bool list_asked_ = false;  // the answer to GetPendingMessages waits for the queue
};

}  // namespace parley::assistant
