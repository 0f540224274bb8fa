// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/graph/compiled_graph.h"
#include "runtime/graph/node_entry.h"
#include "runtime/graph/outcome.h"
#include "runtime/graph/run_record.h"

namespace parley::graph {

class Traversal;

// The branches of a parallel part, each on a copy of the state. Entered and merged in the order of
// their declaration, whatever the order in which they end. The first failure cancels the other
// branches; the part ends when all have ended.
class Branches final : public EntryOwner, public std::enable_shared_from_this<Branches> {
 public:
  struct Setup {
    RunRecord& record;
    Traversal& traversal;
    std::shared_ptr<const Graph> graph;
    const Graph::Parallel& parallel;
    std::shared_ptr<StateBox> box;
    core::CancelToken cancel;
    const std::string& prefix;
    int depth = 0;
  };

  explicit Branches(Setup setup);

  // Traversal::on_branches() may be called before this returns.
  void start();
  void abandon();

  void on_outcome(NodeEntry& entry, Outcome outcome) override;

 private:
  void note(NodeEntry& entry, Outcome outcome);
  void end_if_all_ended();
  Outcome merged();

  Setup setup_;
  core::CancelSource source_;
  std::vector<std::shared_ptr<NodeEntry>> entries_;  // null: the branch has ended
  std::vector<std::shared_ptr<StateBox>> boxes_;
  std::size_t running_ = 0;
  bool starting_ = false;
  bool ended_ = false;
  std::optional<Outcome> failure_;  // the first
};

}  // namespace parley::graph
