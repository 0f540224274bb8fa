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

#include "base/core/string_map.h"
#include "runtime/graph/graph.h"

namespace parley::graph {

// A location of a traversal: before a node, before the branches of a parallel part, or at the end.
struct GraphLocation {
  enum class Kind : std::uint8_t { node, parallel, end };
  Kind kind = Kind::end;
  std::size_t index = 0;  // of the node or the parallel part
  bool operator==(const GraphLocation&) const = default;
};

// A compiled graph: names are resolved, and it has no faults.
class Graph {
 public:
  // The exit of a node, or of the start.
  struct Exit {
    enum class Kind : std::uint8_t { none, edge, conditional, parallel };
    Kind kind = Kind::none;  // none: a parallel branch
    GraphLocation to;        // of kinds `edge` and `parallel`
    Router router;
    // Targets of kind `conditional`, by the router's result. Empty: the results are names of nodes.
    std::map<std::string, GraphLocation, std::less<>> targets;
  };
  struct Node {
    std::string name;
    NodeFn run;
    NodeOptions options;
    std::shared_ptr<const Graph> inner;  // null: an ordinary node, with `run`
    Exit exit;
  };
  struct Parallel {
    std::string name;  // "a+b"
    std::vector<std::size_t> branches;
    GraphLocation join;
    Merge merge;
  };

  // `declared` must have no faults.
  Graph(const GraphDeclaration& declared, GraphOptions options);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Parallel>& parallels() const { return parallels_; }
  const Exit& start() const { return start_; }
  std::size_t max_steps() const { return options_.max_steps; }

  const std::string& name_of(GraphLocation location) const;
  // `name`: of a node, of parallel branches, or kEnd. std::nullopt if unknown.
  std::optional<GraphLocation> find(std::string_view name) const;
  // A resolved path "outer/inner": the location of `outer`, and the rest. The rest of a plain name
  // is empty.
  struct Path {
    GraphLocation location;
    std::string rest;
  };
  std::optional<Path> resolve(std::string_view path) const;

  // The target of an exit for this state. Errors: `internal`, the router failed or chose an unknown
  // node.
  core::Result<GraphLocation> follow(const Exit& exit, const State& state) const;

 private:
  Exit& exit_of(const std::string& from);

  std::vector<Node> nodes_;
  std::vector<Parallel> parallels_;
  Exit start_;
  GraphOptions options_;
  core::StringMap<GraphLocation> locations_;
};

// The common name of parallel branches: "a+b"; of a single branch, "a+".
std::string parallel_name(const std::vector<std::string>& branches);

}  // namespace parley::graph
