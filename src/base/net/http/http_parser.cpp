// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/http_parser.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/core/append_within.h"
#include "base/core/assert.h"
#include "base/net/http/http_text.h"

namespace parley::net {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

// The length on which all items of all Content-Length fields agree: "5", also "5, 5" and two fields
// "5" (RFC 9112 section 6.3). False if an item is invalid or differs.
bool read_length(std::string_view value, std::optional<std::uint64_t>& length) {
  while (true) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view item = trim(value.substr(0, comma));
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(item.data(), item.data() + item.size(), number);
    if (item.empty() || error != std::errc() || stop != item.data() + item.size()) return false;
    if (length.value_or(number) != number) return false;
    length = number;
    if (comma == value.size()) return true;
    value.remove_prefix(comma + 1);
  }
}

// True if a field is a comma-separated list of tokens, empty items allowed (RFC 9110
// section 5.6.1).
bool is_token_list(std::string_view value) {
  while (true) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view item = trim(value.substr(0, comma));
    if (!std::all_of(item.begin(), item.end(), is_token_char)) return false;
    if (comma == value.size()) return true;
    value.remove_prefix(comma + 1);
  }
}

}  // namespace

HttpParser::HttpParser(HttpParserLimits limits) : limits_(limits) {}
HttpParser::~HttpParser() = default;

std::string HttpParser::label() const {
  return "HTTP parser in state " + std::to_string(static_cast<int>(state_)) + ", " +
         std::to_string(body_left_) + " bytes of a body missing";
}

std::size_t HttpParser::feed(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    const std::string_view rest = bytes.substr(taken);
    if (state_ == State::complete || state_ == State::failed) break;
    const bool in_body = state_ == State::body;
    const std::size_t step = in_body ? feed_body(rest) : feed_head(rest);
    PARLEY_ASSERT(step > 0 && step <= rest.size(), label() + ": takes " + std::to_string(step) +
                                                       " of " + std::to_string(rest.size()) +
                                                       " bytes");
    taken += step;
    if (!in_body && state_ == State::body) break;
  }
  return taken;
}

ParsedRequest HttpParser::take_head() {
  PARLEY_ASSERT(state_ == State::body, label() + ": its head is taken without a body behind it");
  return std::exchange(request_, ParsedRequest());
}

ParsedRequest HttpParser::take() {
  PARLEY_ASSERT(state_ == State::complete && body_left_ == 0 && (!chunks_ || chunks_->done()),
                label() + ": a request is taken that is not complete");
  ParsedRequest out = std::exchange(request_, ParsedRequest());
  chunks_.reset();
  body_left_ = 0;
  scanned_ = 0;
  skipped_line_ = false;
  expects_continue_ = false;
  state_ = State::idle;
  return out;
}

// Collects bytes up to the empty line, so that all checks see a whole head.
std::size_t HttpParser::feed_head(std::string_view bytes) {
  // One empty line before a request is accepted (RFC 9112 section 2.2).
  const std::size_t seen = head_.size();
  PARLEY_ASSERT(seen <= limits_.max_header_bytes && scanned_ <= seen,
                label() + ": holds " + std::to_string(seen) + " bytes of a head, " +
                    std::to_string(scanned_) + " of them searched");
  if (!skipped_line_ && seen < 2 && head_ + std::string(bytes.substr(0, 2 - seen)) == kLineEnd) {
    const std::size_t taken = kLineEnd.size() - seen;
    head_.clear();
    skipped_line_ = true;
    state_ = State::idle;
    return taken;
  }
  if (seen == 0) {
    const std::size_t end = bytes.find(kHeadEnd);
    if (end != std::string_view::npos && end + kHeadEnd.size() <= limits_.max_header_bytes) {
      state_ = State::head;
      read_head(bytes.substr(0, end + kHeadEnd.size()));
      return end + kHeadEnd.size();
    }
  }
  state_ = State::head;
  const std::size_t room = limits_.max_header_bytes + 1 - seen;
  head_.append(bytes.substr(0, room));
  const std::size_t end = head_.find(kHeadEnd, scanned_);
  if (end == std::string::npos) {
    scanned_ = head_.size() - std::min<std::size_t>(head_.size(), kHeadEnd.size() - 1);
    check_unfinished_head();
    return std::min(bytes.size(), room);
  }
  const std::size_t size = end + kHeadEnd.size();
  if (size > limits_.max_header_bytes) {
    check_unfinished_head();
    return std::min(bytes.size(), room);
  }
  const std::string head = std::exchange(head_, std::string()).substr(0, size);
  read_head(head);
  return size - seen;
}

// Fails as soon as the bytes cannot begin a valid request, before they fill the buffer.
void HttpParser::check_unfinished_head() {
  const bool line_first = !skipped_line_ && head_ == "\r";
  if (!is_token_char(head_.front()) && !line_first) {
    return fail(400, "This is not an HTTP request.");
  }
  const std::size_t line_end = head_.find('\n');
  const std::string_view line = std::string_view(head_).substr(0, line_end);
  const std::size_t method_end = line.find(' ');
  if (method_end != std::string_view::npos) {
    const std::string_view target = line.substr(method_end + 1);
    if (std::min(target.find(' '), target.size()) > limits_.max_target_bytes) {
      return fail(414, "The request target is too long.");
    }
  }
  if (head_.size() > limits_.max_header_bytes) {
    fail(431, "The request's header fields are too large.");
  }
}

