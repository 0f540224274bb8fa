// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/string_map.h"
#include "runtime/graph/graph.h"

namespace parley::graph {

// Where a traversal through a graph stands: before a node, before the branches of a parallel part,
// or at the end.
struct GraphLocation {
  enum class Kind : std::uint8_t { node, parallel, end };
  Kind kind = Kind::end;
  std::size_t index = 0;  // of the node or the parallel part
  bool operator==(const GraphLocation&) const = default;
};

// A compiled graph: names are resolved, every fault has been told.
class Graph {
 public:
  // What leaves a node, or the start.
  struct Exit {
    enum class Kind : std::uint8_t { none, edge, conditional, parallel };
    Kind kind = Kind::none;  // none: of a branch
    GraphLocation to;        // of edge and parallel
    Router router;
    // Of conditional, by the router's answer. Empty: its answers are names.
    std::map<std::string, GraphLocation, std::less<>> targets;
  };
  struct Node {
    std::string name;
    NodeFn run;
    NodeOptions options;
    std::shared_ptr<const Graph> inner;  // null: `run` does it
    Exit exit;
  };
  struct Parallel {
    std::string name;  // "a+b"
    std::vector<std::size_t> branches;
    GraphLocation join;
    Merge merge;
  };

  // Of a declaration without faults.
  Graph(const GraphDeclaration& declared, GraphOptions options);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Parallel>& parallels() const { return parallels_; }
  const Exit& start() const { return start_; }
  std::size_t max_steps() const { return options_.max_steps; }

  const std::string& name_of(GraphLocation location) const;
  // By the name of a node, of parallel branches, or kEnd.
  std::optional<GraphLocation> find(std::string_view name) const;
  // A path "outer/inner": the location of `outer` and the rest. A name's rest is empty.
  struct Path {
    GraphLocation location;
    std::string rest;
  };
  std::optional<Path> resolve(std::string_view path) const;

  // Where an exit leads with this state. Errors: `internal`, the router chose what there is not.
  core::Result<GraphLocation> follow(const Exit& exit, const State& state) const;

 private:
  Exit& exit_of(const std::string& from);

  std::vector<Node> nodes_;
  std::vector<Parallel> parallels_;
  Exit start_;
  GraphOptions options_;
  core::StringMap<GraphLocation> locations_;
};

// The name of parallel branches together: "a+b"; of one alone, "a+".
std::string parallel_name(const std::vector<std::string>& branches);

}  // namespace parley::graph
