// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/core/near_names.h"
#include "base/core/result.h"
#include "base/core/utf8.h"
#include "runtime/comfyui/workflow/api_edit.h"
#include "runtime/comfyui/workflow/edit_check.h"
#include "runtime/comfyui/workflow/ui_edit.h"
#include "runtime/comfyui/workflow/workflow_tree.h"

namespace parley::comfyui {
namespace {

core::Result<void> check_title(std::string_view title) {
  if (title.size() <= kMaxTitleBytes && core::is_utf8(title)) return {};
  return core::fail(
      core::Code::invalid_argument,
      "The title must be UTF-8 of at most " + std::to_string(kMaxTitleBytes) + " bytes.", "title");
}

core::Result<void> check_names(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (name.size() > kMaxTitleBytes || !core::is_utf8(name)) {
      return core::fail(
          core::Code::invalid_argument,
          "Ids and names must be UTF-8 of at most " + std::to_string(kMaxTitleBytes) + " bytes.");
    }
  }
  return {};
}

}  // namespace

core::Result<std::string> Workflow::set_input(std::string_view id, std::string_view input,
                                              std::string_view value, const NodeSchemas& schemas) {
  PARLEY_TRY_VOID(check_names({id, input}));
  PARLEY_TRY(auto read, read_value(value, "value"));
  return form() == Form::ui ? ui_set_input(tree_->root, id, input, std::move(read), schemas)
                            : api_set_input(tree_->root, id, input, std::move(read), schemas);
}

core::Result<std::string> Workflow::connect(std::string_view from, std::string_view output,
                                            std::string_view to, std::string_view input,
                                            const NodeSchemas& schemas) {
  PARLEY_TRY_VOID(check_names({from, output, to, input}));
  return form() == Form::ui ? ui_connect(tree_->root, from, output, to, input, schemas)
                            : api_connect(tree_->root, from, output, to, input, schemas);
}

core::Result<std::string> Workflow::disconnect(std::string_view id, std::string_view input) {
  PARLEY_TRY_VOID(check_names({id, input}));
  return form() == Form::ui ? ui_disconnect(tree_->root, id, input)
                            : api_disconnect(tree_->root, id, input);
}

core::Result<Workflow::Added> Workflow::add_node(std::string_view type, std::string_view title,
                                                 std::string_view inputs,
                                                 const NodeSchemas& schemas) {
  PARLEY_TRY_VOID(check_names({type}));
  PARLEY_TRY_VOID(check_title(title));
  json::object values;
  if (!inputs.empty()) {
    PARLEY_TRY(auto read, read_value(inputs, "inputs"));
    if (!read.is_object()) {
      return core::fail(core::Code::invalid_argument,
                        "The inputs must be a JSON object of values by input name.", "inputs");
    }
    values = std::move(read.get_object());
  }
  return form() == Form::ui ? ui_add_node(tree_->root, type, title, values, schemas)
                            : api_add_node(tree_->root, type, title, values, schemas);
}

core::Result<std::string> Workflow::remove_node(std::string_view id) {
  PARLEY_TRY_VOID(check_names({id}));
  return form() == Form::ui ? ui_remove_node(tree_->root, id) : api_remove_node(tree_->root, id);
}

core::Result<std::string> Workflow::set_title(std::string_view id, std::string_view title) {
  PARLEY_TRY_VOID(check_names({id}));
  PARLEY_TRY_VOID(check_title(title));
  if (form() == Form::ui) {
    PARLEY_TRY(auto place, locate(tree_->root, id, "node"));
    (*place.node)["title"] = title;
    return "Node " + place.name + " is now called " + core::in_quotes(title) + ".";
  }
  PARLEY_TRY(const auto node, api_node(tree_->root, id, "node"));
  json::value& meta = (*node)["_meta"];
  if (!meta.is_object()) meta = json::object();
  meta.get_object()["title"] = title;
  return "Node " + node_name(id, api_type(*node)) + " is now called " + core::in_quotes(title) +
         ".";
}

core::Result<std::string> Workflow::set_mode(std::string_view id, std::string_view mode) {
  PARLEY_TRY_VOID(check_names({id}));
  if (form() == Form::api) {
    return core::fail(core::Code::unimplemented,
                      "The API form has no modes; remove the node, or edit the UI form.", "mode");
  }
  std::int64_t number = kModeAlways;
  if (mode == "mute") {
    number = kModeMuted;
  } else if (mode == "bypass") {
    number = kModeBypassed;
  } else if (mode != "always") {
    return core::fail(core::Code::invalid_argument,
                      "Expected the mode \"always\", \"mute\" or \"bypass\", found " +
                          core::in_quotes(mode) + ".",
                      "mode");
  }
  PARLEY_TRY(auto place, locate(tree_->root, id, "node"));
  (*place.node)["mode"] = number;
  return "Node " + place.name + " has now the mode \"" + std::string(mode) + "\".";
}

}  // namespace parley::comfyui
