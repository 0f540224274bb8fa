// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/comfyui/workflow/json_tree.h"
#include "runtime/comfyui/workflow/node_schema.h"

// Checks that edits of both forms share, and their messages.
namespace parley::comfyui {

// Parses the value of an argument from JSON text.
core::Result<json::value> read_value(std::string_view text, std::string_view field);

// `There is no node "9". Nodes: ...`
core::Error no_such_node(std::string_view id, const std::vector<std::string_view>& ids,
                         std::string_view field);

// `Node 3 (KSampler) has no input "step". Did you mean "steps"?`
core::Error no_such_slot(const std::string& node, std::string_view side, std::string_view name,
                         const std::vector<std::string_view>& names);

// Puts `Node 3 (KSampler), input "steps": ` in front of the error's message.
core::Error bad_value(const std::string& node, std::string_view input, core::Error error);

core::Error no_such_class(std::string_view type, const NodeSchemas& schemas);

// `Node 3 (KSampler): "steps" is now 30 (before: 20).` `before` is nullptr if there was no value.
std::string changed_text(const std::string& node, std::string_view input, const json::value& now,
                         const json::value* before);

// Index of an output by its name, else by its number ("0").
std::optional<std::size_t> place_of(std::string_view wanted,
                                    const std::vector<std::string_view>& names);

// An output of type `from` does not fit an input of type `to`.
core::Error types_differ(const std::string& from_node, std::string_view output,
                         std::string_view from, const std::string& to_node, std::string_view input,
                         std::string_view to);

core::Error makes_a_loop(const std::string& from_node, const std::string& to_node);

// The text of a value, shortened for a message.
std::string value_for_message(const json::value& value);

}  // namespace parley::comfyui
