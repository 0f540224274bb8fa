// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/comfyui/tool/open_workflow.h"
#include "runtime/comfyui/tool/server_link.h"
#include "runtime/tool/tool.h"
#include "runtime/tool/worker.h"

namespace parley::comfyui {

// Tools for one ComfyUI server. Without approval: comfyui_status, comfyui_nodes, comfyui_node,
// comfyui_models, comfyui_queue, comfyui_history, comfyui_validate. With approval: comfyui_run,
// comfyui_interrupt, comfyui_clear. `workflow`: the open one, or null. `workers` must outlive the
// tools.
std::vector<tool::ToolPtr> server_tools(const ServerLinkPtr& link, const OpenWorkflowPtr& workflow,
                                        tool::WorkerPool& workers);

inline constexpr std::size_t kClassesOfPage = 30;      // per page of comfyui_nodes
inline constexpr std::size_t kMaxListedModels = 300;   // of comfyui_models
inline constexpr std::size_t kMaxModelFolders = 64;    // the same
inline constexpr std::size_t kMaxListedPrompts = 50;   // of comfyui_queue and comfyui_history
inline constexpr std::size_t kMaxListedChoices = 100;  // of one input in comfyui_node
// Limit of the list of a run's files, in bytes: a longer result would be cut for the model
// (tool_output.h).
inline constexpr std::size_t kMaxRunAnswerBytes = 3'000;
inline constexpr std::int64_t kDefaultRunSeconds = 600;
inline constexpr std::int64_t kMaxRunSeconds = 3'600;
inline constexpr std::size_t kMaxProgressLines = 2'000;  // of comfyui_run
inline constexpr core::Millis kProgressPause{250};       // minimum between two steps of a node
inline constexpr core::Millis kWithdrawPatience{10'000};

}  // namespace parley::comfyui
