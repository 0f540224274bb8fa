// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/agent/agent.h"
#include "runtime/graph/execution.h"
#include "tests/support/agent/fake_model.h"
#include "tests/support/agent/fake_tool.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/stream/recording_sink.h"

namespace parley::agent::testing {

// One agent with a scripted model, on one thread, with a fake clock that only tests advance.
class AgentWorld {
 public:
  AgentWorld() {
    parts->model = model;
    parts->system_prompt = "You are helpful.";
    parts->entropy = &entropy;
    parts->context.session_id = "thread";
    parts->context.run_id = "run";
  }

  // Runs to the end, or until no work is ready.
  void run(Kind kind, const std::string& message, const graph::State* earlier = nullptr) {
    run_from(kind, first_state(kind, *parts, model::Message::user(message), earlier), {});
  }
  void run_from(Kind kind, std::unique_ptr<graph::State> state, graph::Entry entry) {
    begin(kind, std::move(state), std::move(entry));
    scheduler.run_ready();
  }
  void begin(Kind kind, std::unique_ptr<graph::State> state, graph::Entry entry) {
    last_kind = kind;
    result.reset();
    auto graph = make_graph(kind, parts);
    if (!graph) throw std::runtime_error(graph.error().message);
    graph::Execution::start(
        *graph, std::move(state),
        {scheduler, entropy, sink, cancel.token(), "thread", false, true, std::move(entry)},
        [this](graph::ExecutionResult end) { result.emplace(std::move(end)); });
  }

  Outcome outcome() const { return outcome_of(last_kind, *result->state); }
  const std::vector<model::Message>& messages() const { return messages_of(*result->state); }
  std::string error() const { return result && result->error ? result->error->message : ""; }

  // The state at the `nth` checkpoint, rebuilt from everything that was written up to it.
  std::unique_ptr<graph::State> state_at(Kind kind, std::size_t nth) const;

  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  core::SeededEntropy entropy{7};
  runtime::RecordingSink sink{scheduler};
  core::CancelSource cancel;
  std::shared_ptr<FakeModel> model = std::make_shared<FakeModel>();
  std::shared_ptr<AgentParts> parts = std::make_shared<AgentParts>();
  Kind last_kind = Kind::react;
  std::optional<graph::ExecutionResult> result;
};

inline std::unique_ptr<graph::State> AgentWorld::state_at(Kind kind, std::size_t nth) const {
  std::unique_ptr<graph::State> state = empty_state(kind);
  simdjson::dom::parser parser;
  for (const runtime::Checkpoint& checkpoint : sink.all<runtime::Checkpoint>()) {
    const simdjson::padded_string text(checkpoint.state);
    const simdjson::dom::object object = parser.parse(text);
    if (auto applied = state->apply(object); !applied) {
      throw std::runtime_error(applied.error().message);
    }
    if (nth-- == 0) return state;
  }
  throw std::runtime_error("There is no such checkpoint.");
}

// Every event as it is stored, one per line, without ids and times of checkpoints.
inline std::string transcript(const runtime::RecordingSink& sink) {
  std::string out;
  for (const runtime::RecordingSink::Entry& entry : sink.entries) {
    runtime::RunEvent event = entry.event;
    if (auto* checkpoint = std::get_if<runtime::Checkpoint>(&event)) {
      checkpoint->checkpoint_id = "-";
      checkpoint->timestamp = "-";
    }
    out += runtime::stored_payload(event, entry.node_id) + "\n";
  }
  return out;
}

}  // namespace parley::agent::testing
