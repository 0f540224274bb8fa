// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "runtime/stream/run_builder.h"

namespace parley::runtime {

// A run of a sub-agent, as its frames come in the parent's.
struct RunBuilder::SubAgent {
  std::string name;
  std::string call_id;
  std::string node_id;  // of the parent's node
  std::unique_ptr<RunBuilder> builder;
};

}  // namespace parley::runtime
