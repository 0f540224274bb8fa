// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "runtime/stream/run_reader.h"

namespace parley::runtime {

struct TextOptions {
  std::size_t width = 100;  // of what is quoted from the run, in bytes
  bool colour = false;
};

// Everything that was read as a tree for a terminal: runs, nodes, what was said, tools, sub-agents,
// thoughts, totals; then the findings. Hidden characters of what is quoted are written out.
std::string tree_text(const Reading& reading, const TextOptions& options = {});

// One line a finding: "FILE:LINE: error not_json: ...".
std::string findings_text(const Reading& reading);

// The first `width` bytes of a text on one line, and an ellipsis if there is more. Line breaks and
// tabs become a blank; hidden characters are written out.
std::string one_line(std::string_view text, std::size_t width);

}  // namespace parley::runtime
