// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/http_chunks.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/core/assert.h"
#include "base/net/http/http_text.h"

namespace parley::net {
namespace {

constexpr std::size_t kMaxSizeDigits = 16;

}  // namespace

bool is_field_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view name = line.substr(0, colon);
  return std::all_of(name.begin(), name.end(), is_token_char) &&
         std::none_of(line.begin(), line.end(), is_bad_text);
}

void ChunkDecoder::limit(std::size_t max_body_bytes) {
  PARLEY_ASSERT(state_ == State::size && line_.empty(),
                "chunked body: limited after it has begun, in state " +
                    std::to_string(static_cast<int>(state_)));
  body_room_ = std::min(body_room_, max_body_bytes);
}

std::size_t ChunkDecoder::feed(std::string_view bytes, std::string& out) {
  std::size_t at = 0;
  while (at < bytes.size() && state_ != State::done && state_ != State::failed) {
    if (state_ == State::data) {
      const std::size_t count = std::min<std::uint64_t>(left_, bytes.size() - at);
      out.append(bytes.substr(at, count));
      at += count;
      left_ -= count;
      PARLEY_ASSERT(count > 0, "chunked body: an empty chunk is read as data");
      if (left_ == 0) state_ = State::data_end;
    } else {
      take_line_byte(bytes[at]);
      ++at;
    }
  }
  return at;
}

void ChunkDecoder::take_line_byte(char c) {
  const bool after_cr = !line_.empty() && line_.back() == '\r';
  if (after_cr != (c == '\n')) return fail(400, "A line of a chunked body has a bare CR or LF.");
  if (c == '\n') {
    line_.pop_back();
    take_line();
    line_.clear();
    return;
  }
  if (c != '\r' && is_bad_text(c)) {
    return fail(400, "A line of a chunked body has a control character.");
  }
  if (state_ == State::data_end && c != '\r') {
    return fail(400, "A chunk is longer than its size.");
  }
  line_.push_back(c);
  if (state_ == State::trailers) {
    if (trailer_room_ == 0) return fail(431, "The request's trailer fields are too large.");
    --trailer_room_;
  } else if (line_.size() > kMaxLineBytes) {
    fail(400, "The line before a chunk is too long.");
  }
}

void ChunkDecoder::take_line() {
  switch (state_) {
    case State::size:
      return take_size();
    case State::data_end:
      state_ = State::size;
      return;
    case State::trailers:
      if (line_.empty()) state_ = State::done;
      if (!line_.empty() && !is_field_line(line_)) fail(400, "A trailer field is malformed.");
      return;
    case State::data:
    case State::done:
    case State::failed:
      return;
  }
}

void ChunkDecoder::take_size() {
  const char* const begin = line_.data();
  const char* const end = begin + line_.size();
  const auto [stop, error] = std::from_chars(begin, end, left_, 16);
  const auto digits = static_cast<std::size_t>(stop - begin);
  if (error != std::errc() || digits > kMaxSizeDigits || line_.front() == '-') {
    return fail(400, "A chunk has no valid size.");
  }
  const std::string_view extension = trim(std::string_view(line_).substr(digits));
  if (!extension.empty() && extension.front() != ';') {
    return fail(400, "A chunk has no valid size.");
  }
  if (left_ > body_room_) return fail(413, "The request's body is too large.");
  body_room_ -= left_;
  state_ = left_ == 0 ? State::trailers : State::data;
}

void ChunkDecoder::fail(int status, std::string_view reason) {
  state_ = State::failed;
  status_ = status;
  reason_ = reason;
}

}  // namespace parley::net
