// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"

namespace parley::agent {

struct TaskNode {
  std::string id;
  std::string description;
  std::uint64_t level = 0;  // of expansion; 0: in the plan
  bool operator==(const TaskNode&) const = default;
};

// Tasks and their dependencies: an edge {a, b} means that b needs the result of a.
class TaskGraph {
 public:
  std::vector<TaskNode> nodes;
  std::vector<std::pair<std::string, std::string>> edges;

  const TaskNode* find(std::string_view id) const;  // null if unknown
  std::vector<std::string> predecessors(std::string_view id) const;
  std::vector<std::string> successors(std::string_view id) const;
  std::vector<std::string> sources() const;  // tasks without predecessors
  std::vector<std::string> sinks() const;    // tasks without successors; in the order of the nodes

  // Errors: `invalid_argument`, with a sentence that names the fault: no tasks, more than `most`,
  // an id that is empty, too long or duplicate, an edge with an unknown task or to itself, a cycle.
  core::Result<void> check(std::size_t most) const;

  // Inserts `part`, a checked graph, between a task and its successors: its sources need the task,
  // and the successors of the task need its sinks as well. The ids become "ID_sub_1", ... Returns
  // the ids of the new nodes, and the number of new edges.
  struct Added {
    std::vector<std::string> ids;
    std::size_t edges = 0;
  };
  Added expand(const std::string& id, const TaskGraph& part);

 private:
  std::string cycle() const;  // "a -> b -> a"; empty: none
};

// Reads a plan: {"nodes":[{"id","description"}],"edges":[["a","b"]]}, also in a fence or in prose.
// Tolerates "tasks" for nodes, bare texts as nodes, missing ids, edges as {"from","to"}, and
// "depends_on" in a node. A duplicate edge counts once. Errors: `data_loss` if the text has no
// plan; those of check().
core::Result<TaskGraph> read_plan(std::string_view text, std::size_t most);

inline constexpr std::size_t kMaxTaskId = 64;  // bytes

}  // namespace parley::agent
