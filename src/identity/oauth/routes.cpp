// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/routes.h"

#include "base/core/ascii.h"
#include "base/core/json_writer.h"
#include "identity/access/access_table.h"
#include "identity/oauth/scope.h"

namespace parley::oauth {
namespace {

core::Error wrong_host() {
  return {core::Code::failed_precondition,
          "Without public_url, agents log in on this computer only: use the address localhost.",
          {}};
}

std::string resource_metadata(const Place& place) {
  return core::json_object([&](core::JsonWriter& json) {
    json.key("resource").string(place.resource());
    json.key("authorization_servers").begin_array().string(place.issuer()).end_array();
    json.key("scopes_supported").begin_array().string("parley:ask").string("parley:read");
    json.end_array();
    json.key("bearer_methods_supported").begin_array().string("header").end_array();
    json.key("resource_name").string("Parley");
  });
}

std::string server_metadata(const Place& place, bool registration) {
  const auto list = [](core::JsonWriter& json, std::string_view key,
                       std::initializer_list<std::string_view> values) {
    json.key(key).strings(values);
  };
  return core::json_object([&](core::JsonWriter& json) {
    json.key("issuer").string(place.issuer());
    json.key("authorization_endpoint").string(place.origin + "/authorize");
    json.key("token_endpoint").string(place.origin + "/token");
    json.key("revocation_endpoint").string(place.origin + "/revoke");
    if (registration) json.key("registration_endpoint").string(place.origin + "/register");
    list(json, "response_types_supported", {"code"});
    list(json, "response_modes_supported", {"query"});
    list(json, "grant_types_supported", {"authorization_code", "refresh_token"});
    list(json, "code_challenge_methods_supported", {"S256"});
    list(json, "token_endpoint_auth_methods_supported", {"none"});
    list(json, "revocation_endpoint_auth_methods_supported", {"none"});
    list(json, "scopes_supported", {"parley:ask", "parley:read"});
    json.key("client_id_metadata_document_supported").boolean(true);
    json.key("authorization_response_iss_parameter_supported").boolean(true);
  });
}

// Serves a document that depends on the address of this server alone.
template <typename Make>
void add_document(net::Router& router, Context& context, std::string_view where, Make make) {
  const access::Row& row = access::row_of("GET", where);
  router.add(std::string(row.method), std::string(row.where),
             [&context, make](const net::Request& request, net::Responder responder) {
               const std::optional<Place> place = context.place_of(request);
               if (!place) return responder.send(net::Response::error(wrong_host()));
               responder.send(net::Response::json(200, make(*place)));
             });
}

}  // namespace

net::Response error_response(Context& context, const core::Error& error) {
  context.counters().refused.add();
  const bool busy =
      error.code == core::Code::unavailable || error.code == core::Code::resource_exhausted;
  const std::string code =
      !error.field.empty() ? error.field : (busy ? "temporarily_unavailable" : "server_error");
  const int status = code == "invalid_client" ? 401 : core::http_status(error.code);
  net::Response response =
      net::Response::json(status, core::json_object([&](core::JsonWriter& json) {
                            json.key("error").string(code);
                            json.key("error_description").string(error.message);
                          }));
  response.headers.set("Cache-Control", "no-store");
  return response;
}

core::Result<Parameters> posted_form(const net::Request& request) {
  const std::string type = core::lowered(request.headers.get("Content-Type"));
  if (!type.starts_with("application/x-www-form-urlencoded")) {
    return core::fail(protocol_error("invalid_request",
                                     "Content-Type must be application/x-www-form-urlencoded."));
  }
  return Parameters::parse(request.body);
}

void install_metadata(net::Router& router, Context& context) {
  add_document(router, context, "/.well-known/oauth-protected-resource/mcp", resource_metadata);
  add_document(router, context, "/.well-known/oauth-protected-resource", resource_metadata);
  add_document(router, context, "/.well-known/oauth-authorization-server",
               [registration = context.options().registration](const Place& place) {
                 return server_metadata(place, registration);
               });
}

void install(net::Router& router, Context& context) {
  install_metadata(router, context);
  install_authorize(router, context);
  install_tokens(router, context);
}

}  // namespace parley::oauth
