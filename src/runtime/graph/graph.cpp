// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph/graph.h"

#include <utility>

#include "runtime/graph/compiled_graph.h"
#include "runtime/graph/graph_faults.h"

namespace parley::graph {

GraphBuilder& GraphBuilder::node(std::string name, NodeFn run, NodeOptions options) {
  declared_.nodes.push_back({std::move(name), std::move(run), options, nullptr, false});
  return *this;
}

GraphBuilder& GraphBuilder::edge(std::string from, std::string to) {
  declared_.edges.push_back({std::move(from), std::move(to)});
  return *this;
}

GraphBuilder& GraphBuilder::conditional(std::string from, Router router,
                                        std::map<std::string, std::string> targets) {
  declared_.conditionals.push_back({std::move(from), std::move(router), std::move(targets)});
  return *this;
}

GraphBuilder& GraphBuilder::parallel(std::string from, std::vector<std::string> branches,
                                     std::string join, Merge merge) {
  declared_.parallels.push_back(
      {std::move(from), std::move(branches), std::move(join), std::move(merge)});
  return *this;
}

GraphBuilder& GraphBuilder::subgraph(std::string name, std::shared_ptr<const Graph> graph) {
  declared_.nodes.push_back({std::move(name), nullptr, {}, std::move(graph), true});
  return *this;
}

core::Result<std::shared_ptr<const Graph>> GraphBuilder::compile(GraphOptions options) {
  const std::vector<std::string> faults = faults_of(declared_, options);
  if (faults.empty()) return std::make_shared<const Graph>(declared_, options);
  std::string message = "The graph cannot be run: ";
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (i > 0) message += "; ";
    message += faults[i];
  }
  return core::fail(core::Code::invalid_argument, message + ".");
}

}  // namespace parley::graph
