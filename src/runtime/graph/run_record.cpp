// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph/run_record.h"

#include <utility>

#include "base/core/assert.h"
#include "base/core/id.h"

namespace parley::graph {

RunRecord::RunRecord(Setup setup) : setup_(std::move(setup)) {
  if (setup_.last_node_id.empty()) setup_.last_node_id = "run-0";
}

void RunRecord::set_steps(std::uint64_t steps) {
  PARLEY_ASSERT(steps > setup_.steps, "run of " + setup_.thread_id + ": its steps go from " +
                                          std::to_string(setup_.steps) + " to " +
                                          std::to_string(steps));
  setup_.steps = steps;
}

std::string RunRecord::enter(const std::string& name) {
  PARLEY_ASSERT(!closed_,
                "run of " + setup_.thread_id + ": node \"" + name + "\" is entered after its end");
  std::string id = "run-";
  id.append(name).append("-").append(std::to_string(setup_.node_runs++));
  emit(id, runtime::NodeEnter{name});
  return id;
}

void RunRecord::exit(const std::string& name, const std::string& node_id,
                     std::optional<std::string> error) {
  emit(node_id, runtime::NodeExit{name, std::move(error)});
}

void RunRecord::emit(std::string_view node_id, runtime::RunEvent event) {
  if (closed_) return;
  if (setup_.last_node_id != node_id) setup_.last_node_id.assign(node_id);
  setup_.sink.emit(node_id, std::move(event));
}

void RunRecord::when_durable(absl::AnyInvocable<void(core::Result<void>)> done) {
  setup_.sink.when_durable(std::move(done));
}

std::uint64_t RunRecord::Written::from(const State& state) const {
  const bool grew = any && state.log_revision() == revision && state.log_size() >= size;
  return grew ? size : 0;
}

void RunRecord::Written::note(const State& state) {
  any = true;
  revision = state.log_revision();
  size = state.log_size();
}

std::string RunRecord::write(const State& state, std::uint64_t log_from) {
  std::string out;
  out.reserve(last_bytes_ + 32);
  core::JsonWriter json(out);
  state.write(json, log_from);
  last_bytes_ = out.size();
  return out;
}

void RunRecord::after(const std::string& name, std::string_view node_id, const State& state,
                      const Position& position) {
  if (closed_) return;
  if (setup_.values_each_node) values(node_id, state);
  const std::uint64_t updates_from = updates_.from(state);
  const std::uint64_t checkpoint_from = checkpoints_.from(state);
  updates_.note(state);
  std::string written = write(state, updates_from);
  if (!setup_.checkpoints) {
    emit(node_id, runtime::Updates{name, std::move(written)});
    return;
  }
  checkpoints_.note(state);
  std::string again = checkpoint_from == updates_from ? written : write(state, checkpoint_from);
  emit(node_id, runtime::Updates{name, std::move(written)});
  emit_checkpoint(node_id, std::move(again), position);
}

void RunRecord::checkpoint(std::string_view node_id, const State& state, const Position& position) {
  if (closed_ || !setup_.checkpoints) return;
  std::string written = write(state, checkpoints_.from(state));
  checkpoints_.note(state);
  emit_checkpoint(node_id, std::move(written), position);
}

void RunRecord::values(std::string_view node_id, const State& state) {
  if (!closed_) emit(node_id, runtime::Values{write(state, 0)});
}

void RunRecord::emit_checkpoint(std::string_view node_id, std::string state,
                                const Position& position) {
  PARLEY_ASSERT(position.steps >= checkpoint_step_ && position.steps <= setup_.steps,
                "run of " + setup_.thread_id + ": a checkpoint of step " +
                    std::to_string(position.steps) + " follows one of step " +
                    std::to_string(checkpoint_step_) + ", and " + std::to_string(setup_.steps) +
                    " steps were taken");
  checkpoint_step_ = position.steps;
  const core::Clock& clock = setup_.scheduler.clock();
  runtime::Checkpoint event;
  event.checkpoint_id = core::new_id(clock, setup_.entropy);
  event.timestamp = std::to_string(core::to_unix_ms(clock.wall()));
  event.step = static_cast<std::int64_t>(position.steps);
  event.state = std::move(state);
  if (!setup_.thread_id.empty()) event.thread_id = setup_.thread_id;
  if (!position.ns.empty()) event.checkpoint_ns = position.ns;
  event.next = position.next;
  emit(node_id, std::move(event));
}

}  // namespace parley::graph
