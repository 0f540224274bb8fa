// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::core {

// `text` with each ill-formed byte replaced by U+FFFD.
std::string repaired_utf8(std::string_view text);

// The same for bytes that arrive in pieces: an incomplete character at the end of a piece is held
// back until the next piece.
class Utf8Stream {
 public:
  std::string feed(std::string_view bytes);
  // Ends the text: bytes that are held back are ill-formed.
  std::string finish();

 private:
  std::string rest_;  // at most 3 bytes
};

}  // namespace parley::core
