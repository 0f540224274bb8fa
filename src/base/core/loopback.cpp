// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/loopback.h"

#include <arpa/inet.h>

#include <string>

#include "base/core/ascii.h"

namespace parley::core {
namespace {

constexpr std::uint8_t kLoopbackNet = 127;    // the first byte of an IPv4 address
constexpr std::size_t kIpv4InMapped = 12;     // offset of the IPv4 address in ::ffff:1.2.3.4
constexpr std::size_t kLongestAddress = 100;  // bytes; longer than any address

}  // namespace

bool is_loopback_name(std::string_view host) {
  const std::string name = lowered(host);
  constexpr std::string_view kBelow = ".localhost";
  return name == kBelow.substr(1) || (name.size() > kBelow.size() && name.ends_with(kBelow));
}

bool is_loopback_address(std::string_view host) {
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.size() > kLongestAddress || host.find('\0') != std::string_view::npos) return false;
  const std::string text(host);
  in_addr v4{};
  if (!bracketed && ::inet_pton(AF_INET, text.c_str(), &v4) == 1) {
    return ntohl(v4.s_addr) >> 24U == kLoopbackNet;
  }
  in6_addr v6{};
  if (::inet_pton(AF_INET6, text.c_str(), &v6) != 1) return false;
  return IN6_IS_ADDR_LOOPBACK(&v6) ||
         (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[kIpv4InMapped] == kLoopbackNet);
}

bool is_loopback_host(std::string_view host) {
  return is_loopback_name(host) || is_loopback_address(host);
}

}  // namespace parley::core
