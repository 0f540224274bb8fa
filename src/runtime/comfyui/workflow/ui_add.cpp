// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/core/near_names.h"
#include "runtime/comfyui/workflow/edit_check.h"
#include "runtime/comfyui/workflow/ui_edit.h"
#include "runtime/comfyui/workflow/widget_slots.h"

namespace parley::comfyui {
namespace {

// Limit of a coordinate; a value beyond it is replaced by the fallback.
constexpr double kFarthest = 1e7;
constexpr double kFirstPlace = 100;
constexpr double kGap = 60;
constexpr double kWidth = 270;
constexpr double kHead = 60;
constexpr double kRow = 26;
constexpr std::int64_t kMaxCountedNode = std::int64_t{1} << 50;

// One of a pair of numbers, in a list or in an object with "0" and "1".
double part_of(const json::object& node, std::string_view name, std::size_t part, double fallback) {
  const json::value* found = node.if_contains(name);
  const json::value* number = nullptr;
  if (found != nullptr && found->is_array() && found->get_array().size() > part) {
    number = &found->get_array()[part];
  } else if (found != nullptr && found->is_object()) {
    number = found->get_object().if_contains(part == 0 ? "0" : "1");
  }
  if (number == nullptr || !number->is_number()) return fallback;
  const double value = number->to_number<double>();
  return std::abs(value) <= kFarthest ? value : fallback;
}

struct FreePlace {
  double x = kFirstPlace;
  double y = kFirstPlace;
  std::int64_t order = 0;
  std::int64_t id = 1;
};

// Place to the right of all nodes, at the height of the topmost one.
FreePlace free_place(const json::object& root) {
  FreePlace out;
  std::int64_t greatest = integer_of(root.if_contains("last_node_id")).value_or(0);
  if (const json::object* state = object_member(root, "state")) {
    greatest = std::max(greatest, integer_of(state->if_contains("lastNodeId")).value_or(0));
  }
  if (greatest > kMaxCountedNode || greatest < 0) greatest = 0;
  bool first = true;
  for (const json::value& one : *array_member(root, "nodes")) {
    const json::object& node = one.get_object();
    const double right =
        part_of(node, "pos", 0, 0) + std::max(0.0, part_of(node, "size", 0, kWidth));
    const double top = part_of(node, "pos", 1, 0);
    out.x = first ? right + kGap : std::max(out.x, right + kGap);
    out.y = first ? top : std::min(out.y, top);
    first = false;
    const std::int64_t order = integer_of(node.if_contains("order")).value_or(0);
    if (order < kMaxCountedNode) out.order = std::max(out.order, order + 1);
    const std::int64_t id = integer_of(node.if_contains("id")).value_or(0);
    if (id <= kMaxCountedNode) greatest = std::max(greatest, id);
  }
  const LevelIndex level = index_level(root);
  out.id = greatest + 1;
  while (level.nodes.contains(std::to_string(out.id))) ++out.id;
  return out;
}

json::object output_slot(std::string_view name, std::string_view type) {
  return {{"name", name}, {"type", type}, {"links", json::array()}};
}

// Sets the slots and values of a node that exists in the front end only.
void shape_virtual(json::object& node, std::string_view type) {
  json::array inputs;
  json::array outputs;
  if (type == "Reroute") {
    inputs.push_back(json::object{{"name", ""}, {"type", "*"}, {"link", nullptr}});
    outputs.push_back(output_slot("", "*"));
    node["properties"] = json::object{{"showOutputText", false}, {"horizontal", false}};
  } else if (type == "PrimitiveNode") {
    outputs.push_back(output_slot("connect to widget input", "*"));
    node["properties"] = json::object{{"Run widget replace on values", false}};
    node["widgets_values"] = json::array{nullptr, "fixed"};
  } else {
    node["properties"] = json::object();
    node["widgets_values"] = json::array{""};
  }
  node["inputs"] = std::move(inputs);
  node["outputs"] = std::move(outputs);
}

core::Result<void> shape_known(json::object& node, const NodeSchema& schema) {
  const auto slots = widget_slots(schema, node);
  if (!slots) return core::fail(slots.error());
  json::array inputs;
  for (const InputSchema& input : schema.inputs) {
    if (input.widget != WidgetKind::none) continue;
    inputs.push_back(json::object{{"name", input.name}, {"type", input.type}, {"link", nullptr}});
  }
  json::array outputs;
  for (const OutputSchema& output : schema.outputs) {
    outputs.push_back(output_slot(output.name, output.type));
  }
  const double rows = static_cast<double>(std::max(inputs.size(), outputs.size()) + slots->size());
  node["size"] = json::array{kWidth, kHead + kRow * rows};
  node["inputs"] = std::move(inputs);
  node["outputs"] = std::move(outputs);
  node["properties"] = json::object{{"Node name for S&R", schema.type}};
  json::array values;
  for (const WidgetSlot& slot : *slots) values.push_back(default_of(slot));
  node["widgets_values"] = std::move(values);
  return {};
}

void count_node(json::object& root, std::int64_t id) {
  json::value* state = root.if_contains("state");
  if (state != nullptr && state->is_object()) {
    state->get_object()["lastNodeId"] = id;
  } else {
    root["last_node_id"] = id;
  }
}

}  // namespace

core::Result<Workflow::Added> ui_add_node(json::object& root, std::string_view type,
                                          std::string_view title, const json::object& inputs,
                                          const NodeSchemas& schemas) {
  const NodeSchema* schema = schemas.find(type);
  if (schema == nullptr && !is_virtual(type)) return core::fail(no_such_class(type, schemas));
  json::array& nodes = *array_member(root, "nodes");
  if (nodes.size() >= kMaxNodes) {
    return core::fail(
        core::Code::resource_exhausted,
        "The workflow has " + std::to_string(nodes.size()) + " nodes; it can have no more.",
        "class");
  }
  const FreePlace place = free_place(root);
  json::object node = {{"id", place.id},
                       {"type", type},
                       {"pos", json::array{place.x, place.y}},
                       {"size", json::array{kWidth, kHead + kRow}},
                       {"flags", json::object()},
                       {"order", place.order},
                       {"mode", kModeAlways}};
  if (!title.empty()) node["title"] = title;
  if (schema == nullptr) {
    shape_virtual(node, type);
  } else if (auto shaped = shape_known(node, *schema); !shaped) {
    return core::fail(std::move(shaped.error()));
  }
  const std::string id = std::to_string(place.id);
  nodes.push_back(std::move(node));
  for (const json::key_value_pair& member : inputs) {
    auto set = ui_set_input(root, id, member.key(), member.value(), schemas);
    if (set) continue;
    nodes.pop_back();
    return core::fail(std::move(set.error()));
  }
  count_node(root, place.id);
  return Workflow::Added{id, "Node " + node_name(id, type) + " is added."};
}

}  // namespace parley::comfyui
