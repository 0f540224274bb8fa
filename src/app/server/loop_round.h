// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/core/scheduler.h"

namespace parley::app {

// Returns when each of `loops` has run the tasks that were posted to it before this call, or after
// `patience`. Call on none of their threads.
void wait_for_round(const std::vector<core::Scheduler*>& loops, core::Millis patience);

}  // namespace parley::app
