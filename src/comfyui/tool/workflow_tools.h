// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "comfyui/tool/open_workflow.h"
#include "comfyui/tool/server_link.h"
#include "runtime/tool/tool.h"
#include "runtime/tool/worker.h"

namespace parley::comfyui {

// Shows a changed workflow to the person: `text` in the form in which it came. `done` is called
// once with what came of it, on the scheduler of the context.
using ShowWorkflow =
    std::function<void(std::string text, tool::ToolContext context, tool::Tool::Done done)>;

// Tools for one workflow, which they share and keep changed for as long as they live: workflow_get,
// workflow_node_get, workflow_node_set, workflow_connect, workflow_node_add, workflow_node_remove,
// workflow_diff. Each edit is shown at once; without `show` it stays with the tools. Text that is
// no workflow is the error of each call. With `link` the server's classes of nodes are fetched
// first, so that edits are checked; where that fails an edit is made unchecked and says so.
// `workers` outlives the tools.
std::vector<tool::ToolPtr> workflow_tools(const OpenWorkflowPtr& workflow,
                                          const ServerLinkPtr& link, tool::WorkerPool& workers,
                                          const ShowWorkflow& show);

}  // namespace parley::comfyui
