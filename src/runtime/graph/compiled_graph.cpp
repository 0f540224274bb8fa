// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph/compiled_graph.h"

#include <exception>
#include <utility>

namespace parley::graph {

std::string parallel_name(const std::vector<std::string>& branches) {
  std::string name;
  for (const std::string& branch : branches) {
    if (!name.empty()) name += '+';
    name += branch;
  }
  if (branches.size() == 1) name += '+';
  return name;
}

Graph::Graph(const GraphDeclaration& declared, GraphOptions options) : options_(options) {
  locations_.emplace(std::string(kEnd), GraphLocation{});
  for (const GraphDeclaration::Node& node : declared.nodes) {
    locations_.emplace(node.name, GraphLocation{GraphLocation::Kind::node, nodes_.size()});
    nodes_.push_back({node.name, node.run, node.options, node.inner, {}});
  }
  for (const GraphDeclaration::Parallel& told : declared.parallels) {
    const GraphLocation here{GraphLocation::Kind::parallel, parallels_.size()};
    Parallel parallel{parallel_name(told.branches), {}, locations_.at(told.join), told.merge};
    for (const std::string& branch : told.branches) {
      parallel.branches.push_back(locations_.at(branch).index);
    }
    locations_.emplace(parallel.name, here);
    parallels_.push_back(std::move(parallel));
    Exit& exit = exit_of(told.from);
    exit.kind = Exit::Kind::parallel;
    exit.to = here;
  }
  for (const GraphDeclaration::Edge& edge : declared.edges) {
    Exit& exit = exit_of(edge.from);
    exit.kind = Exit::Kind::edge;
    exit.to = locations_.at(edge.to);
  }
  for (const GraphDeclaration::Conditional& conditional : declared.conditionals) {
    Exit& exit = exit_of(conditional.from);
    exit.kind = Exit::Kind::conditional;
    exit.router = conditional.router;
    for (const auto& [answer, node] : conditional.targets) {
      exit.targets.emplace(answer, locations_.at(node));
    }
  }
}

Graph::Exit& Graph::exit_of(const std::string& from) {
  return from == kStart ? start_ : nodes_.at(locations_.at(from).index).exit;
}

const std::string& Graph::name_of(GraphLocation location) const {
  static const std::string end(kEnd);
  switch (location.kind) {
    case GraphLocation::Kind::node:
      return nodes_.at(location.index).name;
    case GraphLocation::Kind::parallel:
      return parallels_.at(location.index).name;
    case GraphLocation::Kind::end:
      break;
  }
  return end;
}

std::optional<GraphLocation> Graph::find(std::string_view name) const {
  const auto found = locations_.find(name);
  if (found == locations_.end()) return std::nullopt;
  return found->second;
}

std::optional<Graph::Path> Graph::resolve(std::string_view path) const {
  if (const std::optional<GraphLocation> location = find(path)) return Path{*location, {}};
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.inner == nullptr || path.size() <= node.name.size() + 1) continue;
    if (!path.starts_with(node.name) || path[node.name.size()] != '/') continue;
    return Path{{GraphLocation::Kind::node, i}, std::string(path.substr(node.name.size() + 1))};
  }
  return std::nullopt;
}

core::Result<GraphLocation> Graph::follow(const Exit& exit, const State& state) const {
  if (exit.kind == Exit::Kind::none) {
    return core::fail(core::Code::internal,
                      "A parallel branch that is entered by itself has no next node.");
  }
  if (exit.kind != Exit::Kind::conditional) return exit.to;
  std::string answer;
  try {
    answer = exit.router(state);
  } catch (const std::exception& error) {
    return core::fail(core::Code::internal,
                      std::string("The router of a conditional edge failed: ") + error.what());
  }
  if (exit.targets.empty()) {
    if (const std::optional<GraphLocation> location = find(answer)) return *location;
  } else if (const auto found = exit.targets.find(answer); found != exit.targets.end()) {
    return found->second;
  }
  return core::fail(core::Code::internal, "The router chose the node \"" + answer +
                                              "\", which this graph does not have.");
}

}  // namespace parley::graph
