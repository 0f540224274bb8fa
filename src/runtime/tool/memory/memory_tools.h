// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/clock.h"
#include "runtime/tool/toolbox.h"
#include "runtime/tool/worker.h"

namespace parley::tool {

// remember, recall, search_memories, list_memories, forget (which asks first by default), on the
// database at `path`. It is opened by the first call; a file that cannot be opened is the result of
// each call. `workers` and `clock` outlive the tools.
Toolbox memory_tools(WorkerPool& workers, std::string path, const core::Clock& clock);

}  // namespace parley::tool
