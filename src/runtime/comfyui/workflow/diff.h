// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/comfyui/workflow/node_schema.h"
#include "runtime/comfyui/workflow/workflow.h"

namespace parley::comfyui {

inline constexpr std::size_t kMaxDiffEntries = 2'000;     // all kinds together
inline constexpr std::size_t kMaxDiffBytes = 32U << 10U;  // of the text and of the JSON
inline constexpr std::size_t kMaxDiffValueBytes = 200;    // one value in these

struct DiffNode {
  std::string id;
  std::string type;
  std::string title;
};

// A changed value of a node that is in both workflows.
struct DiffChange {
  std::string id;
  std::string type;
  std::string what;    // "title", "mode", "class", or "input NAME"
  std::string before;  // JSON text; "" if there was none
  std::string after;
};

struct DiffLink {
  std::string from;  // node id
  std::string output;
  std::string to;
  std::string input;
};

// Differences from `before` to `after`. Position, size, colours, groups and the view are not
// compared. Nodes inside a subgraph are compared once, with the path of the first instance.
struct WorkflowDiff {
  std::vector<DiffNode> added;
  std::vector<DiffNode> removed;
  std::vector<DiffChange> changed;
  std::vector<DiffLink> links_added;
  std::vector<DiffLink> links_removed;
  std::size_t more = 0;  // number of entries beyond kMaxDiffEntries

  bool empty() const;
  // One line per entry: `~ 3 (KSampler) input steps: 20 -> 30`. "No changes.\n" if empty.
  std::string lines(std::size_t max_bytes = kMaxDiffBytes) const;
  // {"added":[...],"removed":[...],"changed":[...],"links_added":[...],"links_removed":[...],"more":0}
  std::string json(std::size_t max_bytes = kMaxDiffBytes) const;
};

// The forms may differ; then data that only one form has (modes, the front end's values) is
// ignored. Schemas give the names of widgets in UI form; without them widgets are named by
// position.
WorkflowDiff diff(const Workflow& before, const Workflow& after, const NodeSchemas& schemas);

}  // namespace parley::comfyui
