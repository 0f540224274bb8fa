// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/sub_agent_run.h"

#include <utility>

#include "base/core/ask.h"
#include "base/core/json_writer.h"
#include "runtime/graph/execution.h"
#include "runtime/stream/event_sink.h"

namespace parley::agent {
namespace {

using graph::ExecutionResult;
using tool::ToolResult;

// Nests the events of a sub-agent in the caller's stream. The call was durable before it started
// and is never repeated, so the nested events need not wait for the disk again.
class NestedSink final : public runtime::EventSink {
 public:
  NestedSink(SubAgentPlace place, core::Scheduler& scheduler)
      : place_(std::move(place)), scheduler_(scheduler) {}

  // Usage of its model calls, and of those of the agents that it called, on success or failure.
  const std::optional<runtime::Usage>& spent() const { return spent_; }

  void emit(std::string_view node_id, runtime::RunEvent event) override {
    const std::optional<runtime::Usage> usage = runtime::usage_in(event);
    if (usage) add_usage(spent_, *usage);
    if (!place_.emit || holds_state(event)) return;
    std::string value;
    core::JsonWriter json(value);
    json.begin_object();
    json.key("sub_agent").string(place_.name);
    json.key("call_id").string(place_.call_id);
    json.key("depth").number(place_.depth);
    json.key("index").number(std::uint64_t{place_.index});
    json.key("event").raw(runtime::stored_payload(event, node_id));
    json.end_object();
    const bool asks = std::holds_alternative<runtime::ToolApproval>(event);
    place_.emit(runtime::Custom{std::move(value), usage});
    if (asks) place_.emit(std::move(event));
  }

  void when_durable(absl::AnyInvocable<void(core::Result<void>)> done) override {
    core::reply(scheduler_, std::move(done), core::Result<void>());
  }

 private:
  static bool holds_state(const runtime::RunEvent& event) {
    return std::holds_alternative<runtime::Values>(event) ||
           std::holds_alternative<runtime::Updates>(event) ||
           std::holds_alternative<runtime::Checkpoint>(event);
  }

  SubAgentPlace place_;
  core::Scheduler& scheduler_;
  std::optional<runtime::Usage> spent_;
};

// Cancels a sub-agent when the calling agent is cancelled, or when its time limit has passed.
struct Deadline {
  explicit Deadline(const core::CancelToken& caller) : source(caller) {}
  core::CancelSource source;
  core::TimerId timer = 0;
  bool passed = false;
};

ToolResult result_of(Kind kind, const ExecutionResult& end, const Deadline& deadline) {
  const Outcome outcome = outcome_of(kind, *end.state);
  if (end.end == ExecutionResult::End::finished) return ToolResult::ok(outcome.reply);
  std::string text = deadline.passed ? "The timeout of the sub-agent has expired."
                     : end.end == ExecutionResult::End::cancelled ? "The sub-agent was cancelled."
                     : end.error                                  ? end.error->message
                                 : "The sub-agent was interrupted.";
  if (!outcome.reply.empty()) text += "\nIts reply so far: " + outcome.reply;
  return ToolResult::error(std::move(text));
}

}  // namespace

void run_sub_agent(SubAgent agent, const std::string& task, SubAgentPlace place,
                   const core::CancelToken& cancel,
                   absl::AnyInvocable<void(tool::ToolResult)> done) {
  const std::shared_ptr<AgentParts> parts = std::move(agent.parts);
  core::Scheduler& scheduler = *parts->context.scheduler;
  auto graph = make_graph(agent.kind, parts);
  if (!graph) {
    done(ToolResult::error(graph.error().message));
    return;
  }
  const auto sink = std::make_shared<NestedSink>(std::move(place), scheduler);
  const auto deadline = std::make_shared<Deadline>(cancel);
  if (agent.timeout) {
    deadline->timer = scheduler.after(
        *agent.timeout, core::unless_gone(std::weak_ptr(deadline), [](Deadline& self) {
          self.timer = 0;
          self.passed = true;
          self.source.cancel("The timeout of the sub-agent has expired.");
        }));
  }
  graph::ExecutionSetup setup{scheduler, *parts->entropy, *sink, deadline->source.token(),
                              {},        false,           false, {}};
  graph::Execution::start(*graph,
                          first_state(agent.kind, *parts, model::Message::user(task), nullptr),
                          std::move(setup),
                          [sink, parts, deadline, &scheduler, kind = agent.kind,
                           done = std::move(done)](ExecutionResult end) mutable {
                            scheduler.cancel(std::exchange(deadline->timer, 0));
                            ToolResult result = result_of(kind, end, *deadline);
                            result.usage = sink->spent();
                            done(std::move(result));
                          });
}

}  // namespace parley::agent
