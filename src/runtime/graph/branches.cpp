// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph/branches.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/core/assert.h"
#include "runtime/graph/traversal.h"

namespace parley::graph {

Branches::Branches(Setup setup) : setup_(std::move(setup)), source_(setup_.cancel) {}

void Branches::start() {
  const std::shared_ptr<Branches> self = shared_from_this();
  const std::vector<std::size_t>& branches = setup_.parallel.branches;
  PARLEY_ASSERT(entries_.empty() && !ended_,
                "branches of \"" + setup_.parallel.name + "\": entered twice");
  boxes_.reserve(branches.size());
  entries_.reserve(branches.size());
  starting_ = true;
  for (const std::size_t branch : branches) {
    if (source_.token().cancelled()) break;
    boxes_.push_back(std::make_shared<StateBox>(setup_.box->state->clone()));
    entries_.push_back(std::make_shared<NodeEntry>(NodeEntry::Setup{setup_.record,
                                                                    *this,
                                                                    setup_.graph,
                                                                    branch,
                                                                    boxes_.back(),
                                                                    source_.token(),
                                                                    setup_.prefix,
                                                                    true,
                                                                    setup_.depth,
                                                                    setup_.record.steps(),
                                                                    {}}));
    ++running_;
    const std::shared_ptr<NodeEntry> entry = entries_.back();
    entry->start();
  }
  starting_ = false;
  end_if_all_ended();
}

void Branches::on_outcome(NodeEntry& entry, Outcome outcome) {
  const std::shared_ptr<Branches> self = shared_from_this();
  const auto found = std::find_if(
      entries_.begin(), entries_.end(),
      [&entry](const std::shared_ptr<NodeEntry>& held) { return held.get() == &entry; });
  PARLEY_ASSERT(found != entries_.end() && running_ > 0,
                "branches of \"" + setup_.parallel.name + "\": \"" + entry.name() +
                    "\" ends twice, with " + std::to_string(running_) + " under way");
  const std::shared_ptr<NodeEntry> held = std::exchange(*found, nullptr);
  --running_;
  note(entry, std::move(outcome));
  end_if_all_ended();
}

void Branches::note(NodeEntry& entry, Outcome outcome) {
  if (outcome.end == Outcome::End::finished && outcome.next.kind != Next::Kind::edges) {
    outcome = Outcome::failed(
        {core::Code::internal,
         "Node \"" + entry.name() + "\" is a parallel branch and cannot choose the next node."},
        setup_.prefix + entry.name());
  }
  switch (outcome.end) {
    case Outcome::End::finished:
      entry.exit(std::nullopt);
      return;
    case Outcome::End::cancelled:
      entry.exit(cancelled_text(source_.token()));
      return;
    default:
      break;
  }
  entry.exit(outcome.error.message);
  if (failure_) return;
  failure_ = std::move(outcome);
  source_.cancel("the parallel branch \"" + entry.name() + "\" failed");
}

void Branches::end_if_all_ended() {
  if (starting_ || running_ > 0 || std::exchange(ended_, true)) return;
  if (failure_ && !setup_.cancel.cancelled()) {
    setup_.traversal.on_branches(*std::move(failure_));
  } else if (source_.token().cancelled()) {
    setup_.traversal.on_branches(Outcome::cancelled());
  } else {
    setup_.traversal.on_branches(merged());
  }
}

Outcome Branches::merged() {
  PARLEY_ASSERT(boxes_.size() == setup_.parallel.branches.size(),
                "branches of \"" + setup_.parallel.name + "\": " + std::to_string(boxes_.size()) +
                    " of " + std::to_string(setup_.parallel.branches.size()) + " are merged");
  std::vector<std::unique_ptr<State>> states;
  states.reserve(boxes_.size());
  for (const std::shared_ptr<StateBox>& box : boxes_) states.push_back(box->take());
  try {
    setup_.parallel.merge(*setup_.box->state, std::move(states));
  } catch (const std::exception& error) {
    return Outcome::failed({core::Code::internal, "The merge of \"" + setup_.parallel.name +
                                                      "\" failed: " + error.what()},
                           setup_.prefix + setup_.parallel.name);
  }
  return Outcome::finished();
}

void Branches::abandon() {
  const std::shared_ptr<Branches> self = shared_from_this();
  source_.cancel("the run has ended");
  for (const std::shared_ptr<NodeEntry>& held : entries_) {
    const std::shared_ptr<NodeEntry> entry = held;
    if (entry) entry->abandon();
  }
}

}  // namespace parley::graph
