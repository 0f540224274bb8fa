// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace parley::net {

// True if `line` (without its line end) is a valid field line (RFC 9112 section 5): "name: value"
// with no blank before the colon, no folding, no control characters.
bool is_field_line(std::string_view line);

// Decodes a chunked body (RFC 9112 section 7.1) that arrives in any pieces. Stricter than the RFC,
// so that two readers cannot see different bodies: line ends are only CR LF, a size has at most 16
// digits, extensions are printable. Trailer fields are checked and dropped.
class ChunkDecoder {
 public:
  // Limit (HTTP): line before a chunk. Reached: 400, closed; `malformed`.
  static constexpr std::size_t kMaxLineBytes = 1'024;  // limit of a size with its extensions

  ChunkDecoder(std::size_t max_body_bytes, std::size_t max_trailer_bytes)
      : body_room_(max_body_bytes), trailer_room_(max_trailer_bytes) {}

  // Lowers the limit of the body; a higher value has no effect. Call before the first byte.
  void limit(std::size_t max_body_bytes);
  // Appends the body's bytes to `out` and returns the number of bytes consumed: all, unless done or
  // failed.
  std::size_t feed(std::string_view bytes, std::string& out);
  bool done() const { return state_ == State::done; }
  // After a failure: 400, 413 or 431, with the reason as a sentence; otherwise 0.
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
  std::uint64_t left_ = 0;  // bytes left of this chunk
  std::string line_;
};

}  // namespace parley::net
