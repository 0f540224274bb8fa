// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "model/placement/slot.h"

namespace parley::placement {

// One start of a node. Another start has another id, also of the same node.
using NodeId = std::int64_t;
inline constexpr NodeId kNobody = 0;

// The description of a node, by itself, when it joins.
struct NodeDescription {
  std::string name;      // unique among the nodes of a cluster
  std::string instance;  // of its data directory: two starts with one cannot run at once
  std::string link;      // address at which other nodes reach it, HOST:PORT
  std::string version;   // of the program
};

struct Node {
  NodeId id = kNobody;
  NodeDescription description;
  bool is_live = false;      // its lease is not over
  bool is_draining = false;  // it gives its slots to others
};

// The home of a slot.
struct Home {
  NodeId node = kNobody;
  Epoch epoch = 0;
};

// The state of a cluster at one moment.
struct View {
  std::vector<Node> nodes;
  std::vector<Home> homes;                     // kSlots of them
  std::optional<core::WallTime> read_at = {};  // by the clock of the store

  // The node of this id; null if it has left.
  const Node* find(NodeId id) const;
  // True for a slot that may be taken: nobody's, or of a node that is gone or whose lease is over.
  bool is_free(Slot slot) const;
};

// A node has a lease for all of its slots together: one row a renewal, not one a slot. The clock of
// the store alone decides whether it is over. The time without a renewal after which others take a
// node's slots:
inline constexpr core::Millis kLease{5'000};

// The nodes and homes of a cluster, as the store has them. Its calls wait for the store; they
// belong to one thread. Errors of all: those of sql::Database.
class HomeStore {
 public:
  HomeStore() = default;
  HomeStore(const HomeStore&) = delete;
  HomeStore& operator=(const HomeStore&) = delete;
  virtual ~HomeStore() = default;

  // Registers a start of a node, with a lease. An earlier start with the same instance has ended:
  // it leaves. Errors: `already_exists` (a live node of another instance has this name),
  // `failed_precondition` (a server that is no node uses the store).
  virtual core::Result<NodeId> join(const NodeDescription& node) = 0;

  // Extends the lease of a node, also one that is over if nobody has taken its slots, and reads the
  // view. It waits for those that take slots of this node at the moment, so that the view shows it.
  // Errors: `not_found` (the node has left), `already_exists` (another start has replaced it).
  virtual core::Result<View> renew(NodeId node) = 0;

  // Makes a node the home of those of the slots that are free. Waits for the commits in flight of
  // their former homes; from then on these commit nothing. A node whose lease is over gets none.
  virtual core::Result<std::vector<TakenSlot>> take(NodeId node, std::span<const Slot> slots) = 0;

  // Makes slots of a node nobody's. Commits of the node that have not ended may be refused.
  virtual core::Result<void> give_back(NodeId node, std::span<const Slot> slots) = 0;

  virtual core::Result<void> set_draining(NodeId node, bool is_draining) = 0;

  // Removes a node; its slots are free.
  virtual core::Result<void> leave(NodeId node) = 0;
};

}  // namespace parley::placement
