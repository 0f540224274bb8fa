// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parley::app {

// How a process was started: "system" or "user" for a service of systemd's, else "none".
// `exec_pid`: SYSTEMD_EXEC_PID of its environment, which the children of a service inherit too, so
// that it must equal `pid`. `groups`: the text of /proc/self/cgroup.
std::string_view service_kind(std::string_view exec_pid, long pid, std::string_view groups);

// The same for this process.
std::string_view own_service_kind();

}  // namespace parley::app
