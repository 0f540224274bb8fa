// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"

namespace parley::core {

// Cuts a stream of bytes into lines at LF and removes a CR before it. A line holds at most
// `max_bytes`, its CR included.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Calls `line(text, false)` for each complete line, and `line("", true)` once for a line that is
  // too long; the rest of that line is skipped. The text is valid only during the call.
  using OnLine = absl::FunctionRef<void(std::string_view text, bool too_long)>;
  void feed(std::string_view bytes, OnLine line);
  // Ends the stream: a last line without LF is delivered too.
  void finish(OnLine line);

 private:
  void take(std::string_view part, OnLine line);

  std::size_t max_bytes_;
  std::string partial_;
  bool skipping_ = false;
};

}  // namespace parley::core
