// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph/graph_faults.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "runtime/graph/compiled_graph.h"

namespace parley::graph {
namespace {

std::string in_quotes(std::string_view name) {
  if (name == kStart) return "the start";
  if (name == kEnd) return "the end";
  return "\"" + std::string(name) + "\"";
}

// Checks one declaration. An unknown name is reported once and left out of the later checks.
class Checker {
 public:
  explicit Checker(const GraphDeclaration& declared) : declared_(declared) {}

  std::vector<std::string> run(const GraphOptions& options) {
    if (options.max_steps == 0) fault("the step limit is 0");
    check_nodes();
    check_edges();
    check_conditionals();
    check_parallels();
    check_exits();
    check_names();
    check_ways();
    return std::move(faults_);
  }

 private:
  using Names = std::set<std::string, std::less<>>;

  void fault(std::string what) { faults_.push_back(std::move(what)); }
  bool known(const std::string& name) const { return nodes_.contains(name); }

  void check_nodes() {
    for (const GraphDeclaration::Node& node : declared_.nodes) {
      if (!nodes_.insert(node.name).second)
        fault("node " + in_quotes(node.name) + " is declared twice");
      if (node.name.empty()) fault("a node has no name");
      if (node.name == kStart || node.name == kEnd) {
        fault("a node has the reserved name \"" + node.name + "\"");
      }
      if (node.is_graph ? node.inner == nullptr : !node.run) {
        fault("node " + in_quotes(node.name) + " has nothing to run");
      }
      const RetryPolicy& retry = node.options.retry;
      if (retry.retries < 0 || retry.first_delay < core::Millis(0) || retry.factor < 1 ||
          retry.max_delay < retry.first_delay) {
        fault("the retries of " + in_quotes(node.name) + " make no sense");
      }
    }
  }

  bool check_from(const std::string& from) {
    if (from == kStart || known(from)) return true;
    fault(from == kEnd ? "an edge leaves the end"
                       : "an edge leaves the unknown node " + in_quotes(from));
    return false;
  }
  bool check_to(const std::string& from, const std::string& to) {
    if (to == kEnd || known(to)) return true;
    fault(to == kStart
              ? "an edge leads from " + in_quotes(from) + " to the start"
              : "an edge leads from " + in_quotes(from) + " to the unknown node " + in_quotes(to));
    return false;
  }

  void check_edges() {
    for (const GraphDeclaration::Edge& edge : declared_.edges) {
      const bool from = check_from(edge.from);
      const bool to = check_to(edge.from, edge.to);
      if (!from) continue;
      kinds_[edge.from].push_back('e');
      if (!to) continue;
      next_[edge.from].insert(edge.to);
      fixed_.emplace(edge.from, edge.to);
    }
  }

  void check_conditionals() {
    for (const GraphDeclaration::Conditional& conditional : declared_.conditionals) {
      const bool from = check_from(conditional.from);
      if (!conditional.router)
        fault("nothing decides the way on from " + in_quotes(conditional.from));
      if (from) kinds_[conditional.from].push_back('c');
      for (const auto& [answer, to] : conditional.targets) {
        if (check_to(conditional.from, to) && from) next_[conditional.from].insert(to);
      }
      if (from && conditional.targets.empty()) anywhere_.insert(conditional.from);
    }
  }

  void check_parallels() {
    for (const GraphDeclaration::Parallel& parallel : declared_.parallels) {
      const bool from = check_from(parallel.from);
      const std::string location = "the parallel branches after " + in_quotes(parallel.from);
      if (parallel.branches.empty()) fault(location + " are none");
      if (!parallel.merge) fault("nothing merges " + location);
      const bool join = check_to(parallel.from, parallel.join);
      for (const std::string& branch : parallel.branches) {
        if (branch == kEnd || branch == kStart || !known(branch)) {
          fault("one of " + location + " is " +
                (branch == kEnd || branch == kStart ? in_quotes(branch)
                                                    : "the unknown node " + in_quotes(branch)));
          continue;
        }
        if (!branches_.insert(branch).second) {
          fault("node " + in_quotes(branch) + " is a parallel branch twice");
        }
        if (from) next_[parallel.from].insert(branch);
        if (join) next_[branch].insert(parallel.join);
      }
      if (!from) continue;
      kinds_[parallel.from].push_back('p');
      if (join) fixed_.emplace(parallel.from, parallel.join);
    }
  }

