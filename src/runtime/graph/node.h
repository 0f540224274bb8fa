// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "core/cancel.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "runtime/graph/state.h"
#include "runtime/stream/run_event.h"

namespace parley::graph {

class Graph;

inline constexpr std::string_view kStart = "__start__";
inline constexpr std::string_view kEnd = "__end__";

// The step that follows a node.
struct Next {
  enum class Kind : std::uint8_t { edges, node, end, interrupt };
  Kind kind = Kind::edges;
  std::string node;     // of `node`
  std::string payload;  // of `interrupt`: JSON text, for the client that resumes

  static Next edges() { return {}; }  // as the graph's edges say
  static Next to(std::string node) { return {Kind::node, std::move(node), {}}; }
  static Next end() { return {Kind::end, {}, {}}; }
  // Stops the run with a checkpoint before this node, with the state as it is now; resuming runs
  // the node again, with the value. Not in a parallel branch, nor in invoke().
  static Next interrupt(std::string json) { return {Kind::interrupt, {}, std::move(json)}; }
};

// Called once by a node when it has finished, at once or later, on the run's thread. An error fails
// the attempt: the node is retried if its options say so (not after `cancelled`), with the state of
// its entry or of its last checkpoint(); else the run fails. A node that returns without having
// kept or called `done` fails, and so does a node that throws.
using NodeDone = absl::AnyInvocable<void(core::Result<Next>)>;

// Services of the run for a node. Lives until the node has called its `done`. When the run is
// cancelled, cancel() notifies the node, which should call `done` soon: its result is then ignored,
// and the run waits for it at most kCancelPatience.
class NodeContext {
 public:
  NodeContext() = default;
  NodeContext(const NodeContext&) = delete;
  NodeContext& operator=(const NodeContext&) = delete;
  virtual ~NodeContext() = default;

  virtual const std::string& name() const = 0;     // "think"
  virtual const std::string& node_id() const = 0;  // "run-think-0": this entry of it
  virtual std::uint64_t step() const = 0;          // of the run, from 1
  virtual int attempt() const = 0;                 // from 1; grows with retries
  virtual core::Scheduler& scheduler() = 0;
  virtual const core::CancelToken& cancel() const = 0;
  // The answer to this node's interrupt (JSON text), in the one entry that follows the interrupt.
  virtual const std::optional<std::string>& resume_value() const = 0;

  virtual void emit(runtime::RunEvent event) = 0;
  // As EventSink::when_durable().
  virtual void when_durable(absl::AnyInvocable<void(core::Result<void>)> done) = 0;
  // Stores the state as it is now, in the middle of the node: a run that is resumed enters this
  // node again with it. A no-op inside invoke() and in parallel branches.
  virtual void checkpoint() = 0;

  // Runs another graph as a part of this node, its events and entries within this run's. Several at
  // once may be under way. `done` gets its last state; errors: those of its nodes, `cancelled`,
  // `resource_exhausted` (step limit; graphs within graphs too deep), `failed_precondition` (it was
  // interrupted: such graphs may not). `cancel` ends it alone; it ends with this node in any case,
  // and `done` is not called any more when the node has called its own. Its nodes emit what they
  // emit, node_enter and node_exit; they have no updates and no checkpoints, which tell of the
  // run's own state.
  using InvokeDone = absl::AnyInvocable<void(core::Result<std::unique_ptr<State>>)>;
  virtual void invoke(std::shared_ptr<const Graph> graph, std::unique_ptr<State> state,
                      core::CancelToken cancel, InvokeDone done) = 0;
};

// The longest time from a cancel to the end of the run, also if its node does not call `done`.
inline constexpr core::Millis kCancelPatience{150};

}  // namespace parley::graph
