// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comfyui/workflow/graph_index.h"
#include "comfyui/workflow/json_tree.h"
#include "comfyui/workflow/node_schema.h"

// The order of `widgets_values` of a node in UI form: the one place of these rules.
namespace parley::comfyui {

// One place of widgets_values. Slots are in the order of the array.
struct WidgetSlot {
  std::string name;                     // of the input, or "control_after_generate"
  const InputSchema* schema = nullptr;  // nullptr: nothing is known of the value
  bool sent = true;                     // false: the front end's own, not in the API form
};

using WidgetSlots = std::vector<WidgetSlot>;

// The slots of a node whose class is `schema`. A widget keeps its slot when it was converted to an
// input or is connected. Behind a seed stands its control_after_generate value, behind such a
// choice also a filter. Nodes saved before the front end dropped the values of forced inputs, and
// those with the value of an upload button, are known by the number of their values. Error:
// `unimplemented` for a dynamic choice.
core::Result<WidgetSlots> widget_slots(const NodeSchema& schema, const json::object& node);

// The slots of a node without schema: those of Note, MarkdownNote and PrimitiveNode have names, any
// other value is called by its place, "#0".
WidgetSlots unnamed_slots(std::string_view type, const json::object& node);

// The slots of a node that stands for the subgraph `inner`, by its proxyWidgets, else by the inputs
// of the subgraph that feed widgets. A name "3:seed" is the widget `seed` of inner node 3.
WidgetSlots subgraph_slots(const json::object& node, const LevelIndex& inner);

// The value at that slot, nullptr if the node has none there.
const json::value* widget_value(const json::object& node, const WidgetSlots& slots,
                                std::size_t index);

// Puts a value there; slots in front that have no value get their default.
void put_widget_value(json::object& node, const WidgetSlots& slots, std::size_t index,
                      json::value value);

// The value that a new node has: the default, else the first choice, else the least sensible one.
json::value default_of(const WidgetSlot& slot);

// Checks a value against an input: type, range, choices. The value comes back as it is stored (20.0
// becomes 20 for INT). The error says what was expected; it does not name the node.
core::Result<json::value> checked_value(const InputSchema& input, json::value value);

inline constexpr std::string_view kControlName = "control_after_generate";

}  // namespace parley::comfyui
