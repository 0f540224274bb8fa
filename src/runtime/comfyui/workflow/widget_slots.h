// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/comfyui/workflow/graph_index.h"
#include "runtime/comfyui/workflow/json_tree.h"
#include "runtime/comfyui/workflow/node_schema.h"

// The order of `widgets_values` of a node in UI form. All rules about it are here.
namespace parley::comfyui {

// One position of widgets_values, in the order of the array.
struct WidgetSlot {
  std::string name;                     // of the input, or "control_after_generate"
  const InputSchema* schema = nullptr;  // nullptr: the value is not described
  bool sent = true;                     // false: only for the front end, not in the API form
};

using WidgetSlots = std::vector<WidgetSlot>;

// The slots of a node whose class is `schema`. A widget keeps its slot when it is converted to an
// input or connected. An input with `control_after_generate` is followed by that value and, if it
// is a choice, also by a filter. Older front ends also saved values of forced inputs and of upload
// buttons: such nodes are recognised by the number of their values. Errors: `unimplemented` for a
// dynamic choice.
core::Result<WidgetSlots> widget_slots(const NodeSchema& schema, const json::object& node);

// The slots of a node without schema: values in an object are named by their members; in an array
// those of Note, MarkdownNote and PrimitiveNode have names, all others the name of their position,
// "#0".
WidgetSlots unnamed_slots(std::string_view type, const json::object& node);

// The slots of a node that instantiates the subgraph `inner`, by its proxyWidgets, else by the
// inputs of the subgraph that feed widgets. The name "3:seed" means the widget `seed` of inner node
// 3.
WidgetSlots subgraph_slots(const json::object& node, const LevelIndex& inner);

// The value at that slot, nullptr if the node has none.
const json::value* widget_value(const json::object& node, const WidgetSlots& slots,
                                std::size_t index);

// Sets the value at that slot; earlier slots without a value get their default.
void put_widget_value(json::object& node, const WidgetSlots& slots, std::size_t index,
                      json::value value);

// Value for a new node: the default, else the first choice, else an empty value, or for numbers
// the greater of 0 and the minimum.
json::value default_of(const WidgetSlot& slot);

// Checks a value against an input: type, range, choices. Returns the value in the stored form (20.0
// becomes 20 for INT). The error states the expected value; it does not name the node.
core::Result<json::value> checked_value(const InputSchema& input, json::value value);

inline constexpr std::string_view kControlName = "control_after_generate";

}  // namespace parley::comfyui
