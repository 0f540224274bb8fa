// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "runtime/tool/worker.h"

namespace re2 {
class RE2;
}

namespace parley::tool {

struct SearchOptions {
  std::string pattern;  // RE2's syntax
  bool ignore_case = false;
  bool literal = false;     // the pattern is plain text
  std::size_t context = 0;  // lines shown around each match
  std::size_t most = 100;   // limit of matches, all texts together
};

// Searches texts for a regular expression, line by line, in linear time, and formats the matches:
// "PATH:12:text" for a match, "PATH-11-text" for a line of context, "--" between groups.
class LineSearch {
 public:
  // Errors: `invalid_argument`, with the fault of the pattern.
  static core::Result<LineSearch> make(const SearchOptions& options);
  LineSearch(LineSearch&&) noexcept;
  LineSearch& operator=(LineSearch&&) noexcept;
  ~LineSearch();

  // Appends the matches in `text`. False once the search is over: a limit was reached, or `stop`.
  bool add(std::string_view path, std::string_view text, const StopFlag& stop);

  std::size_t matches() const { return matches_; }
  bool full() const { return full_; }  // more matches exist than were returned
  std::string& output() { return output_; }

  static constexpr std::size_t kMaxPatternBytes = 4000;
  static constexpr std::size_t kMaxShownBytes = 500;         // of a line
  static constexpr std::size_t kMaxSearchedBytes = 1 << 20;  // of a line
  static constexpr std::size_t kMaxOutputBytes = 256 << 10;

 private:
  struct File;
  LineSearch(std::unique_ptr<re2::RE2> expression, const SearchOptions& options);
  bool match(File& file, std::string_view line, std::size_t number);
  void show(const File& file, std::size_t number, std::string_view line, char mark);

  std::unique_ptr<re2::RE2> expression_;
  std::size_t context_;
  std::size_t most_;
  std::size_t matches_ = 0;
  bool full_ = false;
  std::string output_;
};

}  // namespace parley::tool
