// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/placement/placer.h"

#include <algorithm>
#include <string>

#include "base/core/assert.h"

namespace parley::placement {
namespace {

// The finaliser of SplitMix64.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30U) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27U) * 0x94d049bb133111ebULL;
  return x ^ x >> 31U;
}

bool can_take(const Node& node) { return node.is_live && !node.is_draining; }

bool one_can_take(std::span<const Node> nodes) {
  return std::any_of(nodes.begin(), nodes.end(), can_take);
}

bool prefer_the_same(const std::vector<Node>& before, const std::vector<Node>& now) {
  return std::equal(
      before.begin(), before.end(), now.begin(), now.end(), [](const Node& a, const Node& b) {
        return a.id == b.id && a.is_live == b.is_live && a.is_draining == b.is_draining;
      });
}

}  // namespace

std::vector<NodeId> preferred_homes(std::span<const Node> nodes) {
  std::vector<NodeId> homes(kSlots, kNobody);
  std::vector<std::uint64_t> heaviest(kSlots);
  const bool all_drain = !one_can_take(nodes);
  for (const Node& node : nodes) {
    if (!node.is_live || (node.is_draining && !all_drain)) continue;
    // By the name, so that a node that starts again gets its slots back.
    const std::uint64_t name = stable_hash(node.description.name);
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      const std::uint64_t weight = mixed(name + 0x9e3779b97f4a7c15ULL * (slot + 1));
      if (homes[slot] != kNobody && weight <= heaviest[slot]) continue;
      homes[slot] = node.id;
      heaviest[slot] = weight;
    }
  }
  return homes;
}

void Placer::set(Slot slot, Epoch epoch, HomeChanges& changes) {
  const Epoch before = map_.epoch(slot);
  if (before == epoch) return;
  PARLEY_ASSERT(epoch == 0 || epoch > before, "slot " + std::to_string(slot) + ": epoch " +
                                                  std::to_string(epoch) + " follows epoch " +
                                                  std::to_string(before));
  map_.set_serving(slot, false);
  map_.set_epoch(slot, epoch);
  leaving_.erase(slot);
  if (before != 0) {
    --held_;
    changes.lost.push_back(slot);
  }
  if (epoch != 0) {
    ++held_;
    changes.gained.push_back({slot, epoch});
  }
}

HomeChanges Placer::renewed(core::MonoTime sent, const View& view) {
  PARLEY_ASSERT(view.homes.size() == kSlots,
                "a view of " + std::to_string(view.homes.size()) + " slots");
  if (preferred_.empty() || !prefer_the_same(view_.nodes, view.nodes)) {
    preferred_ = preferred_homes(view.nodes);
  }
  view_ = view;
  HomeChanges changes;
  for (std::size_t i = 0; i < kSlots; ++i) {
    const auto slot = static_cast<Slot>(i);
    const Home& home = view.homes[i];
    set(slot, is_given_back(slot, home) || home.node != self_ ? 0 : home.epoch, changes);
  }
  map_.serve_until(sent + kLease - kServeMargin);
  return changes;
}

// Forgets it when the view shows another home.
bool Placer::is_given_back(Slot slot, const Home& home) {
  if (given_back_.empty()) return false;
  const auto given = given_back_.find(slot);
  if (given == given_back_.end()) return false;
  if (home.node == self_ && home.epoch == given->second) return true;
  given_back_.erase(given);
  return false;
}

HomeChanges Placer::took(std::span<const TakenSlot> slots) {
  HomeChanges changes;
  for (const TakenSlot& taken : slots) {
    view_.homes.at(taken.slot) = {self_, taken.epoch};
    set(taken.slot, taken.epoch, changes);
  }
  return changes;
}

void Placer::recovered(std::span<const TakenSlot> slots) {
  for (const TakenSlot& each : slots) {
    const bool is_here = map_.epoch(each.slot) == each.epoch && !leaving_.contains(each.slot);
    if (is_here) map_.set_serving(each.slot, true);
  }
}

HomeChanges Placer::left() {
  HomeChanges changes;
  map_.serve_until({});
  for (std::size_t i = 0; i < kSlots; ++i) set(static_cast<Slot>(i), 0, changes);
  view_ = {};
  preferred_.clear();
  given_back_.clear();
  return changes;
}

std::vector<Slot> Placer::to_take() const {
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < view_.homes.size() && slots.size() < kMaxTaken; ++i) {
    const auto slot = static_cast<Slot>(i);
    if (preferred_[i] == self_ && view_.is_free(slot)) slots.push_back(slot);
  }
  return slots;
}

std::vector<Slot> Placer::begin_to_leave() {
  std::vector<Slot> slots;
  if (!one_can_take(view_.nodes)) return slots;
  for (std::size_t i = 0; i < view_.homes.size() && leaving_.size() < kMaxLeaving; ++i) {
    const auto slot = static_cast<Slot>(i);
    if (map_.epoch(slot) == 0 || leaving_.contains(slot)) continue;
    const NodeId other = preferred_[i];
    if (other == self_ || other == kNobody) continue;
    map_.set_serving(slot, false);
    leaving_.insert(slot);
    slots.push_back(slot);
  }
  return slots;
}

HomeChanges Placer::give_back(std::span<const Slot> slots) {
  HomeChanges changes;
  for (const Slot slot : slots) {
    if (const Epoch epoch = map_.epoch(slot); epoch != 0) given_back_[slot] = epoch;
    set(slot, 0, changes);
  }
  return changes;
}

std::vector<Slot> Placer::to_give_again() const {
  std::vector<Slot> slots;
  for (const auto& [slot, epoch] : given_back_) slots.push_back(slot);
  return slots;
}

}  // namespace parley::placement
