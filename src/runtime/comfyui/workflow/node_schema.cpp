// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/node_schema.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/json_member.h"
#include "base/core/json_parts.h"
#include "base/core/utf8.h"
#include "runtime/comfyui/workflow/json_tree.h"

namespace parley::comfyui {
namespace {

// The class of ComfyUI that validates a file without marking its input as an upload.
constexpr std::string_view kLoadLatent = "LoadLatent";
constexpr long double kExactBound = 18446744073709551616.0L;  // of integers of 64 bits
constexpr std::size_t kMaxTooltip = 400;  // bytes kept of a tooltip or description

std::optional<long double> bound(const json::object& from, std::string_view name) {
  const json::value* found = from.if_contains(name);
  if (found == nullptr) return std::nullopt;
  if (found->is_int64()) return static_cast<long double>(found->get_int64());
  if (found->is_uint64()) return static_cast<long double>(found->get_uint64());
  if (found->is_double()) return static_cast<long double>(found->get_double());
  return std::nullopt;
}

WidgetKind widget_of(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, WidgetKind>, 9> kWidgets = {{
      {"INT", WidgetKind::integer},
      {"FLOAT", WidgetKind::number},
      {"STRING", WidgetKind::text},
      {"BOOLEAN", WidgetKind::boolean},
      {"COMBO", WidgetKind::choice},
      {"COLOR", WidgetKind::other},
      {"MARKDOWN", WidgetKind::text},
      {"TEXTAREA", WidgetKind::text},
      {"COMFY_DYNAMICCOMBO_V3", WidgetKind::dynamic},
  }};
  for (const auto& [name, kind] : kWidgets) {
    if (name == type) return kind;
  }
  return WidgetKind::none;
}

void read_choices(InputSchema& input, const json::array& choices) {
  input.choices.reserve(choices.size());
  for (const json::value& one : choices) input.choices.push_back(tree_text(one));
  input.open_choices = false;
}

// True if the front end saves a control_after_generate value: as the class states, else for integer
// inputs named seed or noise_seed.
bool has_control(const InputSchema& input, const json::object& options) {
  const json::value* given = options.if_contains("control_after_generate");
  if (given != nullptr && !given->is_null()) {
    return given->is_bool() ? given->get_bool() : given->is_string();
  }
  return input.widget == WidgetKind::integer &&
         (input.name == "seed" || input.name == "noise_seed");
}

// True for `upload`, `image_upload`, `video_upload`, `audio_upload`, `file_upload` and the like.
bool has_upload(const json::object& options) {
  return std::any_of(options.begin(), options.end(), [](const json::key_value_pair& option) {
    const std::string_view name = option.key();
    return (name == "upload" || name.ends_with("_upload")) && option.value().is_bool() &&
           option.value().get_bool();
  });
}

void read_options(InputSchema& input, const json::object& options) {
  if (const json::array* choices = array_member(options, "options")) {
    if (input.open_choices) read_choices(input, *choices);
  }
  if (options.contains("remote")) input.open_choices = input.widget == WidgetKind::choice;
  input.many_choices = options.contains("multi_select") || options.contains("multiselect");
  const std::string widget = core::string_member(options, "widgetType");
  if (!widget.empty() && input.widget == WidgetKind::none) input.widget = widget_of(widget);
  if (core::bool_member(options, "forceInput")) {
    input.force_input = input.widget != WidgetKind::none;
    input.widget = WidgetKind::none;
  }
  if (const json::value* value = options.if_contains("default")) {
    input.default_value = tree_text(*value);
  }
  input.min = bound(options, "min");
  input.max = bound(options, "max");
  input.step = bound(options, "step");
  input.multiline = core::bool_member(options, "multiline");
  input.uploads = has_upload(options);
  if (input.uploads && input.widget == WidgetKind::choice) input.open_choices = true;
  input.tooltip = core::utf8_truncate(core::text_member(options, "tooltip"), kMaxTooltip);
}

InputSchema read_input(std::string_view name, const json::value& value, bool required) {
  InputSchema input;
  input.name = std::string(name);
  input.required = required;
  input.type = "*";
  const json::array* parts = value.if_array();
  const json::array* listed = nullptr;
  if (parts != nullptr && !parts->empty()) {
    const json::value& type = parts->front();
    if (const json::array* choices = type.if_array()) {
      input.type = "COMBO";
      listed = choices;
    } else if (const json::string* text = type.if_string()) {
      input.type = std::string(text_view(*text));
    }
  }
  input.widget = widget_of(input.type);
  input.open_choices = input.widget == WidgetKind::choice;
  if (listed != nullptr) read_choices(input, *listed);
  static const json::object kNoOptions;
  const json::object* options =
      parts != nullptr && parts->size() > 1 ? (*parts)[1].if_object() : nullptr;
  if (options == nullptr) options = &kNoOptions;
  read_options(input, *options);
  input.control_after_generate = has_control(input, *options);
  return input;
}

// Reads the members of one group in the order of input_order, then those that it does not name.
void read_group(NodeSchema& schema, const json::object& group, const json::array* order,
                bool required) {
  core::StringMap<bool> done;
  if (order != nullptr) {
    for (const json::value& name : *order) {
      const json::string* text = name.if_string();
      const json::value* found = text == nullptr ? nullptr : group.if_contains(*text);
      if (found == nullptr || !done.emplace(text_view(*text), true).second) continue;
      schema.inputs.push_back(read_input(text_view(*text), *found, required));
    }
  }
  for (const json::key_value_pair& member : group) {
    if (done.contains(std::string_view(member.key()))) continue;
    schema.inputs.push_back(read_input(member.key(), member.value(), required));
  }
}

void read_outputs(NodeSchema& schema, const json::object& from) {
  const json::array* types = array_member(from, "output");
  if (types == nullptr) return;
  const json::array* names = array_member(from, "output_name");
  for (std::size_t i = 0; i < types->size(); ++i) {
    OutputSchema output;
    const json::value& type = (*types)[i];
    output.type = type.is_string() ? std::string(text_view(type.get_string()))
                                   : std::string(type.is_array() ? "COMBO" : "*");
    output.name = output.type;
    if (names != nullptr && i < names->size() && (*names)[i].is_string()) {
      output.name = std::string(text_view((*names)[i].get_string()));
    }
    schema.outputs.push_back(std::move(output));
  }
}

NodeSchema read_schema(std::string_view type, const json::object& from) {
  NodeSchema schema;
  schema.type = std::string(type);
  schema.display_name = core::string_member(from, "display_name");
  if (schema.display_name.empty()) schema.display_name = schema.type;
  schema.category = core::string_member(from, "category");
  schema.description = core::utf8_truncate(core::text_member(from, "description"), kMaxTooltip);
  schema.output_node = core::bool_member(from, "output_node");
  schema.deprecated = core::bool_member(from, "deprecated");
  schema.experimental = core::bool_member(from, "experimental");
  const json::object* order = object_member(from, "input_order");
  if (const json::object* input = object_member(from, "input")) {
    for (const std::string_view group : {"required", "optional"}) {
      if (const json::object* members = object_member(*input, group)) {
        read_group(schema, *members, order == nullptr ? nullptr : array_member(*order, group),
                   group == "required");
      }
    }
    if (const json::object* hidden = object_member(*input, "hidden")) {
      for (const json::key_value_pair& member : *hidden) schema.hidden.emplace_back(member.key());
    }
  }
  if (schema.type == kLoadLatent) {
    for (InputSchema& input : schema.inputs) input.open_choices = true;
  }
  read_outputs(schema, from);
  return schema;
}

std::vector<std::string> type_list(std::string_view types) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t comma = types.find(',');
    out.push_back(core::lowered(core::trimmed(types.substr(0, comma))));
    if (comma == std::string_view::npos) return out;
    types.remove_prefix(comma + 1);
  }
}

