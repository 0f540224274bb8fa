// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parley::app {

// Protects this process from other processes of its user: /proc/PID/environ, mem and fd cannot be
// opened, no debugger attaches, and there are no core dumps (PR_SET_DUMPABLE). Keys and tokens in
// memory are then safe from the commands that agents run. Root can read them regardless. Started
// programs are not affected. A failure is logged.
void keep_memory_private();

}  // namespace parley::app
