// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/tool/toolbox.h"

namespace parley::tool {

// The same tools for a dry run: offered unchanged, but without effect. A call skips approvals, and
// its result is "(dry run: NAME was not executed)" (contract 3.1).
Toolbox dry_tools(const Toolbox& tools);

}  // namespace parley::tool
