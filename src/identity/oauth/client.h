// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace parley::oauth {

// Limit (Logins of agents): a client id. Reached: 400.
inline constexpr std::size_t kMaxClientIdBytes = 1'024;
// Limit (Logins of agents): a client's name. Reached: 400.
inline constexpr std::size_t kMaxClientNameBytes = 200;
// Limit (Logins of agents): a redirect URI. Reached: 400.
inline constexpr std::size_t kMaxRedirectBytes = 2'048;
// Limit (Logins of agents): redirect URIs of a client. Reached: 400.
inline constexpr std::size_t kMaxRedirects = 16;  // of one client

// The source of the facts about a client.
enum class ClientKind : std::uint8_t {
  preregistered,  // the setting mcp.oauth_clients
  document,       // the document at its id, an https URL
  registered,     // POST /register
};

// A program that may ask for access.
struct Client {
  std::string id;
  std::string name;  // for people; chosen by the client
  std::vector<std::string> redirects;
  ClientKind kind = ClientKind::preregistered;
};

// Succeeds for an address that a browser may be sent back to: https, http to this computer, or the
// scheme of an application, without a fragment, a user and a password. Errors: `invalid_request`.
core::Result<void> check_redirect(std::string_view uri);
// True for http to this computer, where any program may listen.
bool is_loopback_redirect(std::string_view uri);
bool only_loopback_redirects(const Client& client);
// True if `asked` is one of the client's addresses, byte by byte; the port of a loopback address is
// free (RFC 8252 section 7.3).
bool allows_redirect(const Client& client, std::string_view asked);
// The destination of a redirect, for people: "app.example", "127.0.0.1:4711", "cursor:".
std::string redirect_host(std::string_view uri);
// The source expression of a Content-Security-Policy that matches a redirect.
std::string redirect_source(std::string_view uri);

// True if a client id has the form of a document's address: https, a host that is not of a private
// network, and a path without "." and ".." segments; no query, no fragment, no user.
bool is_document_id(std::string_view id);

// The client of a document that was fetched from `id`. Errors: `invalid_client`.
core::Result<Client> parse_document(std::string_view id, std::string_view json);

// The client of a registration (RFC 7591), without an id. Errors: `invalid_redirect_uri`,
// `invalid_client_metadata`.
core::Result<Client> parse_registration(std::string_view json);

// The clients of the setting mcp.oauth_clients: each entry is an id and one or more redirect
// addresses, separated by spaces. Errors: `invalid_argument`, which names the entry.
core::Result<std::vector<Client>> parse_preregistered(const std::vector<std::string>& entries);

}  // namespace parley::oauth
