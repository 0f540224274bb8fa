// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/graph_index.h"

#include <utility>

#include "base/core/near_names.h"
#include "base/core/visible_text.h"

namespace parley::comfyui {
namespace {

std::string type_text(const json::value* value) {
  if (value == nullptr || value->is_null()) return "*";
  if (const json::string* text = value->if_string()) return std::string(text_view(*text));
  if (value->is_array()) return "COMBO";  // old front ends wrote the choices as type
  return "*";
}

}  // namespace

std::optional<LinkRecord> read_link(const json::value& value) {
  const json::value* parts[6] = {};
  if (const json::array* array = value.if_array()) {
    if (array->size() < 5) return std::nullopt;
    for (std::size_t i = 0; i < 6 && i < array->size(); ++i) parts[i] = &(*array)[i];
  } else if (const json::object* object = value.if_object()) {
    parts[0] = object->if_contains("id");
    parts[1] = object->if_contains("origin_id");
    parts[2] = object->if_contains("origin_slot");
    parts[3] = object->if_contains("target_id");
    parts[4] = object->if_contains("target_slot");
    parts[5] = object->if_contains("type");
  }
  auto id = id_text(parts[0]);
  auto from = id_text(parts[1]);
  const auto from_slot = integer_of(parts[2]);
  auto to = id_text(parts[3]);
  const auto to_slot = integer_of(parts[4]);
  if (!id || !from || !from_slot || !to || !to_slot) return std::nullopt;
  return LinkRecord{std::move(*id), std::move(*from), *from_slot,
                    std::move(*to), *to_slot,         type_text(parts[5])};
}

const LevelIndex* GraphIndex::definition_of(const json::object& node) const {
  const auto found = definitions.find(node_type(node));
  return found == definitions.end() ? nullptr : &found->second;
}

LevelIndex index_level(const json::object& graph) {
  LevelIndex out;
  out.graph = &graph;
  if (const json::array* nodes = array_member(graph, "nodes")) {
    for (const json::value& one : *nodes) {
      const json::object* node = one.if_object();
      if (node == nullptr) continue;
      if (auto id = id_text(node->if_contains("id"))) out.nodes.emplace(std::move(*id), node);
    }
  }
  if (const json::array* links = array_member(graph, "links")) {
    for (const json::value& one : *links) {
      if (auto link = read_link(one)) out.links.emplace(link->id, *link);
    }
  }
  return out;
}

GraphIndex index_graph(const json::object& root) {
  GraphIndex out;
  out.top = index_level(root);
  const json::object* definitions = object_member(root, "definitions");
  const json::array* subgraphs =
      definitions == nullptr ? nullptr : array_member(*definitions, "subgraphs");
  if (subgraphs == nullptr) return out;
  for (const json::value& one : *subgraphs) {
    const json::object* graph = one.if_object();
    if (graph == nullptr) continue;
    if (auto id = id_text(graph->if_contains("id"))) {
      out.definitions.emplace(std::move(*id), index_level(*graph));
    }
  }
  return out;
}

std::string_view node_type(const json::object& node) {
  const json::value* found = node.if_contains("type");
  if (found == nullptr || !found->is_string()) return {};
  return text_view(found->get_string());
}

std::int64_t node_mode(const json::object& node) {
  return integer_of(node.if_contains("mode")).value_or(kModeAlways);
}

std::string node_name(std::string_view id, std::string_view type) {
  std::string out = core::visible_line(id);
  if (!type.empty()) out += " (" + core::visible_line(type.substr(0, 80)) + ")";
  return out;
}

const json::object* slot_at(const json::object& node, std::string_view side, std::int64_t index) {
  const json::array* slots = array_member(node, side);
  if (slots == nullptr || index < 0 || static_cast<std::uint64_t>(index) >= slots->size()) {
    return nullptr;
  }
  return (*slots)[static_cast<std::size_t>(index)].if_object();
}

std::string slot_name(const json::object& slot) {
  return id_text(slot.if_contains("name")).value_or("");
}

std::string slot_type(const json::object& slot) { return type_text(slot.if_contains("type")); }

}  // namespace parley::comfyui
