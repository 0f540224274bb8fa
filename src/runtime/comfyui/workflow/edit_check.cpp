// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/edit_check.h"

#include <algorithm>
#include <utility>

#include "base/core/near_names.h"
#include "base/core/number_text.h"
#include "base/core/utf8.h"
#include "runtime/comfyui/workflow/workflow.h"

namespace parley::comfyui {

core::Result<json::value> read_value(std::string_view text, std::string_view field) {
  auto value = parse_tree(text, {kMaxValueBytes, kMaxValueDepth, kMaxValueParts}, "The value");
  if (value) return value;
  core::Error error = std::move(value.error());
  error.field = std::string(field);
  if (error.code == core::Code::invalid_argument) {
    error.message += " Write it as JSON, for example 20, true or \"text\" with its quotes.";
  }
  return core::fail(std::move(error));
}

core::Error no_such_node(std::string_view id, const std::vector<std::string_view>& ids,
                         std::string_view field) {
  return {core::Code::not_found,
          "There is no node " + core::in_quotes(id) + ". Nodes: " + core::listed(ids) + ".",
          std::string(field)};
}

core::Error no_such_slot(const std::string& node, std::string_view side, std::string_view name,
                         const std::vector<std::string_view>& names) {
  std::string message =
      "Node " + node + " has no " + std::string(side) + " " + core::in_quotes(name) + ".";
  const std::string near = core::did_you_mean(name, names);
  message += near.empty() ? " It has: " + core::listed(names) + "." : near;
  return {core::Code::not_found, std::move(message), std::string(side)};
}

core::Error bad_value(const std::string& node, std::string_view input, core::Error error) {
  error.message = "Node " + node + ", input " + core::in_quotes(input) + ": " + error.message;
  error.field = "value";
  return error;
}

core::Error no_such_class(std::string_view type, const NodeSchemas& schemas) {
  return {core::Code::not_found,
          "The ComfyUI server has no node class " + core::in_quotes(type) + "." +
              core::did_you_mean(type, schemas.types()),
          "class"};
}

std::string value_for_message(const json::value& value) {
  constexpr std::size_t kShown = 120;
  const std::string text = tree_text(value);
  const std::string_view cut = core::utf8_truncate(text, kShown);
  return cut.size() == text.size() ? text : std::string(cut) + "…";
}

std::string changed_text(const std::string& node, std::string_view input, const json::value& now,
                         const json::value* before) {
  std::string out =
      "Node " + node + ": " + core::in_quotes(input) + " is now " + value_for_message(now);
  if (before != nullptr) out += " (before: " + value_for_message(*before) + ")";
  return out + ".";
}

std::optional<std::size_t> place_of(std::string_view wanted,
                                    const std::vector<std::string_view>& names) {
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end() && !wanted.empty()) {
    return static_cast<std::size_t>(found - names.begin());
  }
  const auto number = core::parse_number<std::size_t>(wanted);
  return number && *number < names.size() ? number : std::nullopt;
}

core::Error types_differ(const std::string& from_node, std::string_view output,
                         std::string_view from, const std::string& to_node, std::string_view input,
                         std::string_view to) {
  return {core::Code::invalid_argument,
          "Output " + core::in_quotes(output) + " of node " + from_node + " has type " +
              std::string(from) + "; input " + core::in_quotes(input) + " of node " + to_node +
              " expects " + std::string(to) + ".",
          "input"};
}

core::Error makes_a_loop(const std::string& from_node, const std::string& to_node) {
  return {core::Code::failed_precondition,
          from_node == to_node ? "Node " + to_node + " cannot be connected to itself."
                               : "This link would close a loop: node " + from_node +
                                     " already depends on the output of node " + to_node + ".",
          "to"};
}

}  // namespace parley::comfyui
