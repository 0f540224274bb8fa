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
#include "base/core/cancel.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
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

  static Next edges() { return {}; }  // follow the graph's edges
  static Next to(std::string node) { return {Kind::node, std::move(node), {}}; }
  static Next end() { return {Kind::end, {}, {}}; }
  // Stops the run with a checkpoint before this node, with the current state; a resumed run enters
  // the node again, with the answer. In a parallel branch and in invoke() it fails
  // (`failed_precondition`).
  static Next interrupt(std::string json) { return {Kind::interrupt, {}, std::move(json)}; }
};

// Called once by a node when it has finished, at once or later, on the run's thread. An error fails
// the attempt: the node is retried if its options say so (not after `cancelled`), with the state of
// its entry or of its last checkpoint(); else the run fails. A node that throws, or returns without
// having kept or called `done`, fails.
using NodeDone = absl::AnyInvocable<void(core::Result<Next>)>;

// Services of the run for a node. Valid until the node has called its `done`. When the run is
// cancelled, cancel() notifies the node, which should call `done` soon; its result is ignored, and
// the run waits for it at most kCancelPatience.
class NodeContext {
 public:
  NodeContext() = default;
  NodeContext(const NodeContext&) = delete;
  NodeContext& operator=(const NodeContext&) = delete;
  virtual ~NodeContext() = default;

  virtual const std::string& name() const = 0;     // "think"
  virtual const std::string& node_id() const = 0;  // "run-think-0": id of this entry
  virtual std::uint64_t step() const = 0;          // of the run, from 1
  virtual int attempt() const = 0;                 // from 1; grows with retries
  virtual core::Scheduler& scheduler() = 0;
  virtual const core::CancelToken& cancel() const = 0;
  // The answer to this node's interrupt (JSON text); set only in the entry that follows the
  // interrupt.
  virtual const std::optional<std::string>& resume_value() const = 0;

  virtual void emit(runtime::RunEvent event) = 0;
  // As EventSink::when_durable().
  virtual void when_durable(absl::AnyInvocable<void(core::Result<void>)> done) = 0;
  // Stores the current state in the middle of the node: a resumed run enters this node again with
  // that state. A no-op inside invoke() and in parallel branches.
  virtual void checkpoint() = 0;

  // Runs another graph as a part of this node; several may run at once. Its nodes emit their events
  // in the run's stream, without updates and checkpoints, which describe the run's own state.
  // `done` gets its last state. Errors: those of its nodes, `cancelled`, `resource_exhausted` (step
  // limit, nesting limit), `failed_precondition` (interrupted, which is not possible here).
  // `cancel` ends only this graph. The graph ends with the node at the latest: after the node's own
  // `done`, this one is not called.
  using InvokeDone = absl::AnyInvocable<void(core::Result<std::unique_ptr<State>>)>;
  virtual void invoke(std::shared_ptr<const Graph> graph, std::unique_ptr<State> state,
                      core::CancelToken cancel, InvokeDone done) = 0;
};

// Limit of the time from a cancellation to the end of the run, also if its node does not call
// `done`.
// Limit (Runs): wait after a cancel. Reached: a node that does not end is abandoned, logged.
inline constexpr core::Millis kCancelPatience{150};

}  // namespace parley::graph
