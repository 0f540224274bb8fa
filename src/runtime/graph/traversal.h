// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "runtime/graph/compiled_graph.h"
#include "runtime/graph/node_entry.h"
#include "runtime/graph/outcome.h"
#include "runtime/graph/run_record.h"

namespace parley::graph {

class Branches;

// One traversal of a graph on one state: of a run, a subgraph or an invoked graph. Nodes that
// finish at once are run in a loop, so the stack does not grow; after RunRecord::kStepsPerTurn
// entries the traversal continues in a later turn.
class Traversal final : public EntryOwner, public std::enable_shared_from_this<Traversal> {
 public:
  // Limit of the nesting of graphs; beyond it: `resource_exhausted`.
  // Limit (Runs): graphs within graphs. Reached: the run fails with a sentence.
  static constexpr int kMaxDepth = 64;

  struct Setup {
    RunRecord& record;
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<StateBox> box;
    core::CancelToken cancel;
    std::string prefix;      // of the paths of its nodes: "outer/"
    bool own_state = false;  // the state is not the run's: no updates, checkpoints, interrupts
    int depth = 0;           // 0: the run's own graph
    absl::AnyInvocable<void(Outcome)> done;  // called once, perhaps before begin() returns
  };

  explicit Traversal(Setup setup);
  ~Traversal() override;

  // Starts at `resume.path`, the path of a checkpoint; empty: at the graph's start.
  void begin(Resume resume);
  // Starts at the graph's start, in a later turn.
  void begin_later();
  // Ends the traversal at once as cancelled, with everything that runs within it.
  void abandon();

  void on_outcome(NodeEntry& entry, Outcome outcome) override;
  void on_branches(Outcome outcome);

 private:
  void go();
  void go_later();
  void step();
  void start_at(Resume resume);
  void enter_node();
  void enter_branches();
  bool count_steps(std::size_t entries);
  core::Result<GraphLocation> follow(const NodeEntry& entry, const Next& next) const;
  void leave(NodeEntry& entry, GraphLocation to);
  void end(Outcome outcome);
  RunRecord::Position position(GraphLocation next) const;
  // "traversal at "outer/think", step 3", for assertions.
  std::string label() const;
  std::string path(GraphLocation location) const {
    return setup_.prefix + setup_.graph->name_of(location);
  }

  Setup setup_;
  GraphLocation location_;
  Resume resume_;  // of the next entry
  std::uint64_t steps_ = 0;
  bool going_ = false;  // inside the loop of go()
  bool busy_ = false;   // an entry, branches or a posted task will call back
  bool ended_ = false;
  std::shared_ptr<NodeEntry> entry_;
  std::shared_ptr<Branches> branches_;
};

}  // namespace parley::graph
