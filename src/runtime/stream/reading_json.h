// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/stream/run_reader.h"

namespace parley::runtime {

// A reading as one JSON object: {"sessions":[{"id","runs":[...]}],"findings":[...],
// "counts":{...}}. Members of a run are those of run_summary.h.
std::string reading_json(const Reading& reading);

}  // namespace parley::runtime
