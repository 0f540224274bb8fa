// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "runtime/tool/process/child_environment.h"
#include "runtime/tool/process/process.h"
#include "runtime/tool/tool.h"

namespace parley::tool {

// What commands run with.
struct BashOptions {
  Environment environment;  // whole; what children may see of it is the caller's to decide
  std::string data_folder;  // the program's own: no command starts in it; empty: none
  std::string shell = "bash";
  core::Millis default_timeout{120'000};
  core::Millis max_timeout{3'600'000};
  // Kept of each of the two streams, for the model; the rest is counted.
  std::size_t kept_head = 24U << 10U;
  std::size_t kept_tail = 24U << 10U;
  // Shown as it comes (tool_output), of both together; after this only the end is shown.
  std::size_t shown = 256U << 10U;
};

// `bash`: runs a command with a shell, in the working folder or one below it. The command itself is
// not confined to it. `runner` outlives every call.
ToolPtr make_bash(ProcessRunner& runner, BashOptions options);

}  // namespace parley::tool
