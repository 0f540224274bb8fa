// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// RelaySession: the handling of a message, and the requests that wait for the host.
#include <algorithm>
#include <string>
#include <utility>

#include "base/core/ask.h"
#include "base/core/duration_text.h"
#include "base/core/utf8.h"
#include "dialects/external_agent/message_check.h"
#include "dialects/external_agent/relay_connection.h"
#include "dialects/external_agent/relay_session.h"

namespace parley::external_agent {
namespace {

constexpr std::size_t kMaxShownType = 256;

bool has_text(const Envelope& envelope, std::string_view name) {
  if (envelope.payload_type != JsonType::object) return false;
  const JsonField* field = find_field(envelope.inner, name);
  if (field == nullptr || field->type != JsonType::string) return false;
  const std::string_view inside = field->value.substr(1, field->value.size() - 2);
  return inside.find_first_not_of(" \t") != std::string_view::npos;
}

}  // namespace

void RelaySession::refuse(const Member& member, RelayError error, std::string_view reply_to) {
  record_error(member, error, reply_to);
  if (member.connection != nullptr) member.connection->refuse(error, reply_to);
}

void RelaySession::refuse_request(const Request& request, RelayError error) {
  refuse(*request.agent, error, request.id);
}

void RelaySession::handle(Message& message, std::string_view data) {
  EnvelopeReader& reader = shard_.reader();
  if (const std::optional<std::string> wrong = read_message(reader, data, context())) {
    refuse(*message.from, {error_code::kInvalidMessage, *wrong}, {});
    return;
  }
  const Envelope& envelope = reader.envelope();
  const RelayRole role = message.from->role;
  const MessageKind kind = kind_of(role, envelope.type);
  if (kind == MessageKind::join) {
    if (message.from->connection != nullptr) message.from->connection->join(envelope);
    return;
  }
  if (kind == MessageKind::unsupported) {
    std::string sentence = "Unsupported message type for ";
    sentence += role_name(role);
    sentence += " role: ";
    sentence += core::utf8_truncate(envelope.type, kMaxShownType);
    refuse(*message.from, {error_code::kInvalidMessage, sentence}, envelope.id);
    return;
  }
  if (!is_payload_usable(envelope)) {
    refuse(*message.from, {error_code::kInvalidMessage, text::kPayloadObject}, envelope.id);
    return;
  }
  if (refuse_over_limit(message, envelope, kind)) return;
  if (need_study(message, envelope, kind, data)) return;
  if (role == RelayRole::agent) {
    handle_agent(message, envelope, kind);
  } else {
    handle_host(message, envelope, kind);
  }
}

// Refuses a message whose record would exceed a limit (study, guest or disk), with the reason as
// an error. Messages that end the study pass.
bool RelaySession::refuse_over_limit(const Message& message, const Envelope& envelope,
                                     MessageKind kind) {
  if (kind == MessageKind::session_end || kind == MessageKind::session_ended) return false;
  const std::optional<std::string> why = limit_reached(*message.from);
  if (!why) return false;
  // session.start passes if the study is full: it opens a new one.
  if (kind == MessageKind::session_start && recorder_->full()) return false;
  counters().limited.add();
  const bool by_host = message.from->role == RelayRole::host;
  const RelayError error{error_code::kToolExecutionFailed, *why};
  refuse(*message.from, error, by_host ? std::string_view() : envelope.id);
  if (!by_host || kind == MessageKind::push || kind == MessageKind::user_message) return true;
  if (Request* request = request_of(envelope, kind); request != nullptr) {
    refuse_request(*request, error);
    requests_.remove(*request);
  }
  return true;
}

// --- from agents ---------------------------------------------------------------------------------

void RelaySession::handle_agent(Message& message, const Envelope& envelope, MessageKind kind) {
  record_in(*message.from, envelope);
  if (!may_pass(message, envelope, kind)) return;
  if (kind == MessageKind::session_end && host_ == nullptr) {
    Request request;
    request.agent = message.from;
    request.id = envelope.id;
    request.study = recorder_->study().id;
    request.reason = envelope.payload_text("reason").value_or("");
    end_session(request, false);
    return;
  }
  pass_to_host(message.from, envelope, kind);
}

// True if the message may be forwarded to the host; otherwise the agent has been sent the reason.
bool RelaySession::may_pass(const Message& message, const Envelope& envelope, MessageKind kind) {
  const Member& agent = *message.from;
  const bool ends_without_host = kind == MessageKind::session_end && recorder_ != nullptr;
  if (host_ == nullptr && !ends_without_host) {
    refuse(agent, {error_code::kSessionNotActive, text::kNoHost}, envelope.id);
    return false;
  }
  if (message.failure) {
    counters().unrecorded.add();
    refuse(agent,
           {error_code::kSessionNotActive,
            "The study session could not be opened: " + message.failure->message},
           envelope.id);
    return false;
  }
  if (kind == MessageKind::tool_call) {
    if (recorder_ == nullptr && options().strict_sessions) {
      refuse(agent, {error_code::kSessionNotActive, text::kStartFirst}, envelope.id);
      return false;
    }
    if (!has_text(envelope, "reason")) {
      counters().missing_reason.add();
      if (options().require_reason) {
        refuse(agent, {error_code::kInvalidParams, text::kReason}, envelope.id);
        return false;
      }
      record_client("relay.missing_reason", agent);
    }
  }
  if (!requests_.has_room(kind)) {
    refuse(agent,
           {error_code::kToolExecutionFailed,
            std::to_string(requests_.waiting()) +
                " requests wait for the host already. Try again when some are answered."},
           envelope.id);
    return false;
  }
  return true;
}

void RelaySession::pass_to_host(const MemberPtr& agent, const Envelope& envelope,
                                MessageKind kind) {
  const std::uint64_t number = shard_.next_request_number();
  Request& request =
      requests_.add(number, kind, agent, envelope.id, now() + options().host_timeout);
  if (kind == MessageKind::session_end) {
    if (recorder_) request.study = recorder_->study().id;
    request.reason = envelope.payload_text("reason").value_or("");
  }
  std::string id;
  append_request_id(id, number);
  Rewrite rewrite;
  rewrite.id = id;
  std::string& out = shard_.scratch();
  out.clear();
  append_forwarded(out, envelope, rewrite);
  host_->connection->send_text(out);
  counters().to_host.add();
  record_out(*agent, envelope, envelope.reply_to);
  arm_timer();
}

// --- from the host -------------------------------------------------------------------------------

void RelaySession::handle_host(Message& message, const Envelope& envelope, MessageKind kind) {
  const Member& host = *message.from;
  if (message.failure) counters().unrecorded.add();
  record_in(host, envelope);
  if (kind == MessageKind::push || kind == MessageKind::user_message) {
    push(host, envelope);
  } else {
    route_reply(host, envelope, kind);
  }
}

// The request that a reply of the host answers; null: no such request waits.
Request* RelaySession::request_of(const Envelope& envelope, MessageKind kind) {
  if (envelope.reply_to.empty()) return requests_.oldest(kind);
  const std::optional<std::uint64_t> number = request_number(envelope.reply_to);
  return number ? requests_.find(*number) : nullptr;
}

void RelaySession::route_reply(const Member& host, const Envelope& envelope, MessageKind kind) {
  Request* request = request_of(envelope, kind);
  if (request == nullptr && kind == MessageKind::error && envelope.reply_to.empty()) {
    push(host, envelope);
    return;
  }
  if (request == nullptr) {
    unroutable(host, envelope);
    return;
  }
  answer_request(host, envelope, kind, *request);
  requests_.remove(*request);
}

void RelaySession::answer_request(const Member& host, const Envelope& envelope, MessageKind kind,
                                  Request& request) {
  if (kind == MessageKind::session_ended && request.kind == MessageKind::session_end) {
    end_session(request, envelope.payload_flag("stateReset"));
    return;
  }
  if (request.agent->connection == nullptr) {
    unroutable(host, envelope);
    return;
  }
  Rewrite rewrite;
  rewrite.reply_to = request.id;
  if (kind == MessageKind::session_started || kind == MessageKind::snapshot_state) {
    rewrite.session_id = shown_session();
  }
  std::string& out = shard_.scratch();
  out.clear();
  append_forwarded(out, envelope, rewrite);
  request.agent->connection->send_text(out);
  counters().to_agents.add();
  record_delivered(host, envelope, rewrite, 1);
}

void RelaySession::push(const Member& host, const Envelope& envelope) {
  if (agents_.empty()) {
    counters().unheard.add();
    return;
  }
  std::string& out = shard_.scratch();
  out.clear();
  append_forwarded(out, envelope, {});
  const net::OutgoingMessagePtr message = context().make_message(out);
  for (const MemberPtr& agent : agents_) agent->connection->send(message);
  counters().to_agents.add();
  record_delivered(host, envelope, {}, agents_.size());
}

// --- waiting requests ----------------------------------------------------------------------------

// Fails all waiting requests: the host has disconnected.
void RelaySession::fail_requests() {
  const std::list<Request> failed = requests_.take_all();
  for (const Request& request : failed) {
    if (request.kind == MessageKind::session_end && !request.study.empty()) {
      end_session(request, false);
    } else if (expects_reply(request.kind)) {
      refuse_request(request, {error_code::kSessionNotActive, text::kNoHost});
    }
  }
}

void RelaySession::arm_timer() {
  if (request_timer_ != 0 || requests_.empty()) return;
  const auto wait = std::chrono::ceil<core::Millis>(requests_.front().deadline - now());
  request_timer_ =
      shard_.scheduler().after(wait, core::unless_gone(weak_from_this(), &RelaySession::on_timer));
}

void RelaySession::on_timer() {
  request_timer_ = 0;
  const core::MonoTime time = now();
  while (!requests_.empty() && requests_.front().deadline <= time) {
    Request& request = requests_.front();
    if (expects_reply(request.kind)) {
      counters().host_timeouts.add();
      if (request.kind == MessageKind::session_end && !request.study.empty()) {
        end_session(request, false);
      } else {
        refuse_request(request, {error_code::kToolExecutionFailed,
                                 "The host did not answer within " +
                                     core::exact_text(options().host_timeout) + "."});
      }
    }
    requests_.remove(request);
  }
  arm_timer();
  resume();
}

}  // namespace parley::external_agent
