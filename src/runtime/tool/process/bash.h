// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "runtime/tool/process/child_environment.h"
#include "runtime/tool/process/process.h"
#include "runtime/tool/tool.h"

namespace parley::tool {

// Settings of the commands.
struct BashOptions {
  Environment environment;  // complete; the caller has removed what commands must not see
  std::string data_folder;  // of the program: no command starts in it; empty: none
  std::string shell = "bash";
  // Limit (Tools): time of a command of `bash` if the model names none. Reached: the group gets
  // TERM, then KILL.
  core::Millis default_timeout{120'000};
  // Limit (Tools): longest time of a command. Reached: the group gets TERM, then KILL.
  core::Millis max_timeout{3'600'000};
  // Bytes of each stream that are kept for the model; the rest is only counted.
  // Limit (Tools, bytes): output of a command that is kept from the beginning of each stream.
  // Reached: the middle is counted.
  std::size_t kept_head = 24U << 10U;
  // Limit (Tools, bytes): output that is kept from the end of each stream. Reached: the middle is
  // counted.
  std::size_t kept_tail = 24U << 10U;
  // Bytes of both streams that are shown as they arrive (tool_output); later output appears only in
  // the result.
  // Limit (Tools, bytes): output of a command that is shown. Reached: the end only.
  std::size_t shown = 256U << 10U;
};

// `bash`: runs a command with a shell, in the working folder or one below it. The command itself is
// not confined to that folder. `runner` must outlive every call.
ToolPtr make_bash(ProcessRunner& runner, BashOptions options);

}  // namespace parley::tool
