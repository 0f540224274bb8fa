// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/tailnet/tailnet_status.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <cstring>

#include "base/certificate/subjects.h"
#include "base/core/json_member.h"
#include "base/core/json_parts.h"
#include "base/core/loopback.h"
#include "base/core/visible_text.h"

namespace parley::tailnet {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxDepth = 32;
constexpr std::string_view kNotUnderstood =
    "The answer of `tailscale status --json` is not understood.";
constexpr std::string_view kUpdate =
    "Update Tailscale, or set public_url yourself and use `tailscale serve` (docs/away.md).";
constexpr std::string_view kNotConnected = "This computer is not connected to its tailnet.";

tl::unexpected<Fault> not_understood(std::string why) {
  return fault(std::string(kNotUnderstood), std::move(why), std::string(kUpdate));
}

// The fault of a state other than "Running"; the states are those of ipn.State.
tl::unexpected<Fault> not_running(std::string_view state) {
  if (state == "NeedsLogin") {
    return fault(std::string(kNotConnected), "Nobody is logged in to Tailscale here.",
                 "Log in with `sudo tailscale up`, then try again.");
  }
  if (state == "NeedsMachineAuth") {
    return fault(std::string(kNotConnected), "The tailnet has not approved this computer yet.",
                 "Approve it at https://login.tailscale.com/admin/machines.");
  }
  if (state == "Stopped") {
    return fault(std::string(kNotConnected), "Tailscale is stopped.",
                 "Connect with `sudo tailscale up`, then try again.");
  }
  if (state == "Starting" || state == "NoState") {
    return fault(std::string(kNotConnected), "Tailscale is still starting.",
                 "Wait until `tailscale status` lists this computer, then try again.");
  }
  if (state == "InUseOtherUser") {
    return fault(std::string(kNotConnected), "Another user of this computer uses Tailscale.",
                 "Log that user out of Tailscale, or start Parley as that user.");
  }
  return not_understood("Its state is \"" + core::visible_line(state.substr(0, 40)) + "\".");
}

// The names for which the tailnet issues certificates hold `name`.
bool issues_for(const json::object& status, const std::string& name) {
  const json::array* const domains = core::array_member(status, "CertDomains");
  if (domains == nullptr) return false;
  return std::any_of(domains->begin(), domains->end(), [&name](const json::value& domain) {
    return domain.is_string() && certificate::dns_name(domain.get_string()) == name;
  });
}

// The addresses of `self` that belong to a tailnet, IPv4 first.
std::vector<std::string> addresses_of(const json::object& self) {
  std::vector<std::string> out;
  const json::array* const listed = core::array_member(self, "TailscaleIPs");
  if (listed == nullptr) return out;
  for (const json::value& one : *listed) {
    if (out.size() == kMaxTailnetAddresses) break;
    if (one.is_string() && is_tailnet_address(one.get_string())) out.emplace_back(one.get_string());
  }
  std::stable_partition(out.begin(), out.end(), [](const std::string& address) {
    return address.find(':') == std::string::npos;
  });
  return out;
}

}  // namespace

bool is_tailnet_address(std::string_view address) {
  if (core::is_loopback_address(address)) return !address.starts_with('[');
  const std::string text(address);
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) {
    constexpr std::uint32_t kShared = 0x64400000;  // 100.64.0.0/10
    constexpr std::uint32_t kMask = 0xFFC00000;
    return (ntohl(v4.s_addr) & kMask) == kShared;
  }
  constexpr std::array<unsigned char, 6> kPrefix = {0xFD, 0x7A, 0x11, 0x5C, 0xA1, 0xE0};
  in6_addr v6{};
  return inet_pton(AF_INET6, text.c_str(), &v6) == 1 &&
         std::memcmp(&v6, kPrefix.data(), kPrefix.size()) == 0;
}

Found<TailnetSelf> read_status(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::error_code error;
  const json::value parsed = json::parse(text, error, {}, options);
  if (error || !parsed.is_object()) return not_understood("It is no JSON object.");
  const json::object& status = parsed.get_object();
  const std::string_view state = core::text_member(status, "BackendState");
  if (state != "Running") return not_running(state);
  if (!core::bool_member(status, "TUN", true)) {
    return fault("Tailscale has no network interface here.",
                 "It runs in user space, so that no other program can listen on its address.",
                 "Let it pass connections on: `tailscale serve --bg 22080`, and start Parley with "
                 "--public-url https://NAME instead of --tailscale (docs/away.md).");
  }
  const json::object* const self = core::object_member(status, "Self");
  if (self == nullptr) return not_understood("It says nothing about this computer.");
  const std::string_view dns = core::text_member(*self, "DNSName");
  TailnetSelf out;
  const auto name = certificate::dns_name(dns);
  if (!name || name->find('.') == std::string::npos) {
    return dns.empty()
               ? fault("This computer has no name in its tailnet.", "MagicDNS is off.",
                       "Switch MagicDNS and HTTPS on, at https://login.tailscale.com/admin/dns.")
               : not_understood("The name of this computer is no host name: \"" +
                                core::visible_line(dns.substr(0, 80)) + "\".");
  }
  out.name = *name;
  out.addresses = addresses_of(*self);
  if (out.addresses.empty()) return not_understood("It names no address of a tailnet.");
  if (!issues_for(status, out.name)) {
    return fault("There is no certificate for " + out.name + ".",
                 "HTTPS is off in this tailnet, and browsers want it for notifications.",
                 "Switch \"HTTPS Certificates\" on, at https://login.tailscale.com/admin/dns.");
  }
  return out;
}

}  // namespace parley::tailnet
