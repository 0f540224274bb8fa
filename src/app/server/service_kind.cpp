// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/service_kind.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace parley::app {

std::string_view service_kind(std::string_view exec_pid, long pid, std::string_view groups) {
  if (exec_pid != std::to_string(pid)) return "none";
  return groups.find("/user.slice/") != std::string_view::npos ? "user" : "system";
}

std::string_view own_service_kind() {
  const char* const exec_pid = std::getenv("SYSTEMD_EXEC_PID");
  const std::ifstream in("/proc/self/cgroup");
  std::ostringstream groups;
  groups << in.rdbuf();
  return service_kind(exec_pid == nullptr ? "" : exec_pid, ::getpid(), groups.str());
}

}  // namespace parley::app
