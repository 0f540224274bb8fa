// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/comfyui/comfy_client.h"
#include "runtime/comfyui/prompt_watch.h"
#include "runtime/comfyui/tool/server_link.h"
#include "runtime/comfyui/workflow/node_schema.h"
#include "runtime/comfyui/workflow/validate.h"

// Formats answers of a ComfyUI server as text and JSON, for models and people. No I/O.
namespace parley::comfyui {

// The text on one line, cut at `limit` bytes.
std::string one_line(std::string_view text, std::size_t limit = 160);
// "KSampler - KSampler [sampling] gives LATENT".
std::string class_line(const NodeSummary& node);
// All inputs with type, default, range and choices, and all outputs.
std::string class_text(const NodeSchema& schema);
// "ComfyUI 0.3.40, Python 3.12.3; cuda:0 NVIDIA ...: 10.1 of 23.6 GiB free".
std::string status_text(const boost::json::object& system_stats);
// "running: ID\nwaiting: ID, ID".
std::string queue_text(const QueueState& queue);
std::string findings_text(const Validation& validation, std::size_t nodes);
// "The workflow failed in node 3 (KSampler): ...".
std::string fault_text(const ExecutionFault& fault);

// {"status","prompt_id","images":[{"url","filename","subfolder","type","node"}],"videos","audio",
// "texts","more_files","error","left_out"}; empty members are omitted. Lists files up to
// kMaxRunAnswerBytes; `more_files` counts the others.
struct RunFacts {
  std::string_view status;
  std::string_view prompt_id;
  const std::vector<NodeOutput>& outputs;
  std::string error = {};
  std::string left_out = {};  // faults of outputs that did not run
};
std::string run_json(const RunFacts& facts, const ServerLink& link);

}  // namespace parley::comfyui
