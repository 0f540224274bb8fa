// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/loop/stream.h"

#include <arpa/inet.h>

#include <charconv>
#include <system_error>

#include "base/core/loopback.h"

namespace parley::net {
namespace {

bool parse_port(std::string_view text, std::uint16_t& port) {
  if (text.empty() || text.size() > 5) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size();
}

bool is_host_name(std::string_view host) {
  for (const char c : host) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (!letter && !digit && c != '.' && c != '-' && c != '_') return false;
  }
  return !host.empty() && host.size() <= 253;
}

}  // namespace

core::Result<Endpoint> Endpoint::parse(std::string_view text) {
  const auto bad = [&text] {
    return core::fail(core::Code::invalid_argument,
                      "\"" + std::string(text.substr(0, 100)) +
                          "\" is not an address to listen on; it must be HOST:PORT, for example "
                          "127.0.0.1:22080, [::1]:22080 or 0.0.0.0:22080.",
                      "listen");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad();
  Endpoint endpoint;
  if (!parse_port(text.substr(colon + 1), endpoint.port)) return bad();
  std::string_view host = text.substr(0, colon);
  if (host.empty()) return endpoint;
  if (host.front() == '[') {
    if (host.size() < 3 || host.back() != ']') return bad();
    endpoint.host = host.substr(1, host.size() - 2);
    in6_addr address{};
    if (inet_pton(AF_INET6, endpoint.host.c_str(), &address) != 1) return bad();
    return endpoint;
  }
  if (!is_host_name(host)) return bad();
  endpoint.host = host;
  return endpoint;
}

std::string Endpoint::to_string() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool Endpoint::is_loopback() const {
  return host == "localhost" || core::is_loopback_address(host);
}

}  // namespace parley::net
