// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/placement/fence_model.h"

#include <deque>
#include <unordered_map>
#include <utility>

namespace parley::placement {
namespace {

std::string named(std::size_t node, const std::string& what) {
  return std::string(1, static_cast<char>('A' + node)) + " " + what;
}

}  // namespace

bool FenceModel::is_shared(const State& state) const {
  for (const NodeState& node : state.nodes) {
    if (rules_.commits_lock && node.commit >= Commit::locked) return true;
  }
  return false;
}

bool FenceModel::is_exclusive(const State& state) const {
  for (const NodeState& node : state.nodes) {
    if (node.take >= Take::locked) return true;
  }
  return false;
}

bool FenceModel::is_held(const State& state, std::size_t node) const {
  for (const NodeState& other : state.nodes) {
    if (rules_.takes_hold_renewals && other.take >= Take::holding && other.holder == node + 1) {
      return true;
    }
  }
  return false;
}

void FenceModel::commits(const State& state, std::size_t node, std::vector<Next>& out) const {
  const NodeState& now = state.nodes[node];
  Next next{state, ""};
  NodeState& then = next.state.nodes[node];
  const auto fits = [&state, node](std::uint8_t epoch) {
    return state.home == node + 1 && state.epoch == epoch;
  };
  switch (now.commit) {
    case Commit::none:
      if (now.epoch == 0) return;
      then.commit = Commit::begun;
      then.commit_epoch = now.epoch;
      then.commit_fits = fits(now.epoch);
      next.step = named(node, "begins a commit");
      break;
    case Commit::begun:
      if (rules_.commits_lock && is_exclusive(state)) return;
      then.commit = Commit::locked;
      next.step = named(node, "locks the slot for its commit");
      break;
    case Commit::locked: {
      const bool passes = rules_.checks_after_lock ? fits(now.commit_epoch) : now.commit_fits;
      then.commit = passes ? Commit::checked : Commit::none;
      if (!passes) then.commit_epoch = 0;
      next.step = named(node, passes ? "finds itself the home" : "is refused");
      break;
    }
    case Commit::checked:
      then.commit = Commit::none;
      then.commit_epoch = 0;
      next.step = named(node, "commits");
      next.is_stale = now.commit_epoch < state.epoch;
      break;
  }
  then.commit_fits = then.commit == Commit::none ? false : then.commit_fits;
  out.push_back(next);
  if (now.commit == Commit::none) return;
  Next broken{state, named(node, "loses the connection of its commit")};
  broken.state.nodes[node].commit = Commit::none;
  broken.state.nodes[node].commit_epoch = 0;
  broken.state.nodes[node].commit_fits = false;
  out.push_back(std::move(broken));
}

void FenceModel::renewals(const State& state, std::size_t node, std::vector<Next>& out) const {
  const NodeState& now = state.nodes[node];
  Next next{state, ""};
  NodeState& then = next.state.nodes[node];
  const auto end = [&then] {
    then.renewal = Renewal::none;
    then.renewal_is_late = false;
    then.answer = 0;
  };
  switch (now.renewal) {
    case Renewal::none:
      then.renewal = Renewal::sent;
      next.step = named(node, "renews its lease");
      break;
    case Renewal::sent:
      if (is_held(state, node)) return;
      then.renewal = Renewal::extended;
      then.lease = true;
      next.step = named(node, "has its lease extended");
      break;
    case Renewal::extended:
      then.renewal = Renewal::answered;
      then.answer = state.home == node + 1 ? state.epoch : 0;
      next.step = named(node, "has the homes read");
      break;
    case Renewal::answered:
      // A slot that is being given back is not served, whatever an earlier view shows: the calls of
      // a node follow one another.
      then.epoch = now.answer;
      then.in_time = !now.renewal_is_late;
      end();
      next.step = named(node, "gets the view");
      break;
  }
  out.push_back(next);
  if (now.renewal == Renewal::none) return;
  Next lost{state, named(node, "gets no answer to its renewal")};
  NodeState& without = lost.state.nodes[node];
  without.renewal = Renewal::none;
  without.renewal_is_late = false;
  without.answer = 0;
  out.push_back(std::move(lost));
}

void FenceModel::takes(const State& state, std::size_t node, std::vector<Next>& out) const {
  const NodeState& now = state.nodes[node];
  Next next{state, ""};
  NodeState& then = next.state.nodes[node];
  switch (now.take) {
    case Take::none:
      if (now.epoch != 0 || state.epoch >= max_epoch_) return;
      then.take = Take::begun;
      next.step = named(node, "wants the slot");
      break;
    case Take::begun:
      if (is_shared(state) || is_exclusive(state)) return;
      then.take = Take::locked;
      next.step = named(node, "locks the slot to take it");
      break;
    case Take::locked:
      then.take = Take::holding;
      then.holder = state.home;
      next.step = named(node, "holds the lease of the home");
      break;
    case Take::holding: {
      const bool is_over = state.home == 0 || !state.nodes[state.home - 1U].lease;
      const bool takes_it = is_over && now.lease && state.epoch < max_epoch_;
      then.take = takes_it ? Take::updated : Take::none;
      if (!takes_it) then.holder = 0;
      next.step = named(node, takes_it ? "writes itself as the home" : "finds a live home");
      break;
    }
    case Take::updated:
      then.take = Take::none;
      then.holder = 0;
      next.state.home = static_cast<std::uint8_t>(node + 1);
      next.state.epoch = static_cast<std::uint8_t>(state.epoch + 1);
      out.push_back({next.state, named(node, "takes the slot, and hears nothing of it")});
      then.epoch = next.state.epoch;
      next.step = named(node, "takes the slot");
      break;
  }
  out.push_back(next);
  if (now.take == Take::none) return;
  Next broken{state, named(node, "loses the connection of its take")};
  broken.state.nodes[node].take = Take::none;
  broken.state.nodes[node].holder = 0;
  out.push_back(std::move(broken));
}

void FenceModel::gifts(const State& state, std::size_t node, std::vector<Next>& out) const {
  const NodeState& now = state.nodes[node];
  Next next{state, ""};
  NodeState& then = next.state.nodes[node];
  if (now.giving == Giving::none) {
    if (now.epoch == 0 || now.renewal != Renewal::none || now.take != Take::none) return;
    then.giving = Giving::begun;
    if (rules_.leaves_before_giving) then.epoch = 0;
    next.step = named(node, "gives the slot back");
  } else {
    then.giving = Giving::none;
    if (state.home == node + 1) next.state.home = 0;
    if (!rules_.leaves_before_giving) {
      out.push_back({next.state, named(node, "has given it back, and does not know")});
    }
    then.epoch = 0;
    next.step = named(node, "has given it back");
  }
  out.push_back(std::move(next));
}

void FenceModel::clocks(const State& state, std::size_t node, std::vector<Next>& out) const {
  const NodeState& now = state.nodes[node];
  if (now.in_time) {
    Next next{state, named(node, "stops to serve: its time is over")};
    next.state.nodes[node].in_time = false;
    out.push_back(std::move(next));
  } else if (now.renewal != Renewal::none && !now.renewal_is_late) {
    Next next{state, named(node, "waits too long for its renewal")};
    next.state.nodes[node].renewal_is_late = true;
    out.push_back(std::move(next));
  }
  // The lease ends after the time that the node reckons with, from before the renewal was sent.
  const bool may_be_new = now.renewal >= Renewal::extended && !now.renewal_is_late;
  if (now.lease && !now.in_time && !may_be_new) {
    Next next{state, named(node, "has a lease no more")};
    next.state.nodes[node].lease = false;
    out.push_back(std::move(next));
  }
}

std::vector<FenceModel::Next> FenceModel::next_of(const State& state) const {
  std::vector<Next> out;
  for (std::size_t node = 0; node < nodes_; ++node) {
    commits(state, node, out);
    // One thread makes the calls of a node's membership, one after another.
    const NodeState& now = state.nodes[node];
    const bool is_free = now.take == Take::none && now.giving == Giving::none;
    if (is_free || now.renewal != Renewal::none) renewals(state, node, out);
    if (now.renewal == Renewal::none && now.giving == Giving::none) takes(state, node, out);
    if (now.renewal == Renewal::none && now.take == Take::none) gifts(state, node, out);
    clocks(state, node, out);
  }
  return out;
}

std::string FenceModel::fault_of(const Next& next) const {
  if (next.is_stale) return "a commit under an epoch that has ended";
  for (std::size_t i = 0; i < nodes_; ++i) {
    const NodeState& node = next.state.nodes[i];
    const bool is_elsewhere = next.state.home != 0 && next.state.home != i + 1;
    if (node.epoch != 0 && node.in_time && is_elsewhere) {
      return named(i, "serves a slot that another node has");
    }
  }
  return {};
}

std::string FenceModel::key_of(const State& state) {
  std::string key{static_cast<char>(state.home), static_cast<char>(state.epoch)};
  for (const NodeState& node : state.nodes) {
    const auto add = [&key](auto value) { key.push_back(static_cast<char>(value)); };
    add(node.epoch << 4U | node.in_time << 3U | node.lease << 2U | node.commit_fits << 1U |
        static_cast<int>(node.renewal_is_late));
    add(static_cast<unsigned>(node.commit) << 4U | node.commit_epoch);
    add(static_cast<unsigned>(node.renewal) << 4U | node.answer);
    add(static_cast<unsigned>(node.take) << 4U | static_cast<unsigned>(node.holder) << 1U |
        static_cast<unsigned>(node.giving));
  }
  return key;
}

std::optional<std::string> FenceModel::check() {
  // Each state with the one before it and the step between them.
  struct Visited {
    std::string before;
    std::string step;
  };
  std::unordered_map<std::string, Visited> visited;
  std::deque<State> waiting{State{}};
  visited[key_of(State{})] = {};
  const auto story_of = [&visited](std::string key, std::string end) {
    std::string story = std::move(end);
    for (auto at = visited.find(key); !at->second.step.empty();
         at = visited.find(at->second.before)) {
      story.insert(0, at->second.step + "\n");
    }
    return story;
  };
  while (!waiting.empty()) {
    const State state = waiting.front();
    waiting.pop_front();
    const std::string key = key_of(state);
    for (Next& next : next_of(state)) {
      const std::string fault = fault_of(next);
      if (!fault.empty()) {
        states_ = visited.size();
        return story_of(key, next.step + "\n" + fault);
      }
      if (visited.try_emplace(key_of(next.state), Visited{key, next.step}).second) {
        waiting.push_back(next.state);
      }
    }
  }
  states_ = visited.size();
  return std::nullopt;
}

}  // namespace parley::placement
