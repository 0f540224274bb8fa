// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <memory>
#include <string>
#include <utility>

#include "base/core/error.h"
#include "runtime/comfyui/tool/open_workflow.h"
#include "runtime/comfyui/tool/server_link.h"
#include "runtime/tool/tool.h"
#include "runtime/tool/worker.h"

namespace parley::comfyui {

// One call of a tool of a ComfyUI server. Belongs to the scheduler of its context. Callbacks of the
// client keep the call, and with it the link, alive.
struct ServerCall {
  const ServerLinkPtr link;
  const OpenWorkflowPtr workflow;  // null: no workflow is open
  tool::WorkerPool& workers;
  const tool::ToolContext context;
  const boost::json::object arguments;
  tool::Tool::Done done;

  core::Scheduler& scheduler() const { return *context.scheduler; }
  ComfyClient& client() const { return link->client(*context.scheduler); }

  // Only the first call has an effect.
  void finish(tool::ToolResult result) {
    if (done) std::exchange(done, nullptr)(std::move(result));
  }
  void ok(std::string content) { finish(tool::ToolResult::ok(std::move(content))); }
  void fail(const core::Error& error) {
    if (error.code == core::Code::cancelled) return finish(tool::cancelled_result());
    finish(tool::ToolResult::error(error.message));
  }
};
using ServerCallPtr = std::shared_ptr<ServerCall>;

// run_tools.cpp: comfyui_validate and comfyui_run.
void validate_workflow(const ServerCallPtr& call);
void run_workflow(const ServerCallPtr& call);

}  // namespace parley::comfyui
