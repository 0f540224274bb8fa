// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace parley::net {

// True if `line` (without its line end) is "name: value" as RFC 9112 section 5 has it: no blank
// before the colon, no folding, no control characters.
bool is_field_line(std::string_view line);

// Takes the chunked coding (RFC 9112 section 7.1) off a body that comes in any pieces. Stricter
// than the RFC asks, so that no two readers see different bodies: line ends are CR LF and nothing
// else, a size has at most 16 digits, extensions are printable. Trailer fields are checked and
// dropped.
class ChunkDecoder {
 public:
  static constexpr std::size_t kMaxLineBytes = 1'024;  // of a size with its extensions

  ChunkDecoder(std::size_t max_body_bytes, std::size_t max_trailer_bytes)
      : body_room_(max_body_bytes), trailer_room_(max_trailer_bytes) {}

  // Before the first byte: takes no longer body than this, if the limit so far is higher.
  void limit(std::size_t max_body_bytes);
  // Appends the body's bytes to `out` and returns how many bytes it took: all, unless done or
  // failed.
  std::size_t feed(std::string_view bytes, std::string& out);
  bool done() const { return state_ == State::done; }
  // When failed: 400, 413 or 431, and a sentence; else 0.
  int status() const { return status_; }
  std::string_view reason() const { return reason_; }
  std::size_t buffered() const { return line_.size(); }

 private:
  enum class State : std::uint8_t { size, data, data_end, trailers, done, failed };

  void take_line_byte(char c);
  void take_line();
  void take_size();
  void fail(int status, std::string_view reason);

  State state_ = State::size;
  int status_ = 0;
  std::string_view reason_;
  std::size_t body_room_;
  std::size_t trailer_room_;
  std::uint64_t left_ = 0;  // of this chunk
  std::string line_;
};

}  // namespace parley::net
