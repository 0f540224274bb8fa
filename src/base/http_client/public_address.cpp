// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/http_client/public_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/core/ascii.h"

namespace parley::http_client {
namespace {

struct Range4 {
  std::uint32_t network;
  int bits;
};

// IANA's special-purpose IPv4 addresses that are not global, and multicast.
constexpr std::array<Range4, 16> kNotPublic4 = {{
    {0x00000000, 8},   // this network
    {0x0a000000, 8},   // private
    {0x64400000, 10},  // shared by carriers
    {0x7f000000, 8},   // loopback
    {0xa9fe0000, 16},  // link, and the metadata services of clouds
    {0xac100000, 12},  // private
    {0xc0000000, 24},  // protocol assignments
    {0xc0000200, 24},  // documentation
    {0xc0586300, 24},  // 6to4 relays
    {0xc0a80000, 16},  // private
    {0xc6120000, 15},  // benchmarks
    {0xc6336400, 24},  // documentation
    {0xcb007100, 24},  // documentation
    {0xe0000000, 4},   // multicast
    {0xf0000000, 4},   // reserved
    {0xffffffff, 32},  // broadcast
}};

constexpr std::array<std::string_view, 9> kLocalEndings = {".localhost", ".local",   ".internal",
                                                           ".intranet",  ".lan",     ".home",
                                                           ".corp",      ".private", ".home.arpa"};

bool is_public4(std::uint32_t address) {
  return std::none_of(kNotPublic4.begin(), kNotPublic4.end(), [address](const Range4& range) {
    return ((address ^ range.network) >> (32 - range.bits)) == 0;
  });
}

using Bytes16 = std::array<std::uint8_t, 16>;

std::uint32_t last_four(const Bytes16& bytes) {
  std::uint32_t out = 0;
  for (std::size_t i = 12; i < 16; ++i) out = out << 8U | bytes.at(i);
  return out;
}

bool begins_with(const Bytes16& bytes, std::initializer_list<std::uint8_t> prefix) {
  return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

bool is_public6(const Bytes16& bytes) {
  if (begins_with(bytes, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}) ||
      begins_with(bytes, {0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) {
    return is_public4(last_four(bytes));
  }
  // Only 2000::/3 is allocated; in it 2001::/23 (Teredo and others), 2001:db8::/32 and 6to4 are not
  // addresses of hosts.
  if ((bytes[0] & 0xe0U) != 0x20U) return false;
  if (begins_with(bytes, {0x20, 0x01}) && bytes[2] < 2) return false;
  return !begins_with(bytes, {0x20, 0x01, 0x0d, 0xb8}) && !begins_with(bytes, {0x20, 0x02});
}

}  // namespace

bool is_public_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof(v4));
    return is_public4(ntohl(v4.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof(v6));
    Bytes16 bytes{};
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return is_public6(bytes);
  }
  return false;
}

std::optional<bool> is_public_literal(std::string_view host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  const std::string text(host.substr(0, host.find('%')));
  in_addr v4{};
  if (::inet_pton(AF_INET, text.c_str(), &v4) == 1) return is_public4(ntohl(v4.s_addr));
  in6_addr v6{};
  if (::inet_pton(AF_INET6, text.c_str(), &v6) != 1) return std::nullopt;
  Bytes16 bytes{};
  std::memcpy(bytes.data(), &v6, bytes.size());
  return is_public6(bytes);
}

bool is_local_name(std::string_view host) {
  std::string name = core::lowered(host);
  if (name.ends_with('.')) name.pop_back();
  if (name.find('.') == std::string::npos) return true;
  return std::any_of(kLocalEndings.begin(), kLocalEndings.end(),
                     [&name](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace parley::http_client
