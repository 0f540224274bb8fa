// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/external_agent/relay_session.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "base/core/ask.h"
#include "base/core/id.h"
#include "base/net/websocket/websocket.h"
#include "dialects/external_agent/message_check.h"
#include "dialects/external_agent/relay_connection.h"

namespace parley::external_agent {

RelaySessionLease::RelaySessionLease(std::string client_id,
                                     std::function<void(session::LeaveReason)> on_end)
    : on_end_(std::move(on_end)) {
  info_.client_id = std::move(client_id);
  info_.nickname = "relay";
  info_.role = session::ParticipantRole::observer;
  info_.dialect = "external-agent";
}

RelaySessionLease::~RelaySessionLease() {
  if (session_ != nullptr) session_->leave(*this);
}

void RelaySessionLease::enter(session::Session& session) {
  if (session.join(*this)) session_ = &session;
}

void RelaySessionLease::on_leave_required(session::LeaveReason reason) {
  if (session_ != nullptr) std::exchange(session_, nullptr)->leave(*this);
  on_end_(reason);
}

namespace {

constexpr std::uint16_t kHostTaken = 4409;  // close code: another host is active
constexpr core::Millis kPausePoll{10};

std::uint16_t close_code_of(session::LeaveReason reason) {
  switch (reason) {
    case session::LeaveReason::token_revoked:
      return net::close_code::kUnauthenticated;
    case session::LeaveReason::shutting_down:
      return net::close_code::kGoingAway;
    case session::LeaveReason::home_moved:
      break;
  }
  return net::close_code::kTryAgainLater;
}

}  // namespace

RelaySession::RelaySession(RelayShard& shard, std::string owner, std::string session)
    : shard_(shard),
      owner_(std::move(owner)),
      session_(std::move(session)),
      lease_(core::new_id(shard.scheduler().clock(), shard.context().entropy()),
             [this](session::LeaveReason reason) {
               // Posted, because it may destroy the relay session and with it this lease.
               shard_.scheduler().post(
                   core::unless_gone(weak_from_this(), [reason](RelaySession& relay) {
                     relay.end_all(close_code_of(reason), session::leave_text(reason));
                   }));
             }),
      requests_(shard.context().options().max_requests) {}

RelaySession::~RelaySession() = default;

void RelaySession::start() {
  enter_session();
  context().studies().resume(owner_, session_, shard_.scheduler(),
                             core::unless_gone(weak_from_this(), &RelaySession::on_resumed));
}

void RelaySession::enter_session() {
  session::SessionKey key;
  key.id = "relay." + study::placement_key_of(owner_, session_);
  key.dialect = "external-agent";
  key.owner = owner_;
  context().hub().with_session(
      std::move(key),
      core::unless_gone(
          weak_from_this(), [](RelaySession& relay, core::Result<session::Session*> session) {
            if (session) {
              relay.lease_.enter(**session);
            } else {
              spdlog::error("relay session {}: {}", relay.session_, session.error().message);
              relay.end_all(net::close_code::kTryAgainLater, "the session cannot be loaded now");
            }
          }));
}

// --- members ------------------------------------------------------------------------------------

MemberPtr RelaySession::join(RelayConnection& connection, const std::string& client_id,
                             const JoinRequest& request) {
  if (request.role == RelayRole::host) {
    // Evicting the old host must not destroy the relay session.
    const bool was_handling = std::exchange(handling_, true);
    const bool may = may_host(connection, request);
    handling_ = was_handling;
    if (!may) return nullptr;
  } else if (agents_.size() >= options().max_agents) {
    connection.refuse(
        {error_code::kSessionNotActive, "This session has " + std::to_string(agents_.size()) +
                                            " agents, which is the most it may have."},
        request.id);
    return nullptr;
  }
  auto member = std::make_shared<Member>();
  member->connection = &connection;
  member->role = request.role;
  member->client_id = client_id;
  member->name = request.name;
  member->full_history = request.full_history;
  member->guest_address = connection.guest_address();
  if (request.role == RelayRole::host) {
    host_ = member;
  } else {
    agents_.push_back(member);
  }
  occupied_ = true;
  if (linger_timer_ != 0) shard_.scheduler().cancel(std::exchange(linger_timer_, 0));
  if (paused_) connection.pause_reading(true);
  connection.set_patience(request.role == RelayRole::host ? options().host_silence
                                                          : core::Millis(0));
  std::string frame;
  append_joined(frame, request.role, session_, request.name, request.id);
  connection.send_text(frame);
  return member;
}

bool RelaySession::would_refuse(const JoinRequest& request) const {
  return request.role == RelayRole::host && host_ != nullptr && !options().newest_host &&
         !request.takeover;
}

bool RelaySession::may_host(RelayConnection& connection, const JoinRequest& request) {
  if (!would_refuse(request)) {
    if (host_ != nullptr) evict_host(options().newest_host ? net::close_code::kNormal : kHostTaken);
    return true;
  }
  counters().hosts_refused.add();
  connection.refuse({error_code::kSessionNotActive, text::kOtherHost}, request.id);
  connection.close(kHostTaken, text::kOtherHost);
  return false;
}

void RelaySession::evict_host(std::uint16_t code) {
  const MemberPtr host = host_;
  counters().hosts_replaced.add();
  refuse(*host, {error_code::kSessionNotActive, text::kHostReplaced}, {});
  const std::string_view reason =
      code == net::close_code::kNormal ? std::string_view() : text::kHostReplaced;
  if (host->connection != nullptr) host->connection->close(code, reason);
}

void RelaySession::announce(Member& member, const JoinRequest& request) {
  record_client("relay.join", member);
  send_presence();
  if (request.study) {
    host_start_ = request.study;
    host_start_->owner = owner_;
    host_start_->relay_session = session_;
  }
  resume();
}

void RelaySession::leave(Member& member) {
  const auto self = shared_from_this();
  if (paused_) member.connection->pause_reading(false);
  member.connection = nullptr;
  record_client("relay.disconnect", member);
  if (host_.get() == &member) {
    const MemberPtr host = std::exchange(host_, nullptr);
    fail_requests();
  } else {
    requests_.remove_of(member);
    std::erase_if(agents_, [&member](const MemberPtr& agent) { return agent.get() == &member; });
  }
  send_presence();
  resume();
}

void RelaySession::send_presence() {
  if (is_empty()) return;
  std::vector<AgentName> names;
  names.reserve(agents_.size());
  bool full_history = false;
  for (const MemberPtr& agent : agents_) {
    names.push_back({agent->client_id, agent->name});
    full_history = full_history || agent->full_history;
  }
  std::string frame;
  append_presence(frame, session_, host_ != nullptr, names, full_history);
  const net::OutgoingMessagePtr message = context().make_message(frame);
  if (host_ != nullptr) host_->connection->send(message);
  for (const MemberPtr& agent : agents_) agent->connection->send(message);
}

void RelaySession::end_all(std::uint16_t code, std::string_view reason) {
  std::vector<MemberPtr> everybody = agents_;
  if (host_ != nullptr) everybody.push_back(host_);
  for (const MemberPtr& member : everybody) {
    if (member->connection != nullptr) member->connection->close(code, reason);
  }
}

// --- held messages ------------------------------------------------------------------------------

void RelaySession::receive(const MemberPtr& member, std::string_view data) {
  const bool must_wait = gate_ != Gate::ready || handling_ || !held_.empty() || !endings_.empty() ||
                         host_start_.has_value();
  if (must_wait) {
    hold(member, data);
    return;
  }
  const auto self = shared_from_this();
  {
    // An exception closes only its connection; the relay session must continue after it.
    const absl::Cleanup handled = [this] { handling_ = false; };
    handling_ = true;
    Message message;
    message.from = member;
    handle(message, data);
  }
  resume();
}

void RelaySession::hold(const MemberPtr& member, std::string_view data) {
  if (data.size() > options().max_envelope_bytes) {
    refuse(*member, {error_code::kInvalidMessage, oversized_text(options())}, {});
    return;
  }
  Message& message = held_.emplace_back();
  message.from = member;
  message.data = data;
  held_bytes_ += message.bytes();
  update_pause();
}

std::vector<std::string> RelaySession::take_held(const Member& member) {
  std::vector<std::string> out;
  std::erase_if(held_, [&](Message& message) {
    if (message.from.get() != &member) return false;
    held_bytes_ -= message.bytes();
    out.push_back(std::move(message.data));
    return true;
  });
  return out;
}

void RelaySession::resume() {
  if (handling_) return;
  const auto self = shared_from_this();
  work_off();
  shard_.trim_buffers();
  update_pause();
  rest_if_empty();
}

// Handles pending work in order until none is left or the gate is not ready.
void RelaySession::work_off() {
  const absl::Cleanup handled = [this] { handling_ = false; };
  handling_ = true;
  while (gate_ == Gate::ready) {
    if (!endings_.empty()) {
      finish_ending();
    } else if (host_start_) {
      open_host_study();
    } else if (!held_.empty()) {
      Message message = std::move(held_.front());
      held_.pop_front();
      held_bytes_ -= message.bytes();
      const std::string data = std::move(message.data);
      message.data.clear();
      handle(message, data);
    } else {
      break;
    }
  }
}

void RelaySession::update_pause() {
  // Hysteresis: reading pauses above the limit and resumes at half of it.
  const std::size_t part = log_full_ ? 2 : 1;
  log_full_ =
      recorder_ && (recorder_->pending_bytes() > options().max_unlogged_bytes / part ||
                    recorder_->all_pending_bytes() > options().max_all_unlogged_bytes / part);
  const bool pause = log_full_ || held_bytes_ > kMaxHeldBytes;
  if (pause != paused_) pause_all(pause);
  if (!log_full_ || pause_timer_ != 0) return;
  pause_timer_ = shard_.scheduler().after(
      kPausePoll, core::unless_gone(weak_from_this(), [](RelaySession& relay) {
        relay.pause_timer_ = 0;
        relay.update_pause();
      }));
}

void RelaySession::pause_all(bool pause) {
  paused_ = pause;
  if (pause) counters().pauses.add();
  if (host_ != nullptr) host_->connection->pause_reading(pause);
  for (const MemberPtr& agent : agents_) agent->connection->pause_reading(pause);
}

void RelaySession::rest_if_empty() {
  if (!occupied_ || !is_empty() || gate_ != Gate::ready || handling_) return;
  if (!recorder_) {
    shard_.drop(owner_, session_);
    return;
  }
  if (linger_timer_ != 0) return;
  linger_timer_ = shard_.scheduler().after(
      kLinger, core::unless_gone(weak_from_this(), &RelaySession::on_lingered));
}

// Runs when the relay session has been empty for kLinger. Closes a study that was opened
// implicitly; a study opened by session.start or by the host page stays open in the store for the
// next client.
void RelaySession::on_lingered() {
  linger_timer_ = 0;
  if (!is_empty() || gate_ != Gate::ready || !recorder_) return;
  if (recorder_->study().start.implicit) {
    gate_ = Gate::closing;
    context().studies().close(
        std::move(recorder_), {"host-gone", false},
        core::unless_gone(weak_from_this(),
                          [](RelaySession& relay, const core::Result<study::Study>&) {
                            relay.gate_ = Gate::ready;
                            relay.resume();
                          }));
    return;
  }
  recorder_->flush(
      core::unless_gone(weak_from_this(), [](RelaySession& relay, const core::Result<void>&) {
        if (!relay.is_empty() || relay.gate_ != Gate::ready) return;
        relay.shard_.drop(relay.owner_, relay.session_);
      }));
}

}  // namespace parley::external_agent
