// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/graph/graph.h"

namespace parley::graph {

// All faults of a graph, each as a clause without a full stop.
std::vector<std::string> faults_of(const GraphDeclaration& declared, const GraphOptions& options);

}  // namespace parley::graph
