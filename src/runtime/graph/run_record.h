// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/entropy.h"
#include "base/core/scheduler.h"
#include "runtime/graph/state.h"
#include "runtime/stream/event_sink.h"

namespace parley::graph {

// State shared by the parts of a run: its node numbers, the log entries written so far, its share
// of a turn of the scheduler, its sink. Emits nothing once closed. A reference to it keeps the run
// alive.
class RunRecord : public std::enable_shared_from_this<RunRecord> {
 public:
  // The number of node entries after which a run yields the thread.
  // Limit (Runs): synchronous steps in a turn. Reached: the rest waits for a later turn.
  static constexpr int kStepsPerTurn = 32;

  struct Setup {
    core::Scheduler& scheduler;
    core::Entropy& entropy;
    runtime::EventSink& sink;
    std::string thread_id;
    bool values_each_node = false;
    bool checkpoints = true;
    std::uint64_t steps = 0;
    std::uint64_t node_runs = 0;
    std::string last_node_id;  // empty: no event yet
  };

  explicit RunRecord(Setup setup);
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;
  virtual ~RunRecord() = default;

  core::Scheduler& scheduler() { return setup_.scheduler; }
  // Last node_id of the envelopes; used for events that belong to no entry.
  const std::string& last_node_id() const { return setup_.last_node_id; }
  // Node entries of the run's own graph.
  std::uint64_t steps() const { return setup_.steps; }
  void set_steps(std::uint64_t steps);

  // Numbers an entry of a node, emits its node_enter and returns its node_id.
  std::string enter(const std::string& name);
  void exit(const std::string& name, const std::string& node_id, std::optional<std::string> error);
  void emit(std::string_view node_id, runtime::RunEvent event);
  void when_durable(absl::AnyInvocable<void(core::Result<void>)> done);

  // The point at which a run resumes from a checkpoint.
  struct Position {
    std::string next;  // a path
    std::string ns;    // path of the graph; empty: the run's own graph
    std::uint64_t steps = 0;
  };
  // Emits the events after the node `name`: values (if asked for), updates, checkpoint.
  void after(const std::string& name, std::string_view node_id, const State& state,
             const Position& position);
  void checkpoint(std::string_view node_id, const State& state, const Position& position);
  void values(std::string_view node_id, const State& state);

  // Counts a step; true if the run must continue in a later turn.
  bool turn_is_over() { return ++turn_steps_ > kStepsPerTurn; }
  void new_turn() { turn_steps_ = 0; }

 protected:
  void close() { closed_ = true; }

 private:
  // The part of the log that a chain of written states holds so far.
  struct Written {
    bool any = false;
    std::uint64_t revision = 0;
    std::uint64_t size = 0;
    std::uint64_t from(const State& state) const;
    void note(const State& state);
  };
  std::string write(const State& state, std::uint64_t log_from);
  void emit_checkpoint(std::string_view node_id, std::string state, const Position& position);

  Setup setup_;
  bool closed_ = false;
  int turn_steps_ = 0;
  std::uint64_t checkpoint_step_ = 0;  // of the last checkpoint
  std::size_t last_bytes_ = 0;         // size of the last written state
  // Updates and checkpoints can be folded independently of each other.
  Written updates_;
  Written checkpoints_;
};

}  // namespace parley::graph
