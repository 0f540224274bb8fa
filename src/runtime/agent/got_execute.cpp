// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/got_execute.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/ask.h"
#include "base/core/id.h"
#include "runtime/agent/json_reading.h"
#include "runtime/agent/prompts.h"
#include "runtime/agent/react.h"

namespace parley::agent {
namespace {

using graph::Next;
using graph::NodeContext;
using graph::NodeDone;

// One entry of execute_graph: runs the tasks.
class TaskRun : public std::enable_shared_from_this<TaskRun> {
 public:
  TaskRun(NodeContext& context, GotState& state, std::shared_ptr<const AgentParts> parts,
          bool adaptive, NodeDone done)
      : context_(context),
        state_(state),
        parts_(std::move(parts)),
        adaptive_(adaptive),
        done_(std::move(done)) {}

  void start() {
    for (const auto& [id, task] : state_.tasks) {
      for (const model::Message& message : task.core.messages) {
        for (const model::ToolCall& call : message.tool_calls) claimed_.insert(call.id);
      }
    }
    // Tasks that were running when the run stopped resume at their last step.
    for (const TaskNode& node : std::vector<TaskNode>(state_.graph.nodes)) {
      const TaskState& task = state_.tasks.at(node.id);
      if (task.status == TaskStatus::running) launch(node.id);
      if (task.expansion == Expansion::pending) consider(node.id);
    }
    resume();
  }

 private:
  // Starts all tasks that are ready; ends the node when nothing is left.
  void resume() {
    if (finished_) return;
    for (std::size_t i = 0; i < state_.graph.nodes.size() && has_room(); ++i) {
      const std::string id = state_.graph.nodes[i].id;
      if (!state_.is_ready(id)) continue;
      begin(id);
      launch(id);
    }
    if (busy_ == 0) finish();
  }

  bool has_room() const { return busy_ < std::max<std::size_t>(1, parts_->limits.got_concurrency); }

  void begin(const std::string& id) {
    std::vector<std::pair<std::string, std::string>> earlier;
    for (const std::string& needed : state_.graph.predecessors(id)) {
      earlier.emplace_back(needed, state_.tasks.at(needed).result);
    }
    ReactState first;
    first.messages.push_back(model::Message::system(parts_->system_prompt));
    first.messages.push_back(model::Message::user(
        task_message(state_.input_message, state_.graph.find(id)->description, earlier)));
    state_.tasks.at(id).status = TaskStatus::running;
    state_.follow(id, first);
    context_.emit(runtime::GotNodeStart{id});
  }

  // The next step of react for a task's state.
  static std::string step_of(const ReactState& core) {
    if (core.tool_calls.empty()) return "think";
    return core.tool_results.size() < core.tool_calls.size() ? "act" : "observe";
  }

  void launch(const std::string& id) {
    const ReactState& core = state_.tasks.at(id).core;
    const bool answered = !core.messages.empty() && core.tool_calls.empty() &&
                          core.messages.back().role == model::Role::assistant;
    if (answered) {
      ++busy_;
      context_.scheduler().post([self = shared_from_this(), id] { self->ended(id, {}); });
      return;
    }
    auto graph = make_react_graph(parts_, settings_for(id, step_of(core)));
    if (!graph) {
      fail(id, graph.error().message);
      return;
    }
    ++busy_;
    context_.invoke(*graph, core.clone(), {}, [self = shared_from_this(), id](auto end) {
      self->on_end(id, std::move(end));
    });
  }

