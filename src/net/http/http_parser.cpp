// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_parser.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <utility>

#include "core/append_within.h"
#include "core/assert.h"
#include "net/http/http_text.h"

namespace parley::net {
namespace {

namespace http = boost::beast::http;

using ErrorCode = boost::beast::error_code;
using BeastView = boost::beast::string_view;

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

std::string_view view(BeastView text) { return {text.data(), text.size()}; }

// Beast's parser of heads, writing into our request. It sees only what passed the checks before it
// and no byte of a body.
class HeadParser final : public http::basic_parser<true> {
 public:
  HeadParser(ParsedRequest& request, const HttpParserLimits& limits) : request_(request) {
    header_limit(static_cast<std::uint32_t>(limits.max_header_bytes + 1));
    body_limit(limits.max_body_bytes);
  }

 private:
  void on_request_impl(http::verb, BeastView method, BeastView target, int version,
                       ErrorCode& error) override {
    error = {};
    request_.method = view(method);
    request_.target = view(target);
    request_.http_1_1 = version >= 11;
  }
  void on_response_impl(int, BeastView, int, ErrorCode& error) override { error = {}; }
  void on_field_impl(http::field, BeastView name, BeastView value, ErrorCode& error) override {
    error = {};
    request_.headers.add(std::string(view(name)), std::string(view(value)));
  }
  void on_header_impl(ErrorCode& error) override { error = {}; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode& error) override {
    error = {};
  }
  std::size_t on_body_impl(BeastView body, ErrorCode& error) override {
    error = {};
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, BeastView, ErrorCode& error) override { error = {}; }
  std::size_t on_chunk_body_impl(std::uint64_t, BeastView body, ErrorCode& error) override {
    error = {};
    return body.size();
  }
  void on_finish_impl(ErrorCode& error) override { error = {}; }

  ParsedRequest& request_;
};

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

// Collects up to the empty line, so that every check sees a whole head.
std::size_t HttpParser::feed_head(std::string_view bytes) {
  // One empty line before a request is forgiven (RFC 9112 section 2.2).
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

// Fails as soon as the bytes cannot become a request any more, before they fill the buffer.
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

bool HttpParser::check_request_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == 0 || last == first) {
    fail(400, "The request line is not \"METHOD target HTTP/1.1\".");
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
    fail(400, "The request line is not \"METHOD target HTTP/1.1\".");
    return false;
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    fail(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here.");
    return false;
  }
  return true;
}

bool HttpParser::check_lines(std::string_view head) {
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
      check_request_line(line);
    } else if (!is_field_line(line)) {
      fail(400, "A header field is malformed or folded.");
    }
    if (state_ == State::failed) return false;
  }
  return true;
}

void HttpParser::read_head(std::string_view head) {
  if (!check_lines(head)) return;
  HeadParser parser(request_, limits_);
  ErrorCode error;
  parser.put(boost::asio::const_buffer(head.data(), head.size()), error);
  if (error == http::error::body_limit) return fail(413, "The request's body is too large.");
  if (error == http::error::bad_content_length || error == http::error::multiple_content_length ||
      error == http::error::bad_transfer_encoding) {
    return fail(400, "The length of the request's body is ambiguous or malformed.");
  }
  if (error || !parser.is_header_done()) return fail(400, "The request's head is malformed.");
  if (!check_fields()) return;
  request_.keep_alive = parser.keep_alive();
  body_left_ = parser.content_length().value_or(0);
  if (parser.chunked()) {
    chunks_ = std::make_unique<ChunkDecoder>(limits_.max_body_bytes, limits_.max_header_bytes);
  }
  const bool has_body = parser.chunked() || body_left_ > 0;
  expects_continue_ = expects_continue_ && has_body;
  state_ = has_body ? State::body : State::complete;
}

void HttpParser::limit_body(std::size_t max_bytes) {
  PARLEY_ASSERT(state_ == State::body && request_.body.empty(),
                label() + ": a body is limited that has begun or is not awaited");
  if (body_left_ > max_bytes) return fail(413, "The request's body is too large.");
  if (chunks_ != nullptr) chunks_->limit(max_bytes);
}

// Refuses what Beast accepts: codings other than chunked, chunks in HTTP/1.0, no Host or two.
bool HttpParser::check_fields() {
  std::size_t hosts = 0;
  std::size_t codings = 0;
  for (const auto& [name, value] : request_.headers.all()) {
    if (equals_ignoring_case(name, "Host")) ++hosts;
    if (!equals_ignoring_case(name, "Transfer-Encoding")) continue;
    ++codings;
    if (!request_.http_1_1 || request_.headers.has("Content-Length") || codings > 1) {
      fail(400, "The length of the request's body is ambiguous or malformed.");
      return false;
    }
    if (!equals_ignoring_case(value, "chunked")) {
      fail(501, "The only transfer coding taken here is chunked.");
      return false;
    }
  }
  if (hosts > 1 || (hosts == 0 && request_.http_1_1)) {
    fail(400, "A request names its host once, in the field Host.");
    return false;
  }
  if (!request_.headers.has("Expect") || !request_.http_1_1) return true;
  if (!equals_ignoring_case(request_.headers.get("Expect"), "100-continue")) {
    fail(417, "The only expectation met here is 100-continue.");
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

void HttpParser::drop_body() {
  std::string().swap(request_.body);
  chunks_.reset();
}

void HttpParser::fail(int status, std::string_view reason) {
  state_ = State::failed;
  status_ = status;
  reason_ = reason;
  expects_continue_ = false;
  std::string().swap(head_);
  drop_body();
}

}  // namespace parley::net
