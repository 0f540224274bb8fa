// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/loop/stream.h"

namespace parley::net {

// The authority of a URL: what the field Host carries, and what follows "://" in Origin.
struct HostPort {
  std::string host;        // lower case; an IPv6 address without its brackets
  std::uint16_t port = 0;  // 0: none was given

  // "example.org", "example.org:8080", "[::1]:80". std::nullopt if it is none of these.
  static std::optional<HostPort> parse(std::string_view text);
};

// True if `host` is a number and not a name: "192.0.2.7", "::1".
bool is_ip_literal(std::string_view host);

// Which names this server answers to, and which web pages may use it. Without it, any page that a
// person opens could make their browser speak to a server on their own computer (cross-site
// requests, and DNS rebinding: a name of the attacker that resolves to 127.0.0.1). Immutable.
class OriginPolicy {
 public:
  // `at`: where the server listens. `allowed`: as ServerOptions::allowed_origins.
  OriginPolicy(const Endpoint& at, const std::vector<std::string>& allowed);

  // True if a request for this Host is for this server. Names of this computer (localhost, the
  // loopback addresses, the address that it listens on) and hosts of allowed origins are; every
  // numeric address too, unless it listens on loopback only. With "*" all are.
  bool is_own_host(std::string_view host) const;

  // True if a page of this Origin may use the server: its host and port are those that the request
  // names in Host (which was checked by is_own_host), or it is an allowed one. "null" is not,
  // unless it is listed.
  bool is_allowed_origin(std::string_view origin, std::string_view host) const;

 private:
  bool loopback_;
  bool any_ = false;
  std::vector<std::string> hosts_;
  std::vector<std::string> origins_;
};

}  // namespace parley::net
