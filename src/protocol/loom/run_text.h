// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "protocol/loom/run_reader.h"

namespace parley::loom {

struct TextOptions {
  std::size_t width = 100;  // of what is quoted from the run, in bytes
  bool colour = false;
};

// Everything that was read as a tree for a terminal: runs, nodes, what was said, tools, sub-agents,
// thoughts, totals; then the findings. Control characters of what is quoted are left out.
std::string tree_text(const Reading& reading, const TextOptions& options = {});

// One line a finding: "FILE:LINE: error not_json: ...".
std::string findings_text(const Reading& reading);

// A text on one line, at most `width` bytes and an ellipsis, without control characters.
std::string one_line(std::string_view text, std::size_t width);

}  // namespace parley::loom
