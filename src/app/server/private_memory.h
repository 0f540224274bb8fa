// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parley::app {

// Protects this process from other processes of its user: /proc/PID/environ, mem and fd cannot be
// opened, no debugger attaches, and there are no core dumps (PR_SET_DUMPABLE). This hides keys and
// tokens in memory from the commands that agents run. It has no effect on root, nor on programs
// that this process starts. A failure is logged.
void keep_memory_private();

}  // namespace parley::app
