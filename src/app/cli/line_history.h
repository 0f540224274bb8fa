// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parley::app {

// The lines that a person entered at a prompt, oldest first, in a file of mode 0600 with one JSON
// string per line. Several processes may use one file; of concurrent additions one may be lost.
class LineHistory {
 public:
  // add() creates the file and its folder if they are missing. An empty path: no line is kept.
  explicit LineHistory(std::string path) : path_(std::move(path)) {}

  // The lines of the file, without damaged ones; empty if it cannot be read.
  std::vector<std::string> load() const;
  // Adds a line, and drops the oldest line above kMaxLines. False: the line is not kept, because it
  // is blank, longer than kMaxLineBytes or equal to the line before, or the file cannot be written.
  bool add(std::string_view line) const;

  static constexpr std::size_t kMaxLines = 500;
  static constexpr std::size_t kMaxLineBytes = 8U << 10U;

 private:
  std::string path_;
};

}  // namespace parley::app
