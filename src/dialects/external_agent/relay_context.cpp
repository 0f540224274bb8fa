// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/external_agent/relay_context.h"

#include <utility>

#include "dialects/external_agent/relay_frames.h"
#include "dialects/external_agent/relay_session.h"

namespace parley::external_agent {
namespace {

constexpr std::size_t kBufferKept = 1U << 20U;
// Request numbers of different shards are distinct: the number modulo this is the shard.
constexpr std::uint64_t kShardStride = 4'096;

std::string relay_session_key(const std::string& owner, const std::string& session) {
  return owner + '\n' + session;  // neither contains a line feed
}

}  // namespace

RelayCounters::RelayCounters(net::Metrics& metrics)
    : joins(metrics.counter("parley_relay_joins_total", "Accepted relay.join messages")),
      join_failures(metrics.counter("parley_relay_join_failures_total",
                                    "relay.join messages that were refused")),
      join_timeouts(metrics.counter("parley_relay_join_timeouts_total",
                                    "Connections closed because they did not join")),
      to_host(metrics.counter("parley_relay_to_host_total", "Messages passed on to a host")),
      to_agents(metrics.counter(
          "parley_relay_to_agents_total",
          "Messages of a host passed on, each counted once whatever the number of agents")),
      errors(metrics.counter("parley_relay_errors_total", "Errors that the relay answered")),
      other_version(
          metrics.counter("parley_relay_other_version_total", "Messages whose v is not mvp-0.2")),
      unroutable(metrics.counter("parley_relay_unroutable_total",
                                 "Replies of a host that answer no waiting request")),
      unheard(metrics.counter("parley_relay_unheard_total",
                              "Messages of a host while no agent was connected")),
      host_timeouts(metrics.counter("parley_relay_host_timeouts_total",
                                    "Requests that the host did not answer in time")),
      hosts_refused(metrics.counter("parley_relay_hosts_refused_total",
                                    "Hosts refused because another one is active")),
      hosts_replaced(
          metrics.counter("parley_relay_hosts_replaced_total", "Hosts replaced by a newer one")),
      missing_reason(
          metrics.counter("parley_relay_missing_reason_total", "tool.call without a reason")),
      unrecorded(
          metrics.counter("parley_relay_unrecorded_total",
                          "Messages refused or not logged because no study could be opened")),
      limited(metrics.counter(
          "parley_relay_limited_total",
          "Messages refused because a study, its guests or the disk reached a limit")),
      pauses(metrics.counter("parley_relay_pauses_total",
                             "Pauses of reading from the clients of a session")) {}

RelayShard::RelayShard(RelayContext& context, core::Scheduler& scheduler, std::size_t index)
    : context_(context),
      scheduler_(scheduler),
      index_(index),
      reader_(context.options().max_depth),
      hello_(context.make_message(hello_frame())) {}

RelayShard::~RelayShard() = default;

void RelayShard::trim_buffers() {
  if (scratch_.capacity() > kBufferKept) scratch_ = std::string();
  if (record_scratch_.capacity() > kBufferKept) record_scratch_ = std::string();
}

std::uint64_t RelayShard::next_request_number() { return ++last_number_ * kShardStride + index_; }

std::shared_ptr<RelaySession> RelayShard::relay_session(const std::string& owner,
                                                        const std::string& session) {
  const std::string key = relay_session_key(owner, session);
  if (const auto found = relay_sessions_.find(key); found != relay_sessions_.end())
    return found->second;
  auto relay = std::make_shared<RelaySession>(*this, owner, session);
  relay_sessions_.try_emplace(key, relay);
  relay->start();
  return relay;
}

void RelayShard::drop(const std::string& owner, const std::string& session) {
  relay_sessions_.erase(relay_session_key(owner, session));
}

RelayContext::RelayContext(session::Hub& hub, study::StudyService& studies,
                           auth::GuestVerifier& verifier, core::Entropy& entropy,
                           net::Metrics& metrics, RelayOptions options, MessageMaker make_message,
                           const core::WorkGate* gate)
    : hub_(hub),
      studies_(studies),
      verifier_(verifier),
      entropy_(entropy),
      options_(options),
      counters_(metrics),
      guests_({options.max_guest_bytes, options.max_guest_address_bytes},
              hub.shard(0).scheduler().clock()),
      gate_(gate),
      make_message_(std::move(make_message)) {
  for (std::size_t i = 0; i < hub.size(); ++i) {
    core::Scheduler& scheduler = hub.shard(i).scheduler();
    shards_.try_emplace(&scheduler, std::make_unique<RelayShard>(*this, scheduler, i));
  }
}

RelayContext::~RelayContext() = default;

std::optional<std::string> RelayContext::closed() const {
  if (gate_ == nullptr) return std::nullopt;
  core::Result<void> state = gate_->state();
  if (state) return std::nullopt;
  return std::move(state.error().message);
}

net::OutgoingMessagePtr RelayContext::text_message(std::string_view text) {
  return net::OutgoingMessage::make(net::MessageType::text, text);
}

}  // namespace parley::external_agent
