// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/guest_obstacle.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/core/ascii.h"
#include "base/core/loopback.h"
#include "base/net/http/origin_policy.h"

namespace parley::net {
namespace {

constexpr std::string_view kForwarded = "x-forwarded-";
// Fields that proxies and content networks add.
constexpr std::array<std::string_view, 12> kProxyFields = {"forwarded",
                                                           "via",
                                                           "x-real-ip",
                                                           "x-client-ip",
                                                           "x-cluster-client-ip",
                                                           "x-original-for",
                                                           "x-original-host",
                                                           "cf-connecting-ip",
                                                           "true-client-ip",
                                                           "fastly-client-ip",
                                                           "x-envoy-external-address",
                                                           "x-proxyuser-ip"};

// The name of a field that a proxy has added; empty: none.
std::string proxy_field(const Headers& headers) {
  for (const auto& [name, value] : headers.all()) {
    const std::string lower = core::lowered(name);
    if (lower.starts_with(kForwarded) ||
        std::find(kProxyFields.begin(), kProxyFields.end(), lower) != kProxyFields.end()) {
      return name;
    }
  }
  return {};
}

bool is_host_of_this_computer(std::string_view text) {
  const std::optional<HostPort> host = HostPort::parse(text);
  return host && core::is_loopback_host(host->host);
}

}  // namespace

std::optional<core::GuestObstacle> guest_obstacle(const Request& request) {
  const Headers& headers = request.headers;
  const bool cross_site = core::lowered(headers.get("Sec-Fetch-Site")) == "cross-site";
  if (cross_site && !headers.has("Origin")) {
    return core::GuestObstacle{"a page of another site sent the request (Sec-Fetch-Site)", true};
  }
  if (std::string field = proxy_field(headers); !field.empty()) {
    return core::GuestObstacle{"the request came through a proxy (" + field + ")", false};
  }
  if (!request.http_1_1) {
    return core::GuestObstacle{"the request is HTTP/1.0, which proxies send", false};
  }
  if (!core::is_loopback_address(request.peer)) {
    return core::GuestObstacle{"the request came from another computer", false};
  }
  if (!is_host_of_this_computer(headers.get("Host"))) {
    return core::GuestObstacle{"the Host header does not name this computer", false};
  }
  return std::nullopt;
}

}  // namespace parley::net
