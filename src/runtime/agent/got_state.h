// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/agent/react_state.h"
#include "runtime/agent/task_graph.h"

namespace parley::agent {

enum class TaskStatus : std::uint8_t { pending, running, done, failed };
std::string_view status_name(TaskStatus status);  // "Pending", ...

// State of expansion: `pending` while it is undecided if a finished task is expanded; other tasks
// wait for it.
enum class Expansion : std::uint8_t { none, pending, done };

struct TaskState {
  TaskStatus status = TaskStatus::pending;
  std::string result;  // of a task that is done
  std::string error;   // of a task that failed
  Expansion expansion = Expansion::none;
  ReactState core;  // state of the work on the task, with its conversation
};

// {"messages","input_message","task_graph":{"nodes","edges"},"node_states":{id:{"status","result"?,
// "error"?,...}},...}. The log, `messages`, holds the conversation with the person, and the
// messages of each task's conversation as {"Task":{"id":...,"message":{...}}}, in the order in
// which they were appended.
class GotState final : public AgentState {
 public:
  std::string input_message;
  TaskGraph graph;
  std::map<std::string, TaskState> tasks;  // by id; one entry for every node of the graph

  // Sets the request, and the conversation that ends in it.
  void begin(std::string request, std::vector<model::Message> messages);
  // The conversation with the person. Call sync() after a change.
  ReactState& core() { return core_; }
  const ReactState& core() const { return core_; }
  void say(model::Message message);
  // Records new and replaced messages of the conversation in the log. follow() takes over an
  // advanced state of a task, and records its messages.
  void sync();
  void follow(const std::string& task, const ReactState& further);

  // True if a task may start: it has not started, and its predecessors are done and not about to be
  // expanded.
  bool is_ready(const std::string& id) const;
  std::vector<std::string> done_sinks() const;
  std::optional<runtime::Usage> total_usage() const;

  const std::vector<model::Message>& conversation() const override { return core_.messages; }
  Outcome outcome() const override;
  void clear_usage() override;
  std::unique_ptr<graph::State> clone() const override { return std::make_unique<GotState>(*this); }
  std::uint64_t log_size() const override { return log_.size(); }
  std::uint64_t log_revision() const override { return revision_; }
  void write(core::JsonWriter& json, std::uint64_t log_from) const override;
  core::Result<void> apply(const simdjson::dom::object& written) override;

 private:
  // Position of a message of the log: in the conversation (no task), or in a task's.
  struct Entry {
    std::string task;
    std::size_t index = 0;
  };
  const model::Message& message_of(const Entry& entry) const;
  void note(const std::string& task, std::size_t kept, std::size_t before, std::size_t now);
  void write_log(core::JsonWriter& json, std::uint64_t log_from) const;
  void write_graph(core::JsonWriter& json) const;
  void write_tasks(core::JsonWriter& json, std::uint64_t log_from) const;
  core::Result<void> apply_log(const simdjson::dom::object& written);
  core::Result<void> apply_graph(const simdjson::dom::object& written);
  core::Result<void> apply_tasks(const simdjson::dom::object& written);

  ReactState core_;
  std::vector<Entry> log_;
  std::uint64_t revision_ = 0;
  std::uint64_t core_revision_ = 0;  // revision of core_ at the last sync()
};

// Limit in bytes of a result that is written with its task. A longer one is written whole only
// beside messages of its task; otherwise its beginning is written, and readers take the whole
// result from the messages in the log.
inline constexpr std::size_t kMaxWrittenResult = 512;

}  // namespace parley::agent
