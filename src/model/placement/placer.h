// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "base/core/clock.h"
#include "model/placement/home_map.h"
#include "model/placement/home_store.h"

namespace parley::placement {

// A node stops serving this long before its lease can be over: its clock may be slower than that of
// the store by a tenth.
inline constexpr core::Millis kServeMargin{500};
// The most slots that a node gives to others at once; the rest follow.
inline constexpr std::size_t kMaxLeaving = 32;
// The most slots that a node takes in one transaction; the rest follow.
inline constexpr std::size_t kMaxTaken = 64;

// The node that should have each slot: by rendezvous hashing over those that are live and not
// draining, so that a node that joins or leaves moves its own share of the slots and no other. If
// all drain, over those that are live, which take what is free and give nothing. kNobody: there is
// none.
std::vector<NodeId> preferred_homes(std::span<const Node> nodes);

// Slots that a node has lost and gained.
struct HomeChanges {
  std::vector<Slot> lost;
  std::vector<TakenSlot> gained;

  bool empty() const { return lost.empty() && gained.empty(); }
};

// Decides which slots a node serves, takes and gives to others, from the answers of the HomeStore.
// Knows no store, thread or clock. One thread; what it decides is in the HomeMap, for all.
class Placer {
 public:
  // `map`: of this node; outlives the placer.
  Placer(NodeId self, HomeMap& map) : self_(self), map_(map) {}

  // An answer of renew(), which was called at `sent` by the clock of this node. A slot that is lost
  // and gained again has a new epoch and is in both lists.
  HomeChanges renewed(core::MonoTime sent, const View& view);
  // An answer of take(). Without one, the next view shows what was taken.
  HomeChanges took(std::span<const TakenSlot> slots);
  // This node has left, or another start has replaced it: it has nothing.
  HomeChanges left();

  // The open questions of slots that were gained are in memory: these slots are served, unless they
  // were lost meanwhile, or leave.
  void recovered(std::span<const TakenSlot> slots);

  // The slots to take now: those that are free and should be here, at most kMaxTaken.
  std::vector<Slot> to_take() const;
  // The slots that others should have, at most kMaxLeaving with those that are leaving already.
  // They are not served any more; their commits in flight may end until give_back().
  std::vector<Slot> begin_to_leave();
  // Before the store's give_back(): another node can have them from then on.
  HomeChanges give_back(std::span<const Slot> slots);
  // Those that were given back and are still this node's in the last view. So each time that a node
  // gains a slot it does so under a new epoch.
  std::vector<Slot> to_give_again() const;

  NodeId self() const { return self_; }
  std::size_t held() const { return held_; }

 private:
  void set(Slot slot, Epoch epoch, HomeChanges& changes);
  bool is_given_back(Slot slot, const Home& home);

  const NodeId self_;
  HomeMap& map_;
  View view_;                      // the last one
  std::vector<NodeId> preferred_;  // by its nodes
  std::size_t held_ = 0;
  std::set<Slot> leaving_;
  std::map<Slot, Epoch> given_back_;  // until a view shows that they are not this node's
};

}  // namespace parley::placement
