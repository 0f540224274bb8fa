// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// RelaySession: the open study (decision 5) and its records.
#include <spdlog/spdlog.h>

#include <string>
#include <utility>

#include "base/core/ask.h"
#include "base/core/json_writer.h"
#include "base/core/utf8.h"
#include "dialects/external_agent/message_check.h"
#include "dialects/external_agent/relay_connection.h"
#include "dialects/external_agent/relay_session.h"

namespace parley::external_agent {
namespace {

constexpr std::string_view kDefaultReason = "session.end";

bool same_labels(const study::StudyStart& one, const study::StudyStart& other) {
  return one.study_id == other.study_id && one.participant_id == other.participant_id;
}

// {"delivered":n,"payload":...}: the form of a message to agents in a log.
void begin_delivered(std::string& out, std::size_t delivered) {
  out += "{\"delivered\":";
  out += std::to_string(delivered);
  out += ",\"payload\":";
}

}  // namespace

// --- opening -------------------------------------------------------------------------------------

// True if the message was refused, or is held until a study is open.
bool RelaySession::need_study(Message& message, const Envelope& envelope, MessageKind kind,
                              std::string_view data) {
  if (message.waited || host_ == nullptr) return false;
  if (kind == MessageKind::session_start) return start_study(message, envelope, data);
  if (recorder_ != nullptr || options().strict_sessions || !opens_study(kind)) return false;
  if (!may_open(message)) return false;
  study::StudyStart start;
  start.implicit = true;
  wait_for_study(message, data, std::move(start));
  return true;
}

bool RelaySession::start_study(Message& message, const Envelope& envelope, std::string_view data) {
  study::StudyStart start = read_study_labels(envelope.inner);
  const std::string wrong = wrong_label(start);
  if (!wrong.empty()) {
    refuse(*message.from, {error_code::kInvalidParams, "session.start payload: " + wrong},
           envelope.id);
    return true;
  }
  if (recorder_ != nullptr) {
    const study::StudyStart& open = recorder_->study().start;
    if (!open.implicit && (study_of_host_ || same_labels(open, start))) return false;
  }
  if (!may_open(message)) return false;
  wait_for_study(message, data, std::move(start));
  return true;
}

void RelaySession::wait_for_study(Message& message, std::string_view data,
                                  study::StudyStart start) {
  message.data = data;
  message.waited = true;
  held_bytes_ += message.bytes();
  held_.push_front(std::move(message));
  open_study(std::move(start));
}

// Opens the study that the host page's join asks for.
void RelaySession::open_host_study() {
  study::StudyStart start = std::move(*host_start_);
  host_start_.reset();
  if (host_ == nullptr) return;
  if (recorder_ != nullptr) {
    const study::StudyStart& open = recorder_->study().start;
    if (!open.implicit && same_labels(open, start)) {
      study_of_host_ = true;
      return;
    }
  }
  if (!host_->guest_address.empty()) {
    if (std::optional<std::string> why = context().guests().spent(host_->guest_address)) {
      return on_opening_failed({core::Code::resource_exhausted, std::move(*why), {}});
    }
    context().guests().charge(host_->guest_address, GuestBudget::kStudyCost);
  }
  opening_for_host_ = true;
  open_study(std::move(start));
}

// True if a study may be opened for this message; if not, only this message fails.
bool RelaySession::may_open(Message& message) {
  const std::string& address = message.from->guest_address;
  if (address.empty()) return true;
  std::optional<std::string> why = context().guests().spent(address);
  if (why) {
    counters().limited.add();
    message.failure = core::Error{core::Code::resource_exhausted, std::move(*why), {}};
    return false;
  }
  context().guests().charge(address, GuestBudget::kStudyCost);
  return true;
}

// Closes the open study, if any, then opens the new one.
void RelaySession::open_study(study::StudyStart start) {
  start.owner = owner_;
  start.relay_session = session_;
  if (recorder_ == nullptr) {
    open_now(std::move(start));
    return;
  }
  gate_ = Gate::closing;
  context().studies().close(
      std::move(recorder_), {"replaced", false},
      core::unless_gone(weak_from_this(), [start = std::move(start)](
                                              RelaySession& relay,
                                              const core::Result<study::Study>& closed) mutable {
        if (!closed) {
          spdlog::error("study of relay session {}: {}", relay.session_, closed.error().message);
        }
        relay.open_now(std::move(start));
      }));
}

void RelaySession::open_now(study::StudyStart start) {
  gate_ = Gate::opening;
  study_of_host_ = false;
  context().studies().open(std::move(start), shard_.scheduler(),
                           core::unless_gone(weak_from_this(), &RelaySession::on_opened));
}

void RelaySession::on_opened(core::Result<std::unique_ptr<study::Recorder>> recorder) {
  gate_ = Gate::ready;
  const bool for_host = std::exchange(opening_for_host_, false);
  if (recorder) {
    recorder_ = std::move(*recorder);
    study_of_host_ = for_host;
    begin_records();
  } else if (for_host) {
    on_opening_failed(recorder.error());
  } else {
    // The message for which the study was to be opened is still the first, unless its sender took
    // it to another session; then no client gets the error.
    if (!held_.empty() && held_.front().waited) held_.front().failure = recorder.error();
  }
  resume();
}

void RelaySession::on_opening_failed(const core::Error& error) {
  counters().unrecorded.add();
  if (host_ == nullptr) return;
  refuse(*host_,
         {error_code::kSessionNotActive, "The study session could not be opened: " + error.message},
         {});
}

void RelaySession::on_resumed(core::Result<std::unique_ptr<study::Recorder>> recorder) {
  gate_ = Gate::ready;
  if (!recorder) {
    spdlog::error("study of relay session {}: {}", session_, recorder.error().message);
  } else if (*recorder) {
    recorder_ = std::move(*recorder);
    begin_records();
  }
  resume();
}

// --- ending --------------------------------------------------------------------------------------

void RelaySession::end_session(const Request& request, bool state_reset) {
  Ending& ending = endings_.emplace_back();
  ending.agent = request.agent;
  ending.id = request.id;
  ending.study = request.study;
  ending.reason = core::utf8_truncate(request.reason, study::kMaxLabelBytes);
  if (ending.reason.empty()) ending.reason = kDefaultReason;
  ending.state_reset = state_reset;
}

void RelaySession::finish_ending() {
  Ending ending = std::move(endings_.front());
  endings_.pop_front();
  if (recorder_ == nullptr || recorder_->study().id != ending.study) {
    const bool is_last = !ending.study.empty() && ending.study == ended_study_;
    const std::string_view shown = ending.study.empty() ? session_ : ending.study;
    notify_ended(ending, shown, is_last ? std::string_view(ended_log_file_) : std::string_view());
    return;
  }
  const study::Study& study = recorder_->study();
  std::string payload;
  begin_delivered(payload, ending.agent->connection != nullptr ? 1 : 0);
  append_session_ended_payload(payload, study.id, study.log_enabled ? study.log_file : "",
                               ending.state_reset);
  payload.push_back('}');
  study::Record record{"out", "session.ended", payload};
  record.reply_to = ending.id;
  if (host_ != nullptr) record.client_id = host_->client_id;
  static_cast<void>(recorder_->record(record));
  gate_ = Gate::closing;
  study::StudyEnd end{ending.reason, ending.state_reset};
  context().studies().close(
      std::move(recorder_), std::move(end),
      core::unless_gone(
          weak_from_this(),
          [ending = std::move(ending)](RelaySession& relay, core::Result<study::Study> closed) {
            relay.on_closed(ending, std::move(closed));
          }));
}

void RelaySession::on_closed(const Ending& ending, core::Result<study::Study> closed) {
  gate_ = Gate::ready;
  study_of_host_ = false;
  if (closed) {
    ended_study_ = closed->id;
    ended_log_file_ = closed->log_enabled ? closed->log_file : std::string();
    notify_ended(ending, ended_study_, ended_log_file_);
  } else {
    refuse(*ending.agent,
           {error_code::kToolExecutionFailed,
            "The log of the study session could not be written: " + closed.error().message},
           ending.id);
  }
  resume();
}

void RelaySession::notify_ended(const Ending& ending, std::string_view session,
                                std::string_view log_file) {
  if (ending.agent->connection == nullptr) return;
  std::string payload;
  append_session_ended_payload(payload, session, log_file, ending.state_reset);
  std::string frame;
  append_session_ended(frame, ending.id, payload);
  ending.agent->connection->send_text(frame);
  counters().to_agents.add();
}

std::string_view RelaySession::shown_session() const {
  return recorder_ != nullptr ? std::string_view(recorder_->study().id) : session_;
}

// --- records -------------------------------------------------------------------------------------

// Called several times for each message, so the common case (no limit reached) is checked first.
std::optional<std::string> RelaySession::limit_reached(const Member& from) const {
  if (recorder_ == nullptr) return std::nullopt;
  const bool guest_may = from.guest_address.empty() || !context().guests().was_spent();
  if (guest_may && !recorder_->is_full() && context().is_open()) return std::nullopt;
  if (std::optional<core::Error> full = recorder_->full()) return std::move(full->message);
  if (std::optional<std::string> closed = context().closed()) return closed;
  if (from.guest_address.empty()) return std::nullopt;
  return context().guests().spent(from.guest_address);
}

void RelaySession::keep(const study::Record& record, const Member& from) {
  if (limit_reached(from)) {
    counters().unrecorded.add();
    return;
  }
  const std::size_t bytes = recorder_->record(record);
  if (bytes > 0 && !from.guest_address.empty()) {
    context().guests().charge(from.guest_address, bytes + GuestBudget::kRecordCost);
  }
}

// Records the members that are present at the start of the log.
void RelaySession::begin_records() {
  if (host_ != nullptr) record_client("relay.join", *host_);
  for (const MemberPtr& agent : agents_) record_client("relay.join", *agent);
}

void RelaySession::record_in(const Member& from, const Envelope& envelope) {
  if (recorder_ == nullptr) return;
  study::Record record{"in", envelope.type, {}};
  if (envelope.payload_type == JsonType::object) record.payload = envelope.payload;
  record.id = envelope.id;
  record.reply_to = envelope.reply_to;
  record.client_id = from.client_id;
  keep(record, from);
}

void RelaySession::record_out(const Member& from, const Envelope& envelope,
                              std::string_view reply_to) {
  if (recorder_ == nullptr) return;
  study::Record record{"out", envelope.type, {}};
  if (envelope.payload_type == JsonType::object) record.payload = envelope.payload;
  record.id = envelope.id;
  record.reply_to = reply_to;
  record.client_id = from.client_id;
  keep(record, from);
}

void RelaySession::record_delivered(const Member& from, const Envelope& envelope,
                                    const Rewrite& rewrite, std::size_t delivered) {
  if (recorder_ == nullptr) return;
  std::string& payload = shard_.record_scratch();
  payload.clear();
  begin_delivered(payload, delivered);
  append_payload(payload, envelope, rewrite);
  payload.push_back('}');
  study::Record record{"out", envelope.type, payload};
  record.id = envelope.id;
  record.reply_to = rewrite.reply_to.value_or(envelope.reply_to);
  record.client_id = from.client_id;
  keep(record, from);
}

void RelaySession::record_client(std::string_view type, const Member& member) {
  if (recorder_ == nullptr) return;
  std::string payload;
  core::JsonWriter json(payload);
  json.begin_object();
  json.key("clientId").string(member.client_id);
  json.key("role").string(role_name(member.role));
  if (!member.name.empty()) json.key("clientName").string(member.name);
  json.end_object();
  study::Record record{"internal", type, payload};
  record.client_id = member.client_id;
  keep(record, member);
}

void RelaySession::record_error(const Member& member, RelayError error, std::string_view reply_to) {
  if (recorder_ == nullptr) return;
  std::string payload;
  core::JsonWriter json(payload);
  json.begin_object();
  json.key("clientId").string(member.client_id);
  json.key("role").string(role_name(member.role));
  json.key("code").string(error.code);
  json.key("message").string(error.message);
  json.end_object();
  study::Record record{"internal", "relay.error", payload};
  record.reply_to = reply_to;
  record.client_id = member.client_id;
  keep(record, member);
}

void RelaySession::unroutable(const Member& host, const Envelope& envelope) {
  counters().unroutable.add();
  if (recorder_ == nullptr) return;
  std::string payload;
  core::JsonWriter json(payload);
  json.begin_object();
  json.key("clientId").string(host.client_id);
  json.key("role").string(role_name(host.role));
  json.key("type").string(envelope.type);
  if (!envelope.reply_to.empty()) json.key("replyTo").raw(envelope.reply_to);
  json.end_object();
  study::Record record{"internal", "relay.unroutable", payload};
  record.client_id = host.client_id;
  keep(record, host);
}

}  // namespace parley::external_agent
