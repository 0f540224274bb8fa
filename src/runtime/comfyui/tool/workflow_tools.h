// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "runtime/comfyui/tool/open_workflow.h"
#include "runtime/comfyui/tool/server_link.h"
#include "runtime/tool/tool.h"
#include "runtime/tool/worker.h"

namespace parley::comfyui {

// Shows a changed workflow to the person; `text` has the form of the original. `done` is called
// once with the result, on the scheduler of the context.
using ShowWorkflow =
    std::function<void(std::string text, tool::ToolContext context, tool::Tool::Done done)>;

// Tools for one workflow, which they share and modify during their lifetime: workflow_get,
// workflow_node_get, workflow_node_set, workflow_connect, workflow_node_add, workflow_node_remove,
// workflow_diff. Each edit is passed to `show` at once, unless `show` is empty. If the text is no
// workflow, each call returns that error. With `link` the server's node classes are fetched
// first, so that edits are checked; if that fails, an edit is made unchecked, with a note in its
// result. `workers` must outlive the tools.
std::vector<tool::ToolPtr> workflow_tools(const OpenWorkflowPtr& workflow,
                                          const ServerLinkPtr& link, tool::WorkerPool& workers,
                                          const ShowWorkflow& show);

}  // namespace parley::comfyui
