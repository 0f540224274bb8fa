// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/prompt_answer.h"

#include "base/core/json_member.h"
#include "runtime/comfyui/json_access.h"

namespace parley::comfyui {
namespace {

constexpr std::size_t kMaxTextBytes = 4'096;

std::string bounded_text(const boost::json::object& from, std::string_view name) {
  return std::string(core::text_member(from, name).substr(0, kMaxTextBytes));
}

NodeFault read_node_fault(std::string_view node_id, std::string_view class_type,
                          const boost::json::object& error) {
  NodeFault fault{
      std::string(node_id),        std::string(class_type),        {},
      bounded_text(error, "type"), bounded_text(error, "message"), bounded_text(error, "details")};
  if (const boost::json::object* extra = object_member(error, "extra_info")) {
    fault.input = bounded_text(*extra, "input_name");
  }
  return fault;
}

// `node_errors` is an object, or an empty list if there are none.
void read_node_errors(const boost::json::object& body, std::vector<NodeFault>& out) {
  const boost::json::object* nodes = object_member(body, "node_errors");
  if (nodes == nullptr) return;
  for (const auto& [id, value] : *nodes) {
    const boost::json::object* node = value.if_object();
    const boost::json::array* errors = node == nullptr ? nullptr : array_member(*node, "errors");
    if (errors == nullptr) continue;
    for (const boost::json::value& item : *errors) {
      const boost::json::object* error = item.if_object();
      if (error == nullptr || out.size() >= kMaxNodeFaults) continue;
      out.push_back(read_node_fault(id, core::text_member(*node, "class_type"), *error));
    }
  }
}

}  // namespace

std::string PromptFaults::text() const {
  std::string out = message.empty() ? "The workflow has faults." : message;
  if (!details.empty()) out.append(" (").append(details).append(")");
  for (const NodeFault& fault : nodes) {
    out.append("\nnode ").append(fault.node_id);
    if (!fault.class_type.empty()) out.append(" (").append(fault.class_type).append(")");
    if (!fault.input.empty()) out.append(", input ").append(fault.input);
    for (const std::string* part : {&fault.type, &fault.message}) {
      if (!part->empty()) out.append(": ").append(*part);
    }
    if (!fault.details.empty()) out.append(": ").append(fault.details);
  }
  return out;
}

core::Result<PromptAnswer> read_prompt_answer(int status, const boost::json::object& body) {
  PromptFaults faults;
  read_node_errors(body, faults.nodes);
  if (status >= 200 && status < 300) {
    QueuedPrompt queued{core::string_member(body, "prompt_id"),
                        number_member(body, "number").value_or(0), std::move(faults)};
    if (queued.prompt_id.empty()) {
      return core::fail(core::Code::internal,
                        "The ComfyUI server accepted a workflow, but its answer has no prompt_id.");
    }
    return PromptAnswer(std::move(queued));
  }
  if (const boost::json::object* error = object_member(body, "error")) {
    faults.type = bounded_text(*error, "type");
    faults.message = bounded_text(*error, "message");
    faults.details = bounded_text(*error, "details");
  } else {
    faults.message = bounded_text(body, "error");  // older servers send a text
    faults.type = faults.message.empty() ? "" : "invalid_prompt";
  }
  if (faults.empty()) {
    return core::fail(core::Code::internal, "The ComfyUI server refused a workflow with status " +
                                                std::to_string(status) +
                                                " without giving a reason.");
  }
  return PromptAnswer(std::move(faults));
}

}  // namespace parley::comfyui
