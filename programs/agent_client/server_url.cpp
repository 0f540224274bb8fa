// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/agent_client/server_url.h"

#include <array>
#include <optional>
#include <utility>

#include "base/core/number_text.h"

namespace parley::agent_client {
namespace {

struct Scheme {
  std::string_view prefix;
  bool secure;
};
constexpr std::array<Scheme, 4> kSchemes = {
    {{"http://", false}, {"ws://", false}, {"https://", true}, {"wss://", true}}};
constexpr std::uint16_t kPlainPort = 80;
constexpr std::uint16_t kSecurePort = 443;

tl::unexpected<core::Error> bad(std::string_view url) {
  return core::fail(
      core::Code::invalid_argument,
      "'" + std::string(url) +
          "' is not the address of a server; it must be http://HOST:PORT or https://HOST.",
      "server");
}

const Scheme* scheme_of(std::string_view url) {
  for (const Scheme& scheme : kSchemes) {
    if (url.starts_with(scheme.prefix)) return &scheme;
  }
  return nullptr;
}

std::optional<std::uint16_t> port_of(std::string_view text) {
  const auto port = core::parse_number<std::uint16_t>(text);
  return port == 0 ? std::nullopt : port;
}

// Splits "HOST", "HOST:PORT" and "[HOST]:PORT".
std::optional<net::Endpoint> endpoint_of(std::string_view authority, std::uint16_t port) {
  std::string_view host = authority;
  std::string_view rest;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    host = authority.substr(1, end - 1);
    rest = authority.substr(end + 1);
  } else if (const std::size_t colon = authority.find(':'); colon != std::string_view::npos) {
    host = authority.substr(0, colon);
    rest = authority.substr(colon);
  }
  if (host.empty()) return std::nullopt;
  if (rest.empty()) return net::Endpoint{std::string(host), port};
  if (!rest.starts_with(':')) return std::nullopt;
  const std::optional<std::uint16_t> given = port_of(rest.substr(1));
  if (!given) return std::nullopt;
  return net::Endpoint{std::string(host), *given};
}

}  // namespace

core::Result<ServerUrl> ServerUrl::parse(std::string_view url) {
  const Scheme* scheme = scheme_of(url);
  if (scheme == nullptr || url.find_first_of(" \t\r\n@?#") != std::string_view::npos) {
    return bad(url);
  }
  const std::string_view rest = url.substr(scheme->prefix.size());
  const std::size_t slash = rest.find('/');
  const std::string_view authority = rest.substr(0, slash);
  ServerUrl out;
  out.secure = scheme->secure;
  auto endpoint = endpoint_of(authority, scheme->secure ? kSecurePort : kPlainPort);
  if (!endpoint) return bad(url);
  out.endpoint = std::move(*endpoint);
  out.authority = authority;
  if (slash != std::string_view::npos && slash + 1 < rest.size()) out.path = rest.substr(slash);
  return out;
}

}  // namespace parley::agent_client
