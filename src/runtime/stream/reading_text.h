// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "runtime/stream/run_reader.h"

namespace parley::runtime {

struct TextOptions {
  std::size_t width = 120;  // of an event's line, in bytes; at least 20 bytes of each are shown
  bool colour = false;
};

// A reading for a terminal: one line per event, in order, with its number and its type, indented by
// level (event_line.h), with events of sub-agents inside the call that runs them; then one line per
// run with its summary, and the counts. `reading` must be that of `reader`. Hidden characters in
// quoted text are made visible.
std::string reading_text(const RunReader& reader, const Reading& reading,
                         const TextOptions& options = {});

// One line per finding: "FILE:LINE: error not_json: ...".
std::string findings_text(const Reading& reading);

// The first `width` bytes of a text on one line, with an ellipsis if the text is longer. Line
// breaks and tabs become spaces; hidden characters are made visible.
std::string one_line(std::string_view text, std::size_t width);

}  // namespace parley::runtime
