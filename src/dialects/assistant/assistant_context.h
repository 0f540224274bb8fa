// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/work_gate.h"
#include "base/net/http/metrics.h"
#include "dialects/assistant/frame_cache.h"
#include "dialects/assistant/unsent_questions.h"
#include "identity/auth/token_store.h"
#include "model/session/hub.h"

namespace parley::assistant {

// Settings of the dialect; docs/limits.md describes each.
struct AssistantOptions {
  core::Millis login_timeout{30'000};         // closes a socket that has not logged in by then
  std::size_t max_frame_bytes = 16U << 20U;   // a larger frame closes the connection with 1009
  std::size_t max_rpc_bytes = 16U << 20U;     // a larger RPC message, decompressed, is refused
  std::uint32_t max_malformed_in_a_row = 20;  // more close the connection with 1008
  std::size_t max_validity_ids = 10'000;      // limit of ids in one CheckMessageValidity
  std::size_t max_replies_in_flight = 64;     // per socket; reading pauses at this limit
  std::size_t max_held_frames = 64;           // limit of frames kept while a login is in progress
  // The answer to GetPendingMessages waits while more bytes than this are queued for the client.
  std::size_t list_watermark = 256U << 10U;
  core::Millis list_retry{50};  // interval between checks of that queue
  // Wait after a login for a client's GetPendingMessages; then it gets the questions that no client
  // has been sent.
  core::Millis unasked_list_delay{1'000};
  bool compression = true;         // offers permessage-deflate
  std::string server_version;      // sent in the answer to a login
  core::WorkGate* gate = nullptr;  // consulted before a question is accepted; null: always open
};

// Counters of the dialect; docs/protocol-assistant.md describes each.
struct AssistantCounters {
  explicit AssistantCounters(net::Metrics& metrics);

  net::Counter& logins;
  net::Counter& login_failures;
  net::Counter& login_timeouts;
  net::Counter& malformed_frames;
  net::Counter& text_frames;
  net::Counter& unknown_commands;
  net::Counter& forbidden;
  net::Counter& before_login;
  net::Counter& replies_won;
  net::Counter& replies_without_effect;
  net::Counter& undeliverable;
  net::Counter& rpc_calls;
  net::Counter& rpc_refused;
  net::Counter& rpc_callers_gone;
};

// State shared by all connections and calls of the dialect. Immutable but for its frame caches and
// the questions that nobody has been sent, which belong to the threads of their shards. Must
// outlive the server and the last task of the loops.
class AssistantContext {
 public:
  AssistantContext(session::Hub& hub, auth::Verifier& verifier, core::Entropy& entropy,
                   net::Metrics& metrics, AssistantOptions options = {},
                   const FrameMaker& make_frame = binary_frame);

  session::Hub& hub() { return hub_; }
  auth::Verifier& verifier() { return verifier_; }
  core::Entropy& entropy() { return entropy_; }
  const AssistantOptions& options() const { return options_; }
  AssistantCounters& counters() { return counters_; }
  // The cache of a shard's thread; only for schedulers of the hub's shards.
  FrameCache& frames(const core::Scheduler& scheduler) { return *frames_.at(&scheduler); }

  // The same for the questions that nobody has been sent.
  UnsentQuestions& unsent(const core::Scheduler& scheduler) { return unsent_.at(&scheduler); }

  // Key of a token's session, its workspace.
  static session::SessionKey session_key(std::string_view token_id);

  static net::OutgoingMessagePtr binary_frame(std::string_view bytes);

 private:
  session::Hub& hub_;
  auth::Verifier& verifier_;
  core::Entropy& entropy_;
  AssistantOptions options_;
  AssistantCounters counters_;
  absl::flat_hash_map<const core::Scheduler*, std::unique_ptr<FrameCache>> frames_;
  std::map<const core::Scheduler*, UnsentQuestions> unsent_;
};

}  // namespace parley::assistant
