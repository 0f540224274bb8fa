// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/placement/home_store.h"

// For tests only.
namespace parley::placement {

// How nodes and database behave. All true: as they do. Each false is a known mistake, which the
// check must find.
struct FenceRules {
  bool commits_lock = true;          // a commit shares the lock of its slot
  bool checks_after_lock = true;     // it reads the home in a later statement than the lock
  bool takes_hold_renewals = true;   // a take locks the row of the former home against renewals
  bool leaves_before_giving = true;  // a node stops to serve a slot before it gives it back
};

// A model of one slot, some nodes and the database between them. Each node may at any time commit,
// renew its lease, take the slot or give it back; each of these is several steps of the database,
// between which all others may do theirs; answers may be lost, connections break, and a node may
// stop for as long as it likes. Leases end at any time that the clocks permit.
class FenceModel {
 public:
  FenceModel(std::size_t nodes, Epoch max_epoch, FenceRules rules)
      : nodes_(nodes), max_epoch_(max_epoch), rules_(rules) {}

  // Visits every state that can be reached. Returns what went wrong, with the steps that led to it;
  // std::nullopt: nothing.
  std::optional<std::string> check();
  std::size_t states() const { return states_; }

 private:
  static constexpr std::size_t kMaxNodes = 3;

  enum class Commit : std::uint8_t { none, begun, locked, checked };
  enum class Renewal : std::uint8_t { none, sent, extended, answered };
  enum class Take : std::uint8_t { none, begun, locked, holding, updated };
  enum class Giving : std::uint8_t { none, begun };

  struct NodeState {
    std::uint8_t epoch = 0;  // under which it believes to have the slot; 0: it does not
    bool in_time = false;    // by its own clock its lease cannot be over
    bool lease = false;      // by the database's clock it is not over
    Commit commit = Commit::none;
    std::uint8_t commit_epoch = 0;
    bool commit_fits = false;  // what the check read, if that is not the last statement
    Renewal renewal = Renewal::none;
    bool renewal_is_late = false;  // the time that it gives is over already
    std::uint8_t answer = 0;       // the epoch that the view shows
    Take take = Take::none;
    std::uint8_t holder = 0;  // the former home, whose row the take holds; 1 and up, 0: nobody
    Giving giving = Giving::none;

    bool operator==(const NodeState&) const = default;
  };
  struct State {
    std::array<NodeState, kMaxNodes> nodes{};
    std::uint8_t home = 0;  // 1 and up; 0: nobody
    std::uint8_t epoch = 0;

    bool operator==(const State&) const = default;
  };
  struct Next {
    State state;
    std::string step;
    bool is_stale = false;  // a commit under an epoch that has ended
  };

  std::vector<Next> next_of(const State& state) const;
  void commits(const State& state, std::size_t node, std::vector<Next>& out) const;
  void renewals(const State& state, std::size_t node, std::vector<Next>& out) const;
  void takes(const State& state, std::size_t node, std::vector<Next>& out) const;
  void gifts(const State& state, std::size_t node, std::vector<Next>& out) const;
  void clocks(const State& state, std::size_t node, std::vector<Next>& out) const;
  bool is_shared(const State& state) const;                  // a commit holds the slot's lock
  bool is_exclusive(const State& state) const;               // a take holds it
  bool is_held(const State& state, std::size_t node) const;  // a take holds the node's row
  // The fault of a state, or of the step that leads to it; empty: none.
  std::string fault_of(const Next& next) const;
  static std::string key_of(const State& state);

  const std::size_t nodes_;
  const Epoch max_epoch_;
  const FenceRules rules_;
  std::size_t states_ = 0;
};

}  // namespace parley::placement
