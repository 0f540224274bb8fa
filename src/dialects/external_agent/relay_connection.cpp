// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/external_agent/relay_connection.h"

#include <algorithm>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/ask.h"
#include "base/core/id.h"
#include "base/core/limits.h"
#include "base/core/utf8.h"
#include "dialects/external_agent/message_check.h"
#include "model/session/bring_home.h"

namespace parley::external_agent {
namespace {

constexpr std::string_view kDefaultSession = "default";
constexpr std::size_t kNameDigits = 6;

constexpr std::string_view kSpaces = " \t\r\n\v\f";

std::string agent_name(const Envelope& envelope, const std::string& client_id) {
  for (const std::string_view field : {"agentName", "clientName", "name"}) {
    const std::optional<std::string> text = envelope.payload_text(field);
    if (!text) continue;
    const std::string_view name = core::trimmed(
        core::utf8_truncate(core::trimmed(*text, kSpaces), core::limits::kMaxNicknameBytes),
        kSpaces);
    if (!name.empty()) return std::string(name);
  }
  return "agent-" + client_id.substr(client_id.size() - std::min(client_id.size(), kNameDigits));
}

}  // namespace

RelayConnection::RelayConnection(RelayContext& context, RelayCaller caller)
    : context_(context), caller_(std::move(caller)) {}

// A destructor without a preceding on_close() means that the server is being destroyed: nothing is
// sent.
RelayConnection::~RelayConnection() {
  socket_ = nullptr;
  cut_link();
  leave_relay_session();
}

void RelayConnection::on_open(net::WebSocket& socket) {
  socket_ = &socket;
  client_id_ = core::new_id(socket.scheduler().clock(), context_.entropy());
  socket.set_resume_hint("too slow: reconnect, join and send snapshot.get");
  link_ = std::make_shared<RelayConnection*>(this);
  join_timer_ = socket.scheduler().after(context_.options().join_timeout, [link = link_] {
    if (*link == nullptr) return;
    RelayConnection& self = **link;
    self.join_timer_ = 0;
    self.context_.counters().join_timeouts.add();
    self.close(net::close_code::kPolicyViolation, "no relay.join in time");
  });
  send(shard().hello());
  watch_token();
}

void RelayConnection::on_message(net::WebSocket& socket, net::MessageType type,
                                 std::string_view data) {
  (void)socket;
  if (type == net::MessageType::binary && !core::is_utf8(data)) {
    refuse({error_code::kInvalidMessage, text::kNotUtf8}, {});
    return;
  }
  take(data);
}

void RelayConnection::on_close(net::WebSocket& socket, std::uint16_t code,
                               std::string_view reason) {
  (void)code;
  (void)reason;
  if (join_timer_ != 0) socket.scheduler().cancel(std::exchange(join_timer_, 0));
  state_ = State::closed;
  cut_link();
  leave_relay_session();
  socket_ = nullptr;
}

bool RelayConnection::still_allowed() {
  const auto still = context_.verifier().verify(caller_.token, socket_->peer());
  if (still && still->workspace == caller_.owner) return true;
  context_.counters().join_failures.add();
  close(net::close_code::kUnauthenticated, "the token is no longer valid");
  return false;
}

bool RelayConnection::watch_token() {
  unwatch_token();
  watching_ = std::make_shared<bool>(true);
  token_watch_ = context_.verifier().watchers().watch(caller_.owner, socket_->scheduler(),
                                                      [link = link_, watching = watching_] {
                                                        if (*watching && *link != nullptr)
                                                          (*link)->still_allowed();
                                                      });
  return still_allowed();
}

// A callback that is posted already finds `watching_` false. It reads that flag first, because the
// connection may have moved to another thread meanwhile.
void RelayConnection::unwatch_token() {
  token_watch_.reset();
  if (const auto watching = std::exchange(watching_, nullptr)) *watching = false;
}

void RelayConnection::cut_link() {
  unwatch_token();
  if (link_) *link_ = nullptr;
  link_.reset();
}

void RelayConnection::leave_relay_session() {
  if (!relay_session_) return;
  const std::shared_ptr<RelaySession> relay = std::exchange(relay_session_, nullptr);
  relay->leave(*std::exchange(member_, nullptr));
}

void RelayConnection::set_patience(core::Millis silence) {
  socket_->set_heartbeat(silence / 3, silence);
}

void RelayConnection::close(std::uint16_t code, std::string_view reason) {
  if (state_ == State::closed) return;
  state_ = State::closed;
  if (join_timer_ != 0) socket_->scheduler().cancel(std::exchange(join_timer_, 0));
  socket_->close(code, reason);
  cut_link();
  leave_relay_session();
}

void RelayConnection::refuse(RelayError error, std::string_view reply_to) {
  context_.counters().errors.add();
  std::string out;
  append_error(out, error, reply_to);
  send_text(out);
}

// --- messages ------------------------------------------------------------------------------------

void RelayConnection::take(std::string_view data) {
  switch (state_) {
    case State::closed:
      return;
    case State::joined:
      relay_session_->receive(member_, data);
      return;
    case State::waiting:
      handle_before_join(data);
      return;
    case State::moving:
      carried_.emplace_back(data);
      return;
  }
}

void RelayConnection::handle_before_join(std::string_view data) {
  EnvelopeReader& reader = shard().reader();
  if (const std::optional<std::string> wrong = read_message(reader, data, context_)) {
    refuse({error_code::kInvalidMessage, *wrong}, {});
    return;
  }
  const Envelope& envelope = reader.envelope();
  if (envelope.type != "relay.join") {
    refuse({error_code::kSessionNotActive, text::kJoinFirst}, envelope.id);
    return;
  }
  join(envelope);
}

// --- joining -------------------------------------------------------------------------------------

void RelayConnection::refuse_join(RelayError error, std::string_view reply_to) {
  context_.counters().join_failures.add();
  refuse(error, reply_to);
}

std::optional<JoinRequest> RelayConnection::read_join(const Envelope& envelope) {
  const std::optional<std::string> role = envelope.payload_text("role");
  if (role != "host" && role != "agent") {
    refuse_join({error_code::kInvalidMessage, text::kJoinRole}, envelope.id);
    return std::nullopt;
  }
  JoinRequest out;
  out.role = role == "host" ? RelayRole::host : RelayRole::agent;
  const std::string wanted = envelope.payload_text("sessionId").value_or("");
  const std::string_view session = core::trimmed(wanted, kSpaces);
  out.session = session.empty() ? kDefaultSession : session;
  if (!core::is_safe_id(out.session)) {
    refuse_join({error_code::kInvalidMessage, text::kSessionId}, envelope.id);
    return std::nullopt;
  }
  out.id = envelope.id;
  out.takeover = envelope.payload_flag("takeover");
  if (out.role == RelayRole::agent) {
    out.full_history = caller_.full_history;
    out.name = agent_name(envelope, client_id_);
    return out;
  }
  const JsonField* study =
      envelope.payload_type == JsonType::object ? find_field(envelope.inner, "study") : nullptr;
  if (study != nullptr && study->type == JsonType::object) {
    out.study = read_study_labels(study->value);
    const std::string wrong = wrong_label(*out.study);
    if (!wrong.empty()) {
      refuse_join({error_code::kInvalidParams, "relay.join payload.study: " + wrong}, envelope.id);
      return std::nullopt;
    }
  }
  return out;
}

void RelayConnection::join(const Envelope& envelope) {
  std::optional<JoinRequest> request = read_join(envelope);
  if (!request) return;
  if (join_timer_ != 0) socket_->scheduler().cancel(std::exchange(join_timer_, 0));
  if (relay_session_) {
    std::vector<std::string> waiting = relay_session_->take_held(*member_);
    carried_.insert(carried_.begin(), std::make_move_iterator(waiting.begin()),
                    std::make_move_iterator(waiting.end()));
    leave_relay_session();
  }
  if (const core::Result<void> here = context_.hub().check_home(caller_.owner); !here) {
    refuse_join({error_code::kSessionNotActive, here.error().message}, envelope.id);
    return close(net::close_code::kTryAgainLater, here.error().message);
  }
  wanted_ = std::make_unique<JoinRequest>(std::move(*request));
  state_ = State::moving;
  unwatch_token();
  session::bring_home(*socket_, context_.hub(),
                      study::placement_key_of(caller_.owner, wanted_->session),
                      core::unless_gone(link_, [](RelayConnection& self) { self.enter(); }));
}

void RelayConnection::enter(Heard heard) {
  // Closes this connection, now or later, if its token is revoked.
  if (!watch_token()) return;
  const std::shared_ptr<RelaySession> relay =
      shard().relay_session(caller_.owner, wanted_->session);
  // A reloaded page must not be refused because of its own old socket, whose close may be queued.
  if (heard == Heard::some && relay->would_refuse(*wanted_)) {
    // A timer runs after the loop has looked at its sockets, which a posted task need not.
    socket_->scheduler().after(core::Millis(0), core::unless_gone(link_, [](RelayConnection& self) {
                                 self.enter(Heard::all);
                               }));
    return;
  }
  const std::unique_ptr<JoinRequest> request = std::move(wanted_);
  std::shared_ptr<Member> member = relay->join(*this, client_id_, *request);
  if (member != nullptr) {
    relay_session_ = relay;
    member_ = std::move(member);
    state_ = State::joined;
    context_.counters().joins.add();
    relay->announce(*member_, *request);
  } else {
    context_.counters().join_failures.add();
    if (state_ != State::closed) state_ = State::waiting;
  }
  for (const std::string& data : std::exchange(carried_, {})) take(data);
}

}  // namespace parley::external_agent
