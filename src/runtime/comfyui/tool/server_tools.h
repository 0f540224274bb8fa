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

// Limit (ComfyUI servers and their tools): a page of `comfyui_nodes`. Reached: the next page.
inline constexpr std::size_t kClassesOfPage = 30;  // per page of comfyui_nodes
// Limit (ComfyUI servers and their tools): models of `comfyui_models`. Reached: counted.
inline constexpr std::size_t kMaxListedModels = 300;  // of comfyui_models
// Limit (ComfyUI servers and their tools): folders of `comfyui_models`. Reached: counted.
inline constexpr std::size_t kMaxModelFolders = 64;  // the same
// Limit (ComfyUI servers and their tools): entries of `comfyui_queue`, `comfyui_history`. Reached:
// cut.
inline constexpr std::size_t kMaxListedPrompts = 50;  // of comfyui_queue and comfyui_history
// Limit (ComfyUI servers and their tools): choices of one input in `comfyui_node`. Reached:
// counted.
inline constexpr std::size_t kMaxListedChoices = 100;  // of one input in comfyui_node
// Limit of the list of a run's files, in bytes: a longer result would be cut for the model
// (tool_output.h).
// Limit (ComfyUI servers and their tools): files that a result lists. Reached: counted in
// `more_files`.
inline constexpr std::size_t kMaxRunAnswerBytes = 3'000;
// Limit (ComfyUI servers and their tools): time of `comfyui_run` if the model names none. Reached:
// the workflow is withdrawn; the model is told.
inline constexpr std::int64_t kDefaultRunSeconds = 600;
// Limit (ComfyUI servers and their tools): longest time of `comfyui_run`. Reached: clamped.
inline constexpr std::int64_t kMaxRunSeconds = 3'600;
// Limit (ComfyUI servers and their tools): lines of progress. Reached: not shown.
inline constexpr std::size_t kMaxProgressLines = 2'000;  // of comfyui_run
// Limit (ComfyUI servers and their tools): pause between two steps of a node. Reached: not shown.
inline constexpr core::Millis kProgressPause{250};  // minimum between two steps of a node
// Limit (ComfyUI servers and their tools): withdrawing a workflow after a cancel. Reached: the
// ComfyUI server keeps it.
inline constexpr core::Millis kWithdrawPatience{10'000};

}  // namespace parley::comfyui
