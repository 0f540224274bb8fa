// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/placement/cluster_view.h"

#include <utility>

namespace parley::placement {

void ClusterView::set(View view) {
  auto next = std::make_shared<const View>(std::move(view));
  const std::scoped_lock lock(mutex_);
  view_.swap(next);
}

std::shared_ptr<const View> ClusterView::view() const {
  const std::scoped_lock lock(mutex_);
  return view_;
}

std::optional<Node> ClusterView::home_of(std::string_view owner) const {
  const std::shared_ptr<const View> now = view();
  if (now->homes.empty()) return std::nullopt;
  const Node* const node = now->find(now->homes.at(slot_of(owner)).node);
  return node != nullptr && node->is_live ? std::optional(*node) : std::nullopt;
}

std::vector<NodeId> ClusterView::live_homes() const {
  const std::shared_ptr<const View> now = view();
  std::vector<NodeId> homes;
  homes.reserve(now->homes.size());
  for (const Home& home : now->homes) {
    const Node* const node = now->find(home.node);
    homes.push_back(node != nullptr && node->is_live ? node->id : kNobody);
  }
  return homes;
}

std::optional<Node> ClusterView::find(NodeId id) const {
  const std::shared_ptr<const View> now = view();
  const Node* const node = now->find(id);
  return node != nullptr ? std::optional(*node) : std::nullopt;
}

std::vector<Node> ClusterView::nodes() const { return view()->nodes; }

}  // namespace parley::placement
