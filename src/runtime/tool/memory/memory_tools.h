// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/tool/memory/memory_store.h"
#include "runtime/tool/toolbox.h"
#include "runtime/tool/worker.h"

namespace parley::tool {

// The tools remember, recall, search_memories, list_memories and forget (which asks first by
// default), on the database at `path`. The first call opens it; if that fails, each call returns
// the error as its result. `workers` and `clock` must outlive the tools.
Toolbox memory_tools(WorkerPool& workers, const std::shared_ptr<MemoryStore>& memory);

}  // namespace parley::tool
