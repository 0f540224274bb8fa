// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "model/event/session_store.h"
#include "runtime/agent/agent.h"
#include "runtime/graph/state.h"
#include "runtime/run/run_service.h"

namespace parley::run {

// State of a run, rebuilt from its stored events.
struct RunHistory {
  std::unique_ptr<graph::State> state;       // at the requested checkpoint; null: there is none
  std::string cut_off;                       // text of a stopped reply, if the whole run is read
  std::vector<CheckpointInfo> checkpoints;   // up to the requested one
  std::uint64_t node_runs = 0;               // node entries so far
  std::string last_node_id = "run-0";        // last node_id of the envelopes
  std::vector<std::string> in_flight_calls;  // started, not ended
};

struct HistoryQuery {
  std::string session;
  std::string run_id;
  std::uint64_t first_seq = 0;
  std::uint64_t last_seq = 0;  // 0: to the end of the session
  agent::Kind kind = agent::Kind::react;
  std::string until_checkpoint;  // empty: the last one
};

// Member of a reply that ended early: the agent's text since its last checkpoint.
inline constexpr std::string_view kCutOffMember = "cut_off";

// Reads a run's checkpoints in pages and rebuilds the state. Errors: those of the store;
// `not_found` (no such checkpoint), `data_loss` (a checkpoint cannot be read).
using HistoryDone = absl::AnyInvocable<void(core::Result<RunHistory>)>;
void read_history(event::SessionStore& store, HistoryQuery query, core::Scheduler& scheduler,
                  HistoryDone done);

}  // namespace parley::run