  StepSettings settings_for(const std::string& id, std::string first) {
    StepSettings settings;
    settings.max_thinks = std::min(kTaskThinks, std::max<std::size_t>(1, parts_->limits.max_steps));
    settings.addon = task_prompt();
    // Tasks produce text at the same time, and readers join message_chunk: only the reply is sent
    // there.
    settings.is_speech = false;
    settings.first = std::move(first);
    const std::weak_ptr<TaskRun> weak = weak_from_this();
    settings.progressed = core::unless_gone(weak, [id](TaskRun& self, const ReactState& core) {
      if (self.finished_) return;
      self.state_.follow(id, core);
      self.context_.checkpoint();
    });
    settings.claim_id = [weak](const std::string& call) {
      const auto self = weak.lock();
      return !self || self->claimed_.insert(call).second;
    };
    settings.entered = [id](NodeContext& inner) {
      std::string value;
      core::JsonWriter json(value);
      json.begin_object().key("got_task").begin_object();
      json.key("task").string(id);
      json.key("id").string(inner.name());
      json.key("node_id").string(inner.node_id());
      json.end_object().end_object();
      inner.emit(runtime::Custom{std::move(value)});
    };
    return settings;
  }

  void on_end(const std::string& id, core::Result<std::unique_ptr<graph::State>> end) {
    if (finished_) return;
    if (!end) {
      ended(id, end.error());
      return;
    }
    state_.follow(id, static_cast<const ReactState&>(**end));
    ended(id, {});
  }

  void ended(const std::string& id, const std::optional<core::Error>& error) {
    if (finished_) return;
    --busy_;
    if (context_.cancel().cancelled()) {
      end(core::fail(core::Code::cancelled, context_.cancel().reason()));
      return;
    }
    if (error) {
      fail(id, error->message);
    } else {
      complete(id);
    }
    resume();
  }

  void complete(const std::string& id) {
    TaskState& task = state_.tasks.at(id);
    task.status = TaskStatus::done;
    task.result = task.core.outcome().reply;
    context_.emit(runtime::GotNodeComplete{id, shortened(task.result, kMaxSummary)});
    if (adaptive_ && may_expand(id)) task.expansion = Expansion::pending;
    context_.checkpoint();
    if (task.expansion == Expansion::pending) consider(id);
  }

  // Fails a task and all tasks that need it.
  void fail(const std::string& id, const std::string& why) {
    TaskState& task = state_.tasks.at(id);
    if (task.status == TaskStatus::failed) return;
    task.status = TaskStatus::failed;
    task.error = why;
    context_.emit(runtime::GotNodeFailed{id, why});
    for (const std::string& dependant : state_.graph.successors(id)) {
      fail(dependant, "The task '" + id + "', which it needs, failed: " + root_of(id));
    }
    context_.checkpoint();
  }

  // The reason of the first failed task in a chain of failed tasks.
  std::string root_of(const std::string& id) const {
    const std::string& error = state_.tasks.at(id).error;
    const std::size_t at = error.find(", which it needs, failed: ");
    return at == std::string::npos ? error : error.substr(error.find(": ", at) + 2);
  }

  // --- expansion -----------------------------------------------------------------------------

  std::size_t room() const {
    const std::size_t most = parts_->limits.got_max_nodes;
    const std::size_t nodes = state_.graph.nodes.size();
    return std::min(kMaxExpansion, most > nodes ? most - nodes : 0);
  }

  bool may_expand(const std::string& id) const {
    const TaskNode& node = *state_.graph.find(id);
    return node.level < kMaxExpansionLevel && room() >= kMinExpansion &&
           looks_complex(node.description);
  }

  // Asks if the task should be expanded.
  void consider(const std::string& id) {
    ++busy_;
    ask(complexity_prompt(state_.graph.find(id)->description, state_.tasks.at(id).result),
        [id](TaskRun& self, core::Result<std::string> reply) {
          const bool complex = reply && read_complexity(*reply).value_or(true);
          if (complex && self.room() >= kMinExpansion) {
            self.decompose(id);
          } else {
            self.settle(id);
          }
        });
  }

  void decompose(const std::string& id) {
    ask(decompose_prompt(state_.graph.find(id)->description, state_.tasks.at(id).result, room()),
        [id](TaskRun& self, core::Result<std::string> reply) {
          if (!reply) {
            self.refuse(id, reply.error().message);
            return;
          }
          auto part = read_plan(*reply, self.room());
          if (part && part->nodes.size() < kMinExpansion) {
            part = core::fail(core::Code::invalid_argument, "The plan has fewer than two tasks.");
          }
          if (part) {
            self.insert(id, *part);
          } else {
            self.refuse(id, part.error().message);
          }
        });
  }

