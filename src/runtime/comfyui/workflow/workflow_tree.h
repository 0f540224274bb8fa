// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/comfyui/workflow/json_tree.h"
#include "runtime/comfyui/workflow/workflow.h"

namespace parley::comfyui {

// The content of a Workflow. Internal to this folder.
struct WorkflowTree {
  json::object root;
  Form form = Form::ui;
};

// Title of a node of the API form (_meta.title), "" if it has none.
std::string_view api_title(const json::object& node);
// class_type of a node of the API form.
std::string_view api_type(const json::object& node);

struct ApiLink {
  std::string from;
  std::int64_t slot = 0;
};
// Reads an input of the API form that is a link: [node id, output]. std::nullopt for other values.
std::optional<ApiLink> api_link(const json::value& value);

}  // namespace parley::comfyui
