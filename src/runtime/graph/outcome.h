// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/core/assert.h"
#include "base/core/cancel.h"
#include "base/core/error.h"
#include "runtime/graph/execution.h"
#include "runtime/graph/node.h"
#include "runtime/graph/state.h"

namespace parley::graph {

// The outcome of a node's entry, or of a traversal.
struct Outcome {
  using End = ExecutionResult::End;
  End end = End::finished;
  Next next;                // of a finished entry
  core::Error error;        // of a failure
  std::string node;         // path of the node that failed or was interrupted
  std::string payload;      // of an interrupt
  std::uint64_t steps = 0;  // of an interrupt: steps before the entry that resumes it

  static Outcome finished(Next next = {}) {
    Outcome out;
    out.next = std::move(next);
    return out;
  }
  static Outcome failed(core::Error error, std::string node = {}) {
    Outcome out;
    out.end = End::failed;
    out.error = std::move(error);
    out.node = std::move(node);
    return out;
  }
  static Outcome cancelled() {
    Outcome out;
    out.end = End::cancelled;
    return out;
  }
};

// The error of node_exit in a cancelled run: "cancelled: REASON", or "cancelled".
inline std::string cancelled_text(const core::CancelToken& cancel) {
  return cancel.reason().empty() ? "cancelled" : "cancelled: " + cancel.reason();
}

// Holds a state. take() copies a state that an abandoned node may still use.
struct StateBox {
  explicit StateBox(std::unique_ptr<State> held) : state(std::move(held)) {}

  std::unique_ptr<State> state;
  bool abandoned = false;

  // May be called once; again only if a node was abandoned with the state.
  std::unique_ptr<State> take() {
    PARLEY_ASSERT(state != nullptr, "graph: a state is taken twice");
    return abandoned ? state->clone() : std::move(state);
  }
};

// The point at which a traversal or an entry is resumed: the rest of the path, and the answer to
// the interrupt.
struct Resume {
  std::string path;
  std::optional<std::string> value;
};

}  // namespace parley::graph
