// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/comfyui/workflow/node_schema.h"
#include "runtime/comfyui/workflow/widget_slots.h"
#include "runtime/comfyui/workflow/workflow_tree.h"

// The content of a workflow of either form in one common form, which views and differences use.
namespace parley::comfyui {

struct LinkEnd {
  std::string node;  // id with the path of its subgraphs, "12:3"
  std::int64_t slot = 0;
  std::string name;  // of the slot; its number if it has none
};

struct InputFact {
  std::string name;
  std::string type;
  std::optional<LinkEnd> from;
  bool dangling = false;  // refers to a link or a node that does not exist
  std::string value;      // JSON text; "" if there is none
  bool sent = true;       // false: a value of the front end only
  const InputSchema* schema = nullptr;
};

struct OutputFact {
  std::string name;
  std::string type;
  std::vector<LinkEnd> to;
};

struct NodeFact {
  std::string id;
  std::string type;
  std::string title;  // "" if the node has no title of its own
  std::string mode;   // "always", "mute", "bypass", or the number of another mode
  std::vector<InputFact> inputs;
  std::vector<OutputFact> outputs;
  const NodeSchema* schema = nullptr;
  std::string subgraph;  // name of the subgraph that the node instantiates
};

// All nodes in document order. Those of a subgraph definition appear once, after the nodes of the
// top level, with the path of the first instance. Pointers are into `schemas`.
std::vector<NodeFact> graph_facts(const WorkflowTree& tree, const NodeSchemas& schemas);

// Name of an output in messages; its number if it has no name.
std::string output_label(const NodeSchema* schema, std::int64_t slot);

}  // namespace parley::comfyui
