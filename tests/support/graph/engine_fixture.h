// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/execution.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/graph/trace_state.h"
#include "tests/support/stream/recording_sink.h"

namespace parley::graph {

// Runs graphs over TraceStates with a fake clock. For tests.
class EngineTest : public testing::Test {
 protected:
  // A node that appends `word` to the log and finishes at once.
  static NodeFn says(std::string word) {
    return [word = std::move(word)](NodeContext&, State& state, NodeDone done) {
      trace(state).log.push_back(word);
      done(Next::edges());
    };
  }
  static std::shared_ptr<const Graph> compiled(GraphBuilder builder, GraphOptions options = {}) {
    core::Result<std::shared_ptr<const Graph>> graph = builder.compile(options);
    EXPECT_TRUE(graph) << graph.error().message;
    return graph ? *graph : nullptr;
  }
  // A chain of nodes, each of which appends its name to the log.
  static GraphBuilder row(const std::vector<std::string>& names) {
    GraphBuilder builder;
    std::string from(kStart);
    for (const std::string& name : names) {
      builder.node(name, says(name)).edge(from, name);
      from = name;
    }
    builder.edge(from, std::string(kEnd));
    return builder;
  }

  void start(const std::shared_ptr<const Graph>& graph, Entry entry = {},
             std::unique_ptr<State> state = std::make_unique<TraceState>()) {
    result_.reset();
    Execution::start(graph, std::move(state),
                     ExecutionSetup{scheduler_, entropy_, sink_, source_.token(), "thread",
                                    values_each_node_, checkpoints_, std::move(entry)},
                     [this](ExecutionResult result) { result_ = std::move(result); });
  }
  // Starts the graph and runs the ready tasks. The result may still be missing.
  void run(const std::shared_ptr<const Graph>& graph, Entry entry = {},
           std::unique_ptr<State> state = std::make_unique<TraceState>()) {
    start(graph, std::move(entry), std::move(state));
    scheduler_.run_ready();
  }

  const TraceState& state() const { return static_cast<const TraceState&>(*result_->state); }
  // The events as words: "node_enter a run-a-0", "node_exit a Ok", "checkpoint b 1".
  std::vector<std::string> story() const {
    std::vector<std::string> out;
    for (const runtime::RecordingSink::Entry& entry : sink_.entries) out.push_back(told(entry));
    return out;
  }
  std::vector<std::string> node_ids() const {
    std::vector<std::string> out;
    for (const runtime::RecordingSink::Entry& entry : sink_.entries) {
      if (std::holds_alternative<runtime::NodeEnter>(entry.event)) out.push_back(entry.node_id);
    }
    return out;
  }
  // The state folded from the checkpoints 0 to `last`, inclusive.
  std::unique_ptr<TraceState> folded(std::size_t last) const {
    auto state = std::make_unique<TraceState>();
    const std::vector<runtime::Checkpoint> all = sink_.all<runtime::Checkpoint>();
    for (std::size_t i = 0; i <= last; ++i) {
      const core::Result<void> done = fold(*state, all.at(i).state);
      EXPECT_TRUE(done) << done.error().message;
    }
    return state;
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{7};
  runtime::RecordingSink sink_{scheduler_};
  core::CancelSource source_;
  bool values_each_node_ = false;
  bool checkpoints_ = true;
  std::optional<ExecutionResult> result_;

 private:
  static std::string told(const runtime::RecordingSink::Entry& entry) {
    std::string out(type_name(entry.event));
    if (const auto* enter = std::get_if<runtime::NodeEnter>(&entry.event)) {
      out += " " + enter->id + " " + entry.node_id;
    } else if (const auto* exit = std::get_if<runtime::NodeExit>(&entry.event)) {
      out += " " + exit->id + " " + exit->error.value_or("Ok");
    } else if (const auto* updates = std::get_if<runtime::Updates>(&entry.event)) {
      out += " " + updates->id;
    } else if (const auto* checkpoint = std::get_if<runtime::Checkpoint>(&entry.event)) {
      out += " " + checkpoint->next.value_or("?") + " " + std::to_string(checkpoint->step);
    } else if (const auto* chunk = std::get_if<runtime::MessageChunk>(&entry.event)) {
      out += " " + chunk->content;
    }
    return out;
  }
};

}  // namespace parley::graph
