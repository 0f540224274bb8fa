// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/address_key.h"

#include <arpa/inet.h>

#include <array>

namespace parley::core {
namespace {

constexpr std::size_t kPrefixBytes = 8;    // bytes of an IPv6 address
constexpr std::size_t kMappedOffset = 12;  // offset of the IPv4 address in ::ffff:1.2.3.4
constexpr std::string_view kMappedPrefix{"\0\0\0\0\0\0\0\0\0\0\xff\xff", kMappedOffset};

}  // namespace

std::string address_key(std::string_view address) {
  std::string text(address.substr(0, address.find('%')));
  std::array<char, sizeof(in6_addr)> raw{};
  if (::inet_pton(AF_INET6, text.c_str(), raw.data()) != 1) return text;
  const std::string_view bytes(raw.data(), raw.size());
  if (!bytes.starts_with(kMappedPrefix)) return std::string(bytes.substr(0, kPrefixBytes));
  std::array<char, INET_ADDRSTRLEN> dotted{};
  ::inet_ntop(AF_INET, raw.data() + kMappedOffset, dotted.data(), dotted.size());
  return dotted.data();
}

}  // namespace parley::core
