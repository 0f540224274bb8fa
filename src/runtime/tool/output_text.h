// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace parley::tool {

// Keeps the first and the last bytes of a long text, and counts those in between.
class BoundedText {
 public:
  BoundedText(std::size_t head, std::size_t tail) : head_limit_(head), tail_limit_(tail) {}

  void append(std::string_view bytes);
  std::uint64_t total() const { return total_; }
  // The text as UTF-8; a line in the gap states the number of missing bytes.
  std::string text() const;

 private:
  std::size_t head_limit_;
  std::size_t tail_limit_;
  std::uint64_t total_ = 0;
  std::string head_;
  std::string tail_;  // trimmed to the limit from time to time
};

// At most `limit` bytes of UTF-8 text, cut between characters; a line notes the cut.
std::string cut_text(std::string_view text, std::size_t limit);

}  // namespace parley::tool
