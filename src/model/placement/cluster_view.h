// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "model/placement/home_store.h"

namespace parley::placement {

// The cluster as a node knows it: as of its last renewal, so up to a renewal old, and older while
// the store is away. Whoever is sent to a node by it asks that node. Any thread.
class ClusterView {
 public:
  void set(View view);

  // The live node that is the home of an owner's sessions; std::nullopt: there is none, or it is
  // unknown.
  std::optional<Node> home_of(std::string_view owner) const;
  // The live home of each slot, or kNobody; empty: nothing is known.
  std::vector<NodeId> live_homes() const;
  // The node of this id, if it has not left.
  std::optional<Node> find(NodeId id) const;
  std::vector<Node> nodes() const;

 private:
  std::shared_ptr<const View> view() const;

  mutable std::mutex mutex_;  // held only to copy or set the pointer
  std::shared_ptr<const View> view_ = std::make_shared<const View>();
};

}  // namespace parley::placement
