// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/comfyui/workflow/graph_index.h"
#include "runtime/comfyui/workflow/node_schema.h"
#include "runtime/comfyui/workflow/workflow.h"

// Edits of the UI form. A link is stored in three places: the list of links, its input, its output;
// these functions keep them consistent.
namespace parley::comfyui {

// A node on its level. The pointers are valid until the tree is changed.
struct NodePlace {
  json::object* graph = nullptr;  // the workflow or the definition of a subgraph
  json::object* node = nullptr;
  std::string id;    // on its level
  std::string name;  // "12:3 (KSampler)", for messages
};

// `path` is "3" or "12:3"; `field` is the field of a not_found error.
core::Result<NodePlace> locate(json::object& root, std::string_view path, std::string_view field);

core::Result<std::string> ui_set_input(json::object& root, std::string_view id,
                                       std::string_view input, json::value value,
                                       const NodeSchemas& schemas);
core::Result<std::string> ui_connect(json::object& root, std::string_view from,
                                     std::string_view output, std::string_view to,
                                     std::string_view input, const NodeSchemas& schemas);
core::Result<std::string> ui_disconnect(json::object& root, std::string_view id,
                                        std::string_view input);
core::Result<Workflow::Added> ui_add_node(json::object& root, std::string_view type,
                                          std::string_view title, const json::object& inputs,
                                          const NodeSchemas& schemas);
core::Result<std::string> ui_remove_node(json::object& root, std::string_view id);

// Removes links from all places of their level.
using LinkIds = core::StringMap<bool>;
void remove_links(json::object& graph, const LinkIds& links);

// Adds a link with a new id from an existing output to an existing input without a link.
void add_link(json::object& root, NodePlace& from, std::size_t output, NodePlace& to,
              std::size_t input);

}  // namespace parley::comfyui
