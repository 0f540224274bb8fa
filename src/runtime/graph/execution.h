// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "core/cancel.h"
#include "core/entropy.h"
#include "core/scheduler.h"
#include "runtime/graph/graph.h"
#include "runtime/stream/event_sink.h"

namespace parley::graph {

// Where a run begins: at the start of the graph, or at a checkpoint.
struct Entry {
  std::string node{kStart};          // the checkpoint's `next`; may be a path, "outer/inner"
  std::uint64_t step = 0;            // node entries so far
  std::uint64_t node_runs = 0;       // so far, those of subgraphs too: what numbers node_id
  std::string last_node_id;          // of the events before: "" means run-0
  std::optional<std::string> value;  // answers the interrupt at which it stopped
};

struct ExecutionSetup {
  core::Scheduler& scheduler;
  core::Entropy& entropy;  // for checkpoint ids
  runtime::EventSink& sink;
  core::CancelToken cancel;
  std::string thread_id;          // of the checkpoints
  bool values_each_node = false;  // the whole state after every node, not only at the end
  bool checkpoints = true;  // off for a graph that is not to be resumed (benchmarks, previews)
  Entry entry;
};

struct ExecutionResult {
  enum class End : std::uint8_t { finished, interrupted, cancelled, failed };
  End end = End::finished;
  std::unique_ptr<State> state;      // as it was last
  std::string node;                  // where it was interrupted or failed: a path, "outer/inner"
  std::string node_id;               // the envelope's, last
  std::string payload;               // of an interrupt: JSON text
  std::optional<core::Error> error;  // of a failed run
  std::uint64_t steps = 0;
};

// One run of a graph, on one scheduler; no thread of its own. Emits, per node: node_enter, the
// node's own events, node_exit, values (if asked for), updates, checkpoint; when it finishes,
// values. The first updates and the first checkpoint hold the state whole, also of a run that is
// resumed; each kind can be folded without the other. A node that fails or was cancelled has its
// node_exit with an error and nothing after it; one that was interrupted has a checkpoint after it.
// Nothing is emitted after `done`.
class Execution {
 public:
  using Done = absl::AnyInvocable<void(ExecutionResult)>;

  // Begins in a later turn; `done` is called once, in a turn of its own. The execution is kept
  // alive by its node's `done`, by its posted tasks, and by the source that can cancel it.
  // Everything in `setup` outlives it.
  static void start(std::shared_ptr<const Graph> graph, std::unique_ptr<State> state,
                    ExecutionSetup setup, Done done);
};

}  // namespace parley::graph