bool is_any(std::string_view type) {
  return type.empty() || type == "*" || type == "0" || type == "COMFY_MATCHTYPE_V3" ||
         type == "COMFY_AUTOGROW_V3";
}

}  // namespace

const InputSchema* NodeSchema::input(std::string_view name) const {
  const auto found = std::find_if(inputs.begin(), inputs.end(),
                                  [name](const InputSchema& one) { return one.name == name; });
  return found == inputs.end() ? nullptr : &*found;
}

std::vector<std::string_view> NodeSchema::input_names() const {
  std::vector<std::string_view> out;
  out.reserve(inputs.size());
  for (const InputSchema& one : inputs) out.emplace_back(one.name);
  return out;
}

core::Result<void> NodeSchemas::add(std::string_view object_info) {
  auto tree = parse_tree(object_info, {kMaxSchemaBytes, kMaxSchemaDepth, kMaxSchemaValues},
                         "The node list (/object_info)");
  if (!tree) return core::fail(std::move(tree.error()));
  const json::object* classes = tree->if_object();
  if (classes == nullptr) {
    return core::fail(core::Code::invalid_argument,
                      "The node list (/object_info) is not a JSON object of node classes.");
  }
  for (const json::key_value_pair& member : *classes) {
    if (const json::object* from = member.value().if_object()) {
      by_type_.insert_or_assign(std::string(member.key()), read_schema(member.key(), *from));
    }
  }
  return {};
}

const NodeSchema* NodeSchemas::find(std::string_view type) const {
  const auto found = by_type_.find(type);
  return found == by_type_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> NodeSchemas::types() const {
  std::vector<std::string_view> out;
  out.reserve(by_type_.size());
  for (const auto& [type, schema] : by_type_) out.emplace_back(type);
  std::sort(out.begin(), out.end());
  return out;
}

std::string bound_text(long double bound) {
  constexpr std::size_t kMaxDigits = 64;
  std::array<char, kMaxDigits> text{};
  const bool is_integer = std::trunc(bound) == bound && std::fabs(bound) < kExactBound;
  const int size = std::snprintf(text.data(), text.size(), is_integer ? "%.0Lf" : "%.10Lg", bound);
  return {text.data(), static_cast<std::size_t>(std::max(size, 0))};
}

bool types_fit(std::string_view from, std::string_view to) {
  if (is_any(from) || is_any(to)) return true;
  const std::vector<std::string> wanted = type_list(to);
  for (const std::string& one : type_list(from)) {
    if (one == "*" || std::find(wanted.begin(), wanted.end(), one) != wanted.end()) return true;
  }
  return std::find(wanted.begin(), wanted.end(), "*") != wanted.end();
}

bool is_virtual(std::string_view type) {
  return type == "Reroute" || type == "PrimitiveNode" || type == "Note" || type == "MarkdownNote";
}

}  // namespace parley::comfyui
