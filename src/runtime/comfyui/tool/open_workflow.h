// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "runtime/comfyui/tool/server_link.h"
#include "runtime/comfyui/workflow/node_schema.h"
#include "runtime/comfyui/workflow/workflow.h"
#include "runtime/tool/tool.h"
#include "runtime/tool/worker.h"

namespace parley::comfyui {

// Fetches the text of the workflow that is open elsewhere. `done` is called once, on the scheduler
// of the context.
using FetchWorkflow = std::function<void(
    tool::ToolContext context, absl::AnyInvocable<void(core::Result<std::string> text)> done)>;

// One workflow that tools share, with the known node classes. Used on workers, under `mutex`,
// because parsing a large workflow takes long.
struct OpenWorkflow {
  explicit OpenWorkflow(std::string given) : text(std::move(given)) {}

  // Parses the text once. Errors: those of Workflow::parse().
  core::Result<void> open();

  // Called before the first use, on the run's scheduler, without `mutex`; empty: the text is
  // present.
  FetchWorkflow fetch;

  std::mutex mutex;
  std::string text;  // until it is parsed
  std::optional<Workflow> before;
  std::optional<Workflow> current;
  NodeSchemas schemas;
  std::set<std::string, std::less<>> asked;  // classes that the server has answered for
};
using OpenWorkflowPtr = std::shared_ptr<OpenWorkflow>;

// Fetches the text if it is missing. `done` is called once, on the scheduler of the context, inside
// this call if the text is present. Errors: those of OpenWorkflow::fetch; the next call retries.
void with_text(const OpenWorkflowPtr& workflow, const tool::ToolContext& context,
               absl::AnyInvocable<void(core::Result<void>)> done);

// Limit of the classes of one workflow that are requested.
// Limit (ComfyUI servers and their tools): classes of one workflow that are requested. Reached: the
// others stay unknown.
inline constexpr std::size_t kMaxWorkflowClasses = 512;

struct SchemaRequest {
  std::vector<std::string> more = {};  // classes besides those that the workflow names
  bool again = false;                  // also known classes: their model lists may change
  core::Millis patience{5'000};
};

// Requests the workflow's classes from the server, into `schemas`. Classes that the server does not
// have stay unknown. A text that is no workflow requests nothing and is no error here, but at the
// next use. `done` is called once, later, on the scheduler of the context. Errors: those of
// ServerLink::node_classes(), `cancelled`.
void fetch_schemas(const OpenWorkflowPtr& workflow, SchemaRequest request,
                   const ServerLinkPtr& link, tool::WorkerPool& workers,
                   const tool::ToolContext& context,
                   absl::AnyInvocable<void(core::Result<void>)> done);

}  // namespace parley::comfyui
