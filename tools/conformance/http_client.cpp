// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/http_client.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/core/ascii.h"
#include "base/core/result.h"
#include "tools/conformance/bytes.h"

namespace parley::conformance {
namespace json = boost::json;
namespace {

constexpr std::size_t kMaxLine = 64U << 10U;
constexpr std::size_t kMaxBody = 512U << 20U;

tl::unexpected<core::Error> not_http(std::string_view what) {
  return core::fail(core::Code::data_loss, "not a response of HTTP/1.1: " + std::string(what));
}

bool has_header(const HeaderList& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(),
                     [&](const auto& field) { return core::lowered(field.first) == name; });
}

std::string head_text(const Target& target, const HttpRequest& request) {
  std::string out = request.method + " " + target.prefix + request.path + " HTTP/1.1\r\n";
  if (!has_header(request.headers, "host")) out += "Host: " + target.authority() + "\r\n";
  for (const auto& [name, value] : request.headers) {
    out.append(name).append(": ").append(value).append("\r\n");
  }
  const bool sends_body = !request.body.empty() || request.method == "POST" ||
                          request.method == "PUT" || request.method == "PATCH";
  if (sends_body && !has_header(request.headers, "content-length") &&
      !has_header(request.headers, "transfer-encoding")) {
    out += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  }
  return out + "\r\n";
}

std::string_view header(const HttpHead& head, std::string_view name) {
  const json::value* found = head.headers.if_contains(name);
  return found == nullptr ? std::string_view() : std::string_view(found->get_string());
}

void add_field(HttpHead& head, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = core::lowered(line.substr(0, colon));
  const std::string value(core::trimmed(line.substr(colon + 1), " \t"));
  json::value* earlier = head.headers.if_contains(name);
  if (earlier == nullptr) {
    head.headers.emplace(name, value);
  } else {
    const std::string joined = std::string(earlier->get_string()) + ", " + value;
    *earlier = json::value(joined);
  }
}

}  // namespace

core::Result<std::unique_ptr<HttpExchange>> HttpExchange::start(const Target& target,
                                                                const HttpRequest& request,
                                                                Deadline deadline) {
  PARLEY_TRY(auto channel, Channel::connect(target, deadline));
  const std::string head = head_text(target, request);
  const auto sent = channel->write_all(head + request.body, deadline);
  // A server may refuse a body before it has read all of it: its answer is still valid.
  if (!sent && sent.error().code == core::Code::deadline_exceeded) return core::fail(sent.error());
  const bool is_head = request.method == "HEAD";
  return std::unique_ptr<HttpExchange>(new HttpExchange(std::move(channel), is_head));
}

core::Result<void> HttpExchange::fill(Deadline deadline) {
  PARLEY_TRY(const auto more, channel_->read_some(buffer_, deadline));
  if (!more) return core::fail(core::Code::unavailable, "the server closed the connection");
  return {};
}

core::Result<std::string> HttpExchange::line(Deadline deadline) {
  while (true) {
    const std::size_t end = buffer_.find("\r\n");
    if (end != std::string::npos) {
      std::string text = buffer_.substr(0, end);
      buffer_.erase(0, end + 2);
      return text;
    }
    if (buffer_.size() > kMaxLine) return not_http("a line without an end");
    PARLEY_TRY_VOID(fill(deadline));
  }
}

core::Result<HttpHead> HttpExchange::head(Deadline deadline) {
  if (head_read_) return head_;
  PARLEY_TRY(const auto status, line(deadline));
  if (!status.starts_with("HTTP/1.") || status.size() < 12) return not_http(status);
  const char* digits = status.data() + 9;
  if (std::from_chars(digits, digits + 3, head_.status).ec != std::errc()) return not_http(status);
  head_.headers.clear();
  while (true) {
    PARLEY_TRY(const auto field, line(deadline));
    if (field.empty()) break;
    add_field(head_, field);
  }
  if (head_.status == 100) return head(deadline);
  head_read_ = true;
  const std::string_view length = header(head_, "content-length");
  chunked_ = core::lowered(header(head_, "transfer-encoding")).find("chunked") != std::string::npos;
  const bool bodiless =
      is_head_ || head_.status == 204 || head_.status == 304 || head_.status == 101;
  if (bodiless) {
    body_done_ = true;
  } else if (!chunked_ && length.empty()) {
    until_close_ = true;
  } else if (!chunked_) {
    std::from_chars(length.data(), length.data() + length.size(), left_);
    body_done_ = left_ == 0;
  }
  return head_;
}

core::Result<bool> HttpExchange::read_chunk(std::string& into, Deadline deadline) {
  if (chunk_end_due_) {
    PARLEY_TRY_VOID(line(deadline));
    chunk_end_due_ = false;
  }
  if (left_ == 0) {
    PARLEY_TRY(const auto size, line(deadline));
    const auto read = std::from_chars(size.data(), size.data() + size.size(), left_, 16);
    if (read.ec != std::errc()) return not_http("chunk size '" + size + "'");
    if (left_ == 0) {
      while (true) {
        PARLEY_TRY(const auto trailer, line(deadline));
        if (trailer.empty()) break;
      }
      body_done_ = true;
      return false;
    }
  }
  auto got = read_counted(into, deadline);
  chunk_end_due_ = got && left_ == 0;
  return got;
}

core::Result<bool> HttpExchange::read_counted(std::string& into, Deadline deadline) {
  if (buffer_.empty()) {
    PARLEY_TRY_VOID(fill(deadline));
  }
  const std::size_t take = std::min(left_, buffer_.size());
  into.append(buffer_, 0, take);
  buffer_.erase(0, take);
  left_ -= take;
  return true;
}

core::Result<bool> HttpExchange::read_body_some(std::string& into, Deadline deadline) {
  if (body_done_) return false;
  if (chunked_) return read_chunk(into, deadline);
  if (!until_close_) {
    auto got = read_counted(into, deadline);
    body_done_ = left_ == 0;
    return got;
  }
  if (buffer_.empty()) {
    PARLEY_TRY(const auto more, channel_->read_some(buffer_, deadline));
    body_done_ = !more;
  }
  into += buffer_;
  buffer_.clear();
  return !body_done_;
}

core::Result<std::string> HttpExchange::body(Deadline deadline) {
  std::string out;
  while (out.size() < kMaxBody) {
    PARLEY_TRY(const auto more, read_body_some(out, deadline));
    if (!more) break;
  }
  return header(head_, "content-encoding") == "gzip" && !out.empty() ? gunzip(out) : out;
}

std::pair<std::unique_ptr<Channel>, std::string> HttpExchange::release() {
  return {std::move(channel_), std::move(buffer_)};
}

}  // namespace parley::conformance
