// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/assistant/ui_connection.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/ask.h"
#include "base/core/id.h"
#include "base/core/limits.h"
#include "base/core/utf8.h"
#include "identity/access/authority.h"
#include "model/session/bring_home.h"

namespace parley::assistant {
namespace {

const std::string kSocket = "/ws ";

using net::MessageType;
using session::LeaveReason;
using session::Presence;
using session::Session;

constexpr std::string_view kDialect = "assistant";
constexpr std::size_t kMaxLoggedCmd = 48;
constexpr std::size_t kDefaultNameDigits = 8;
constexpr std::size_t kMaxCloseReason = 120;

// A name sent by a client, for one log line: printable ASCII, cut to kMaxLoggedCmd bytes.
std::string for_log(std::string_view text) {
  std::string out(text.substr(0, kMaxLoggedCmd));
  for (char& c : out) {
    if (c < ' ' || c > '~') c = '?';
  }
  return out;
}

bool is_ui(const session::ParticipantInfo& who) {
  return who.dialect == kDialect && who.role == session::ParticipantRole::user;
}

}  // namespace

struct UiConnection::Command {
  std::string_view name;
  void (UiConnection::*run)(const pb::WebsocketMessage&);
};

UiConnection::UiConnection(AssistantContext& context, UiHello hello,
                           std::unique_ptr<const net::Request> handshake)
    : context_(context),
      handshake_(std::move(handshake)),
      generation_(hello.generation),
      generation_fixed_(hello.generation != Generation::unknown),
      ack_(hello.ack),
      aware_(hello.aware) {}

UiConnection::~UiConnection() {
  cut_link();
  leave_session();
}

// --- the socket ----------------------------------------------------------------------------------

void UiConnection::on_open(net::WebSocket& socket) {
  socket_ = &socket;
  info_.client_id = core::new_id(socket.scheduler().clock(), context_.entropy());
  info_.role = session::ParticipantRole::user;
  info_.dialect = kDialect;
  info_.connected_at = now();
  socket.set_resume_hint("too slow: reconnect, log in and send GetPendingMessages");
  link_ = std::make_shared<UiConnection*>(this);
  login_timer_ = socket.scheduler().after(context_.options().login_timeout, [link = link_] {
    if (*link == nullptr) return;
    UiConnection& self = **link;
    self.login_timer_ = 0;
    self.context_.counters().login_timeouts.add();
    self.close(net::close_code::kUnauthenticated, "no login in time");
  });
}

void UiConnection::on_message(net::WebSocket& socket, MessageType type, std::string_view data) {
  (void)socket;
  if (state_ == State::closed) return;
  if (type == MessageType::text) {
    context_.counters().text_frames.add();
    if (may_log()) spdlog::info("client {}: text frame ignored", info_.client_id);
    return;
  }
  if (state_ == State::logging_in || !held_.empty()) {
    hold(data);
    return;
  }
  handle_frame(data);
}

void UiConnection::on_close(net::WebSocket& socket, std::uint16_t code, std::string_view reason) {
  (void)code;
  (void)reason;
  if (login_timer_ != 0) socket.scheduler().cancel(std::exchange(login_timer_, 0));
  state_ = State::closed;
  cut_link();
  leave_session();
  socket_ = nullptr;
}

void UiConnection::close(std::uint16_t code, std::string_view reason) {
  if (state_ == State::closed) return;
  shut(code, reason);
  leave_session();
}

void UiConnection::shut(std::uint16_t code, std::string_view reason) {
  state_ = State::closed;
  held_.clear();
  if (login_timer_ != 0) socket_->scheduler().cancel(std::exchange(login_timer_, 0));
  socket_->close(code, reason);
  cut_link();
}

void UiConnection::hold(std::string_view data) {
  std::size_t bytes = data.size();
  for (const std::string& frame : held_) bytes += frame.size();
  if (held_.size() >= context_.options().max_held_frames ||
      bytes > context_.options().max_frame_bytes) {
    close(net::close_code::kPolicyViolation, "too much sent before the login was answered");
    return;
  }
  held_.emplace_back(data);
}

void UiConnection::handle_frame(std::string_view data) {
  const core::Result<pb::WebsocketMessage> message = decode_frame(data);
  if (!message) {
    note_malformed(message.error().message);
    return;
  }
  malformed_in_a_row_ = 0;
  if (message->cmd() == "UserLogin") {
    log_in(*message, data);
    return;
  }
  if (state_ != State::active) {
    context_.counters().before_login.add();
    return;
  }
  const Command* command = find_command(message->cmd());
  if (command == nullptr) {
    context_.counters().unknown_commands.add();
    if (may_log()) {
      spdlog::info("client {}: unknown Cmd \"{}\" ignored", info_.client_id,
                   for_log(message->cmd()));
    }
    return;
  }
  const access::Row& row = access::row_of("message", kSocket + std::string(command->name));
  if (const auto allowed = access::check_right(row, rights_); !allowed) {
    refuse_command(*message, allowed.error());
    return;
  }
  (this->*command->run)(*message);
}

void UiConnection::refuse_command(const pb::WebsocketMessage& message, const core::Error& error) {
  context_.counters().forbidden.add();
  if (may_log()) {
    spdlog::info("client {}: {} ignored: {}", info_.client_id, message.cmd(), error.message);
  }
  // A refused reply is answered as CheckMessageValidity for its question, which may still be
  // pending.
  const std::string& question = message.askquestionrequest().id().empty()
                                    ? message.askquestionresponse().id()
                                    : message.askquestionrequest().id();
  const std::string& report = message.taskfinishrequest().id().empty()
                                  ? message.taskfinishresponse().id()
                                  : message.taskfinishrequest().id();
  if (!question.empty() || !report.empty()) send_validity(question.empty() ? report : question);
}

void UiConnection::note_malformed(std::string_view what) {
  context_.counters().malformed_frames.add();
  if (may_log()) spdlog::warn("client {}: frame ignored: {}", info_.client_id, what);
  if (++malformed_in_a_row_ > context_.options().max_malformed_in_a_row) {
    close(net::close_code::kPolicyViolation, "too many malformed frames in a row");
  }
}

const UiConnection::Command* UiConnection::find_command(std::string_view name) {
  static constexpr Command kCommands[] = {
      {"AskQuestionReply", &UiConnection::question_reply},
      {"TaskFinishReply", &UiConnection::task_finish_reply},
      {"WorkReportReply", &UiConnection::work_report_reply},
      {"CheckMessageValidity", &UiConnection::check_validity},
      {"GetPendingMessages", &UiConnection::pending_messages},
      {"GetOnlineUsers", &UiConnection::online_users},
      {"SendChatMessage", &UiConnection::chat},
      {"ForwardStateQuery", &UiConnection::forward_query},
      {"ForwardStateQueryResponse", &UiConnection::forward_answer},
      {"ForwardStateChanged", &UiConnection::forward_changed},
      {"ForwardDeliveryError", &UiConnection::forward_error},
      {"Answering", &UiConnection::answering},
  };
  const auto* found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                   [&](const Command& command) { return command.name == name; });
  return found == std::end(kCommands) ? nullptr : found;
}

