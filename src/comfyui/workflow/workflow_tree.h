// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comfyui/workflow/json_tree.h"
#include "comfyui/workflow/workflow.h"

namespace parley::comfyui {

// The content of a Workflow. Internal to this room.
struct WorkflowTree {
  json::object root;
  Form form = Form::ui;
};

// The title of a node of the API form (_meta.title), "" if it has none.
std::string_view api_title(const json::object& node);
// Its class_type.
std::string_view api_type(const json::object& node);

struct ApiLink {
  std::string from;
  std::int64_t slot = 0;
};
// An input of the API form that is a link: [node id, output].
std::optional<ApiLink> api_link(const json::value& value);

}  // namespace parley::comfyui
