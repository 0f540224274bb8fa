// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "runtime/tool/toolbox.h"

namespace parley::tool {

// Source of the tools of a run: the built-in ones and those of MCP servers. Thread-safe.
class ToolSource {
 public:
  ToolSource() = default;
  ToolSource(const ToolSource&) = delete;
  ToolSource& operator=(const ToolSource&) = delete;
  virtual ~ToolSource() = default;

  // Provides the tools for runs in this folder (absolute, symlinks resolved). Starts the MCP
  // servers that are configured for it if they do not run; leaves out those that cannot be started.
  // `done` is called on `scheduler`.
  using Done = absl::AnyInvocable<void(core::Result<Toolbox>)>;
  virtual void toolbox(const std::string& working_folder, core::Scheduler& scheduler,
                       Done done) = 0;
};

}  // namespace parley::tool