// --- login ---------------------------------------------------------------------------------------

void UiConnection::log_in(const pb::WebsocketMessage& message, std::string_view frame) {
  const auto identity =
      access::let_in(context_.verifier(), access::row_of("message", kSocket + message.cmd()),
                     message.strparam(), socket_->peer());
  if (!identity) {
    refuse_login_later(identity.error());
    return;
  }
  rights_ = identity->rights;
  authority_ = access::authority_of(*identity);
  socket_->admit(identity->workspace);
  if (session_ != nullptr && session_->owner() == identity->workspace) {
    token_ = message.strparam();
    change_nickname(message.nickname());
    return;
  }
  cut_link();
  leave_session();
  if (login_timer_ != 0) socket_->scheduler().cancel(std::exchange(login_timer_, 0));
  if (passes_on(identity->workspace, frame)) return;
  link_ = std::make_shared<UiConnection*>(this);
  token_ = message.strparam();
  set_nickname(message.nickname());
  enter(identity->workspace);
}

// True if another node is the home of the workspace: it has the connection, from its login on, and
// this object may be gone.
bool UiConnection::passes_on(const std::string& workspace, std::string_view login) {
  net::HomePassage* const homes = context_.options().homes;
  if (homes == nullptr || handshake_ == nullptr) return false;
  std::vector<std::string> frames = {std::string(login)};
  frames.insert(frames.end(), held_.begin(), held_.end());
  return homes->pass_on(workspace, *handshake_, frames, *socket_);
}

