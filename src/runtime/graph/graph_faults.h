// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/graph/graph.h"

namespace parley::graph {

// Everything that is wrong with a graph, each as a part of a sentence without its full stop.
std::vector<std::string> faults_of(const GraphDeclaration& declared, const GraphOptions& options);

}  // namespace parley::graph
