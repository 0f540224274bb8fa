// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph/execution.h"

#include <utility>

#include "base/core/assert.h"
#include "runtime/graph/run_record.h"
#include "runtime/graph/traversal.h"

namespace parley::graph {
namespace {

// A whole run: the traversal of its graph, and the report of its result. Kept alive by everything
// that may call it: the running node, posted tasks and timers, the cancel source.
class Run final : public RunRecord {
 public:
  Run(std::shared_ptr<const Graph> graph, std::unique_ptr<State> state, Setup setup,
      const core::CancelToken& cancel, Execution::Done done)
      : RunRecord(std::move(setup)),
        source_(cancel),
        done_(std::move(done)),
        box_(std::make_shared<StateBox>(std::move(state))) {
    traversal_ = std::make_shared<Traversal>(Traversal::Setup{
        *this, std::move(graph), box_, source_.token(), {}, false, 0, [this](Outcome outcome) {
          finish(std::move(outcome));
        }});
  }

  // Begins in a later turn, so that no callback runs before Execution::start() has returned.
  void start(Resume resume, const core::CancelToken& cancel) {
    const std::shared_ptr<RunRecord> self = shared_from_this();
    kept_by_cancel_ = cancel.on_cancel([self] {});
    scheduler().post([this, self, resume = std::move(resume)]() mutable {
      const std::shared_ptr<Traversal> traversal = traversal_;
      traversal->begin(std::move(resume));
    });
  }

 private:
  void finish(Outcome outcome) {
    PARLEY_ASSERT(done_ != nullptr, "run: ends twice, at step " + std::to_string(steps()));
    const std::shared_ptr<RunRecord> self = shared_from_this();
    ExecutionResult result;
    result.end = outcome.end;
    result.node = std::move(outcome.node);
    result.payload = std::move(outcome.payload);
    if (outcome.end == Outcome::End::failed) result.error = std::move(outcome.error);
    if (outcome.end == Outcome::End::finished) values(std::string(last_node_id()), *box_->state);
    if (outcome.end == Outcome::End::interrupted) {
      checkpoint(std::string(last_node_id()), *box_->state, {result.node, {}, outcome.steps});
    }
    result.state = box_->take();
    result.node_id = last_node_id();
    result.steps = steps();
    close();
    kept_by_cancel_.reset();
    scheduler().post([self, done = std::move(done_), result = std::move(result)]() mutable {
      done(std::move(result));
    });
  }

  core::CancelSource source_;
  core::CancelToken::Registration kept_by_cancel_;
  Execution::Done done_;
  std::shared_ptr<StateBox> box_;
  std::shared_ptr<Traversal> traversal_;
};

}  // namespace

void Execution::start(std::shared_ptr<const Graph> graph, std::unique_ptr<State> state,
                      ExecutionSetup setup, Done done) {
  Entry& entry = setup.entry;
  RunRecord::Setup record{setup.scheduler,
                          setup.entropy,
                          setup.sink,
                          std::move(setup.thread_id),
                          setup.values_each_node,
                          setup.checkpoints,
                          entry.step,
                          entry.node_runs,
                          std::move(entry.last_node_id)};
  const auto run = std::make_shared<Run>(std::move(graph), std::move(state), std::move(record),
                                         setup.cancel, std::move(done));
  run->start({std::move(entry.node), std::move(entry.value)}, setup.cancel);
}

}  // namespace parley::graph