void UiConnection::set_nickname(std::string_view wanted) {
  const std::string_view name =
      core::utf8_truncate(core::trimmed(wanted), core::limits::kMaxNicknameBytes);
  if (!name.empty()) {
    info_.nickname = name;
    return;
  }
  const std::size_t size = info_.client_id.size();
  info_.nickname = "User_" + info_.client_id.substr(size - std::min(size, kDefaultNameDigits));
}

void UiConnection::change_nickname(std::string_view wanted) {
  const std::string before = info_.nickname;
  set_nickname(wanted);
  context_.counters().logins.add();
  if (info_.nickname != before) session_->renamed(*this);
  send(login_frame(info_.client_id, context_.options().server_version));
}

void UiConnection::enter(const std::string& token_id) {
  state_ = State::logging_in;
  token_id_ = token_id;
  session::bring_home(*socket_, context_.hub(), AssistantContext::session_key(token_id).id,
                      core::unless_gone(link_, &UiConnection::join));
}

void UiConnection::join() {
  context_.hub().with_session(AssistantContext::session_key(token_id_),
                              core::unless_gone(link_, &UiConnection::on_session));
  if (state_ == State::logging_in && !reading_paused_) {
    reading_paused_ = true;
    socket_->pause_reading(true);
  }
}

void UiConnection::on_session(core::Result<Session*> session) {
  if (!session) {
    refuse_login(session.error());
    return;
  }
  if (const core::Result<void> joined = (*session)->join(*this); !joined) {
    refuse_login(joined.error());
    return;
  }
  session_ = *session;
  joined_seq_ = session_->visible_seq();
  joined_at_ = now();
  unsent_ = context_.unsent(socket_->scheduler()).joined(*session_);
  state_ = State::active;
  socket_->set_resume_seq(session_->visible_seq());
  token_watch_ = context_.verifier().watchers().watch(
      token_id_, socket_->scheduler(), core::unless_gone(link_, &UiConnection::check_token));
  // A token revoked between the first check and join() had no participant to close.
  const core::Result<auth::Identity> still = context_.verifier().verify(token_, socket_->peer());
  std::string().swap(token_id_);
  if (!still) {
    refuse_login(still.error());
    return;
  }
  context_.counters().logins.add();
  send(login_frame(info_.client_id, context_.options().server_version));
  if (!unsent_.empty()) push_unsent_after(context_.options().unasked_list_delay);
  take_held_frames();
}

void UiConnection::push_unsent_after(core::Millis delay) {
  unsent_timer_ =
      socket_->scheduler().after(delay, core::unless_gone(link_, &UiConnection::push_unsent));
}

// Sends as many as the client's queue takes, and the rest later: together they may be larger than
// what a client may leave unread.
void UiConnection::push_unsent() {
  unsent_timer_ = 0;
  for (const session::InteractionPtr& pending : session_->pending()) {
    const auto found = std::find(unsent_.begin(), unsent_.end(), pending->id);
    if (found == unsent_.end()) continue;
    if (socket_->queued_bytes() > context_.options().list_watermark) {
      return push_unsent_after(context_.options().list_retry);
    }
    unsent_.erase(found);
    send_opened(*pending);
    context_.unsent(socket_->scheduler()).sent(*session_, pending->id);
  }
  unsent_.clear();
}

void UiConnection::check_token() {
  if (state_ != State::active || context_.verifier().verify(token_, socket_->peer())) return;
  on_leave_required(LeaveReason::token_revoked);
}

