// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <vector>

#include "base/core/clock.h"
#include "model/placement/home_store.h"

// For tests only.
namespace parley::placement {

// The nodes and homes of a cluster in memory: what all nodes share. Each call happens at once.
class MemoryHomes {
 public:
  // `clock`: of the store, which outlives this.
  explicit MemoryHomes(const core::Clock& clock) : clock_(clock), homes_(kSlots) {}

  core::Result<NodeId> join(const NodeDescription& node);
  core::Result<View> renew(NodeId node, const std::string& name);
  std::vector<TakenSlot> take(NodeId node, std::span<const Slot> slots);
  void give_back(NodeId node, std::span<const Slot> slots);
  void set_draining(NodeId node, bool is_draining);
  void leave(NodeId node) { nodes_.erase(node); }

  const Home& home(Slot slot) const { return homes_.at(slot); }
  bool is_live(NodeId node) const;

 private:
  struct Member {
    NodeDescription description;
    core::MonoTime expires;
    bool is_draining = false;
  };

  const core::Clock& clock_;
  std::map<NodeId, Member> nodes_;
  std::vector<Home> homes_;
  NodeId last_id_ = 0;
};

// The connection of one node to them, whose calls can fail.
class MemoryHomeStore final : public HomeStore {
 public:
  explicit MemoryHomeStore(MemoryHomes& homes) : homes_(homes) {}

  enum class Fault {
    none,
    unreachable,  // nothing is done
    no_answer,    // the call is done, and its answer is lost
  };
  // Of all further calls.
  void set_fault(Fault fault) { fault_ = fault; }

  core::Result<NodeId> join(const NodeDescription& node) override;
  core::Result<View> renew(NodeId node) override;
  core::Result<std::vector<TakenSlot>> take(NodeId node, std::span<const Slot> slots) override;
  core::Result<void> give_back(NodeId node, std::span<const Slot> slots) override;
  core::Result<void> set_draining(NodeId node, bool is_draining) override;
  core::Result<void> leave(NodeId node) override;

 private:
  template <typename Result, typename Call>
  Result answered(Call call);

  MemoryHomes& homes_;
  std::string name_;
  Fault fault_ = Fault::none;
};

}  // namespace parley::placement
