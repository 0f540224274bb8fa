// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "identity/auth/rights.h"
#include "identity/oauth/client.h"
#include "identity/oauth/parameters.h"

namespace parley::oauth {

// Limit (Logins of agents): `state`. Reached: `invalid_request`.
inline constexpr std::size_t kMaxStateBytes = 2'048;

// The addresses of this server as one client sees them.
struct Place {
  std::string origin;                                       // "https://parley.example"
  const std::string& issuer() const { return origin; }      // of the authorization server
  std::string resource() const { return origin + "/mcp"; }  // the protected resource
  std::string metadata() const {                            // of the protected resource
    return origin + "/.well-known/oauth-protected-resource/mcp";
  }
};

// A checked request of a client for the consent of a person.
struct AuthorizeRequest {
  std::string client_id;
  std::string client_name;
  std::string redirect;
  std::string state;      // of the client; given back
  std::string challenge;  // of PKCE, with S256
  std::string resource;
  std::string issuer;
  auth::Rights scopes;
  bool only_loopback = false;  // any program on the person's computer can receive the answer
  ClientKind kind = ClientKind::preregistered;

  // One line of text, and back. Errors: `invalid_request`.
  std::string text() const;
  static core::Result<AuthorizeRequest> from_text(std::string_view text);
};

// A request whose client and redirect are in order, and a fault of the rest, which the client gets
// by redirect.
struct ReadRequest {
  AuthorizeRequest request;
  std::optional<core::Error> fault;
};

// Checks a request of `client`. Errors, which must not be redirected: `invalid_request` (the
// redirect URI is not one of the client's).
core::Result<ReadRequest> read_request(const Parameters& parameters, const Client& client,
                                       const Place& place);

// The address that brings a code, or an error, to the client.
std::string redirect_with_code(const AuthorizeRequest& request, std::string_view code);
std::string redirect_with_error(const AuthorizeRequest& request, const core::Error& error);

// True if the S256 challenge was made of this verifier (RFC 7636).
bool fits_challenge(std::string_view verifier, std::string_view challenge);

}  // namespace parley::oauth
