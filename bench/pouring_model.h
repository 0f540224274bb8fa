// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "runtime/model/model_registry.h"
#include "runtime/tool/tool_source.h"
#include "stream_gate.h"

namespace parley::bench {

// Parameters of one run, which its message contains: "pour REPLIES PIECES TURN".
struct Pour {
  std::size_t replies = 1;   // from the model; each but the last calls a tool
  std::size_t pieces = 1;    // of each reply; each is an event
  std::size_t per_turn = 1;  // pieces in one turn of the loop
  std::string message() const;
};

// A registry of one model in this process, which streams as fast as it is read. Its pieces
// alternate between text and reasoning, so that no two are joined. The gate outlives it.
std::unique_ptr<model::ModelRegistry> make_pouring_models(StreamGate& gate);

// The one tool that the model calls, which does nothing.
std::unique_ptr<tool::ToolSource> make_idle_tools();

}  // namespace parley::bench
