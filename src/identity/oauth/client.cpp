// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/client.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>

#include "base/core/ascii.h"
#include "base/core/json_member.h"
#include "base/core/loopback.h"
#include "base/core/result.h"
#include "base/core/visible_text.h"
#include "base/http_client/public_address.h"
#include "base/http_client/url.h"
#include "identity/oauth/parameters.h"

namespace parley::oauth {
namespace {

namespace json = boost::json;

// Schemes whose addresses a browser runs, reads or sends in the clear.
constexpr auto kRefusedSchemes = std::to_array<std::string_view>(
    {"about", "blob", "chrome", "data", "file", "filesystem", "ftp", "intent", "jar", "javascript",
     "mailto", "resource", "tel", "vbscript", "view-source", "ws", "wss"});

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < '\x7f' &&
           std::string_view("\"'<>\\^`{|}").find(c) == std::string_view::npos;
  });
}

// True for a name or an address that cannot be mistaken for more of a policy, in which it stands.
bool is_plain_host(std::string_view host) {
  const bool address = host.front() == '[' && host.back() == ']';
  if (address) host = host.substr(1, host.size() - 2);
  return std::all_of(host.begin(), host.end(), [address](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    return letter || c == '.' || (address ? c == ':' : c == '-' || c == '_');
  });
}

std::string scheme_of(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  const std::string scheme = core::lowered(uri.substr(0, colon));
  const bool letter = scheme.front() >= 'a' && scheme.front() <= 'z';
  const bool plain = std::all_of(scheme.begin(), scheme.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  });
  return letter && plain ? scheme : std::string();
}

tl::unexpected<core::Error> bad_redirect(std::string message) {
  return core::fail(protocol_error("invalid_request", std::move(message)));
}

// The address without the digits of its port: "http://127.0.0.1/callback". Empty if there is none.
std::string without_port(std::string_view uri) {
  const std::size_t begin = uri.find("://");
  if (begin == std::string_view::npos) return {};
  const std::size_t end = std::min(uri.find_first_of("/?", begin + 3), uri.size());
  const std::string_view authority = uri.substr(begin + 3, end - begin - 3);
  const std::size_t colon = authority.rfind(':');
  std::string out(uri);
  if (colon == std::string_view::npos || authority.find(']', colon) != std::string_view::npos) {
    return out;
  }
  out.erase(begin + 3 + colon, authority.size() - colon);
  return out;
}

core::Result<std::vector<std::string>> redirects_in(const json::object& from,
                                                    std::string_view error) {
  const json::value* listed = from.if_contains("redirect_uris");
  const bool fits = listed != nullptr && listed->is_array() && !listed->get_array().empty() &&
                    listed->get_array().size() <= kMaxRedirects;
  if (!fits) {
    return core::fail(protocol_error(
        error, "redirect_uris must list 1 to " + std::to_string(kMaxRedirects) + " addresses."));
  }
  std::vector<std::string> out;
  for (const json::value& each : listed->get_array()) {
    if (!each.is_string()) return core::fail(protocol_error(error, "A redirect URI is no text."));
    out.emplace_back(each.get_string());
    if (const auto checked = check_redirect(out.back()); !checked) {
      return core::fail(protocol_error(error, checked.error().message));
    }
  }
  return out;
}

// A name for people: one line without invisible characters, at most kMaxClientNameBytes.
std::string shown_name(std::string_view name, std::string fallback) {
  std::string line(core::trimmed(core::visible_line(name.substr(0, 4 * kMaxClientNameBytes))));
  if (line.empty() || line.size() > kMaxClientNameBytes) return fallback;
  return line;
}

core::Result<json::object> object_in(std::string_view text, std::string_view error) {
  boost::system::error_code failed;
  json::value value = json::parse(text, failed);
  if (failed || !value.is_object()) {
    return core::fail(protocol_error(error, "The client's metadata must be a JSON object."));
  }
  return std::move(value.get_object());
}

bool is_public_client(const json::object& from) {
  const std::string_view method = core::text_member(from, "token_endpoint_auth_method");
  return (method.empty() || method == "none") && !from.contains("client_secret");
}

}  // namespace

core::Result<void> check_redirect(std::string_view uri) {
  if (uri.empty() || uri.size() > kMaxRedirectBytes || !is_plain(uri)) {
    return bad_redirect("A redirect URI must have 1 to 2,048 printable characters.");
  }
  if (uri.find('#') != std::string_view::npos) {
    return bad_redirect("A redirect URI must not have a fragment.");
  }
  const std::string scheme = scheme_of(uri);
  if (scheme == "http" || scheme == "https") {
    const auto parts = http_client::split_url(std::string(uri));
    if (!parts || !is_plain_host(parts->host)) {
      return bad_redirect("A redirect URI must have a plain host, without a user.");
    }
    if (scheme == "http" && !core::is_loopback_host(parts->host)) {
      return bad_redirect("A redirect URI with http must be an address of this computer.");
    }
    return {};
  }
  const bool refused =
      std::find(kRefusedSchemes.begin(), kRefusedSchemes.end(), scheme) != kRefusedSchemes.end();
  if (scheme.empty() || refused || uri.size() == scheme.size() + 1) {
    return bad_redirect("A redirect URI must be absolute, with a scheme that is allowed.");
  }
  return {};
}

