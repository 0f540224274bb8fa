// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph/traversal.h"

#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "runtime/graph/branches.h"

namespace parley::graph {

Traversal::Traversal(Setup setup) : setup_(std::move(setup)) {
  PARLEY_ASSERT(setup_.done != nullptr && setup_.graph != nullptr,
                "graph: a traversal without a graph or without a callback for its end");
  if (setup_.depth == 0) steps_ = setup_.record.steps();
}

Traversal::~Traversal() = default;

std::string Traversal::label() const {
  return "traversal at \"" + path(location_) + "\", step " + std::to_string(steps_);
}

void Traversal::begin(Resume resume) {
  start_at(std::move(resume));
  go();
}

void Traversal::begin_later() {
  start_at({});
  go_later();
}

void Traversal::start_at(Resume resume) {
  if (setup_.depth > kMaxDepth) {
    end(Outcome::failed({core::Code::resource_exhausted,
                         "Graphs are nested more than " + std::to_string(kMaxDepth) + " deep."}));
    return;
  }
  if (resume.path.empty() || resume.path == kStart) {
    const core::Result<GraphLocation> first =
        setup_.graph->follow(setup_.graph->start(), *setup_.box->state);
    if (!first) {
      end(Outcome::failed(first.error()));
      return;
    }
    location_ = *first;
    resume_.value = std::move(resume.value);
    return;
  }
  std::optional<Graph::Path> path = setup_.graph->resolve(resume.path);
  if (!path) {
    end(Outcome::failed(
        {core::Code::not_found, "The graph has no node \"" + resume.path + "\" to resume at."}));
    return;
  }
  location_ = path->location;
  resume_ = {std::move(path->rest), std::move(resume.value)};
}

void Traversal::go() {
  if (going_) return;
  const std::shared_ptr<Traversal> self = shared_from_this();
  going_ = true;
  while (!busy_ && !ended_) step();
  going_ = false;
}

void Traversal::go_later() {
  if (ended_) return;
  PARLEY_ASSERT(!busy_, label() + ": goes on later while something runs");
  busy_ = true;
  setup_.record.scheduler().post(core::unless_gone(
      weak_from_this(), [record = setup_.record.shared_from_this()](Traversal& self) {
        if (self.ended_) return;
        record->new_turn();
        self.busy_ = false;
        self.go();
      }));
}

void Traversal::step() {
  PARLEY_ASSERT(!busy_ && !ended_ && !entry_ && !branches_,
                label() + ": goes on before what it entered has ended");
  if (setup_.cancel.cancelled()) {
    end(Outcome::cancelled());
  } else if (location_.kind == GraphLocation::Kind::end) {
    end(Outcome::finished());
  } else if (setup_.record.turn_is_over()) {
    go_later();
  } else if (location_.kind == GraphLocation::Kind::node) {
    enter_node();
  } else {
    enter_branches();
  }
}

bool Traversal::count_steps(std::size_t entries) {
  if (steps_ + entries > setup_.graph->max_steps()) {
    end(Outcome::failed({core::Code::resource_exhausted,
                         "After " + std::to_string(steps_) +
                             " steps, the limit of this graph, its end was not reached."},
                        path(location_)));
    return false;
  }
  PARLEY_ASSERT(setup_.depth != 0 || steps_ == setup_.record.steps(),
                label() + ": its run has counted " + std::to_string(setup_.record.steps()));
  steps_ += entries;
  if (setup_.depth == 0) setup_.record.set_steps(steps_);
  return true;
}

void Traversal::enter_node() {
  Resume resume = std::exchange(resume_, {});
  const std::uint64_t before = setup_.record.steps();
  // A resumed entry of a subgraph is already counted.
  if (resume.path.empty() && !count_steps(1)) return;
  busy_ = true;
  entry_ = std::make_shared<NodeEntry>(NodeEntry::Setup{
      setup_.record, *this, setup_.graph, location_.index, setup_.box, setup_.cancel, setup_.prefix,
      setup_.own_state, setup_.depth, before, std::move(resume)});
  const std::shared_ptr<NodeEntry> entry = entry_;
  entry->start();
}

void Traversal::enter_branches() {
  const Graph::Parallel& parallel = setup_.graph->parallels()[location_.index];
  resume_ = {};
  if (!count_steps(parallel.branches.size())) return;
  busy_ = true;
  branches_ = std::make_shared<Branches>(Branches::Setup{setup_.record, *this, setup_.graph,
                                                         parallel, setup_.box, setup_.cancel,
                                                         setup_.prefix, setup_.depth});
  const std::shared_ptr<Branches> branches = branches_;
  branches->start();
}

core::Result<GraphLocation> Traversal::follow(const NodeEntry& entry, const Next& next) const {
  if (next.kind == Next::Kind::end) return GraphLocation{};
  if (next.kind == Next::Kind::edges) {
    return setup_.graph->follow(entry.node().exit, *setup_.box->state);
  }
  const std::optional<GraphLocation> location = setup_.graph->find(next.node);
  if (location) return *location;
  return core::fail(core::Code::internal, "Node \"" + entry.name() + "\" chose \"" + next.node +
                                              "\" as next, which its graph does not have.");
}

void Traversal::on_outcome(NodeEntry& entry, Outcome outcome) {
  PARLEY_ASSERT(entry_.get() == &entry && busy_ && !ended_,
                label() + ": node \"" + entry.name() + "\" ends, and another one was entered");
  const std::shared_ptr<Traversal> self = shared_from_this();
  const std::shared_ptr<NodeEntry> held = std::move(entry_);
  busy_ = false;
  if (outcome.end == Outcome::End::finished) {
    core::Result<GraphLocation> to = follow(entry, outcome.next);
    if (to) {
      leave(entry, *to);
      go();
      return;
    }
    outcome = Outcome::failed(std::move(to).error(), setup_.prefix + entry.name());
  }
  switch (outcome.end) {
    case Outcome::End::failed:
      entry.exit(outcome.error.message);
      break;
    case Outcome::End::interrupted:
      entry.exit("interrupted: " + outcome.payload);
      break;
    default:
      entry.exit(cancelled_text(setup_.cancel));
  }
  end(std::move(outcome));
}

RunRecord::Position Traversal::position(GraphLocation next) const {
  std::string ns = setup_.prefix;
  if (!ns.empty()) ns.pop_back();
  return {path(next), std::move(ns), setup_.record.steps()};
}

void Traversal::leave(NodeEntry& entry, GraphLocation to) {
  entry.exit(std::nullopt);
  if (!setup_.own_state) {
    setup_.record.after(entry.name(), entry.node_id(), *setup_.box->state, position(to));
  }
  location_ = to;
}

void Traversal::on_branches(Outcome outcome) {
  PARLEY_ASSERT(branches_ != nullptr && location_.kind == GraphLocation::Kind::parallel,
                label() + ": branches end that were not entered, or twice");
  const std::shared_ptr<Traversal> self = shared_from_this();
  const std::shared_ptr<Branches> held = std::move(branches_);
  busy_ = false;
  if (outcome.end != Outcome::End::finished) {
    end(std::move(outcome));
    return;
  }
  const Graph::Parallel& parallel = setup_.graph->parallels()[location_.index];
  if (!setup_.own_state) {
    setup_.record.after(parallel.name, std::string(setup_.record.last_node_id()),
                        *setup_.box->state, position(parallel.join));
  }
  location_ = parallel.join;
  go();
}

void Traversal::abandon() {
  if (ended_) return;
  const std::shared_ptr<Traversal> self = shared_from_this();
  if (entry_) {
    const std::shared_ptr<NodeEntry> entry = entry_;
    entry->abandon();
  } else if (branches_) {
    const std::shared_ptr<Branches> branches = branches_;
    branches->abandon();
  }
  end(Outcome::cancelled());
}

void Traversal::end(Outcome outcome) {
  if (std::exchange(ended_, true)) return;
  PARLEY_ASSERT(setup_.done != nullptr, label() + ": ends twice");
  absl::AnyInvocable<void(Outcome)> done = std::move(setup_.done);
  done(std::move(outcome));
}

}  // namespace parley::graph
