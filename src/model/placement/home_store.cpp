// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/placement/home_store.h"

#include <algorithm>

namespace parley::placement {

const Node* View::find(NodeId id) const {
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [id](const Node& node) { return node.id == id; });
  return found == nodes.end() ? nullptr : &*found;
}

bool View::is_free(Slot slot) const {
  const Node* const node = find(homes.at(slot).node);
  return node == nullptr || !node->is_live;
}

}  // namespace parley::placement
