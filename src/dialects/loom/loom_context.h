// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/net/http/metrics.h"
#include "dialects/loom/workspace_store.h"
#include "identity/auth/token_store.h"
#include "model/event/session_store.h"
#include "model/session/hub.h"
#include "runtime/run/run_service.h"

namespace parley::loom {

// Settings of the WebSocket; docs/protocol-loom.md describes the effect of each limit.
struct LoomOptions {
  std::size_t max_message_bytes = 16U << 20U;  // a larger message closes the connection with 1009
  bool compression = true;
  // Limit (The Loom stream): nesting of a request. Reached: parse error.
  std::size_t max_depth = 64;  // nesting of JSON in a request
  // Limit (The Loom stream): runs that a connection follows. Reached: error with the id.
  std::size_t max_watched = 64;  // runs that one connection watches at once
  // Limit (The Loom stream): requests of a connection that wait. Reached: error with the id.
  std::size_t max_waiting = 64;  // requests of one connection that await an answer
  std::size_t max_held = 1'000;  // live events kept while a watch reads the backlog
  // Limit (The Loom stream): events of a run's history that are read at once. Reached: the rest
  // when the queue has drained.
  std::size_t page_events = 200;  // events in one read of the backlog
  // bytes in one read of the backlog; the event that exceeds them is the last
  // Limit (The Loom stream): bytes of a run's history that are read at once. Reached: the rest when
  // the queue has drained.
  std::size_t page_bytes = 1U << 20U;
  // Bytes queued for a client; above it reading the backlog waits.
  std::size_t watermark = 256U << 10U;
  core::Millis retry_delay{20};  // interval between checks of a full queue
};

struct LoomCounters {
  explicit LoomCounters(net::Metrics& metrics);
  net::Counter& requests;
  net::Counter& errors;
  net::Counter& watches;
};

// State shared by all connections of `/loom/ws`. Thread-safe. Must outlive the server and be
// destroyed before the objects that it refers to.
class LoomContext {
 public:
  // `workspaces` may be null: requests for workspaces then fail.
  LoomContext(session::Hub& hub, event::SessionStore& store, run::RunService& runs,
              WorkspaceStore* workspaces, auth::Verifier& verifier, core::Entropy& entropy,
              net::Metrics& metrics, LoomOptions options = {});
  LoomContext(const LoomContext&) = delete;
  LoomContext& operator=(const LoomContext&) = delete;

  session::Hub& hub() { return hub_; }
  event::SessionStore& store() { return store_; }
  run::RunService& runs() { return runs_; }
  WorkspaceStore* workspaces() { return workspaces_; }
  auth::Verifier& verifier() { return verifier_; }
  core::Entropy& entropy() { return entropy_; }
  const LoomOptions& options() const { return options_; }
  LoomCounters& counters() { return counters_; }

 private:
  session::Hub& hub_;
  event::SessionStore& store_;
  run::RunService& runs_;
  WorkspaceStore* workspaces_;
  auth::Verifier& verifier_;
  core::Entropy& entropy_;
  LoomOptions options_;
  LoomCounters counters_;
};

}  // namespace parley::loom
