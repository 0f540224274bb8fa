// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/graph/node.h"

namespace parley::graph {

// The function of a node. `context` and `state` are valid until `done` is called.
using NodeFn = std::function<void(NodeContext& context, State& state, NodeDone done)>;
// Chooses the target of a conditional edge: a key of its targets or, if there are none, the name of
// a node.
using Router = std::function<std::string(const State& state)>;
// Merges the states of parallel branches, in the order in which they were declared, into the state
// from which they began.
using Merge = std::function<void(State& into, std::vector<std::unique_ptr<State>> branches)>;

struct RetryPolicy {
  int retries = 0;  // after the first attempt
  core::Millis first_delay{500};
  double factor = 2.0;  // 1: constant delay
  core::Millis max_delay{10'000};
};

struct NodeOptions {
  RetryPolicy retry;
};

struct GraphOptions {
  std::size_t max_steps = 50;  // limit of the node entries of a run; beyond: `resource_exhausted`
};

// A compiled graph: immutable, used by any number of runs on any thread. Its functions are called
// on the threads of its runs, concurrently if the runs are concurrent.
class Graph;

// The input of a GraphBuilder, in order.
struct GraphDeclaration {
  struct Node {
    std::string name;
    NodeFn run;
    NodeOptions options;
    std::shared_ptr<const Graph> inner;
    bool is_graph = false;
  };
  struct Edge {
    std::string from;
    std::string to;
  };
  struct Conditional {
    std::string from;
    Router router;
    std::map<std::string, std::string> targets;
  };
  struct Parallel {
    std::string from;
    std::vector<std::string> branches;
    std::string join;
    Merge merge;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::vector<Conditional> conditionals;
  std::vector<Parallel> parallels;
};

// Builds a graph over untyped states; StateGraph<S> is the typed form. compile() reports all
// faults.
class GraphBuilder {
 public:
  GraphBuilder& node(std::string name, NodeFn run, NodeOptions options = {});
  // `from` may be kStart, `to` kEnd. A node has at most one unconditional edge.
  GraphBuilder& edge(std::string from, std::string to);
  GraphBuilder& conditional(std::string from, Router router,
                            std::map<std::string, std::string> targets = {});
  // Runs the branches (nodes, each once) at the same time on copies of the state, merges them, and
  // continues at `join`. The first error cancels the others and fails the run. The branches
  // together have one name, "a+b", in checkpoints and updates: a checkpoint is made after the
  // merge, none within a branch. A branch has no edges of its own. It fails if it chooses the next
  // node (`internal`) or interrupts (`failed_precondition`).
  GraphBuilder& parallel(std::string from, std::vector<std::string> branches, std::string join,
                         Merge merge);
  // Adds a graph over the same kind of state as a node. The nodes of that graph have checkpoints,
  // with a path as `next`: "outer/inner".
  GraphBuilder& subgraph(std::string name, std::shared_ptr<const Graph> graph);

  // Errors: `invalid_argument`, the message naming every fault: an edge to or from an unknown node,
  // no or several edges from the start, no way to the end, two kinds of edges from one node, two
  // edges from one node, a node declared twice, a cycle without a condition, a node that is never
  // reached, a name that is empty, reserved, or looks like a path or like parallel branches, a
  // missing function, an invalid limit.
  core::Result<std::shared_ptr<const Graph>> compile(GraphOptions options = {});

 private:
  GraphDeclaration declared_;
};

// The graph as text, for Graphviz and for Mermaid. `visited` nodes are marked: names, or paths
// ("outer/inner") of nodes within subgraphs.
std::string to_dot(const Graph& graph, const std::vector<std::string>& visited = {});
std::string to_mermaid(const Graph& graph, const std::vector<std::string>& visited = {});

}  // namespace parley::graph
