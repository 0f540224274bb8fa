// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/private_memory.h"

#include <spdlog/spdlog.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cstring>

namespace parley::app {

void keep_memory_private() {
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0) return;
  spdlog::warn("other processes of this user can read the memory of the server: {}",
               std::strerror(errno));
}

}  // namespace parley::app
