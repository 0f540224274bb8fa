// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/placement/memory_home_store.h"

#include <algorithm>
#include <string>
#include <utility>

namespace parley::placement {

using core::Code;

bool MemoryHomes::is_live(NodeId node) const {
  const auto found = nodes_.find(node);
  return found != nodes_.end() && found->second.expires >= clock_.mono() &&
         found->second.expires <= clock_.mono() + 2 * kLease;
}

core::Result<NodeId> MemoryHomes::join(const NodeDescription& node) {
  for (const auto& [id, member] : nodes_) {
    const bool is_other = member.description.name == node.name &&
                          member.description.instance != node.instance && is_live(id);
    if (is_other) return core::fail(Code::already_exists, "Another node has this name.");
  }
  std::erase_if(nodes_, [&node](const auto& one) {
    return one.second.description.name == node.name ||
           one.second.description.instance == node.instance;
  });
  nodes_[++last_id_] = {node, clock_.mono() + kLease};
  return last_id_;
}

core::Result<View> MemoryHomes::renew(NodeId node, const std::string& name) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) {
    const bool is_replaced = std::any_of(nodes_.begin(), nodes_.end(), [&name](const auto& one) {
      return one.second.description.name == name;
    });
    return core::fail(is_replaced ? Code::already_exists : Code::not_found, "It is no member.");
  }
  found->second.expires = clock_.mono() + kLease;
  View view;
  for (const auto& [id, member] : nodes_) {
    view.nodes.push_back({id, member.description, is_live(id), member.is_draining});
  }
  view.homes = homes_;
  return view;
}

std::vector<TakenSlot> MemoryHomes::take(NodeId node, std::span<const Slot> slots) {
  std::vector<TakenSlot> taken;
  if (!is_live(node)) return taken;
  for (const Slot slot : slots) {
    Home& home = homes_.at(slot);
    if (is_live(home.node)) continue;
    home = {node, home.epoch + 1};
    taken.push_back({slot, home.epoch});
  }
  return taken;
}

void MemoryHomes::give_back(NodeId node, std::span<const Slot> slots) {
  for (const Slot slot : slots) {
    if (homes_.at(slot).node == node) homes_[slot].node = kNobody;
  }
}

void MemoryHomes::set_draining(NodeId node, bool is_draining) {
  const auto found = nodes_.find(node);
  if (found != nodes_.end()) found->second.is_draining = is_draining;
}

template <typename Result, typename Call>
Result MemoryHomeStore::answered(Call call) {
  const auto away = [] { return core::fail(Code::unavailable, "The store is away."); };
  if (fault_ == Fault::unreachable) return away();
  Result answer = call();
  if (fault_ == Fault::no_answer) return away();
  return answer;
}

core::Result<NodeId> MemoryHomeStore::join(const NodeDescription& node) {
  name_ = node.name;
  return answered<core::Result<NodeId>>([&] { return homes_.join(node); });
}

core::Result<View> MemoryHomeStore::renew(NodeId node) {
  return answered<core::Result<View>>([&] { return homes_.renew(node, name_); });
}

core::Result<std::vector<TakenSlot>> MemoryHomeStore::take(NodeId node,
                                                           std::span<const Slot> slots) {
  return answered<core::Result<std::vector<TakenSlot>>>([&] { return homes_.take(node, slots); });
}

core::Result<void> MemoryHomeStore::give_back(NodeId node, std::span<const Slot> slots) {
  return answered<core::Result<void>>([&] {
    homes_.give_back(node, slots);
    return core::Result<void>();
  });
}

core::Result<void> MemoryHomeStore::set_draining(NodeId node, bool is_draining) {
  return answered<core::Result<void>>([&] {
    homes_.set_draining(node, is_draining);
    return core::Result<void>();
  });
}

core::Result<void> MemoryHomeStore::leave(NodeId node) {
  return answered<core::Result<void>>([&] {
    homes_.leave(node);
    return core::Result<void>();
  });
}

}  // namespace parley::placement