// Handles one frame per task: a login may move the connection, and nothing may follow it in its
// task.
void UiConnection::take_held_frames() {
  if (state_ != State::active) return;
  if (held_.empty()) {
    if (std::exchange(reading_paused_, false)) socket_->pause_reading(false);
    return;
  }
  const std::string frame = std::move(held_.front());
  held_.erase(held_.begin());
  socket_->scheduler().post(core::unless_gone(link_, &UiConnection::take_held_frames));
  handle_frame(frame);
}

// Reads no frames from the client during the delay.
void UiConnection::refuse_login_later(const access::Refused& refused) {
  if (refused.wait == core::Millis(0)) {
    refuse_login(refused.error);
    return;
  }
  cut_link();
  leave_session();
  link_ = std::make_shared<UiConnection*>(this);
  state_ = State::logging_in;
  if (!std::exchange(reading_paused_, true)) socket_->pause_reading(true);
  if (login_timer_ != 0) socket_->scheduler().cancel(login_timer_);
  const auto refuse = [error = refused.error](UiConnection& self) {
    self.login_timer_ = 0;
    self.refuse_login(error);
  };
  login_timer_ = socket_->scheduler().after(refused.wait, core::unless_gone(link_, refuse));
}

// Clients discard a token that is refused, so a temporary error closes the socket with 1013
// instead.
void UiConnection::refuse_login(const core::Error& error) {
  const std::string_view reason = core::utf8_truncate(error.message, kMaxCloseReason);
  if (error.code != core::Code::unauthenticated && error.code != core::Code::permission_denied) {
    close(net::close_code::kTryAgainLater, reason);
    return;
  }
  context_.counters().login_failures.add();
  send(login_refused_frame(error.message));
  close(net::close_code::kUnauthenticated, reason);
}

void UiConnection::cut_link() {
  token_watch_.reset();
  if (link_) *link_ = nullptr;
  link_.reset();
}

void UiConnection::leave_session() {
  if (session_ == nullptr) return;
  Session* session = std::exchange(session_, nullptr);
  replies_in_flight_ = 0;
  list_asked_ = false;
  again_.clear();
  unsent_.clear();
  if (unsent_timer_ != 0) session->scheduler().cancel(std::exchange(unsent_timer_, 0));
  context_.unsent(session->scheduler()).left(*session);
  session->leave(*this);
}

// --- callbacks of the session -------------------------------------------------------------------

void UiConnection::on_opened(const session::InteractionPtr& interaction) {
  send_opened(*interaction);
}

void UiConnection::on_closed(const session::InteractionPtr& interaction) {
  if (!is_own_answer(*interaction)) send_closed(*interaction);
  again_.erase(interaction->key);
}

// True if on_closed() sends, or has sent, this end to the client: every end after the client's
// join, but ends by the client's own answer only with ?ack=1.
bool UiConnection::was_notified(const session::Interaction& closed) const {
  const bool after_join = session_ != nullptr && closed.session != session_->id()
                              ? closed.outcome.at >= joined_at_
                              : closed.closed_seq > joined_seq_;
  return after_join && !is_own_answer(closed);
}

// True for an answer of this client that it is not notified of.
bool UiConnection::is_own_answer(const session::Interaction& closed) const {
  return !ack_ && closed.state == session::InteractionState::answered &&
         closed.outcome.client_id == info_.client_id;
}

void UiConnection::on_presence(const session::ParticipantInfo& who, Presence what) {
  if (!is_ui(who) || state_ != State::active) return;
  const bool connected = what != Presence::left;
  const FrameKind kind = connected ? FrameKind::connected : FrameKind::disconnected;
  socket_->send(frames().get(kind, who.client_id + who.nickname,
                             [&] { return encode(presence_frame(who, connected, now())); }));
}

void UiConnection::on_direct_message(const session::DirectMessage& message) {
  send(chat_frame(message));
}

void UiConnection::on_signal(const session::Signal& signal) {
  if (signal.dialect != kDialect || state_ != State::active) return;
  socket_->send(frames().get(FrameKind::signal, signal.body, [&] { return signal.body; }));
}