  void insert(const std::string& id, const TaskGraph& part) {
    const TaskGraph::Added added = state_.graph.expand(id, part);
    for (const std::string& name : added.ids) state_.tasks[name] = {};
    context_.emit(runtime::GotExpand{id, added.ids.size(), added.edges});
    settle(id);
  }

  void refuse(const std::string& id, const std::string& why) {
    std::string value;
    core::JsonWriter json(value);
    json.begin_object().key("got_expand_refused").begin_object();
    json.key("task").string(id);
    json.key("reason").string(why);
    json.end_object().end_object();
    context_.emit(runtime::Custom{std::move(value)});
    settle(id);
  }

  // Marks the task as final: its successors may start.
  void settle(const std::string& id) {
    state_.tasks.at(id).expansion = Expansion::done;
    --busy_;
    context_.checkpoint();
    resume();
  }

  void ask(std::string prompt, std::function<void(TaskRun&, core::Result<std::string>)> done) {
    ModelAsk question;
    question.messages.push_back(model::Message::system(parts_->system_prompt));
    question.messages.push_back(model::Message::user(state_.input_message));
    question.addon = std::move(prompt);
    question.with_tools = false;
    question.is_speech = false;
    question.may_be_empty = true;
    ask_model(
        context_, parts_, std::move(question),
        [self = shared_from_this(), done = std::move(done)](core::Result<model::ModelReply> reply) {
          if (self->finished_) return;
          if (self->context_.cancel().cancelled()) {
            self->end(core::fail(core::Code::cancelled, self->context_.cancel().reason()));
            return;
          }
          if (!reply) {
            done(*self, core::fail(std::move(reply).error()));
            return;
          }
          account(self->state_.core(), *reply);
          done(*self, reply->message.content);
        });
  }

  // --- end -----------------------------------------------------------------------------------

  void finish() {
    if (!state_.done_sinks().empty()) {
      end(Next::edges());
      return;
    }
    std::string why = "None of the final tasks of the plan could be done.";
    for (const std::string& id : state_.graph.sinks()) {
      why += " '" + id + "': " + shortened(state_.tasks.at(id).error, kMaxShownResult);
    }
    end(core::fail(core::Code::unavailable, std::move(why)));
  }

  void end(core::Result<Next> next) {
    if (std::exchange(finished_, true)) return;
    auto done = std::move(done_);
    done(std::move(next));
  }

  NodeContext& context_;
  GotState& state_;
  std::shared_ptr<const AgentParts> parts_;
  bool adaptive_;
  NodeDone done_;
  std::set<std::string> claimed_;  // ids of calls
  std::size_t busy_ = 0;           // tasks and requests in progress
  bool finished_ = false;
};

}  // namespace

void execute_tasks(NodeContext& context, GotState& state, std::shared_ptr<const AgentParts> parts,
                   bool adaptive, NodeDone done) {
  std::make_shared<TaskRun>(context, state, std::move(parts), adaptive, std::move(done))->start();
}

bool looks_complex(std::string_view description) {
  constexpr std::size_t kLong = 100;
  constexpr std::array<std::string_view, 9> kWords = {"analyze",     "analyse", "compare",
                                                      "evaluate",    "prove",   "compute",
                                                      "investigate", "design",  "research"};
  if (description.size() > kLong) return true;
  const std::string plain = core::lowered(description);
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return plain.find(word) != std::string::npos; });
}

std::optional<bool> read_complexity(std::string_view text) {
  const std::string plain = core::lowered(text);
  const bool simple = plain.find("simple") != std::string::npos;
  const bool complex = plain.find("complex") != std::string::npos;
  if (simple == complex) return std::nullopt;
  return complex;
}

}  // namespace parley::agent
