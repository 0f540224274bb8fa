// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/graph.h"

namespace parley::graph {

// Builds a graph whose nodes work on an S, a State. The casts are safe because a graph is only run
// with the kind of state that it was built for.
template <typename S>
class StateGraph {
 public:
  using TypedNode = std::function<void(NodeContext& context, S& state, NodeDone done)>;
  using TypedRouter = std::function<std::string(const S& state)>;
  using TypedMerge = std::function<void(S& into, std::vector<std::unique_ptr<S>> branches)>;

  StateGraph& node(std::string name, TypedNode run, NodeOptions options = {}) {
    builder_.node(
        std::move(name),
        [run = std::move(run)](NodeContext& context, State& state, NodeDone done) {
          run(context, static_cast<S&>(state), std::move(done));
        },
        options);
    return *this;
  }
  StateGraph& edge(std::string from, std::string to) {
    builder_.edge(std::move(from), std::move(to));
    return *this;
  }
  StateGraph& conditional(std::string from, TypedRouter router,
                          std::map<std::string, std::string> targets = {}) {
    builder_.conditional(
        std::move(from),
        [router = std::move(router)](const State& state) {
          return router(static_cast<const S&>(state));
        },
        std::move(targets));
    return *this;
  }
  StateGraph& parallel(std::string from, std::vector<std::string> branches, std::string join,
                       TypedMerge merge) {
    builder_.parallel(
        std::move(from), std::move(branches), std::move(join),
        [merge = std::move(merge)](State& into, std::vector<std::unique_ptr<State>> states) {
          std::vector<std::unique_ptr<S>> typed;
          typed.reserve(states.size());
          for (auto& branch : states) typed.emplace_back(static_cast<S*>(branch.release()));
          merge(static_cast<S&>(into), std::move(typed));
        });
    return *this;
  }
  StateGraph& subgraph(std::string name, std::shared_ptr<const Graph> graph) {
    builder_.subgraph(std::move(name), std::move(graph));
    return *this;
  }
  core::Result<std::shared_ptr<const Graph>> compile(GraphOptions options = {}) {
    return builder_.compile(options);
  }

 private:
  GraphBuilder builder_;
};

}  // namespace parley::graph
