// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/got_state.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "runtime/agent/state_json.h"
#include "runtime/agent/tool_step.h"

namespace parley::agent {
namespace {

namespace dom = simdjson::dom;

constexpr std::array<std::string_view, 4> kStatus = {"Pending", "Running", "Done", "Failed"};
constexpr std::array<std::string_view, 3> kExpansion = {"none", "pending", "done"};

template <typename Enum, std::size_t N>
Enum read_enum(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? Enum{} : static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view status_name(TaskStatus status) {
  return kStatus.at(static_cast<std::size_t>(status));
}

void GotState::begin(std::string request, std::vector<model::Message> messages) {
  input_message = std::move(request);
  core_.messages = std::move(messages);
  sync();
}

void GotState::say(model::Message message) {
  core_.messages.push_back(std::move(message));
  sync();
}

void GotState::sync() {
  const bool replaced = std::exchange(core_revision_, core_.log_revision()) != core_.log_revision();
  const auto noted = static_cast<std::size_t>(
      std::ranges::count_if(log_, [](const Entry& entry) { return entry.task.empty(); }));
  note({}, replaced ? 0 : noted, noted, core_.messages.size());
}

void GotState::follow(const std::string& task, const ReactState& further) {
  ReactState& core = tasks.at(task).core;
  const std::size_t before = core.messages.size();
  const std::size_t followed = core.follow(further);
  note(task, followed, before, core.messages.size());
}

void GotState::note(const std::string& task, std::size_t followed, std::size_t before,
                    std::size_t now) {
  if (followed < before) {
    std::erase_if(log_, [&](const Entry& entry) { return entry.task == task; });
    ++revision_;
  }
  for (std::size_t index = followed; index < now; ++index) log_.push_back({task, index});
}

bool GotState::is_ready(const std::string& id) const {
  if (tasks.at(id).status != TaskStatus::pending) return false;
  const std::vector<std::string> needed = graph.predecessors(id);
  return std::ranges::all_of(needed, [&](const std::string& before) {
    const TaskState& task = tasks.at(before);
    return task.status == TaskStatus::done && task.expansion != Expansion::pending;
  });
}

std::vector<std::string> GotState::done_sinks() const {
  std::vector<std::string> sinks = graph.sinks();
  std::erase_if(sinks,
                [&](const std::string& id) { return tasks.at(id).status != TaskStatus::done; });
  return sinks;
}

std::optional<runtime::Usage> GotState::total_usage() const {
  std::optional<runtime::Usage> total = core_.total_usage;
  for (const auto& [id, task] : tasks) {
    if (task.core.total_usage) add_usage(total, *task.core.total_usage);
  }
  return total;
}

void GotState::clear_usage() {
  core_.clear_usage();
  for (auto& [id, task] : tasks) task.core.clear_usage();
}

Outcome GotState::outcome() const {
  Outcome outcome = spoken_outcome(core_.messages, total_usage());
  if (!outcome.reply.empty()) return outcome;
  // The run stopped before its answer: return the results so far.
  for (const TaskNode& node : graph.nodes) {
    const TaskState& task = tasks.at(node.id);
    if (task.status != TaskStatus::done) continue;
    if (!outcome.reply.empty()) outcome.reply += "\n\n";
    outcome.reply += task.result;
  }
  return outcome;
}

const model::Message& GotState::message_of(const Entry& entry) const {
  const ReactState& core = entry.task.empty() ? core_ : tasks.at(entry.task).core;
  return core.messages[entry.index];
}

// --- writing ---------------------------------------------------------------------------------

void GotState::write(core::JsonWriter& json, std::uint64_t log_from) const {
  json.begin_object();
  if (log_from > 0) json.key("log_from").number(log_from);
  write_log(json, log_from);
  json.key("input_message").string(input_message);
  write_graph(json);
  write_tasks(json, log_from);
  write_usage(json, "usage", core_.usage);
  write_usage(json, "planning_usage", core_.total_usage);
  write_usage(json, "total_usage", total_usage());
  json.end_object();
}

void GotState::write_log(core::JsonWriter& json, std::uint64_t log_from) const {
  json.key("messages").begin_array();
  for (std::size_t i = log_from; i < log_.size(); ++i) {
    if (log_[i].task.empty()) {
      model::write_state_form(json, message_of(log_[i]));
      continue;
    }
    json.begin_object().key("Task").begin_object();
    json.key("id").string(log_[i].task);
    json.key("message");
    model::write_state_form(json, message_of(log_[i]));
    json.end_object().end_object();
  }
  json.end_array();
}

void GotState::write_graph(core::JsonWriter& json) const {
  json.key("task_graph").begin_object();
  json.key("nodes").begin_array();
  for (const TaskNode& node : graph.nodes) {
    json.begin_object();
    json.key("id").string(node.id);
    json.key("description").string(node.description);
    json.key("tool_calls").begin_array().end_array();
    if (node.level > 0) json.key("level").number(node.level);
    json.end_object();
  }
  json.end_array();
  json.key("edges").begin_array();
  for (const auto& [from, to] : graph.edges) {
    json.begin_array().string(from).string(to).end_array();
  }
  json.end_array();
  json.end_object();
}

void GotState::write_tasks(core::JsonWriter& json, std::uint64_t log_from) const {
  std::set<std::string_view> in_log;
  for (std::size_t i = log_from; i < log_.size(); ++i) in_log.insert(log_[i].task);
  json.key("node_states").begin_object();
  for (const auto& [id, task] : tasks) {
    json.key(id).begin_object();
    json.key("status").string(status_name(task.status));
    if (task.status == TaskStatus::done) {
      const bool complete = task.result.size() <= kMaxWrittenResult || in_log.contains(id);
      json.key("result").string(complete ? task.result : shortened(task.result, kMaxWrittenResult));
      if (!complete) json.key("result_truncated").boolean(true);
    }
    if (task.status == TaskStatus::failed) json.key("error").string(task.error);
    if (task.expansion != Expansion::none) {
      json.key("expansion").string(kExpansion.at(static_cast<std::size_t>(task.expansion)));
    }
    write_usage(json, "usage", task.core.total_usage);
    if (task.status == TaskStatus::running) {
      json.key("core").begin_object();
      task.core.write_members(json, 0, false);
      json.end_object();
    }
    json.end_object();
  }
  json.end_object();
}

// --- reading ---------------------------------------------------------------------------------

core::Result<void> GotState::apply(const dom::object& written) {
  if (auto read = apply_log(written); !read) return read;
  if (auto read = apply_graph(written); !read) return read;
  if (auto read = apply_tasks(written); !read) return read;
  input_message.clear();
  core_.usage.reset();
  core_.total_usage.reset();
  return first_failure(read_member(written, "input_message", input_message),
                       read_member(written, "usage", core_.usage),
                       read_member(written, "planning_usage", core_.total_usage));
}

core::Result<void> GotState::apply_log(const dom::object& written) {
  std::uint64_t log_from = 0;
  if (auto read = read_member(written, "log_from", log_from); !read) return read;
  if (log_from > log_.size()) {
    return core::fail(core::Code::data_loss, "Messages before this state are missing.", "log_from");
  }
  while (log_.size() > log_from) {
    const Entry& last = log_.back();
    ReactState& core = last.task.empty() ? core_ : tasks[last.task].core;
    core.messages.resize(last.index);
    log_.pop_back();
  }
  std::optional<dom::array> entries;
  if (auto read = read_member(written, "messages", entries); !read || !entries) return read;
  for (const dom::element element : *entries) {
    std::string id;
    dom::element form = element;
    dom::object task;
    if (element.at_key("Task").get(task) == simdjson::SUCCESS) {
      if (auto read = read_member(task, "id", id); !read) return read;
      if (task.at_key("message").get(form) != simdjson::SUCCESS) {
        return core::fail(core::Code::data_loss, "A message of a task is missing.", "messages");
      }
    }
    auto message = read_message(form);
    if (!message) return core::fail(std::move(message).error());
    ReactState& core = id.empty() ? core_ : tasks[id].core;
    log_.push_back({id, core.messages.size()});
    core.messages.push_back(std::move(*message));
  }
  return {};
}

core::Result<void> GotState::apply_graph(const dom::object& written) {
  graph = {};
  std::optional<dom::object> object;
  if (auto read = read_member(written, "task_graph", object); !read || !object) return read;
  std::optional<dom::array> nodes;
  std::optional<dom::array> edges;
  auto read =
      first_failure(read_member(*object, "nodes", nodes), read_member(*object, "edges", edges));
  if (!read || !nodes) return read;
  for (const dom::element element : *nodes) {
    auto members = as_object(element, "task_graph");
    if (!members) return core::fail(std::move(members).error());
    TaskNode node;
    read = first_failure(read_member(*members, "id", node.id),
                         read_member(*members, "description", node.description),
                         read_member(*members, "level", node.level));
    if (!read) return read;
    graph.nodes.push_back(std::move(node));
  }
  if (!edges) return {};
  for (const dom::element element : *edges) {
    std::string_view from;
    std::string_view to;
    if (element.at(0).get(from) != simdjson::SUCCESS ||
        element.at(1).get(to) != simdjson::SUCCESS) {
      return core::fail(core::Code::data_loss, "An edge of the plan cannot be read.", "task_graph");
    }
    graph.edges.emplace_back(from, to);
  }
  return graph.nodes.empty() ? core::Result<void>() : graph.check(graph.nodes.size());
}

core::Result<void> GotState::apply_tasks(const dom::object& written) {
  std::optional<dom::object> states;
  if (auto read = read_member(written, "node_states", states); !read) return read;
  for (const TaskNode& node : graph.nodes) {
    TaskState& task = tasks[node.id];
    std::vector<model::Message> messages = std::move(task.core.messages);
    task = {};
    task.core.messages = std::move(messages);
    std::optional<dom::object> members;
    if (states) {
      if (auto read = read_member(*states, node.id, members); !read) return read;
    }
    if (!members) continue;
    std::string status;
    std::string expansion;
    std::optional<dom::object> core;
    auto read = first_failure(
        read_member(*members, "status", status), read_member(*members, "result", task.result),
        read_member(*members, "error", task.error), read_member(*members, "expansion", expansion),
        read_member(*members, "core", core));
    if (!read) return read;
    task.status = read_enum<TaskStatus>(kStatus, status);
    task.expansion = read_enum<Expansion>(kExpansion, expansion);
    if (core) {
      if (read = task.core.apply_members(*core, 0, false); !read) return read;
    }
    if (read = read_member(*members, "usage", task.core.total_usage); !read) return read;
    if (members->at_key("result_truncated").error() == simdjson::SUCCESS) {
      task.result = task.core.outcome().reply;
    }
  }
  std::erase_if(tasks, [&](const auto& task) { return graph.find(task.first) == nullptr; });
  return {};
}

}  // namespace parley::agent
