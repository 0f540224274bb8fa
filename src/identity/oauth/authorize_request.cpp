// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/authorize_request.h"

#include <sodium.h>

#include <algorithm>

#include "base/core/base64.h"
#include "base/core/result.h"
#include "base/core/secret.h"
#include "identity/oauth/scope.h"

namespace parley::oauth {
namespace {

constexpr std::size_t kChallengeBytes = 43;  // SHA-256 in base64url
constexpr std::size_t kMinVerifierBytes = 43;
constexpr std::size_t kMaxVerifierBytes = 128;

bool is_base64url(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

// The characters of a verifier are those of base64url, "." and "~".
bool is_verifier(std::string_view text) {
  if (text.size() < kMinVerifierBytes || text.size() > kMaxVerifierBytes) return false;
  std::string rest(text);
  std::erase_if(rest, [](char c) { return c == '.' || c == '~'; });
  return is_base64url(rest);
}

std::optional<core::Error> fault_of(const Parameters& from, AuthorizeRequest& into,
                                    const Place& place) {
  if (from.get("response_type") != "code") {
    return protocol_error("unsupported_response_type", "response_type must be code.");
  }
  if (from.get("code_challenge_method") != "S256" || into.challenge.size() != kChallengeBytes ||
      !is_base64url(into.challenge)) {
    return protocol_error("invalid_request",
                          "PKCE is required: code_challenge with code_challenge_method=S256.");
  }
  if (into.resource != place.resource()) {
    return protocol_error("invalid_target", "resource must be " + place.resource() + ".");
  }
  auto scopes = parse_scopes(from.get("scope"));
  if (!scopes) return scopes.error();
  into.scopes = *scopes;
  return std::nullopt;
}

std::string answered(const AuthorizeRequest& request, std::string url) {
  if (!request.state.empty()) append_parameter(url, "state", request.state);
  append_parameter(url, "iss", request.issuer);
  return url;
}

}  // namespace

core::Result<ReadRequest> read_request(const Parameters& parameters, const Client& client,
                                       const Place& place) {
  ReadRequest read;
  AuthorizeRequest& request = read.request;
  request.client_id = client.id;
  request.client_name = client.name;
  request.redirect = parameters.get("redirect_uri");
  request.state = parameters.get("state");
  request.challenge = parameters.get("code_challenge");
  request.resource = parameters.get("resource");
  request.issuer = place.issuer();
  request.only_loopback = only_loopback_redirects(client);
  request.kind = client.kind;
  if (!allows_redirect(client, request.redirect)) {
    return core::fail(
        protocol_error("invalid_request", "The redirect URI is not one of this client."));
  }
  if (request.state.size() > kMaxStateBytes) {
    request.state.clear();
    read.fault = protocol_error("invalid_request", "state is longer than 2,048 bytes.");
  } else {
    read.fault = fault_of(parameters, request, place);
  }
  return read;
}

std::string AuthorizeRequest::text() const {
  std::string out = "?";
  append_parameter(out, "client_id", client_id);
  append_parameter(out, "client_name", client_name);
  append_parameter(out, "redirect_uri", redirect);
  append_parameter(out, "state", state);
  append_parameter(out, "code_challenge", challenge);
  append_parameter(out, "resource", resource);
  append_parameter(out, "iss", issuer);
  append_parameter(out, "scope", scope_text(scopes));
  append_parameter(out, "loopback", only_loopback ? "1" : "0");
  append_parameter(out, "kind", std::to_string(static_cast<int>(kind)));
  return out.substr(1);
}

core::Result<AuthorizeRequest> AuthorizeRequest::from_text(std::string_view text) {
  PARLEY_TRY(const Parameters from, Parameters::parse(text));
  PARLEY_TRY(const auth::Rights scopes, parse_scopes(from.get("scope")));
  AuthorizeRequest out;
  out.client_id = from.get("client_id");
  out.client_name = from.get("client_name");
  out.redirect = from.get("redirect_uri");
  out.state = from.get("state");
  out.challenge = from.get("code_challenge");
  out.resource = from.get("resource");
  out.issuer = from.get("iss");
  out.scopes = scopes;
  out.only_loopback = from.get("loopback") == "1";
  const std::string_view kind = from.get("kind");
  out.kind = kind == "1"   ? ClientKind::document
             : kind == "2" ? ClientKind::registered
                           : ClientKind::preregistered;
  return out;
}

std::string redirect_with_code(const AuthorizeRequest& request, std::string_view code) {
  std::string url = request.redirect;
  append_parameter(url, "code", code);
  return answered(request, std::move(url));
}

std::string redirect_with_error(const AuthorizeRequest& request, const core::Error& error) {
  std::string url = request.redirect;
  append_parameter(url, "error", error.field.empty() ? "server_error" : error.field);
  append_parameter(url, "error_description", error.message);
  return answered(request, std::move(url));
}

bool fits_challenge(std::string_view verifier, std::string_view challenge) {
  if (!is_verifier(verifier)) return false;
  const std::string created = core::base64url_encode(core::secret_hash(verifier));
  return created.size() == challenge.size() &&
         sodium_memcmp(created.data(), challenge.data(), created.size()) == 0;
}

}  // namespace parley::oauth