  // Checks the number and kinds of the edges that leave each node and the start.
  void check_exits() {
    const auto start = kinds_.find(kStart);
    if (start == kinds_.end()) fault("no edge leaves the start");
    for (const auto& [from, kinds] : kinds_) {
      const bool mixed = kinds.find_first_not_of(kinds.front()) != std::string::npos;
      if (kinds.size() > 1) {
        fault((mixed ? "edges of two kinds leave " : "two edges leave ") + in_quotes(from));
      }
      if (branches_.contains(from)) {
        fault("an edge leaves " + in_quotes(from) + ", which is a parallel branch");
      }
    }
  }

  // Reports names that would be ambiguous in a checkpoint's `next`.
  void check_names() {
    Names taken;
    for (const GraphDeclaration::Parallel& parallel : declared_.parallels) {
      const std::string name = parallel_name(parallel.branches);
      if (name.empty() || (!known(name) && taken.insert(name).second)) continue;
      fault("the parallel branches after " + in_quotes(parallel.from) + " have together the name " +
            in_quotes(name) + ", which is taken");
    }
    for (const GraphDeclaration::Node& outer : declared_.nodes) {
      if (!outer.is_graph) continue;
      for (const std::string& name : nodes_) {
        if (name.starts_with(outer.name + "/")) {
          fault("node " + in_quotes(name) + " has a name as if it were within " +
                in_quotes(outer.name));
        }
      }
    }
  }

  Names successors(const std::string& from) const {
    Names out;
    if (const auto found = next_.find(from); found != next_.end()) out = found->second;
    if (!anywhere_.contains(from)) return out;
    out.insert(nodes_.begin(), nodes_.end());
    for (const std::string& branch : branches_) out.erase(branch);
    out.insert(std::string(kEnd));
    return out;
  }

  void check_ways() {
    const std::string start(kStart);
    Names reached{start};
    std::vector<std::string> open{start};
    std::map<std::string, std::vector<std::string>, std::less<>> back;
    while (!open.empty()) {
      const std::string from = std::move(open.back());
      open.pop_back();
      for (const std::string& to : successors(from)) {
        back[to].push_back(from);
        if (reached.insert(to).second) open.push_back(to);
      }
    }
    for (const std::string& name : nodes_) {
      if (!reached.contains(name)) fault("node " + in_quotes(name) + " is never reached");
    }
    const Names cycles = check_cycles(reached);
    Names ending{std::string(kEnd)};
    open.assign(1, std::string(kEnd));
    while (!open.empty()) {
      const std::string to = std::move(open.back());
      open.pop_back();
      for (const std::string& from : back[to]) {
        if (ending.insert(from).second) open.push_back(from);
      }
    }
    for (const std::string& name : reached) {
      if (name == kStart && !kinds_.contains(name)) continue;
      if (ending.contains(name) || cycles.contains(name)) continue;
      fault("no way leads from " + in_quotes(name) + " to the end");
    }
  }

  // Reports each cycle of unconditional edges once; returns the nodes on the cycles.
  Names check_cycles(const Names& reached) {
    Names on_cycles;
    Names seen;
    for (const std::string& first : reached) {
      std::vector<std::string> path;
      std::string at = first;
      while (seen.insert(at).second) {
        path.push_back(at);
        const auto next = fixed_.find(at);
        if (next == fixed_.end()) break;
        at = next->second;
      }
      const auto begin = std::find(path.begin(), path.end(), at);
      const auto last = path.empty() ? fixed_.end() : fixed_.find(path.back());
      if (begin == path.end() || last == fixed_.end() || last->second != at) continue;
      std::string sentence;
      for (auto it = begin; it != path.end(); ++it) {
        sentence += in_quotes(*it) + " -> ";
        on_cycles.insert(*it);
      }
      fault("the cycle " + sentence + in_quotes(at) + " has no condition");
    }
    for (const GraphDeclaration::Parallel& parallel : declared_.parallels) {
      if (!on_cycles.contains(parallel.from)) continue;
      on_cycles.insert(parallel.branches.begin(), parallel.branches.end());
    }
    return on_cycles;
  }

  const GraphDeclaration& declared_;
  std::vector<std::string> faults_;
  Names nodes_;
  Names branches_;
  Names anywhere_;                                         // nodes whose router may name any node
  std::map<std::string, std::string, std::less<>> kinds_;  // kinds of a node's edges: e, c, p
  std::map<std::string, Names, std::less<>> next_;
  std::map<std::string, std::string, std::less<>> fixed_;  // unconditional edges
};

}  // namespace

std::vector<std::string> faults_of(const GraphDeclaration& declared, const GraphOptions& options) {
  return Checker(declared).run(options);
}

}  // namespace parley::graph
