// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace parley::conformance {

// Maps each value of a JSON text to the line where it begins. The text must be valid JSON.
class SourceMap {
 public:
  explicit SourceMap(std::string_view text);

  // The line, from 1, of the value at a JSON pointer, or of its nearest parent that exists.
  int line_of(std::string_view pointer) const;

 private:
  std::map<std::string, int, std::less<>> lines_;
};

}  // namespace parley::conformance
