// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph/node_entry.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "runtime/graph/traversal.h"

namespace parley::graph {

namespace {

core::Result<std::unique_ptr<State>> result_of(Outcome outcome, StateBox& box,
                                               const core::CancelToken& cancel) {
  switch (outcome.end) {
    case Outcome::End::finished:
      return box.take();
    case Outcome::End::cancelled:
      return core::fail(core::Code::cancelled, "The graph was " + cancelled_text(cancel) + ".");
    case Outcome::End::interrupted:
      return core::fail(core::Code::failed_precondition, "A graph within a node was interrupted.");
    case Outcome::End::failed:
      break;
  }
  return core::fail(std::move(outcome.error));
}

}  // namespace

Invocation::Invocation(NodeEntry& entry, std::shared_ptr<const Graph> graph,
                       std::shared_ptr<StateBox> box, NodeContext::InvokeDone done)
    : entry_(entry), box_(std::move(box)), source_(entry.cancel()), done_(std::move(done)) {
  traversal_ = std::make_shared<Traversal>(
      Traversal::Setup{entry.setup_.record,
                       std::move(graph),
                       box_,
                       source_.token(),
                       {},
                       true,
                       entry.setup_.depth + 1,
                       [this](Outcome outcome) { on_end(std::move(outcome)); }});
}

void Invocation::start(core::CancelToken cancel) {
  PARLEY_ASSERT(done_ != nullptr,
                "node \"" + entry_.name() + "\": invokes a graph without a callback for its end");
  alone_ = std::move(cancel);
  on_cancel_ = alone_.on_cancel(core::unless_gone(
      weak_from_this(), [](Invocation& self) { self.source_.cancel(self.alone_.reason()); }));
  traversal_->begin_later();
}

void Invocation::on_end(Outcome outcome) {
  if (!done_) return;
  on_cancel_.reset();
  core::Result<std::unique_ptr<State>> result =
      result_of(std::move(outcome), *box_, source_.token());
  entry_.scheduler().post([record = entry_.setup_.record.shared_from_this(),
                           entry = entry_.weak_from_this(), self = shared_from_this(),
                           result = std::move(result)]() mutable {
    if (const std::shared_ptr<NodeEntry> alive = entry.lock()) {
      alive->invoked(*self, std::move(result));
    }
  });
}

void Invocation::tell(core::Result<std::unique_ptr<State>> result) {
  NodeContext::InvokeDone done = std::move(done_);
  done_ = nullptr;
  if (done) done(std::move(result));
}

void Invocation::abandon() {
  const NodeContext::InvokeDone nobody = std::move(done_);
  done_ = nullptr;
  on_cancel_.reset();
  source_.cancel("the node that began it has ended");
  traversal_->abandon();
}

// A node's `done`: keeps the run and the entry alive until it is called or dropped.
class NodeEntry::Answer {
 public:
  Answer(std::shared_ptr<RunRecord> record, std::shared_ptr<NodeEntry> entry, int attempt)
      : record_(std::move(record)), entry_(std::move(entry)), attempt_(attempt) {}
  Answer(Answer&&) noexcept = default;
  Answer& operator=(Answer&&) = delete;
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;
  ~Answer() {
    if (entry_) entry_->dropped(attempt_);
  }
  void operator()(core::Result<Next> result) {
    const std::shared_ptr<RunRecord> record = std::move(record_);
    const std::shared_ptr<NodeEntry> entry = std::move(entry_);
    if (entry) entry->answered(attempt_, std::move(result));
  }

