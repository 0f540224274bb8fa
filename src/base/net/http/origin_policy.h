// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/loop/stream.h"

namespace parley::net {

// The authority of a URL, as in the field Host and after "://" in Origin.
struct HostPort {
  std::string host;        // lower case; an IPv6 address without its brackets
  std::uint16_t port = 0;  // 0: no port is given

  // "example.org", "example.org:8080", "[::1]:80". std::nullopt if it is none of these.
  static std::optional<HostPort> parse(std::string_view text);
};

// True if `host` is a numeric address, not a name: "192.0.2.7", "::1".
bool is_ip_literal(std::string_view host);

// The answer to a request for a Host that is not one of the server's (421).
inline constexpr std::string_view kForeignHostAdvice =
    "The name in the Host header is not a name of this server. If it is one, add it to the setting "
    "allowed_origins, for example \"https://parley.example.org\".";

// Decides which host names the server answers to and which web pages may use it. Without these
// checks any page that a person opens could send requests to a server on their computer (cross-site
// requests, and DNS rebinding: a name of the attacker that resolves to 127.0.0.1). Immutable.
class OriginPolicy {
 public:
  // `at`: the server's listening address. `allowed`: as ServerOptions::allowed_origins.
  OriginPolicy(const Endpoint& at, const std::vector<std::string>& allowed);

  // True if a request for this Host is for this server: localhost, the loopback addresses, the
  // listening address, the hosts of allowed origins and, unless the server listens on loopback
  // only, every numeric address. With "*" always true.
  bool is_own_host(std::string_view host) const;

  // True if a page of this Origin may use the server: its host and port equal the request's Host
  // (checked with is_own_host() before), or the Origin is allowed. "null" must be listed.
  bool is_allowed_origin(std::string_view origin, std::string_view host) const;

 private:
  bool loopback_;
  bool any_ = false;
  std::vector<std::string> hosts_;
  std::vector<std::string> origins_;
};

}  // namespace parley::net
