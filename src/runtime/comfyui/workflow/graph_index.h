// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/string_map.h"
#include "runtime/comfyui/workflow/json_tree.h"

// Reads the UI form: nodes and links by id, on one level or in a subgraph definition.
namespace parley::comfyui {

// Node ids at the ends of links to the frame of a subgraph.
inline constexpr std::string_view kSubgraphInput = "-10";
inline constexpr std::string_view kSubgraphOutput = "-20";

struct LinkRecord {
  std::string id;
  std::string from;  // node id
  std::int64_t from_slot = 0;
  std::string to;
  std::int64_t to_slot = 0;
  std::string type;
};

// Reads a link in the array form [id, from, slot, to, slot, type] or the object form {id,
// origin_id, origin_slot, target_id, target_slot, type}. std::nullopt if it is neither.
std::optional<LinkRecord> read_link(const json::value& value);

// One level: the workflow itself or one subgraph definition. Valid while the tree is unchanged.
struct LevelIndex {
  const json::object* graph = nullptr;
  core::StringMap<const json::object*> nodes;
  core::StringMap<LinkRecord> links;
};

struct GraphIndex {
  LevelIndex top;
  core::StringMap<LevelIndex> definitions;  // by the id of the subgraph, the type of its instances

  // The level of the definition if the node instantiates a subgraph, else nullptr.
  const LevelIndex* definition_of(const json::object& node) const;
};

LevelIndex index_level(const json::object& graph);
GraphIndex index_graph(const json::object& root);

// Class of a node, "" if it has none.
std::string_view node_type(const json::object& node);
// LiteGraph mode of a node: 0 always, 2 never (muted), 4 bypassed.
std::int64_t node_mode(const json::object& node);
inline constexpr std::int64_t kModeAlways = 0;
inline constexpr std::int64_t kModeMuted = 2;
inline constexpr std::int64_t kModeBypassed = 4;

// `3 (KSampler)`, for messages.
std::string node_name(std::string_view id, std::string_view type);

// The slot object at `index` in `inputs` or `outputs`, nullptr if there is none.
const json::object* slot_at(const json::object& node, std::string_view side, std::int64_t index);
std::string slot_name(const json::object& slot);
std::string slot_type(const json::object& slot);

}  // namespace parley::comfyui
