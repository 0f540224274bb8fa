// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/task_graph.h"

#include <algorithm>
#include <map>
#include <set>

#include "runtime/agent/json_reading.h"

namespace parley::agent {
namespace {

namespace json = boost::json;
using core::Code;

const json::value* member(const json::object& object,
                          std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const json::value* value = object.if_contains({name.data(), name.size()})) return value;
  }
  return nullptr;
}

std::string as_text(const json::value& value) {
  json::object holder;
  holder["value"] = value;
  return text_of(holder, "value");
}

void add_edge(TaskGraph& graph, std::string from, std::string to) {
  std::pair<std::string, std::string> edge{std::move(from), std::move(to)};
  if (std::ranges::find(graph.edges, edge) == graph.edges.end()) {
    graph.edges.push_back(std::move(edge));
  }
}

void read_node(const json::value& value, TaskGraph& graph) {
  TaskNode node;
  if (const json::object* object = value.if_object()) {
    if (const json::value* id = member(*object, {"id", "name"})) node.id = as_text(*id);
    if (const json::value* text =
            member(*object, {"description", "task", "text", "title", "name"})) {
      node.description = as_text(*text);
    }
  } else {
    node.description = as_text(value);
  }
  if (node.id.empty()) node.id = "task_" + std::to_string(graph.nodes.size() + 1);
  if (node.description.empty()) node.description = node.id;
  if (const json::object* object = value.if_object()) {
    for (const std::string& needed : texts_of(*object, "depends_on")) {
      add_edge(graph, needed, node.id);
    }
  }
  graph.nodes.push_back(std::move(node));
}

void read_edge(const json::value& value, TaskGraph& graph) {
  if (const json::array* pair = value.if_array(); pair != nullptr && pair->size() == 2) {
    add_edge(graph, as_text((*pair)[0]), as_text((*pair)[1]));
    return;
  }
  const json::object* object = value.if_object();
  if (object == nullptr) return;
  const json::value* from = member(*object, {"from", "source"});
  const json::value* to = member(*object, {"to", "target"});
  if (from != nullptr && to != nullptr) add_edge(graph, as_text(*from), as_text(*to));
}

}  // namespace

const TaskNode* TaskGraph::find(std::string_view id) const {
  const auto found = std::ranges::find(nodes, id, &TaskNode::id);
  return found == nodes.end() ? nullptr : &*found;
}

std::vector<std::string> TaskGraph::predecessors(std::string_view id) const {
  std::vector<std::string> found;
  for (const auto& [from, to] : edges) {
    if (to == id) found.push_back(from);
  }
  return found;
}

std::vector<std::string> TaskGraph::successors(std::string_view id) const {
  std::vector<std::string> found;
  for (const auto& [from, to] : edges) {
    if (from == id) found.push_back(to);
  }
  return found;
}

std::vector<std::string> TaskGraph::sources() const {
  std::vector<std::string> found;
  for (const TaskNode& node : nodes) {
    if (predecessors(node.id).empty()) found.push_back(node.id);
  }
  return found;
}

std::vector<std::string> TaskGraph::sinks() const {
  std::vector<std::string> found;
  for (const TaskNode& node : nodes) {
    if (successors(node.id).empty()) found.push_back(node.id);
  }
  return found;
}

core::Result<void> TaskGraph::check(std::size_t most) const {
  const auto fault = [](std::string what) {
    return core::fail(Code::invalid_argument, std::move(what), "plan");
  };
  if (nodes.empty()) return fault("It has no tasks.");
  if (nodes.size() > most) {
    return fault("It has " + std::to_string(nodes.size()) + " tasks; at most " +
                 std::to_string(most) + " are possible.");
  }
  std::set<std::string_view> ids;
  for (const TaskNode& node : nodes) {
    if (node.id.empty()) return fault("A task has no id.");
    if (node.id.size() > kMaxTaskId) {
      return fault("An id is longer than " + std::to_string(kMaxTaskId) + " bytes.");
    }
    if (!ids.insert(node.id).second) return fault("Two tasks have the id '" + node.id + "'.");
  }
  for (const auto& [from, to] : edges) {
    for (const std::string& end : {from, to}) {
      if (!ids.contains(end)) return fault("An edge names the unknown task '" + end + "'.");
    }
    if (from == to) return fault("The task '" + from + "' needs itself.");
  }
  if (const std::string found = cycle(); !found.empty()) {
    return fault("It has a cycle: " + found + ".");
  }
  return {};
}

std::string TaskGraph::cycle() const {
  std::map<std::string, std::size_t> needs;
  for (const TaskNode& node : nodes) needs[node.id] = predecessors(node.id).size();
  std::vector<std::string> ready = sources();
  for (std::size_t i = 0; i < ready.size(); ++i) {
    needs.erase(ready[i]);
    for (const std::string& next : successors(ready[i])) {
      if (--needs[next] == 0) ready.push_back(next);
    }
  }
  if (needs.empty()) return {};
  // Each remaining task needs another remaining one, so following the needs closes a cycle.
  std::vector<std::string> path{needs.begin()->first};
  while (true) {
    for (const std::string& before : predecessors(path.back())) {
      if (!needs.contains(before)) continue;
      const auto seen = std::ranges::find(path, before);
      if (seen == path.end()) {
        path.push_back(before);
        break;
      }
      std::string text = before;
      for (auto it = path.end(); it != seen; --it) text += " -> " + *(it - 1);
      return text;
    }
  }
}

TaskGraph::Added TaskGraph::expand(const std::string& id, const TaskGraph& part) {
  Added added;
  const std::size_t edges_before = edges.size();
  const std::uint64_t level = find(id) == nullptr ? 1 : find(id)->level + 1;
  const std::vector<std::string> dependants = successors(id);
  std::map<std::string, std::string> renamed;
  for (const TaskNode& node : part.nodes) {
    std::size_t number = added.ids.size() + 1;
    std::string name = id + "_sub_" + std::to_string(number);
    while (find(name) != nullptr) name = id + "_sub_" + std::to_string(++number);
    renamed[node.id] = name;
    nodes.push_back({name, node.description, level});
    added.ids.push_back(std::move(name));
  }
  for (const std::string& source : part.sources()) add_edge(*this, id, renamed[source]);
  for (const auto& [from, to] : part.edges) add_edge(*this, renamed[from], renamed[to]);
  for (const std::string& sink : part.sinks()) {
    for (const std::string& dependant : dependants) add_edge(*this, renamed[sink], dependant);
  }
  added.edges = edges.size() - edges_before;
  return added;
}

core::Result<TaskGraph> read_plan(std::string_view text, std::size_t most) {
  const auto value = find_json(text);
  if (!value) return core::fail(Code::data_loss, "It is not JSON.", "plan");
  TaskGraph graph;
  const json::value* nodes = &*value;
  const json::value* edges = nullptr;
  if (const json::object* object = value->if_object()) {
    nodes = member(*object, {"nodes", "tasks"});
    edges = member(*object, {"edges", "dependencies"});
  }
  if (nodes == nullptr || !nodes->is_array()) {
    return core::fail(Code::data_loss, "It has no list of nodes.", "plan");
  }
  for (const json::value& node : nodes->get_array()) read_node(node, graph);
  if (edges != nullptr && edges->is_array()) {
    for (const json::value& edge : edges->get_array()) read_edge(edge, graph);
  }
  if (auto checked = graph.check(most); !checked) return core::fail(std::move(checked).error());
  return graph;
}

}  // namespace parley::agent
