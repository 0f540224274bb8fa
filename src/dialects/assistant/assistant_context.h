// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/core/ask.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/scheduler.h"
#include "base/core/work_gate.h"
#include "base/net/http/metrics.h"
#include "base/net/server/home_passage.h"
#include "base/net/websocket/websocket.h"
#include "identity/auth/token_store.h"
#include "model/session/hub.h"
#include "model/session/session.h"

namespace parley::assistant {

// The pending questions of each session that no user interface has been sent: those that were
// opened while none was logged in, since the session was taken up. Such a question is on no page,
// so it may be pushed to one that does not list pending questions. Used on the thread of one shard.
class UnsentQuestions {
 public:
  // `since`: the start of the server.
  explicit UnsentQuestions(core::WallTime since) : since_(since) {}

  // A user interface has joined. Returns the ids of the questions that no interface has been sent.
  std::vector<std::string> joined(const session::Session& session);
  // A user interface leaves; each call follows one of joined().
  void left(const session::Session& session);
  // An interface has been sent the interaction with this id.
  void sent(const session::Session& session, const std::string& id);

  // Sessions with an interface, or with pending questions when the last one left.
  std::size_t size() const { return states_.size(); }

 private:
  struct State {
    std::size_t interfaces = 0;
    std::uint64_t sent_until = 0;  // seq: while an interface is there, questions are sent at once
    std::set<std::string> sent;    // of other sessions, pending when the last interface left
    std::set<std::string> unsent;
  };

  core::WallTime since_;
  std::map<std::string, State> states_;  // by session
};

using FrameMaker = std::function<net::OutgoingMessagePtr(std::string_view bytes)>;

// Kinds of shared frames. Kind and name together identify a frame.
enum class FrameKind : char {
  opened_task_finish = 'o',
  opened_work_report = 'O',
  closed_task_finish = 'c',
  closed_work_report = 'C',
  opened_in_words = 'w',
  closed_in_words = 'W',
  closed_task_finish_named = 'n',
  closed_work_report_named = 'N',
  connected = '+',
  disconnected = '-',
  signal = 's',
  answering = 'a',
};

// Cache of frames that many connections of one shard send in the same turn of its loop. The first
// connection encodes a frame, the rest share its bytes, and the cache is cleared at the end of the
// turn. Used on one thread.
class FrameCache {
 public:
  FrameCache(core::Scheduler& scheduler, FrameMaker make)
      : scheduler_(scheduler), make_(std::move(make)) {}

  // Returns the frame of this kind and name; calls `encode()` for its bytes if it is not cached.
  // Two different frames must differ in kind or name.
  template <typename Encode>
  net::OutgoingMessagePtr get(FrameKind kind, std::string_view name, Encode encode) {
    State& state = *state_;
    if (state.last && state.last_kind == kind && state.last_name == name) return state.last;
    std::string key(1, static_cast<char>(kind));
    key += name;
    net::OutgoingMessagePtr& frame = state.frames[std::move(key)];
    if (!frame) frame = make_(encode());
    if (!std::exchange(state.clearing, true)) {
      scheduler_.post(
          core::unless_gone(std::weak_ptr<State>(state_), [](State& live) { live = State(); }));
    }
    state.last = frame;
    state.last_kind = kind;
    state.last_name = name;
    return frame;
  }

  std::size_t size() const { return state_->frames.size(); }

 private:
  struct State {
    absl::flat_hash_map<std::string, net::OutgoingMessagePtr> frames;
    // The frame returned last; the next connection mostly asks for the same one.
    net::OutgoingMessagePtr last;
    FrameKind last_kind = FrameKind::signal;
    std::string last_name;
    bool clearing = false;
  };

  core::Scheduler& scheduler_;
  FrameMaker make_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

// Settings of the dialect; docs/limits.md is made of the marked ones.
struct AssistantOptions {
  core::Millis login_timeout{30'000};        // closes a socket that has not logged in by then
  std::size_t max_frame_bytes = 16U << 20U;  // a larger frame closes the connection with 1009
  std::size_t max_rpc_bytes = 16U << 20U;    // a larger RPC message, decompressed, is refused
  // Limit (The assistant dialect): malformed frames in a row. Reached: closed with 1008.
  std::uint32_t max_malformed_in_a_row = 20;  // more close the connection with 1008
  // Limit (The assistant dialect): ids in one `CheckMessageValidity`. Reached: the frame counts as
  // malformed.
  std::size_t max_validity_ids = 10'000;  // limit of ids in one CheckMessageValidity
  // Limit (The assistant dialect): replies of one socket that wait. Reached: nothing is read from
  // it meanwhile.
  std::size_t max_replies_in_flight = 64;  // per socket; reading pauses at this limit
  // Limit (The assistant dialect): frames behind a login, or one frame's limit in bytes. Reached:
  // closed with 1008.
  std::size_t max_held_frames = 64;  // limit of frames kept while a login is in progress
  // The answer to GetPendingMessages waits while more bytes than this are queued for the client.
  // Limit (The assistant dialect, bytes): bytes queued for a client that asks for
  // `GetPendingMessages`. Reached: the list waits; one list answers all requests made meanwhile.
  std::size_t list_watermark = 256U << 10U;
  core::Millis list_retry{50};  // interval between checks of that queue
  // Wait after a login for a client's GetPendingMessages; then it gets the questions that no client
  // has been sent.
  // Limit (The assistant dialect): wait after the login for `GetPendingMessages`. Reached: the
  // client gets the questions that nobody had been sent.
  core::Millis unasked_list_delay{1'000};
  bool compression = true;            // offers permessage-deflate
  std::string server_version;         // sent in the answer to a login
  net::HomePassage* homes = nullptr;  // the way to other nodes; null: there is none
  core::WorkGate* gate = nullptr;     // consulted before a question is accepted; null: always open
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
  net::Counter& rpc_callers_disconnected;
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
