// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/https_redirect.h"

#include <algorithm>

#include "base/net/http/http_parser.h"
#include "base/net/http/http_text.h"
#include "base/net/loop/tls.h"

namespace parley::net {
namespace {

constexpr std::string_view kAdvice = "This port speaks HTTPS: begin the address with https://.\n";

// Only visible ASCII: a target never adds a line to the head of the answer.
bool is_visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

bool is_redirectable(const ParsedRequest& request) {
  return (request.method == "GET" || request.method == "HEAD") && request.target.starts_with('/') &&
         is_visible(request.target) && HostPort::parse(request.headers.get("Host")).has_value();
}

std::string answer(int status, const std::string& fields, std::string_view body) {
  return "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason_phrase(status)) + "\r\n" +
         fields + "Content-Type: text/plain; charset=utf-8\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n" +
         std::string(body);
}

}  // namespace

std::string https_redirect(std::string_view head, const OriginPolicy& policy) {
  HttpParserLimits limits;
  limits.max_target_bytes = TlsNetwork::kMaxPlainBytes;
  limits.max_header_bytes = TlsNetwork::kMaxPlainBytes;
  HttpParser parser(limits);
  parser.feed(head);
  if (parser.state() != HttpParser::State::complete) return answer(400, {}, kAdvice);
  const ParsedRequest request = parser.take();
  if (!is_redirectable(request)) return answer(400, {}, kAdvice);
  const std::string_view host = request.headers.get("Host");
  if (!policy.is_own_host(host)) return answer(421, {}, std::string(kForeignHostAdvice) + "\n");
  return answer(307, "Location: https://" + std::string(host) + request.target + "\r\n", {});
}

}  // namespace parley::net
