// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/forwarded_request.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/net/http/http_text.h"

namespace parley::link {
namespace {

constexpr std::string_view kRetryAfterSeconds = "1";
constexpr std::string_view kExtensions = "Sec-WebSocket-Extensions";

bool concerns_one_connection(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "Connection", "Content-Length", "Expect",  "Keep-Alive",   "Proxy-Connection",
      "TE",         "Trailer",        "Upgrade", "X-Request-Id", "Transfer-Encoding"};
  return std::any_of(kNames.begin(), kNames.end(), [name](std::string_view each) {
    return net::equals_ignoring_case(each, name);
  });
}

// Without its empty line, and without the field `left_out`.
std::string head_of(const net::Request& request, std::string_view left_out = {}) {
  std::string out;
  out.append(request.method == "HEAD" ? "GET" : request.method).append(" ");
  out.append(request.target).append(" HTTP/1.1\r\n");
  for (const auto& [name, value] : request.headers.all()) {
    if (concerns_one_connection(name) || net::equals_ignoring_case(name, left_out)) continue;
    out.append(name).append(": ").append(value).append("\r\n");
  }
  out.append("X-Request-Id: ").append(request.id).append("\r\n");
  return out;
}

net::Response without_home(std::string sentence) {
  return net::Response::error({core::Code::unavailable, std::move(sentence), "home"});
}

}  // namespace

std::string wire_of(const net::Request& request) {
  std::string out = head_of(request);
  if (!request.body.empty() || request.headers.has("Content-Length") ||
      request.headers.has("Transfer-Encoding")) {
    out.append("Content-Length: ").append(std::to_string(request.body.size())).append("\r\n");
  }
  out.append("\r\n").append(request.body);
  return out;
}

std::string handshake_of(const net::Request& request, bool compresses) {
  return head_of(request, compresses ? std::string_view() : kExtensions)
      .append("Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
}

net::Response home_unreached(std::string sentence) {
  net::Response response = without_home(std::move(sentence));
  response.headers.add("Retry-After", std::string(kRetryAfterSeconds));
  return response;
}

net::Response home_broken(std::string sentence) {
  net::Response response = without_home(std::move(sentence));
  response.status = 502;
  return response;
}

}  // namespace parley::link
