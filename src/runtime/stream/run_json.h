// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/stream/run_reader.h"

namespace parley::runtime {

// Everything that was read, as one JSON object: {"sessions":[{"id","runs":[...]}],"findings":[...],
// "counts":{...}}. Members are those of run_tree.h.
std::string tree_json(const Reading& reading);

}  // namespace parley::runtime
