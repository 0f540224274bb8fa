// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace parley::agent {

struct TaskNode {
  std::string id;
  std::string description;
  std::uint64_t level = 0;  // of expansion: 0 in the plan
  bool operator==(const TaskNode&) const = default;
};

// Tasks and what needs what: an edge {a, b} says that b needs the result of a.
class TaskGraph {
 public:
  std::vector<TaskNode> nodes;
  std::vector<std::pair<std::string, std::string>> edges;

  const TaskNode* find(std::string_view id) const;  // null: there is none
  std::vector<std::string> predecessors(std::string_view id) const;
  std::vector<std::string> successors(std::string_view id) const;
  std::vector<std::string> sources() const;  // that need nothing
  std::vector<std::string> sinks() const;    // that nothing needs; in the order of the nodes

  // Errors: `invalid_argument`, a sentence naming what is wrong: no tasks, more than `most`, an id
  // that is empty, too long, or there twice, an edge to or from an unknown task or to itself, a
  // cycle.
  core::Result<void> check(std::size_t most) const;

  // Puts `part`, a graph that was checked, between a task and those that need it: its sources need
  // the task, and who needs the task needs its sinks as well. The ids become "ID_sub_1", ... Gives
  // the ids of the new nodes, and how many edges were added.
  struct Added {
    std::vector<std::string> ids;
    std::size_t edges = 0;
  };
  Added expand(const std::string& id, const TaskGraph& part);

 private:
  std::string cycle() const;  // "a -> b -> a"; empty: none
};

// Reads a plan: {"nodes":[{"id","description"}],"edges":[["a","b"]]}, in a fence or in prose too.
// Tolerated: "tasks" for nodes, bare texts as nodes, missing ids, edges as {"from","to"}, and
// "depends_on" in a node. An edge that is there twice is taken once. Errors: `data_loss` if there
// is no plan to be seen; those of check().
core::Result<TaskGraph> read_plan(std::string_view text, std::size_t most);

inline constexpr std::size_t kMaxTaskId = 64;  // bytes

}  // namespace parley::agent
