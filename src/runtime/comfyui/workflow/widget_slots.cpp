// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/widget_slots.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/core/json_writer.h"
#include "base/core/near_names.h"

namespace parley::comfyui {
namespace {

// Limit of the slots of a node without schema; values beyond it are kept but have no slot.
constexpr std::size_t kMaxUnnamedSlots = 256;

// Limit of the choices in an error.
constexpr std::size_t kListedChoices = 12;

bool has_widget_input(const json::object& node, std::string_view name) {
  const json::array* inputs = array_member(node, "inputs");
  if (inputs == nullptr) return false;
  return std::any_of(inputs->begin(), inputs->end(), [name](const json::value& one) {
    const json::object* input = one.if_object();
    if (input == nullptr || object_member(*input, "widget") == nullptr) return false;
    const json::value* found = input->if_contains("name");
    return found != nullptr && found->is_string() && text_view(found->get_string()) == name;
  });
}

// True if the first link of a subgraph's input goes to a widget.
bool feeds_widget(const LevelIndex& inner, const json::object& input) {
  const json::array* links = array_member(input, "linkIds");
  const auto id = links == nullptr || links->empty() ? std::nullopt : id_text(&links->front());
  const auto link = id ? inner.links.find(*id) : inner.links.end();
  if (link == inner.links.end()) return false;
  const auto node = inner.nodes.find(link->second.to);
  if (node == inner.nodes.end()) return false;
  const json::object* slot = slot_at(*node->second, "inputs", link->second.to_slot);
  return slot != nullptr && object_member(*slot, "widget") != nullptr;
}

void add_input(WidgetSlots& slots, const InputSchema& input) {
  slots.push_back({input.name, &input, true});
  if (!input.control_after_generate) return;
  slots.push_back({std::string(kControlName), nullptr, false});
  if (input.widget == WidgetKind::choice) slots.push_back({"control_filter_list", nullptr, false});
}

// Slots with the values of forced inputs, as old front ends saved them.
WidgetSlots with_forced(const NodeSchema& schema, const json::object& node) {
  WidgetSlots slots;
  for (const InputSchema& input : schema.inputs) {
    if (input.force_input) {
      const std::size_t first = slots.size();
      add_input(slots, input);
      for (std::size_t i = first; i < slots.size(); ++i) slots[i].sent = false;
    } else if (input.widget != WidgetKind::none || has_widget_input(node, input.name)) {
      add_input(slots, input);
    }
  }
  return slots;
}

WidgetSlots with_upload_button(const NodeSchema& schema, const json::object& node) {
  WidgetSlots slots;
  bool pending = std::any_of(schema.inputs.begin(), schema.inputs.end(),
                             [](const InputSchema& one) { return one.uploads; });
  for (const InputSchema& input : schema.inputs) {
    if (pending && !input.required) {
      slots.push_back({"upload", nullptr, false});
      pending = false;
    }
    if (input.widget != WidgetKind::none || has_widget_input(node, input.name)) {
      add_input(slots, input);
    }
  }
  if (pending) slots.push_back({"upload", nullptr, false});
  return slots;
}

std::string listed_choices(const InputSchema& input) {
  std::string out = "one of ";
  for (std::size_t i = 0; i < input.choices.size() && i < kListedChoices; ++i) {
    if (i > 0) out += ", ";
    out += input.choices[i];
  }
  if (input.choices.size() > kListedChoices) {
    out += " and " + std::to_string(input.choices.size() - kListedChoices) + " more";
  }
  return out;
}

long double as_number(const json::value& value) {
  if (value.is_int64()) return static_cast<long double>(value.get_int64());
  if (value.is_uint64()) return static_cast<long double>(value.get_uint64());
  return static_cast<long double>(value.get_double());
}

std::string found_text(const json::value& value) {
  std::string text = tree_text(value);
  constexpr std::size_t kShown = 80;
  if (text.size() > kShown) return core::in_quotes(text);
  return text;
}

core::Result<json::value> wrong(const std::string& expected, const json::value& found) {
  return core::fail(core::Code::invalid_argument,
                    "expected " + expected + ", found " + found_text(found) + ".");
}

core::Result<json::value> checked_number(const InputSchema& input, json::value value) {
  const bool is_integer = input.widget == WidgetKind::integer;
  if (!value.is_number()) return wrong(is_integer ? "a whole number" : "a number", value);
  if (is_integer && value.is_double()) {
    const auto integer = integer_of(&value);
    if (!integer) return wrong("a whole number", value);
    value = *integer;
  }
  const long double number = as_number(value);
  if (input.min && number < *input.min) {
    return wrong("a number of at least " + bound_text(*input.min), value);
  }
  if (input.max && number > *input.max) {
    return wrong("a number of at most " + bound_text(*input.max), value);
  }
  return value;
}

core::Result<json::value> checked_choice(const InputSchema& input, json::value value) {
  if (input.many_choices && value.is_array()) {
    for (const json::value& one : value.get_array()) {
      InputSchema single = input;
      single.many_choices = false;
      auto checked = checked_choice(single, one);
      if (!checked) return checked;
    }
    return value;
  }
  if (input.open_choices) {
    if (value.is_array() || value.is_object()) return wrong("a single value", value);
    return value;
  }
  const std::string text = tree_text(value);
  if (std::find(input.choices.begin(), input.choices.end(), text) != input.choices.end()) {
    return value;
  }
  const std::vector<std::string_view> names(input.choices.begin(), input.choices.end());
  std::string message = "expected " + listed_choices(input) + ", found " + found_text(value) + ".";
  const std::vector<std::string> near = core::near_names(text, names);
  for (std::size_t i = 0; i < near.size(); ++i) {
    message += (i == 0 ? " Did you mean " : ", ") + near[i];
  }
  if (!near.empty()) message += "?";
  return core::fail(core::Code::invalid_argument, std::move(message));
}

}  // namespace

core::Result<WidgetSlots> widget_slots(const NodeSchema& schema, const json::object& node) {
  WidgetSlots slots;
  for (const InputSchema& input : schema.inputs) {
    if (input.widget == WidgetKind::dynamic) {
      return core::fail(core::Code::unimplemented,
                        "the input " + core::in_quotes(input.name) + " of class " +
                            core::in_quotes(schema.type) + " is a dynamic choice (" + input.type +
                            "), whose widgets are not supported.",
                        input.name);
    }
    if (input.force_input) continue;
    if (input.widget != WidgetKind::none || has_widget_input(node, input.name)) {
      add_input(slots, input);
    }
  }
  const json::array* values = array_member(node, "widgets_values");
  if (values == nullptr || values->size() <= slots.size()) return slots;
  WidgetSlots forced = with_forced(schema, node);
  if (forced.size() > slots.size() && forced.size() == values->size()) return forced;
  WidgetSlots button = with_upload_button(schema, node);
  if (button.size() > slots.size() && button.size() == values->size()) return button;
  return slots;
}

WidgetSlots unnamed_slots(std::string_view type, const json::object& node) {
  WidgetSlots slots;
  if (type == "Note" || type == "MarkdownNote") slots = {{"text", nullptr, false}};
  if (type == "PrimitiveNode") {
    slots = {{"value", nullptr, false}, {std::string(kControlName), nullptr, false}};
  }
  const json::value* values = node.if_contains("widgets_values");
  if (values == nullptr) return slots;
  if (const json::object* by_name = values->if_object()) {
    slots.clear();
    for (const json::key_value_pair& member : *by_name) {
      if (slots.size() == kMaxUnnamedSlots) break;
      slots.push_back({std::string(member.key()), nullptr, true});
    }
  } else if (const json::array* in_order = values->if_array()) {
    const std::size_t size = std::min(in_order->size(), kMaxUnnamedSlots);
    for (std::size_t i = slots.size(); i < size; ++i) {
      slots.push_back({"#" + std::to_string(i), nullptr, true});
    }
  }
  return slots;
}

WidgetSlots subgraph_slots(const json::object& node, const LevelIndex& inner) {
  WidgetSlots slots;
  const json::object* properties = object_member(node, "properties");
  const json::array* proxies =
      properties == nullptr ? nullptr : array_member(*properties, "proxyWidgets");
  if (proxies != nullptr) {
    for (const json::value& one : *proxies) {
      const json::array* pair = one.if_array();
      if (pair == nullptr || pair->size() < 2 || slots.size() == kMaxUnnamedSlots) break;
      const auto id = id_text(&(*pair)[0]);
      const auto name = id_text(&(*pair)[1]);
      if (!id || !name) break;
      slots.push_back({*id == "-1" ? *name : *id + ":" + *name, nullptr, true});
    }
    return slots;
  }
  const json::array* inputs = array_member(*inner.graph, "inputs");
  if (inputs == nullptr) return slots;
  for (const json::value& one : *inputs) {
    const json::object* input = one.if_object();
    if (input == nullptr || slots.size() == kMaxUnnamedSlots) break;
    if (feeds_widget(inner, *input)) slots.push_back({slot_name(*input), nullptr, true});
  }
  return slots;
}

const json::value* widget_value(const json::object& node, const WidgetSlots& slots,
                                std::size_t index) {
  const json::value* values = node.if_contains("widgets_values");
  if (values == nullptr) return nullptr;
  if (const json::object* by_name = values->if_object()) {
    return by_name->if_contains(slots[index].name);
  }
  const json::array* in_order = values->if_array();
  if (in_order == nullptr || index >= in_order->size()) return nullptr;
  return &(*in_order)[index];
}

void put_widget_value(json::object& node, const WidgetSlots& slots, std::size_t index,
                      json::value value) {
  json::value& values = node["widgets_values"];
  if (json::object* by_name = values.if_object()) {
    (*by_name)[slots[index].name] = std::move(value);
    return;
  }
  if (!values.is_array()) values = json::array();
  json::array& in_order = values.get_array();
  while (in_order.size() <= index) in_order.push_back(default_of(slots[in_order.size()]));
  in_order[index] = std::move(value);
}

json::value default_of(const WidgetSlot& slot) {
  if (slot.name == kControlName) return "randomize";
  if (slot.schema == nullptr) return slot.name == "control_filter_list" ? json::value("") : nullptr;
  const InputSchema& input = *slot.schema;
  const TreeLimits limits{kMaxSchemaBytes, kMaxSchemaDepth, kMaxSchemaValues};
  if (!input.default_value.empty()) {
    auto given = parse_tree(input.default_value, limits, "The default");
    if (given) return std::move(*given);
  }
  switch (input.widget) {
    case WidgetKind::integer:
      return input.min && *input.min > 0 && *input.min < 9e18L
                 ? json::value(static_cast<std::int64_t>(*input.min))
                 : 0;
    case WidgetKind::number:
      return input.min && *input.min > 0 ? json::value(static_cast<double>(*input.min)) : 0.0;
    case WidgetKind::text:
      return "";
    case WidgetKind::boolean:
      return false;
    case WidgetKind::choice:
      if (!input.choices.empty()) {
        auto first = parse_tree(input.choices.front(), limits, "The choice");
        if (first) return std::move(*first);
      }
      return nullptr;
    case WidgetKind::none:
    case WidgetKind::other:
    case WidgetKind::dynamic:
      break;
  }
  return nullptr;
}

core::Result<json::value> checked_value(const InputSchema& input, json::value value) {
  switch (input.widget) {
    case WidgetKind::integer:
    case WidgetKind::number:
      return checked_number(input, std::move(value));
    case WidgetKind::text:
      if (!value.is_string()) return wrong("a text", value);
      return value;
    case WidgetKind::boolean:
      if (!value.is_bool()) return wrong("true or false", value);
      return value;
    case WidgetKind::choice:
      return checked_choice(input, std::move(value));
    case WidgetKind::none:
    case WidgetKind::other:
    case WidgetKind::dynamic:
      break;
  }
  return value;
}

}  // namespace parley::comfyui