 private:
  std::shared_ptr<RunRecord> record_;
  std::shared_ptr<NodeEntry> entry_;
  int attempt_;
};

NodeEntry::NodeEntry(Setup setup) : setup_(std::move(setup)) {
  PARLEY_ASSERT(setup_.node < setup_.graph->nodes().size(),
                "graph: node " + std::to_string(setup_.node) + " is entered, and there are " +
                    std::to_string(setup_.graph->nodes().size()));
  PARLEY_ASSERT(setup_.box->state != nullptr, label() + ": entered without a state");
}

NodeEntry::~NodeEntry() = default;

std::string NodeEntry::label() const {
  return "node \"" + path() + "\" (" + node_id_ + "), attempt " + std::to_string(attempt_) +
         ", phase " + std::to_string(static_cast<int>(phase_));
}

void NodeEntry::start() {
  PARLEY_ASSERT(node_id_.empty() && attempt_ == 0, label() + ": entered twice");
  node_id_ = setup_.record.enter(name());
  if (node().inner) {
    start_inner();
  } else {
    start_attempt();
  }
}

void NodeEntry::exit(std::optional<std::string> error) {
  PARLEY_ASSERT(phase_ == Phase::ended && !exited_,
                label() + ": exits before it has ended, or twice");
  exited_ = true;
  setup_.record.exit(name(), node_id_, std::move(error));
}

void NodeEntry::start_inner() {
  PARLEY_ASSERT(!inner_, label() + ": its graph is begun twice");
  inner_ = std::make_shared<Traversal>(Traversal::Setup{
      setup_.record, node().inner, setup_.box, setup_.cancel, path() + "/", setup_.own_state,
      setup_.depth + 1, [this](Outcome outcome) { end(std::move(outcome)); }});
  const std::shared_ptr<Traversal> inner = inner_;
  inner->begin(std::move(setup_.resume));
}

void NodeEntry::start_attempt() {
  PARLEY_ASSERT(phase_ == Phase::waiting && timer_ == 0 && invocations_.empty(),
                label() + ": tried again while an attempt runs or waits");
  PARLEY_ASSERT(attempt_ <= node().options.retry.retries,
                label() + ": tried more often than " +
                    std::to_string(node().options.retry.retries) + " retries allow");
  ++attempt_;
  if (may_retry()) before_ = setup_.box->state->clone();
  const std::shared_ptr<NodeEntry> self = shared_from_this();
  Answer answer(setup_.record.shared_from_this(), self, attempt_);
  const int attempt = attempt_;
  phase_ = Phase::running;
  calling_ = true;
  dropped_ = false;
  std::optional<core::Error> thrown;
  try {
    node().run(*this, *setup_.box->state, std::move(answer));
  } catch (const std::exception& error) {
    thrown = core::Error{core::Code::internal, "Node \"" + name() + "\" failed: " + error.what()};
  }
  calling_ = false;
  if (phase_ != Phase::running || attempt != attempt_) return;
  if (thrown) {
    answered(attempt, core::fail(*std::move(thrown)));
  } else if (dropped_) {
    answered(attempt, core::fail(core::Code::internal,
                                 "Node \"" + name() + "\" ended without choosing the next node."));
  } else {
    watch_cancel();
  }
}

void NodeEntry::dropped(int attempt) {
  if (calling_ && attempt == attempt_) dropped_ = true;
}

void NodeEntry::watch_cancel() {
  on_cancel_ = setup_.cancel.on_cancel(core::unless_gone(weak_from_this(), &NodeEntry::on_cancel));
}

void NodeEntry::on_cancel() {
  if (phase_ == Phase::ended) return;
  PARLEY_ASSERT(setup_.cancel.cancelled(), label() + ": told of a cancel that there was not");
  if (phase_ == Phase::waiting) {
    end(Outcome::cancelled());
    return;
  }
  PARLEY_ASSERT(timer_ == 0, label() + ": told twice of a cancel");
  timer_ = scheduler().after(
      kCancelPatience, [record = setup_.record.shared_from_this(), self = shared_from_this()] {
        self->timer_ = 0;
        spdlog::warn("node \"{}\" went on for {} ms after it was cancelled and is left behind",
                     self->name(), kCancelPatience.count());
        self->abandon();
      });
}

void NodeEntry::answered(int attempt, core::Result<Next> result) {
  if (phase_ != Phase::running || attempt != attempt_) return;
  phase_ = Phase::waiting;
  end_invocations();
  if (setup_.cancel.cancelled()) {
    end(Outcome::cancelled());
  } else if (!result) {
    failed(std::move(result).error());
  } else if (result->kind != Next::Kind::interrupt) {
    end(Outcome::finished(*std::move(result)));
  } else if (setup_.own_state) {
    end(Outcome::failed(
        {core::Code::failed_precondition,
         "Node \"" + name() +
             "\" cannot be interrupted inside a parallel branch or an invoked graph."}));
  } else {
    Outcome outcome;
    outcome.end = Outcome::End::interrupted;
    outcome.node = path();
    outcome.payload = std::move(result->payload);
    outcome.steps = setup_.steps_before;
    end(std::move(outcome));
  }
}

void NodeEntry::failed(core::Error error) {
  if (may_retry() && error.code != core::Code::cancelled) {
    wait_to_retry();
  } else {
    end(Outcome::failed(std::move(error)));
  }
}

void NodeEntry::wait_to_retry() {
  PARLEY_ASSERT(phase_ == Phase::waiting && before_ != nullptr,
                label() + ": waits for another attempt without the state to begin it with");
  setup_.box->state = std::move(before_);
  on_cancel_.reset();
  scheduler().cancel(std::exchange(timer_, 0));
  const RetryPolicy& retry = node().options.retry;
  const double wait =
      static_cast<double>(retry.first_delay.count()) * std::pow(retry.factor, attempt_ - 1);
  const double most = static_cast<double>(retry.max_delay.count());
  timer_ =
      scheduler().after(core::Millis(static_cast<core::Millis::rep>(std::min(wait, most))),
                        [record = setup_.record.shared_from_this(), self = shared_from_this()] {
                          self->timer_ = 0;
                          self->on_cancel_.reset();
                          self->start_attempt();
                        });
  watch_cancel();
}

void NodeEntry::abandon() {
  if (phase_ == Phase::ended) return;
  const std::shared_ptr<NodeEntry> self = shared_from_this();
  if (inner_) {
    const std::shared_ptr<Traversal> inner = inner_;
    inner->abandon();
    return;
  }
  if (phase_ == Phase::running) setup_.box->abandoned = true;
  end_invocations();
  end(Outcome::cancelled());
}

void NodeEntry::end(Outcome outcome) {
  if (std::exchange(phase_, Phase::ended) == Phase::ended) return;
  PARLEY_ASSERT(!exited_ && !node_id_.empty(), label() + ": ends before it was entered");
  PARLEY_ASSERT(
      invocations_.empty(),
      label() + ": ends while " + std::to_string(invocations_.size()) + " graphs run within it");
  const std::shared_ptr<NodeEntry> self = shared_from_this();
  on_cancel_.reset();
  scheduler().cancel(std::exchange(timer_, 0));
  if ((outcome.end == Outcome::End::failed) && outcome.node.empty()) outcome.node = path();
  setup_.owner.on_outcome(*this, std::move(outcome));
}

void NodeEntry::emit(runtime::RunEvent event) {
  if (phase_ == Phase::running) setup_.record.emit(node_id_, std::move(event));
}

void NodeEntry::when_durable(absl::AnyInvocable<void(core::Result<void>)> done) {
  if (phase_ == Phase::running) {
    setup_.record.when_durable(std::move(done));
    return;
  }
  core::reply(scheduler(), std::move(done),
              core::fail(core::Code::cancelled, "The node has ended."));
}

void NodeEntry::checkpoint() {
  if (phase_ != Phase::running || setup_.own_state) return;
  PARLEY_ASSERT(setup_.box->state != nullptr && setup_.steps_before <= setup_.record.steps(),
                label() + ": a checkpoint without a state, or at step " +
                    std::to_string(setup_.steps_before) + " of " +
                    std::to_string(setup_.record.steps()));
  if (may_retry()) before_ = setup_.box->state->clone();
  std::string ns = setup_.prefix;
  if (!ns.empty()) ns.pop_back();
  setup_.record.checkpoint(node_id_, *setup_.box->state,
                           {path(), std::move(ns), setup_.steps_before});
}

void NodeEntry::invoke(std::shared_ptr<const Graph> graph, std::unique_ptr<State> state,
                       core::CancelToken cancel, InvokeDone done) {
  if (phase_ != Phase::running) {
    return core::reply(scheduler(), std::move(done),
                       core::fail(core::Code::cancelled, "The node has ended."));
  }
  const auto invocation = std::make_shared<Invocation>(
      *this, std::move(graph), std::make_shared<StateBox>(std::move(state)), std::move(done));
  invocations_.push_back(invocation);
  invocation->start(std::move(cancel));
}

void NodeEntry::invoked(Invocation& invocation, core::Result<std::unique_ptr<State>> result) {
  const auto found =
      std::find_if(invocations_.begin(), invocations_.end(),
                   [&](const std::shared_ptr<Invocation>& it) { return it.get() == &invocation; });
  if (found == invocations_.end()) return;
  const std::shared_ptr<Invocation> held = *found;
  invocations_.erase(found);
  held->tell(std::move(result));
}

void NodeEntry::end_invocations() {
  const std::list<std::shared_ptr<Invocation>> all = std::move(invocations_);
  invocations_.clear();
  for (const std::shared_ptr<Invocation>& invocation : all) invocation->abandon();
}

}  // namespace parley::graph
