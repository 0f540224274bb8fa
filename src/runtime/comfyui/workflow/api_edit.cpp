// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/api_edit.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/core/near_names.h"
#include "base/core/number_text.h"
#include "base/core/result.h"
#include "runtime/comfyui/workflow/edit_check.h"
#include "runtime/comfyui/workflow/graph_index.h"
#include "runtime/comfyui/workflow/widget_slots.h"
#include "runtime/comfyui/workflow/workflow_tree.h"

namespace parley::comfyui {
namespace {

// Limit of the output numbers of a node with an unknown class.
constexpr std::int64_t kMaxOutput = 1'000;

json::object& api_inputs(json::object& node) {
  json::value& inputs = node["inputs"];
  if (!inputs.is_object()) inputs = json::object();
  return inputs.get_object();
}

std::string api_name(std::string_view id, const json::object& node) {
  return node_name(id, api_type(node));
}

std::optional<std::int64_t> output_number(std::string_view text) {
  const auto number = core::parse_number<std::int64_t>(text);
  return number && *number >= 0 && *number <= kMaxOutput ? number : std::nullopt;
}

// True if node `target` is `start` or feeds it.
bool api_feeds(const json::object& root, const std::string& target, const std::string& start) {
  std::vector<std::string> waiting = {start};
  core::StringMap<bool> seen;
  while (!waiting.empty()) {
    const std::string id = std::move(waiting.back());
    waiting.pop_back();
    if (id == target) return true;
    if (!seen.emplace(id, true).second) continue;
    const json::object* node = object_member(root, id);
    const json::object* inputs = node == nullptr ? nullptr : object_member(*node, "inputs");
    if (inputs == nullptr) continue;
    for (const json::key_value_pair& member : *inputs) {
      if (auto link = api_link(member.value())) waiting.push_back(std::move(link->from));
    }
  }
  return false;
}

// In the API form a list is a link, unless it is wrapped.
json::value wrapped(json::value value) {
  if (!value.is_array()) return value;
  return json::object{{"__value__", std::move(value)}};
}

core::Result<const InputSchema*> known_input(const std::string& name, const NodeSchema* schema,
                                             std::string_view input) {
  if (schema == nullptr) return nullptr;
  if (const InputSchema* known = schema->input(input)) return known;
  return core::fail(no_such_slot(name, "input", input, schema->input_names()));
}

core::Result<json::value> checked_api_value(const std::string& name, const NodeSchema* schema,
                                            std::string_view input, json::value value) {
  PARLEY_TRY(const auto known, known_input(name, schema, input));
  if (known == nullptr) return wrapped(std::move(value));
  if (known->widget == WidgetKind::none && !known->force_input) {
    return core::fail(core::Code::invalid_argument,
                      "Node " + name + ": input " + core::in_quotes(input) +
                          " takes a link of type " + known->type + ", not a value. Connect it.",
                      "input");
  }
  auto checked = checked_value(*known, std::move(value));
  if (!checked) return core::fail(bad_value(name, input, std::move(checked.error())));
  return wrapped(std::move(*checked));
}

core::Result<std::int64_t> output_of(const std::string& name, const NodeSchema* schema,
                                     std::string_view output) {
  if (schema != nullptr) {
    std::vector<std::string_view> names;
    for (const OutputSchema& one : schema->outputs) names.emplace_back(one.name);
    if (const auto place = place_of(output, names)) return static_cast<std::int64_t>(*place);
    return core::fail(no_such_slot(name, "output", output, names));
  }
  if (const auto number = output_number(output)) return *number;
  return core::fail(core::Code::invalid_argument,
                    "Node " + name +
                        ": its class is unknown here, so the output must be a number, " + "not " +
                        core::in_quotes(output) + ".",
                    "output");
}

}  // namespace

core::Result<json::object*> api_node(json::object& root, std::string_view id,
                                     std::string_view field) {
  json::value* found = root.if_contains(id);
  if (found != nullptr) return &found->get_object();
  std::vector<std::string_view> ids;
  for (const json::key_value_pair& member : root) ids.emplace_back(member.key());
  return core::fail(no_such_node(id, ids, field));
}

core::Result<std::string> api_set_input(json::object& root, std::string_view id,
                                        std::string_view input, json::value value,
                                        const NodeSchemas& schemas) {
  PARLEY_TRY(const auto node, api_node(root, id, "node"));
  const std::string name = api_name(id, *node);
  PARLEY_TRY(auto checked,
             checked_api_value(name, schemas.find(api_type(*node)), input, std::move(value)));
  json::object& inputs = api_inputs(*node);
  json::value* before = inputs.if_contains(input);
  if (before != nullptr && api_link(*before)) {
    return core::fail(core::Code::failed_precondition,
                      "Node " + name + ": input " + core::in_quotes(input) +
                          " is connected. Disconnect it first.",
                      "input");
  }
  std::string summary = changed_text(name, input, checked, before);
  inputs[input] = std::move(checked);
  return summary;
}

core::Result<std::string> api_connect(json::object& root, std::string_view from,
                                      std::string_view output, std::string_view to,
                                      std::string_view input, const NodeSchemas& schemas) {
  PARLEY_TRY(const auto source, api_node(root, from, "from"));
  PARLEY_TRY(const auto target, api_node(root, to, "to"));
  const std::string from_name = api_name(from, *source);
  const std::string to_name = api_name(to, *target);
  const NodeSchema* from_schema = schemas.find(api_type(*source));
  PARLEY_TRY(const auto slot, output_of(from_name, from_schema, output));
  PARLEY_TRY(const auto known, known_input(to_name, schemas.find(api_type(*target)), input));
  if (known != nullptr && from_schema != nullptr) {
    const std::string& type = from_schema->outputs[static_cast<std::size_t>(slot)].type;
    if (!types_fit(type, known->type)) {
      return core::fail(types_differ(from_name, output, type, to_name, input, known->type));
    }
  }
  if (api_feeds(root, std::string(to), std::string(from))) {
    return core::fail(makes_a_loop(from_name, to_name));
  }
  api_inputs(*target)[input] = json::array{json::value(from), json::value(slot)};
  return "Output " + core::in_quotes(output) + " of node " + from_name + " is connected to input " +
         core::in_quotes(input) + " of node " + to_name + ".";
}

core::Result<std::string> api_disconnect(json::object& root, std::string_view id,
                                         std::string_view input) {
  PARLEY_TRY(const auto node, api_node(root, id, "node"));
  const std::string name = api_name(id, *node);
  json::object& inputs = api_inputs(*node);
  const json::value* found = inputs.if_contains(input);
  if (found == nullptr || !api_link(*found)) {
    return core::fail(core::Code::failed_precondition,
                      "Node " + name + ": input " + core::in_quotes(input) + " is not connected.",
                      "input");
  }
  inputs.stable_erase(input);
  return "Input " + core::in_quotes(input) + " of node " + name +
         " is disconnected; it has no value now.";
}

core::Result<Workflow::Added> api_add_node(json::object& root, std::string_view type,
                                           std::string_view title, const json::object& inputs,
                                           const NodeSchemas& schemas) {
  const NodeSchema* schema = schemas.find(type);
  if (schema == nullptr) return core::fail(no_such_class(type, schemas));
  if (root.size() >= kMaxNodes) {
    return core::fail(
        core::Code::resource_exhausted,
        "The workflow has " + std::to_string(root.size()) + " nodes; it can have no more.",
        "class");
  }
  json::object values;
  PARLEY_TRY(const auto slots, widget_slots(*schema, {}));
  for (const WidgetSlot& slot : slots) {
    if (slot.sent && slot.schema->required) values[slot.name] = wrapped(default_of(slot));
  }
  std::int64_t number = 1;
  for (const json::key_value_pair& member : root) {
    number = std::max(number, output_number(member.key()).value_or(0) + 1);
  }
  while (root.contains(std::to_string(number))) ++number;
  const std::string id = std::to_string(number);
  const std::string name = node_name(id, type);
  for (const json::key_value_pair& member : inputs) {
    PARLEY_TRY(auto checked, checked_api_value(name, schema, member.key(), member.value()));
    values[member.key()] = std::move(checked);
  }
  const std::string_view shown = title.empty() ? std::string_view(schema->display_name) : title;
  root[id] = json::object{{"inputs", std::move(values)},
                          {"class_type", type},
                          {"_meta", json::object{{"title", shown}}}};
  return Workflow::Added{id, "Node " + name + " is added."};
}

core::Result<std::string> api_remove_node(json::object& root, std::string_view id) {
  PARLEY_TRY(const auto node, api_node(root, id, "node"));
  const std::string name = api_name(id, *node);
  root.stable_erase(id);
  std::size_t removed = 0;
  for (json::key_value_pair& member : root) {
    json::value* inputs = member.value().get_object().if_contains("inputs");
    if (inputs == nullptr) continue;
    std::vector<std::string> linked;
    for (const json::key_value_pair& input : inputs->get_object()) {
      const auto link = api_link(input.value());
      if (link && link->from == id) linked.emplace_back(input.key());
    }
    for (const std::string& input : linked) inputs->get_object().stable_erase(input);
    removed += linked.size();
  }
  return "Node " + name + " is removed with " + std::to_string(removed) +
         (removed == 1 ? " link." : " links.");
}

}  // namespace parley::comfyui
