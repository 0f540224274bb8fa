// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/certificate/interface_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "base/certificate/subjects.h"

namespace parley::certificate {
namespace {

constexpr std::size_t kMaxHostName = 256;

std::optional<InterfaceAddress> address_of(const ifaddrs& interface) {
  const bool up = (interface.ifa_flags & IFF_UP) != 0;
  if (!up || interface.ifa_addr == nullptr) return std::nullopt;
  InterfaceAddress out;
  out.loopback = (interface.ifa_flags & IFF_LOOPBACK) != 0;
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  const int family = interface.ifa_addr->sa_family;
  if (family == AF_INET) {
    bytes = &reinterpret_cast<const sockaddr_in*>(interface.ifa_addr)->sin_addr;
  } else if (family == AF_INET6) {
    const auto& address = reinterpret_cast<const sockaddr_in6*>(interface.ifa_addr)->sin6_addr;
    if (IN6_IS_ADDR_LINKLOCAL(&address)) return std::nullopt;
    bytes = &address;
    out.v6 = true;
  }
  if (bytes == nullptr || ::inet_ntop(family, bytes, text.data(), text.size()) == nullptr) {
    return std::nullopt;
  }
  out.text = text.data();
  return out;
}

}  // namespace

std::vector<InterfaceAddress> interface_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  std::vector<InterfaceAddress> out;
  for (const ifaddrs* at = list; at != nullptr && out.size() < kMaxInterfaceAddresses;
       at = at->ifa_next) {
    auto address = address_of(*at);
    if (!address) continue;
    const bool known = std::any_of(out.begin(), out.end(), [&address](const InterfaceAddress& one) {
      return one.text == address->text;
    });
    if (!known) out.push_back(std::move(*address));
  }
  std::stable_partition(out.begin(), out.end(),
                        [](const InterfaceAddress& one) { return !one.v6; });
  return out;
}

std::string host_name() {
  std::array<char, kMaxHostName> text{};
  if (::gethostname(text.data(), text.size() - 1) != 0) return "computer";
  return dns_name(text.data()).value_or("computer");
}

std::string local_name(const std::string& host) {
  return host.substr(0, host.find('.')) + ".local";
}

}  // namespace parley::certificate
