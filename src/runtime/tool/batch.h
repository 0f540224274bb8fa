// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "runtime/tool/tool.h"
#include "runtime/tool/toolbox.h"

namespace parley::tool {

// `batch`: one call that makes several calls at the same time. Each passes the context's gate, so
// that none bypasses an approval or a profile. `tools` are those that it may call; one named
// "batch" among them is refused.
ToolPtr make_batch(Toolbox tools);

// Limit (Tools): calls of `batch`. Reached: error.
inline constexpr std::size_t kMaxBatchCalls = 25;
// Limit of each single result within the batch's result, in bytes.
// Limit (Tools, bytes): result of a call of `batch`. Reached: cut.
inline constexpr std::size_t kMaxBatchResult = 4'000;

}  // namespace parley::tool
