// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "runtime/stream/run_reader.h"

namespace parley::runtime {

struct TextOptions {
  std::size_t width = 120;  // of a line of an event, in bytes; at least 20 are told of each
  bool colour = false;
};

// What was read, for a terminal: one line an event, in order, with its number and its type,
// indented by level (event_line.h), those of sub-agents within the call that runs them; then one
// line a run with what it adds up to, and the counts. `reading` is that of `reader`. Hidden
// characters of what is quoted are written out.
std::string reading_text(const RunReader& reader, const Reading& reading,
                         const TextOptions& options = {});

// One line a finding: "FILE:LINE: error not_json: ...".
std::string findings_text(const Reading& reading);

// The first `width` bytes of a text on one line, and an ellipsis if there is more. Line breaks and
// tabs become a blank; hidden characters are written out.
std::string one_line(std::string_view text, std::size_t width);

}  // namespace parley::runtime
