// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "base/core/cancel.h"
#include "base/core/entropy.h"
#include "base/core/scheduler.h"
#include "runtime/graph/graph.h"
#include "runtime/stream/event_sink.h"

namespace parley::graph {

// The start of a run: the start of the graph, or a checkpoint.
struct Entry {
  std::string node{kStart};          // the checkpoint's `next`; may be a path, "outer/inner"
  std::uint64_t step = 0;            // node entries so far
  std::uint64_t node_runs = 0;       // likewise, with those of subgraphs; numbers the node_ids
  std::string last_node_id;          // of the last earlier event; "": run-0
  std::optional<std::string> value;  // answer to the interrupt at which the run stopped
};

struct ExecutionSetup {
  core::Scheduler& scheduler;
  core::Entropy& entropy;  // for checkpoint ids
  runtime::EventSink& sink;
  core::CancelToken cancel;
  std::string thread_id;          // of the checkpoints
  bool values_each_node = false;  // emit values after every node, not only at the end
  bool checkpoints = true;        // false for a graph that is not resumed (benchmarks, previews)
  Entry entry;
};

struct ExecutionResult {
  enum class End : std::uint8_t { finished, interrupted, cancelled, failed };
  End end = End::finished;
  std::unique_ptr<State> state;      // the last state
  std::string node;                  // path of the interrupted or failed node: "outer/inner"
  std::string node_id;               // the last one of the envelopes
  std::string payload;               // of an interrupt: JSON text
  std::optional<core::Error> error;  // of a failed run
  std::uint64_t steps = 0;
};

// One run of a graph, on one scheduler; no thread of its own. Emits, per node: node_enter, the
// node's own events, node_exit, values (if asked for), updates, checkpoint; when it finishes,
// values. The first updates and the first checkpoint hold the whole state, also in a resumed run;
// each kind can be folded without the other. A failed or cancelled node emits its node_exit with
// the error and nothing after it; an interrupted node emits its node_exit, then a checkpoint.
// Nothing is emitted after `done`.
class Execution {
 public:
  using Done = absl::AnyInvocable<void(ExecutionResult)>;

  // Starts the run in a later turn; `done` is called once, in a turn of its own. The execution is
  // kept alive by its node's `done`, by its posted tasks, and by the source that can cancel it. The
  // references in `setup` must outlive the run.
  static void start(std::shared_ptr<const Graph> graph, std::unique_ptr<State> state,
                    ExecutionSetup setup, Done done);
};

}  // namespace parley::graph
