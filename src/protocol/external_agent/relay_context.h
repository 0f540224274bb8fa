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
#include "auth/guest_verifier.h"
#include "core/entropy.h"
#include "core/scheduler.h"
#include "core/string_map.h"
#include "core/work_gate.h"
#include "net/http/metrics.h"
#include "net/websocket/websocket.h"
#include "protocol/external_agent/envelope.h"
#include "protocol/external_agent/guest_budget.h"
#include "protocol/external_agent/relay_options.h"
#include "session/hub.h"
#include "study/study_service.h"

namespace parley::external_agent {

class RelayContext;
class RelaySession;

// What the relay counts; each has a line in docs/protocol-external-agent.md.
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

// What the relay sessions of one thread share. Every call is on that thread.
class RelayShard {
 public:
  RelayShard(RelayContext& context, core::Scheduler& scheduler, std::size_t index);
  ~RelayShard();
  RelayShard(const RelayShard&) = delete;
  RelayShard& operator=(const RelayShard&) = delete;

  RelayContext& context() { return context_; }
  core::Scheduler& scheduler() { return scheduler_; }
  EnvelopeReader& reader() { return reader_; }
  // Two buffers for what is being written; each user clears its own.
  std::string& scratch() { return scratch_; }
  std::string& record_scratch() { return record_scratch_; }
  // Gives back what a very large message has left behind.
  void trim_buffers();
  const net::OutgoingMessagePtr& hello() { return hello_; }
  // Unique in this process: a reply that comes late, or in another relay session, answers nobody
  // else.
  std::uint64_t next_request_number();

  // The relay session of this name, made if it is not there. It lives here: on the shard of
  // study::placement_key_of(owner, session).
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

// What every connection of the relay shares. Immutable but for its shards, which belong to their
// threads. Outlives the server; is destroyed before the hub and the study service.
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
  // Why no records are taken now; std::nullopt: they are.
  std::optional<std::string> closed() const;
  bool is_open() const { return gate_ == nullptr || gate_->is_open(); }
  // A message for several receivers, encoded once.
  net::OutgoingMessagePtr make_message(std::string_view text) const { return make_message_(text); }
  // Only for schedulers of the hub's shards.
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
  const core::WorkGate* gate_;  // null: there is room
  MessageMaker make_message_;
  absl::flat_hash_map<const core::Scheduler*, std::unique_ptr<RelayShard>> shards_;
};

}  // namespace parley::external_agent
