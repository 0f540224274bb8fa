// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/ask.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "identity/access/access_table.h"
#include "identity/oauth/routes.h"
#include "identity/oauth/scope.h"

namespace parley::oauth {
namespace {

// A request of a client on its way to its answer.
struct ClientCall {
  net::Request request;
  net::Responder responder;
};

void refuse(Context& context, ClientCall call, const core::Error& error) {
  call.responder.send(error_response(context, error));
}

net::Response secret_json(int status, std::string body) {
  net::Response response = net::Response::json(status, std::move(body));
  response.headers.set("Cache-Control", "no-store");
  return response;
}

// Runs `work` on the worker, and then `use` with its result on the thread of the call.
template <typename T, typename Work, typename Use>
void on_disk(Context& context, ClientCall call, Work work, Use use) {
  core::Scheduler& scheduler = call.responder.scheduler();
  auto done = [&context, call = std::move(call),
               use = std::move(use)](core::Result<T> result) mutable {
    if (!result) return refuse(context, std::move(call), result.error());
    use(std::move(call), std::move(result));
  };
  core::ask(context.dependencies().worker, "oauth", scheduler, std::move(done), std::move(work));
}

std::string tokens_json(const IssuedTokens& issued) {
  return core::json_object([&](core::JsonWriter& json) {
    json.key("access_token").string(issued.access_token);
    json.key("token_type").string("Bearer");
    json.key("expires_in").number(std::int64_t{issued.expires_in.count() / 1'000});
    json.key("refresh_token").string(issued.refresh_token);
    json.key("scope").string(scope_text(issued.scopes));
  });
}

template <typename Work>
void send_tokens(Context& context, ClientCall call, Work work) {
  on_disk<IssuedTokens>(context, std::move(call), std::move(work),
                        [&context](ClientCall back, core::Result<IssuedTokens> issued) {
                          context.counters().issued.add();
                          back.responder.send(secret_json(200, tokens_json(*issued)));
                        });
}

// Compares the request of a client with the consent that its code stands for.
core::Result<void> check_exchange(const Parameters& form, const AuthorizeRequest& consented) {
  const std::string_view redirect = form.get("redirect_uri");
  const bool same_redirect = redirect.empty() || redirect == consented.redirect;
  if (form.get("client_id") != consented.client_id || !same_redirect) {
    return core::fail(
        protocol_error("invalid_grant", "The code belongs to another client or redirect URI."));
  }
  if (!fits_challenge(form.get("code_verifier"), consented.challenge)) {
    return core::fail(protocol_error("invalid_grant", "code_verifier does not fit."));
  }
  const std::string_view resource = form.get("resource");
  if (!resource.empty() && resource != consented.resource) {
    return core::fail(protocol_error("invalid_target", "resource is not that of the code."));
  }
  return {};
}

void exchange_code(Context& context, ClientCall call, const Parameters& form) {
  std::string code(form.get("code"));
  GrantStore& grants = context.dependencies().grants;
  std::optional<Consent> consent = context.codes().take(code);
  if (!consent) {
    // In the order of the worker, so that an exchange of the same code that is under way is over.
    return on_disk<bool>(
        context, std::move(call), [&grants, code] { return grants.end_reused(code); },
        [&context](ClientCall back, const core::Result<bool>&) {
          refuse(context, std::move(back),
                 protocol_error("invalid_grant", "The code is not valid."));
        });
  }
  if (const auto checked = check_exchange(form, consent->request); !checked) {
    return refuse(context, std::move(call), checked.error());
  }
  send_tokens(context, std::move(call), [&grants, code, consent = *std::move(consent)] {
    return grants.create(consent, code);
  });
}

core::Result<RefreshUse> refresh_in(Context& context, const Parameters& form, const Place& place) {
  RefreshUse use{std::string(form.get("refresh_token")), std::string(form.get("client_id"))};
  if (!context.clients().may_stay(use.client_id)) {
    return core::fail(protocol_error("invalid_client", "This client is not known to the server."));
  }
  const std::string_view resource = form.get("resource");
  if (!resource.empty() && resource != place.resource()) {
    return core::fail(protocol_error("invalid_target", "resource must be " + place.resource()));
  }
  if (!form.get("scope").empty()) {
    PARLEY_TRY(use.scopes, parse_scopes(form.get("scope")));
  }
  return use;
}

void serve_token(Context& context, ClientCall call) {
  const auto form = posted_form(call.request);
  if (!form) return refuse(context, std::move(call), form.error());
  const std::optional<Place> place = context.place_of(call.request);
  if (!place || form->get("client_id").empty()) {
    return refuse(context, std::move(call),
                  protocol_error("invalid_request",
                                 place ? "client_id is missing." : "The address is not public."));
  }
  const std::string_view kind = form->get("grant_type");
  if (kind == "authorization_code") return exchange_code(context, std::move(call), *form);
  if (kind != "refresh_token") {
    return refuse(context, std::move(call),
                  protocol_error("unsupported_grant_type",
                                 "grant_type must be authorization_code or refresh_token."));
  }
  auto use = refresh_in(context, *form, *place);
  if (!use) return refuse(context, std::move(call), use.error());
  GrantStore& grants = context.dependencies().grants;
  send_tokens(context, std::move(call),
              [&grants, use = *std::move(use)] { return grants.refresh(use); });
}

// RFC 7009: the answer does not tell whether the token was known.
void serve_revoke(Context& context, ClientCall call) {
  const auto form = posted_form(call.request);
  if (!form) return refuse(context, std::move(call), form.error());
  std::string token(form->get("token"));
  std::string client(form->get("client_id"));
  if (token.empty() || client.empty()) {
    return refuse(context, std::move(call),
                  protocol_error("invalid_request", "token and client_id are required."));
  }
  GrantStore& grants = context.dependencies().grants;
  on_disk<void>(
      context, std::move(call),
      [&grants, token = std::move(token), client = std::move(client)] {
        return grants.revoke(token, client);
      },
      [](ClientCall back, const core::Result<void>&) {
        back.responder.send(secret_json(200, "{}"));
      });
}

std::string registration_json(const Client& client, core::WallTime at) {
  return core::json_object([&](core::JsonWriter& json) {
    json.key("client_id").string(client.id);
    json.key("client_id_issued_at").number(core::to_unix_s(at));
    json.key("client_name").string(client.name);
    json.key("redirect_uris").strings(client.redirects);
    json.key("token_endpoint_auth_method").string("none");
    json.key("grant_types").begin_array().string("authorization_code").string("refresh_token");
    json.end_array();
    json.key("response_types").begin_array().string("code").end_array();
    json.key("scope").string(kAllScopes);
  });
}

void serve_register(Context& context, ClientCall call) {
  if (!core::lowered(call.request.headers.get("Content-Type")).starts_with("application/json")) {
    return refuse(
        context, std::move(call),
        protocol_error("invalid_client_metadata", "Content-Type must be application/json."));
  }
  auto client = parse_registration(call.request.body);
  if (!client) return refuse(context, std::move(call), client.error());
  if (!context.may_register()) {
    return refuse(context, std::move(call),
                  {core::Code::resource_exhausted,
                   "Too many clients are registering. Try again in a minute.",
                   {}});
  }
  GrantStore& grants = context.dependencies().grants;
  const core::WallTime now = context.dependencies().clock.wall();
  on_disk<Client>(
      context, std::move(call),
      [&grants, client = *std::move(client)] { return grants.register_client(client); },
      [now](ClientCall back, const core::Result<Client>& created) {
        back.responder.send(secret_json(201, registration_json(*created, now)));
      });
}

void add(net::Router& router, Context& context, std::string_view where,
         void (*serve)(Context&, ClientCall)) {
  const access::Row& row = access::row_of("POST", where);
  router.add(std::string(row.method), std::string(row.where),
             [&context, serve](net::Request request, net::Responder responder) {
               serve(context, {std::move(request), std::move(responder)});
             });
}

}  // namespace

void install_tokens(net::Router& router, Context& context) {
  add(router, context, "/token", serve_token);
  add(router, context, "/revoke", serve_revoke);
  if (context.options().registration) add(router, context, "/register", serve_register);
}

}  // namespace parley::oauth
