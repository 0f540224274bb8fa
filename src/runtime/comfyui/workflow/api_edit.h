// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "runtime/comfyui/workflow/json_tree.h"
#include "runtime/comfyui/workflow/node_schema.h"
#include "runtime/comfyui/workflow/workflow.h"

// Edits of the API form.
namespace parley::comfyui {

core::Result<std::string> api_set_input(json::object& root, std::string_view id,
                                        std::string_view input, json::value value,
                                        const NodeSchemas& schemas);
core::Result<std::string> api_connect(json::object& root, std::string_view from,
                                      std::string_view output, std::string_view to,
                                      std::string_view input, const NodeSchemas& schemas);
core::Result<std::string> api_disconnect(json::object& root, std::string_view id,
                                         std::string_view input);
core::Result<Workflow::Added> api_add_node(json::object& root, std::string_view type,
                                           std::string_view title, const json::object& inputs,
                                           const NodeSchemas& schemas);
core::Result<std::string> api_remove_node(json::object& root, std::string_view id);

// The node with that id. Errors: `not_found`, with field `field`.
core::Result<json::object*> api_node(json::object& root, std::string_view id,
                                     std::string_view field);

}  // namespace parley::comfyui
