// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parley::app {

// The lines that a person entered at a prompt, the oldest first, in a file of mode 0600: one JSON
// string a line. Several programs may use one file.
class LineHistory {
 public:
  // The file is made, with its folder, when the first line is added. Empty: nothing is kept.
  explicit LineHistory(std::string path) : path_(std::move(path)) {}

  // The lines of the file; none if it cannot be read. Lines that are damaged are left out.
  std::vector<std::string> load() const;
  // Adds a line and drops the oldest of too many. A blank line, a too long one, and one that equals
  // the line before are not kept. False: not kept, also where the file cannot be written.
  bool add(std::string_view line) const;

  static constexpr std::size_t kMaxLines = 500;
  static constexpr std::size_t kMaxLineBytes = 8U << 10U;

 private:
  std::string path_;
};

}  // namespace parley::app