bool HttpParser::read_request_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == 0 || last == first) {
    fail(400, "The request line must have the form \"METHOD target HTTP/1.1\".");
    return false;
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  request_.method = method;
  if (target.size() > limits_.max_target_bytes) {
    fail(414, "The request target is too long.");
    return false;
  }
  const bool form = version.size() == 8 && version.substr(0, 5) == "HTTP/" &&
                    is_digit(version[5]) && version[6] == '.' && is_digit(version[7]);
  const auto bad = [](char c) { return c == ' ' || c == '\t'; };
  if (!form || !std::all_of(method.begin(), method.end(), is_token_char) || target.empty() ||
      std::any_of(target.begin(), target.end(), bad)) {
    fail(400, "The request line must have the form \"METHOD target HTTP/1.1\".");
    return false;
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    fail(505, "This server supports only HTTP/1.1 and HTTP/1.0.");
    return false;
  }
  request_.target = target;
  request_.http_1_1 = version == "HTTP/1.1";
  return true;
}

bool HttpParser::read_lines(std::string_view head) {
  std::string_view rest = head.substr(0, head.size() - kLineEnd.size());
  for (std::size_t count = 0; !rest.empty(); ++count) {
    const std::size_t end = rest.find(kLineEnd);
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + kLineEnd.size());
    if (std::any_of(line.begin(), line.end(), is_bad_text)) {
      fail(400, "The request's head has a control character or a bare CR or LF.");
    } else if (count > limits_.max_header_fields) {
      fail(431, "There are too many header fields.");
    } else if (count == 0) {
      read_request_line(line);
    } else if (!is_field_line(line)) {
      fail(400, "A header field is malformed or folded.");
    } else {
      const std::size_t colon = line.find(':');
      request_.headers.add(std::string(line.substr(0, colon)),
                           std::string(trim(line.substr(colon + 1))));
    }
    if (state_ == State::failed) return false;
  }
  return true;
}

void HttpParser::read_head(std::string_view head) {
  if (!read_lines(head) || !read_fields()) return;
  const bool close = request_.headers.lists("Connection", "close");
  request_.keep_alive =
      !close && (request_.http_1_1 || request_.headers.lists("Connection", "keep-alive"));
  const bool has_body = chunks_ != nullptr || body_left_ > 0;
  expects_continue_ = expects_continue_ && has_body;
  state_ = has_body ? State::body : State::complete;
}

void HttpParser::limit_body(std::size_t max_bytes) {
  PARLEY_ASSERT(state_ == State::body && request_.body.empty(),
                label() + ": a body is limited that has begun or is not awaited");
  if (body_left_ > max_bytes) return fail(413, "The request's body is too large.");
  if (chunks_ != nullptr) chunks_->limit(max_bytes);
}

// Reads the fields that determine the end of the request, and checks those that must be valid in
// every request.
bool HttpParser::read_fields() {
  std::size_t hosts = 0;
  std::size_t codings = 0;
  std::optional<std::uint64_t> length;
  bool clear = true;  // all readers find the same end of the request
  for (const auto& [name, value] : request_.headers.all()) {
    if (equals_ignoring_case(name, "Host")) ++hosts;
    if (equals_ignoring_case(name, "Connection") && !is_token_list(value)) {
      fail(400, "The Connection header is malformed.");
      return false;
    }
    if (equals_ignoring_case(name, "Content-Length")) clear = clear && read_length(value, length);
    if (!equals_ignoring_case(name, "Transfer-Encoding")) continue;
    ++codings;
    clear = clear && request_.http_1_1 && codings == 1;
    if (clear && !equals_ignoring_case(value, "chunked")) {
      fail(501, "The only supported Transfer-Encoding is chunked.");
      return false;
    }
  }
  if (!clear || (length && codings > 0)) {
    fail(400, "The length of the request's body is ambiguous or malformed.");
  } else if (length.value_or(0) > limits_.max_body_bytes) {
    fail(413, "The request's body is too large.");
  } else if (hosts > 1 || (hosts == 0 && request_.http_1_1)) {
    fail(400, "The request must have exactly one Host header.");
  }
  if (state_ == State::failed) return false;
  body_left_ = length.value_or(0);
  if (codings > 0) {
    chunks_ = std::make_unique<ChunkDecoder>(limits_.max_body_bytes, limits_.max_header_bytes);
  }
  if (!request_.headers.has("Expect") || !request_.http_1_1) return true;
  if (!equals_ignoring_case(request_.headers.get("Expect"), "100-continue")) {
    fail(417, "The only supported value of Expect is 100-continue.");
    return false;
  }
  expects_continue_ = true;
  return true;
}

std::size_t HttpParser::feed_body(std::string_view bytes) {
  expects_continue_ = false;
  PARLEY_ASSERT((chunks_ != nullptr) != (body_left_ > 0),
                label() + ": a body has no length, or two, or was dropped");
  if (chunks_ == nullptr) {
    const std::size_t count = std::min<std::uint64_t>(body_left_, bytes.size());
    core::append_within(request_.body, bytes.substr(0, count), request_.body.size() + body_left_);
    body_left_ -= count;
    if (body_left_ == 0) state_ = State::complete;
    return count;
  }
  const std::size_t count = chunks_->feed(bytes, request_.body);
  if (chunks_->done()) state_ = State::complete;
  if (chunks_->status() != 0) fail(chunks_->status(), chunks_->reason());
  return count;
}

void HttpParser::drop() {
  std::string().swap(head_);
  std::string().swap(request_.body);
  request_.headers = {};
  chunks_.reset();
}

void HttpParser::fail(int status, std::string_view reason) {
  state_ = State::failed;
  status_ = status;
  reason_ = reason;
  expects_continue_ = false;
  drop();
}

}  // namespace parley::net
