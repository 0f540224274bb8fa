// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/graph/node_entry.h"
#include "runtime/graph/traversal.h"

namespace parley::graph {

// A graph that a node runs through NodeContext::invoke(), on a state of its own. Owned by the
// node's entry.
class Invocation : public std::enable_shared_from_this<Invocation> {
 public:
  Invocation(NodeEntry& entry, std::shared_ptr<const Graph> graph, std::shared_ptr<StateBox> box,
             NodeContext::InvokeDone done);

  // Begins in a later turn. `cancel` ends only this invocation.
  void start(core::CancelToken cancel);
  void tell(core::Result<std::unique_ptr<State>> result);
  // Ends the invocation at once, without calling `done`.
  void abandon();

 private:
  void on_end(Outcome outcome);

  NodeEntry& entry_;
  std::shared_ptr<StateBox> box_;
  core::CancelSource source_;
  core::CancelToken alone_;
  core::CancelToken::Registration on_cancel_;
  NodeContext::InvokeDone done_;
  std::shared_ptr<Traversal> traversal_;
};

}  // namespace parley::graph