bool is_loopback_redirect(std::string_view uri) {
  if (scheme_of(uri) != "http") return false;
  const auto parts = http_client::split_url(std::string(uri));
  return parts && core::is_loopback_host(parts->host);
}

bool only_loopback_redirects(const Client& client) {
  return std::all_of(client.redirects.begin(), client.redirects.end(),
                     [](const std::string& uri) { return is_loopback_redirect(uri); });
}

bool allows_redirect(const Client& client, std::string_view asked) {
  if (!check_redirect(asked)) return false;
  return std::any_of(client.redirects.begin(), client.redirects.end(), [&](const auto& known) {
    if (known == asked) return true;
    return is_loopback_redirect(known) && is_loopback_redirect(asked) &&
           without_port(known) == without_port(asked);
  });
}

std::string redirect_host(std::string_view uri) {
  const std::string scheme = scheme_of(uri);
  if (scheme != "http" && scheme != "https") return scheme + ":";
  const auto parts = http_client::split_url(std::string(uri));
  if (!parts) return {};
  const bool usual = parts->port == (scheme == "https" ? "443" : "80");
  return usual ? parts->host : parts->host + ":" + parts->port;
}

std::string redirect_source(std::string_view uri) {
  const std::string scheme = scheme_of(uri);
  const auto parts = http_client::split_url(std::string(uri));
  // A policy cannot name an IPv6 address.
  if (!parts || parts->host.front() == '[') return scheme + ":";
  return parts->origin();
}

bool is_document_id(std::string_view id) {
  constexpr std::string_view kScheme = "https://";
  if (id.size() > kMaxClientIdBytes || !id.starts_with(kScheme) || !is_plain(id)) return false;
  if (id.find_first_of("?#@%") != std::string_view::npos) return false;
  const std::size_t slash = id.find('/', kScheme.size());
  if (slash == std::string_view::npos || slash + 1 == id.size()) return false;
  const std::string path = std::string(id.substr(slash)) + "/";
  if (path.find("/./") != std::string::npos || path.find("/../") != std::string::npos) return false;
  const auto parts = http_client::split_url(std::string(id));
  if (!parts || http_client::is_local_name(parts->host)) return false;
  return http_client::is_public_literal(parts->host).value_or(true);
}

core::Result<Client> parse_document(std::string_view id, std::string_view text) {
  PARLEY_TRY(const json::object from, object_in(text, "invalid_client"));
  if (core::text_member(from, "client_id") != id) {
    return core::fail(
        protocol_error("invalid_client", "client_id of the document is not its own address."));
  }
  if (!is_public_client(from)) {
    return core::fail(protocol_error("invalid_client",
                                     "The document must have token_endpoint_auth_method none."));
  }
  Client client{std::string(id), {}, {}, ClientKind::document};
  client.name = shown_name(core::text_member(from, "client_name"), {});
  if (client.name.empty()) {
    return core::fail(protocol_error("invalid_client", "The document needs a client_name."));
  }
  PARLEY_TRY(client.redirects, redirects_in(from, "invalid_client"));
  return client;
}

core::Result<Client> parse_registration(std::string_view text) {
  constexpr std::string_view kBad = "invalid_client_metadata";
  PARLEY_TRY(const json::object from, object_in(text, kBad));
  if (!is_public_client(from)) {
    return core::fail(protocol_error(kBad, "token_endpoint_auth_method must be none."));
  }
  Client client{{}, {}, {}, ClientKind::registered};
  client.name = shown_name(core::text_member(from, "client_name"), "MCP client");
  PARLEY_TRY(client.redirects, redirects_in(from, "invalid_redirect_uri"));
  return client;
}

core::Result<std::vector<Client>> parse_preregistered(const std::vector<std::string>& entries) {
  std::vector<Client> out;
  for (const std::string& entry : entries) {
    Client client;
    std::string_view rest = entry;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      const std::string word(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (word.empty()) continue;
      if (client.id.empty()) {
        client.id = word;
      } else if (const auto checked = check_redirect(word); checked) {
        client.redirects.push_back(word);
      } else {
        return core::fail(core::Code::invalid_argument,
                          "mcp.oauth_clients: \"" + entry + "\": " + checked.error().message);
      }
    }
    if (client.redirects.empty() || client.id.size() > kMaxClientIdBytes) {
      return core::fail(core::Code::invalid_argument,
                        "mcp.oauth_clients: \"" + entry +
                            "\": an entry is a client id, a space and a redirect URI.");
    }
    client.name = client.id;
    out.push_back(std::move(client));
  }
  return out;
}

}  // namespace parley::oauth
