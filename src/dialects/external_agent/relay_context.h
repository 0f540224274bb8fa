// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "base/core/entropy.h"
#include "base/core/scheduler.h"
#include "base/core/string_map.h"
#include "base/core/work_gate.h"
#include "base/net/http/metrics.h"
#include "base/net/websocket/websocket.h"
#include "dialects/external_agent/envelope.h"
#include "dialects/external_agent/guest_budget.h"
#include "dialects/external_agent/relay_options.h"
#include "identity/auth/guest_verifier.h"
#include "model/session/hub.h"
#include "services/study/study_service.h"

namespace parley::external_agent {

class RelayContext;
class RelaySession;

// Counters of the relay; docs/protocol-external-agent.md describes each.
struct RelayCounters {
  explicit RelayCounters(net::Metrics& metrics);

  net::Counter& joins;
  net::Counter& join_failures;
  net::Counter& join_timeouts;
  net::Counter& to_host;
  net::Counter& to_agents;
  net::Counter& errors;
  net::Counter& other_version;
  net::Counter& unroutable;
  net::Counter& unheard;
  net::Counter& host_timeouts;
  net::Counter& hosts_refused;
  net::Counter& hosts_replaced;
  net::Counter& missing_reason;
  net::Counter& unrecorded;
  net::Counter& limited;
  net::Counter& pauses;
};

// State shared by the relay sessions of one thread. Every call is on that thread.
class RelayShard {
 public:
  RelayShard(RelayContext& context, core::Scheduler& scheduler, std::size_t index);
  ~RelayShard();
  RelayShard(const RelayShard&) = delete;
  RelayShard& operator=(const RelayShard&) = delete;

  RelayContext& context() { return context_; }
  core::Scheduler& scheduler() { return scheduler_; }
  EnvelopeReader& reader() { return reader_; }
  // Two buffers for text being written; each user clears its own.
  std::string& scratch() { return scratch_; }
  std::string& record_scratch() { return record_scratch_; }
  // Frees the buffers if a very large message has grown them.
  void trim_buffers();
  const net::OutgoingMessagePtr& hello() { return hello_; }
  // A number that is unique in this process, so that a late reply, or one in another relay session,
  // never matches another request.
  std::uint64_t next_request_number();

  // The relay session of this name, created if absent. It lives on this shard, which must be that
  // of study::placement_key_of(owner, session).
  std::shared_ptr<RelaySession> relay_session(const std::string& owner, const std::string& session);
  void drop(const std::string& owner, const std::string& session);
  std::size_t relay_session_count() const { return relay_sessions_.size(); }

 private:
  RelayContext& context_;
  core::Scheduler& scheduler_;
  std::size_t index_;
  std::uint64_t last_number_ = 0;
  EnvelopeReader reader_;
  std::string scratch_;
  std::string record_scratch_;
  net::OutgoingMessagePtr hello_;
  core::StringMap<std::shared_ptr<RelaySession>> relay_sessions_;
};

// State shared by all connections of the relay. Immutable but for its shards, which belong to
// their threads. Must outlive the server and be destroyed before the hub and the study service.
class RelayContext {
 public:
  using MessageMaker = std::function<net::OutgoingMessagePtr(std::string_view text)>;

  RelayContext(session::Hub& hub, study::StudyService& studies, auth::GuestVerifier& verifier,
               core::Entropy& entropy, net::Metrics& metrics, RelayOptions options = {},
               MessageMaker make_message = text_message, const core::WorkGate* gate = nullptr);
  ~RelayContext();
  RelayContext(const RelayContext&) = delete;
  RelayContext& operator=(const RelayContext&) = delete;

  session::Hub& hub() { return hub_; }
  study::StudyService& studies() { return studies_; }
  auth::GuestVerifier& verifier() { return verifier_; }
  core::Entropy& entropy() { return entropy_; }
  const RelayOptions& options() const { return options_; }
  RelayCounters& counters() { return counters_; }
  GuestBudget& guests() { return guests_; }
  // Reason why no records are accepted now; std::nullopt: they are accepted.
  std::optional<std::string> closed() const;
  bool is_open() const { return gate_ == nullptr || gate_->is_open(); }
  // Encodes a message once for several receivers.
  net::OutgoingMessagePtr make_message(std::string_view text) const { return make_message_(text); }
  // `scheduler` must be one of the hub's shards.
  RelayShard& shard(const core::Scheduler& scheduler) { return *shards_.at(&scheduler); }

  static net::OutgoingMessagePtr text_message(std::string_view text);

 private:
  session::Hub& hub_;
  study::StudyService& studies_;
  auth::GuestVerifier& verifier_;
  core::Entropy& entropy_;
  RelayOptions options_;
  RelayCounters counters_;
  GuestBudget guests_;
  const core::WorkGate* gate_;  // null: always open
  MessageMaker make_message_;
  absl::flat_hash_map<const core::Scheduler*, std::unique_ptr<RelayShard>> shards_;
};

}  // namespace parley::external_agent