void UiConnection::on_answering(const session::Answering& answering) {
  if (!aware_ || state_ != State::active) return;
  const std::string name = answering.key + " " + answering.from_client_id;
  socket_->send(frames().get(FrameKind::answering, name, [&answering] {
    pb::WebsocketMessage out;
    out.set_cmd("Answering");
    out.set_strparam(answering.key);
    out.set_nickname(answering.nickname);
    return encode(out);
  }));
}

// The frames of this event are queued: a client closed for falling behind resumes after this
// event.
void UiConnection::on_event(const event::Event& event) {
  if (state_ == State::active) socket_->set_resume_seq(event.seq);
}

// Leaves the session only when the socket has closed: at a shutdown all clients are closed at
// once, and none is notified of the others.
void UiConnection::on_leave_required(LeaveReason reason) {
  if (state_ == State::closed) return;
  const std::uint64_t place = session_ == nullptr ? 0 : session_->visible_seq();
  switch (reason) {
    case LeaveReason::token_revoked:
      return shut(net::close_code::kUnauthenticated, leave_text(reason));
    case LeaveReason::shutting_down:
      return shut(net::close_code::kGoingAway, leave_text(reason));
    case LeaveReason::home_moved:
      return shut(net::close_code::kTryAgainLater, leave_text(reason, place));
  }
}

// --- sending -------------------------------------------------------------------------------------

void UiConnection::send(const pb::WebsocketMessage& message) {
  if (state_ != State::closed) socket_->send_binary(encode(message));
}

void UiConnection::send_opened(const session::Interaction& interaction) {
  if (state_ != State::active) return;
  const QuestionForm form = form_of(interaction);
  for (const Spelling spelling : spellings_for(interaction.kind, generation_)) {
    FrameKind kind = spelling == Spelling::task_finish ? FrameKind::opened_task_finish
                                                       : FrameKind::opened_work_report;
    if (form == QuestionForm::in_words) kind = FrameKind::opened_in_words;
    socket_->send(frames().get(kind, interaction.id,
                               [&] { return encode(ask_frame(interaction, spelling, form)); }));
  }
}

void UiConnection::send_closed(const session::Interaction& interaction) {
  if (state_ != State::active) return;
  const QuestionForm form = form_of(interaction);
  if (const auto again = again_.find(interaction.key); again != again_.end()) {
    session::Interaction shown = interaction;
    shown.key = again->second;
    again_.erase(again);
    return send(closed_frame(shown, Spelling::task_finish, form, naming()));
  }
  for (const Spelling spelling : closed_spellings_for(interaction, generation_)) {
    FrameKind kind = spelling == Spelling::task_finish ? FrameKind::closed_task_finish
                                                       : FrameKind::closed_work_report;
    if (form == QuestionForm::in_words) kind = FrameKind::closed_in_words;
    if (aware_) {
      kind = spelling == Spelling::task_finish ? FrameKind::closed_task_finish_named
                                               : FrameKind::closed_work_report_named;
    }
    socket_->send(frames().get(kind, interaction.id, [&] {
      return encode(closed_frame(interaction, spelling, form, naming()));
    }));
  }
}

// Parley's own page (`aware`) and the third generation show the choices themselves.
QuestionForm UiConnection::form_of(const session::Interaction& interaction) const {
  const bool shows_choices = aware_ || generation_ == Generation::third;
  return shows_choices || !has_choices(interaction) ? QuestionForm::structured
                                                    : QuestionForm::in_words;
}

void UiConnection::send_validity(const std::string& id) {
  pb::WebsocketMessage out;
  out.set_cmd("CheckMessageValidity");
  (*out.mutable_checkmessagevalidityresponse()->mutable_validity())[id] =
      session_->is_pending(key_of_card(id));
  send(out);
}

FrameCache& UiConnection::frames() { return context_.frames(socket_->scheduler()); }

core::WallTime UiConnection::now() const { return socket_->scheduler().clock().wall(); }

bool UiConnection::may_log() {
  if (log_budget_ == 0) return false;
  --log_budget_;
  return true;
}

}  // namespace parley::assistant
