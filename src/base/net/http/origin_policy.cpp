// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/origin_policy.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/core/loopback.h"
#include "base/net/http/http_text.h"

namespace parley::net {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// False for names below localhost, which a resolver may look up elsewhere.
bool is_name_of_loopback(std::string_view host) {
  return host == "localhost" || core::is_loopback_address(host);
}

bool is_name_char(char c) {
  return is_token_char(c) && c != '%' && c != '\'' && c != '`' && c != '|' && c != '^';
}

struct Origin {
  HostPort authority;
  std::uint16_t default_port = 0;
};

std::optional<Origin> parse_origin(std::string_view text) {
  for (const auto& [scheme, port] :
       {std::pair{std::string_view("http://"), kHttpPort}, {"https://", kHttpsPort}}) {
    if (!equals_ignoring_case(text.substr(0, scheme.size()), scheme)) continue;
    auto authority = HostPort::parse(text.substr(scheme.size()));
    if (!authority) return std::nullopt;
    return Origin{std::move(*authority), port};
  }
  return std::nullopt;
}

std::uint16_t port_or(const HostPort& authority, std::uint16_t default_port) {
  return authority.port == 0 ? default_port : authority.port;
}

}  // namespace

bool is_ip_literal(std::string_view host) {
  const std::string text(host);
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return inet_pton(AF_INET, text.c_str(), address.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), address.data()) == 1;
}

std::optional<HostPort> HostPort::parse(std::string_view text) {
  HostPort out;
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    out.host = lower_case(text.substr(1, end - 1));
    if (out.host.find(':') == std::string::npos || !is_ip_literal(out.host)) return std::nullopt;
    rest = text.substr(end + 1);
  } else {
    const std::size_t end = std::min(text.find(':'), text.size());
    out.host = lower_case(text.substr(0, end));
    if (out.host.empty() || !std::all_of(out.host.begin(), out.host.end(), is_name_char)) {
      return std::nullopt;
    }
    rest = text.substr(end);
  }
  if (rest.empty()) return out;
  const char* const end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data() + 1, end, out.port);
  if (rest.front() != ':' || error != std::errc() || stop != end || out.port == 0) {
    return std::nullopt;
  }
  return out;
}

OriginPolicy::OriginPolicy(const Endpoint& at, const std::vector<std::string>& allowed)
    : loopback_(at.is_loopback()) {
  hosts_.push_back(lower_case(at.host));
  for (const std::string& text : allowed) {
    std::string origin = lower_case(text);
    if (origin.ends_with('/')) origin.pop_back();
    any_ = any_ || origin == "*";
    if (const auto parsed = parse_origin(origin)) hosts_.push_back(parsed->authority.host);
    origins_.push_back(std::move(origin));
  }
}

bool OriginPolicy::is_own_host(std::string_view host) const {
  const auto authority = HostPort::parse(host);
  if (!authority) return false;
  if (any_ || is_name_of_loopback(authority->host) || contains(hosts_, authority->host))
    return true;
  return !loopback_ && is_ip_literal(authority->host);
}

bool OriginPolicy::is_allowed_origin(std::string_view origin, std::string_view host) const {
  if (any_ || contains(origins_, lower_case(origin))) return true;
  const auto page = parse_origin(origin);
  const auto own = HostPort::parse(host);
  if (!page || !own || !is_own_host(host)) return false;
  return page->authority.host == own->host &&
         port_or(page->authority, page->default_port) == port_or(*own, page->default_port);
}

}  // namespace parley::net
