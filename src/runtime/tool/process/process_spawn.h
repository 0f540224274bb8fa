// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "base/core/result.h"
#include "runtime/tool/process/process.h"
#include "runtime/tool/process/process_marks.h"

namespace parley::tool {

// Our ends of the pipes are non-blocking; all are closed on exec.
struct SpawnedProcess {
  pid_t pid = -1;
  int pid_fd = -1;
  int input = -1;  // -1: none
  int output = -1;
  int errors = -1;
};

// fork and exec: a new session, default signals, no descriptors but the three, `mark` added to
// kMarkVariable. The process is killed when the calling thread ends, and its group when this
// process ends (`door` is that of a ProcessGuard). Errors: `unavailable`, in words.
core::Result<SpawnedProcess> spawn(const ProcessSpec& spec, const ProcessMark& mark, int door);

}  // namespace parley::tool
