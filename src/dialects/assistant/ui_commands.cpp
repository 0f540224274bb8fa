// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Commands of a logged-in user interface: the Cmds of contract section 2.3.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/core/ask.h"
#include "base/core/id.h"
#include "dialects/assistant/ui_connection.h"
#include "model/session/approval.h"

namespace parley::assistant {

// --- replies -------------------------------------------------------------------------------------

void UiConnection::question_reply(const pb::WebsocketMessage& message) {
  take_reply(session::InteractionKind::question, message.askquestionrequest(),
             message.has_askquestionresponse(), message.askquestionresponse());
}

void UiConnection::task_finish_reply(const pb::WebsocketMessage& message) {
  report_reply(message, Generation::first);
}

void UiConnection::work_report_reply(const pb::WebsocketMessage& message) {
  report_reply(message, Generation::second);
}

void UiConnection::report_reply(const pb::WebsocketMessage& message, Generation shown) {
  if (!generation_fixed_) generation_ = shown;
  take_reply(session::InteractionKind::task_finish, message.taskfinishrequest(),
             message.has_taskfinishresponse(), message.taskfinishresponse());
}

template <typename Request, typename Response>
void UiConnection::take_reply(session::InteractionKind kind, const Request& request,
                              bool has_response, const Response& response) {
  const std::string& id = request.id().empty() ? response.id() : request.id();
  if (id.empty()) {
    note_malformed("a reply has no question ID");
    return;
  }
  const std::string key = key_of_card(id);
  const session::InteractionPtr open = session_->find_pending(key);
  if (!has_response || (open && shown_kind(open->kind) != kind)) {
    context_.counters().replies_without_effect.add();
    send_validity(id);
    return;
  }
  core::Result<session::Answer> answer = answer_of(response);
  if (!answer) {
    context_.counters().replies_without_effect.add();
    if (may_log()) {
      spdlog::warn("client {}: reply ignored: {}: {}", info_.client_id, answer.error().field,
                   answer.error().message);
    }
    send_validity(id);
    return;
  }
  session::Shown shown = take_shown(*answer);
  if (open && open->kind == session::InteractionKind::tool_approval) {
    if (session::is_loose_consent(*answer)) return ask_again(*open, id, *answer);
    answer = session::approval_answer(session::approval_verdict(*answer));
  }
  ++replies_in_flight_;
  if (replies_in_flight_ >= context_.options().max_replies_in_flight && !reading_paused_) {
    reading_paused_ = true;
    socket_->pause_reading(true);
  }
  const auto channel = aware_ ? session::Channel::console : session::Channel::assistant;
  session_->answer(key, std::move(*answer),
                   {*authority_, {info_.client_id, info_.nickname}, channel, std::move(shown)},
                   [link = link_, id](const core::Result<session::AnswerReceipt>& receipt) {
                     if (*link != nullptr) (*link)->on_receipt(id, receipt);
                   });
}

std::string UiConnection::key_of_card(const std::string& id) const {
  const std::string_view key = key_of_again(id);
  if (key == id || session_->find_pending(id)) return id;
  return std::string(key);
}

void UiConnection::ask_again(const session::Interaction& approval, const std::string& id,
                             const session::Answer& reply) {
  context_.counters().replies_without_effect.add();
  // Parley's own page keeps a refused answer and its card with the choices.
  if (aware_) return send_validity(id);
  std::string& shown = again_[approval.key];
  shown = again_id(id);
  pb::WebsocketMessage again =
      ask_again_frame(approval, session::approval_verdict(reply).reason, form_of(approval));
  again.mutable_askquestionrequest()->set_id(shown);
  send(again);
}

void UiConnection::on_receipt(const std::string& id,
                              const core::Result<session::AnswerReceipt>& receipt) {
  if (replies_in_flight_ > 0) --replies_in_flight_;
  if (reading_paused_ && replies_in_flight_ < context_.options().max_replies_in_flight / 2) {
    reading_paused_ = false;
    socket_->pause_reading(false);
  }
  if (receipt && receipt->won) {
    context_.counters().replies_won.add();
    return;
  }
  context_.counters().replies_without_effect.add();
  if (receipt && receipt->interaction && !was_notified(*receipt->interaction)) {
    send_closed(*receipt->interaction);
  }
  send_validity(id);
}

// --- queries of state ----------------------------------------------------------------------------

void UiConnection::check_validity(const pb::WebsocketMessage& message) {
  const auto& ids = message.checkmessagevalidityrequest().request_ids();
  if (static_cast<std::size_t>(ids.size()) > context_.options().max_validity_ids) {
    note_malformed("CheckMessageValidity names too many ids");
    return;
  }
  pb::WebsocketMessage out;
  out.set_cmd("CheckMessageValidity");
  auto& validity = *out.mutable_checkmessagevalidityresponse()->mutable_validity();
  for (const std::string& id : ids) validity[id] = session_->is_pending(key_of_card(id));
  send(out);
}

void UiConnection::pending_messages(const pb::WebsocketMessage& message) {
  (void)message;
  if (unsent_timer_ != 0) socket_->scheduler().cancel(std::exchange(unsent_timer_, 0));
  unsent_.clear();
  if (!std::exchange(list_asked_, true)) send_pending();
}

// Delays the list while the client's queue is above list_watermark; one list then answers all
// requests made meanwhile. Clients repeat the request, and a list may be larger than the bytes that
// they read between two requests.
void UiConnection::send_pending() {
  if (socket_->queued_bytes() > context_.options().list_watermark) {
    socket_->scheduler().after(context_.options().list_retry,
                               core::unless_gone(link_, [](UiConnection& self) {
                                 if (self.list_asked_) self.send_pending();
                               }));
    return;
  }
  list_asked_ = false;
  pb::WebsocketMessage out;
  out.set_cmd("GetPendingMessages");
  pb::GetPendingMessagesResponse& list = *out.mutable_getpendingmessagesresponse();
  UnsentQuestions& unsent = context_.unsent(socket_->scheduler());
  for (const session::InteractionPtr& interaction : session_->pending()) {
    unsent.sent(*session_, interaction->id);
    for (const Spelling spelling : spellings_for(interaction->kind, generation_)) {
      *list.add_pending_messages() = pending_entry(*interaction, spelling, form_of(*interaction));
    }
  }
  list.set_total_count(list.pending_messages_size());
  send(out);
}

void UiConnection::online_users(const pb::WebsocketMessage& message) {
  (void)message;
  // Pages request this every half minute: it counts as a use of their token.
  (void)context_.verifier().verify(token_, socket_->peer());
  pb::WebsocketMessage out;
  out.set_cmd("GetOnlineUsers");
  pb::GetOnlineUsersResponse& list = *out.mutable_getonlineusersresponse();
  for (const session::Participant* other : session_->participants()) {
    const session::ParticipantInfo& who = other->info();
    if (other == this || who.dialect != info_.dialect || who.role != info_.role) continue;
    *list.add_online_users() = online_user(who);
  }
  list.set_total_count(list.online_users_size());
  send(out);
}

// --- to other user interfaces --------------------------------------------------------------------

void UiConnection::chat(const pb::WebsocketMessage& message) {
  const pb::SendChatMessageRequest& request = message.sendchatmessagerequest();
  if (request.receiver_client_id().empty() || request.content().empty()) {
    undeliverable("a chat message has no receiver or no content");
    return;
  }
  const session::Participant* receiver = session_->find_participant(request.receiver_client_id());
  if (receiver == nullptr) {
    undeliverable("the receiver of a chat message is not online");
    return;
  }
  session::DirectMessage out;
  out.id = "chat_" + core::new_id(socket_->scheduler().clock(), context_.entropy());
  out.from = info_;
  out.to = receiver->info();
  out.text = request.content();
  out.sent_at = now();
  if (request.has_forward_target()) out.detail = encode(request.forward_target());
  if (!session_->send_direct(std::move(out), request.receiver_client_id())) {
    undeliverable("the receiver of a chat message is not online");
  }
}

void UiConnection::forward_query(const pb::WebsocketMessage& message) {
  pb::WebsocketMessage out;
  pb::ForwardStateQueryRequest& body = *out.mutable_forwardstatequeryrequest();
  body = message.forwardstatequeryrequest();
  body.set_requester_client_id(info_.client_id);
  out.set_cmd(message.cmd());
  relay(out, body.target_client_id());
}

void UiConnection::forward_answer(const pb::WebsocketMessage& message) {
  pb::WebsocketMessage out;
  pb::ForwardStateQueryResponse& body = *out.mutable_forwardstatequeryresponse();
  body = message.forwardstatequeryresponse();
  body.set_responder_client_id(info_.client_id);
  out.set_cmd(message.cmd());
  relay(out, body.target_client_id());
}

void UiConnection::forward_error(const pb::WebsocketMessage& message) {
  pb::WebsocketMessage out;
  pb::ForwardDeliveryErrorNotification& body = *out.mutable_forwarddeliveryerrornotification();
  body = message.forwarddeliveryerrornotification();
  body.set_peer_client_id(info_.client_id);
  out.set_cmd(message.cmd());
  relay(out, body.target_client_id());
}

void UiConnection::forward_changed(const pb::WebsocketMessage& message) {
  if (!message.has_forwardstatechangednotification()) {
    undeliverable("a forward message has no content of its type");
    return;
  }
  pb::WebsocketMessage out;
  pb::ForwardStateChangedNotification& body = *out.mutable_forwardstatechangednotification();
  body = message.forwardstatechangednotification();
  body.set_source_client_id(info_.client_id);
  out.set_cmd(message.cmd());
  session_->broadcast_signal({info_.dialect, out.cmd(), info_.client_id, encode(out)});
}

void UiConnection::relay(const pb::WebsocketMessage& message, const std::string& to_client_id) {
  const session::Signal signal{info_.dialect, message.cmd(), info_.client_id, encode(message)};
  if (!session_->send_signal(signal, to_client_id)) {
    undeliverable("the receiver of a forward message is not online");
  }
}

// A notice about a question that has just been answered is normal, and dropped.
void UiConnection::answering(const pb::WebsocketMessage& message) {
  if (!aware_) return;
  const auto second = static_cast<std::uint32_t>(
      socket_->scheduler().clock().mono().time_since_epoch() / std::chrono::seconds(1));
  if (std::exchange(answering_second_, second) != second) answering_told_ = 0;
  if (answering_told_ == kMaxAnsweringPerSecond) {
    undeliverable("too many notices about questions in a second");
    return;
  }
  ++answering_told_;
  session_->notify_answering({message.strparam(), info_.client_id, info_.nickname});
}

void UiConnection::undeliverable(std::string_view what) {
  context_.counters().undeliverable.add();
  if (may_log()) spdlog::info("client {}: not delivered: {}", info_.client_id, what);
}

}  // namespace parley::assistant
