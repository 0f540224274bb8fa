// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/agent_client/agent_client.h"

#include <array>
#include <utility>

#include "base/core/id.h"
#include "base/core/json_writer.h"

namespace parley::agent_client {
namespace {

constexpr std::size_t kPrefixBytes = 4;

struct ErrorRow {
  std::string_view wire;
  core::Code code;
};
constexpr std::array<ErrorRow, 6> kErrors = {{
    {"UNKNOWN_TOOL", core::Code::not_found},
    {"INVALID_PARAMS", core::Code::invalid_argument},
    {"INVALID_MESSAGE", core::Code::invalid_argument},
    {"NO_ACTIVE_SPEC", core::Code::failed_precondition},
    {"SESSION_NOT_ACTIVE", core::Code::failed_precondition},
    {"TOOL_EXECUTION_FAILED", core::Code::aborted},
}};

core::Error error_of(std::string_view payload) {
  const std::string wire = text_member(payload, "code");
  core::Error error{core::Code::unknown, text_member(payload, "message")};
  for (const ErrorRow& row : kErrors) {
    if (row.wire == wire) error.code = row.code;
  }
  if (error.message.empty()) error.message = "The host refused (" + wire + ").";
  return error;
}

bool is_reply(std::string_view type) {
  return type == "tool.result" || type == "snapshot.state" || type == "session.started" ||
         type == "session.ended" || type == "error";
}

}  // namespace

AgentClient::AgentClient(core::Scheduler& scheduler, core::Entropy& entropy, net::Network& network,
                         AgentEvents& events, AgentOptions options)
    : scheduler_(scheduler),
      events_(events),
      options_(std::move(options)),
      link_(scheduler, entropy, network, static_cast<LinkHandler&>(*this), options_.link),
      prefix_(core::random_hex(entropy, kPrefixBytes)) {}

AgentClient::~AgentClient() {
  for (auto& [number, waiting] : waiting_) scheduler_.cancel(waiting.timer);
}

void AgentClient::stop() {
  link_.stop();
  host_active_ = false;
  fail_all({core::Code::cancelled, "The agent has stopped."});
}

void AgentClient::call_tool(std::string_view tool, std::string_view params, std::string_view reason,
                            Done done) {
  std::string payload;
  core::JsonWriter json(payload);
  json.begin_object().key("toolName").string(tool);
  json.key("params").raw(params.empty() ? "{}" : params);
  json.key("reason").string(reason).end_object();
  request("tool.call", "tool.result", std::move(payload), std::move(done));
}

void AgentClient::snapshot(Done done) {
  request("snapshot.get", "snapshot.state", "{}", std::move(done));
}

void AgentClient::start_session(std::string_view study_id, std::string_view participant_id,
                                Done done) {
  std::string payload;
  core::JsonWriter json(payload);
  json.begin_object().key("studyId").string(study_id);
  json.key("participantId").string(participant_id).end_object();
  request("session.start", "session.started", std::move(payload), std::move(done));
}

void AgentClient::end_session(std::string_view reason, Done done) {
  std::string payload;
  core::JsonWriter(payload).begin_object().key("reason").string(reason).end_object();
  request("session.end", "session.ended", std::move(payload), std::move(done));
}

bool AgentClient::say(std::string_view text) {
  Envelope envelope{"agent.message"};
  core::JsonWriter(envelope.payload).begin_object().key("text").string(text).end_object();
  return link_.send(envelope);
}

bool AgentClient::report_status(std::string_view phase) {
  Envelope envelope{"agent.status"};
  core::JsonWriter json(envelope.payload);
  json.begin_object().key("agentName").string(options_.link.name);
  json.key("phase").string(phase).end_object();
  return link_.send(envelope);
}

std::string AgentClient::raw_id(std::uint64_t number) const {
  return "\"req-" + prefix_ + "-" + std::to_string(number) + "\"";
}

void AgentClient::request(std::string type, std::string reply_type, std::string payload,
                          Done done) {
  if (waiting_.size() >= options_.max_requests) {
    refuse({core::Code::resource_exhausted, "Too many requests are waiting for the host."},
           std::move(done));
    return;
  }
  const std::uint64_t number = ++last_number_;
  if (!link_.send({std::move(type), raw_id(number), "", std::move(payload)})) {
    refuse({core::Code::unavailable, "The agent has not joined a session."}, std::move(done));
    return;
  }
  const core::TimerId timer =
      scheduler_.after(options_.request_timeout, [this, number] { on_timeout(number); });
  waiting_.emplace(number, Waiting{std::move(reply_type), std::move(done), timer});
}

void AgentClient::refuse(core::Error error, Done done) {
  scheduler_.post([error = std::move(error), done = std::move(done)]() mutable {
    done(core::fail(std::move(error)));
  });
}

void AgentClient::on_timeout(std::uint64_t number) {
  auto found = waiting_.extract(number);
  if (!found) return;
  found.mapped().done(
      core::fail(core::Code::deadline_exceeded, "The host did not answer in time."));
}

// Fails the requests that wait now, not those that the callbacks send.
void AgentClient::fail_all(const core::Error& error) {
  std::map<std::uint64_t, Waiting> failed;
  failed.swap(waiting_);
  for (auto& [number, waiting] : failed) {
    scheduler_.cancel(waiting.timer);
    refuse(error, std::move(waiting.done));
  }
}

void AgentClient::on_joined(std::string_view /*payload*/) { events_.on_joined(); }

void AgentClient::on_lost(const core::Error& why, core::Millis pause) {
  host_active_ = false;
  fail_all({core::Code::unavailable, "The connection was lost: " + why.message});
  events_.on_lost(why, pause);
}

void AgentClient::on_ended(const core::Error& why) {
  host_active_ = false;
  fail_all({core::Code::unavailable, "The connection has ended: " + why.message});
  events_.on_ended(why);
}

void AgentClient::on_envelope(const Envelope& envelope) {
  if (is_reply(envelope.type)) {
    if (!take_reply(envelope)) ++stray_replies_;
  } else if (envelope.type == "relay.presence") {
    host_active_ = true_member(envelope.payload, "hostActive");
    events_.on_presence(host_active_, envelope.payload);
  } else if (envelope.type == "state.updated") {
    events_.on_state(envelope.payload);
  } else if (envelope.type == "user.message") {
    events_.on_user_message(text_member(envelope.payload, "text"), envelope.payload);
  } else {
    events_.on_other(envelope.type, envelope.payload);
  }
}

// The request with the id in replyTo. A host may omit replyTo; the oldest request that waits for
// this type of reply is then the one.
std::map<std::uint64_t, AgentClient::Waiting>::iterator AgentClient::find(
    const Envelope& envelope) {
  for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
    const bool fits = envelope.reply_to.empty() ? it->second.reply_type == envelope.type
                                                : raw_id(it->first) == envelope.reply_to;
    if (fits) return it;
  }
  return waiting_.end();
}

bool AgentClient::take_reply(const Envelope& envelope) {
  const auto found = find(envelope);
  if (found == waiting_.end()) return false;
  Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  scheduler_.cancel(waiting.timer);
  if (envelope.type == "error") {
    waiting.done(core::fail(error_of(envelope.payload)));
  } else {
    waiting.done(Reply{envelope.type, envelope.payload});
  }
  return true;
}

}  // namespace parley::agent_client
