// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comfyui/workflow/node_schema.h"
#include "comfyui/workflow/widget_slots.h"
#include "comfyui/workflow/workflow_tree.h"

// The content of a workflow of either form, in one form: the base of the views and of the
// difference.
namespace parley::comfyui {

struct LinkEnd {
  std::string node;  // the id with the path of its subgraphs, "12:3"
  std::int64_t slot = 0;
  std::string name;  // of the slot; its number if it has no name
};

struct InputFact {
  std::string name;
  std::string type;
  std::optional<LinkEnd> from;
  bool dangling = false;  // names a link or a node that does not exist
  std::string value;      // JSON text; "" when there is none
  bool sent = true;       // false: a value of the front end alone
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
  std::string title;  // "" when the node has none of its own
  std::string mode;   // "always", "mute", "bypass", or the number of another mode
  std::vector<InputFact> inputs;
  std::vector<OutputFact> outputs;
  const NodeSchema* schema = nullptr;
  std::string subgraph;  // the name of the subgraph that the node stands for
};

// All nodes in the order of the document. Those of a subgraph definition stand once, behind the
// nodes of the top level, with the path of the first instance. Pointers are into `schemas`.
std::vector<NodeFact> graph_facts(const WorkflowTree& tree, const NodeSchemas& schemas);

// The name of an output in messages: its own, else its number.
std::string output_label(const NodeSchema* schema, std::int64_t slot);

}  // namespace parley::comfyui
