// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/result.h"
#include "identity/access/access_table.h"
#include "identity/oauth/consent_page.h"
#include "identity/oauth/routes.h"
#include "identity/oauth/scope.h"

namespace parley::oauth {
namespace {

constexpr std::string_view kPath = "/authorize";

// A request for consent on its way to its answer.
struct Visit {
  net::Request request;
  net::Responder responder;

  std::string_view language() const { return request.headers.get("Accept-Language"); }
};

core::Error unknown_place() {
  return protocol_error("invalid_request",
                        "This server is reached by another address than its public one.");
}

void send_error(Context& context, Visit visit, const core::Error& error) {
  context.counters().refused.add();
  visit.responder.send(error_page(error, visit.language()));
}

// `status`: 302 after a GET, 303 after a form.
void send_redirect(Visit visit, int status, std::string to) {
  net::Response response;
  response.status = status;
  response.headers.set("Location", std::move(to));
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("Referrer-Policy", "no-referrer");
  visit.responder.send(std::move(response));
}

void send_form(Context& context, Visit visit, const AuthorizeRequest& asked, PageFault fault,
               core::Millis wait = core::Millis(0)) {
  const std::string signed_text =
      context.sign().sign(asked.text(), context.dependencies().clock.wall());
  net::Response response = consent_page(asked, signed_text, fault, visit.language());
  response.delay = wait;
  visit.responder.send(std::move(response));
}

// Reports a fault to the client. Anybody can register a client, or serve the document of one, with
// a redirect of its own: until an operator or a person has confirmed it, no link leads there
// (RFC 9700 section 4.11.2).
void send_fault(Context& context, Visit visit, const ReadRequest& read) {
  const AuthorizeRequest& asked = read.request;
  const bool confirmed = asked.kind == ClientKind::preregistered ||
                         context.dependencies().grants.has_grant(asked.client_id);
  if (!confirmed) return send_error(context, std::move(visit), *read.fault);
  context.counters().refused.add();
  send_redirect(std::move(visit), 302, redirect_with_error(asked, *read.fault));
}

void show(Context& context, Visit visit) {
  const std::optional<Place> place = context.place_of(visit.request);
  if (!place) return send_error(context, std::move(visit), unknown_place());
  auto parameters = Parameters::parse(visit.request.query);
  if (!parameters) return send_error(context, std::move(visit), parameters.error());
  const std::string client_id(parameters->get("client_id"));
  core::Scheduler& scheduler = visit.responder.scheduler();
  context.clients().find(client_id, scheduler,
                         [&context, place = *place, parameters = *std::move(parameters),
                          visit = std::move(visit)](core::Result<Client> client) mutable {
                           if (!client)
                             return send_error(context, std::move(visit), client.error());
                           auto read = read_request(parameters, *client, place);
                           if (!read) return send_error(context, std::move(visit), read.error());
                           if (read->fault) return send_fault(context, std::move(visit), *read);
                           send_form(context, std::move(visit), read->request, PageFault::none);
                         });
}

// Gives the client a code in the name of the holder of a valid token.
void give_code(Context& context, Visit visit, AuthorizeRequest asked, const std::string& token,
               const auth::Identity& person) {
  const auth::Rights scopes = common_scopes(asked.scopes, person.rights);
  if (scopes.empty()) return send_form(context, std::move(visit), asked, PageFault::no_right);
  Consent consent{asked, person};
  consent.request.scopes = scopes;
  const auto code = context.codes().add(std::move(consent));
  if (!code) return send_error(context, std::move(visit), code.error());
  // A token that ended before the code was added has left the code behind.
  if (!context.dependencies().tokens.verify(token, visit.request.peer)) {
    (void)context.codes().take(*code);
    return send_form(context, std::move(visit), asked, PageFault::wrong_token);
  }
  context.counters().consents.add();
  send_redirect(std::move(visit), 303, redirect_with_code(asked, *code));
}

// Checks the typed token. A wrong one counts as a guess of its sender.
void check_token(Context& context, Visit visit, AuthorizeRequest asked, std::string token) {
  if (token.size() > kMaxTypedTokenBytes) token.resize(kMaxTypedTokenBytes);
  auth::Verdict verdict = context.dependencies().tokens.judge(token, visit.request.peer);
  if (!verdict.identity) {
    context.counters().refused.add();
    const bool too_many = verdict.identity.error().code == core::Code::resource_exhausted;
    return send_form(context, std::move(visit), asked,
                     too_many ? PageFault::too_many : PageFault::wrong_token, verdict.wait);
  }
  if (verdict.wait == core::Millis(0)) {
    return give_code(context, std::move(visit), std::move(asked), token, *verdict.identity);
  }
  core::Scheduler& scheduler = visit.responder.scheduler();
  scheduler.after(verdict.wait,
                  [&context, visit = std::move(visit), asked = std::move(asked),
                   token = std::move(token), person = *std::move(verdict.identity)]() mutable {
                    give_code(context, std::move(visit), std::move(asked), token, person);
                  });
}

// What the form asks for, if it is one of this server.
core::Result<AuthorizeRequest> sealed_request(const Context& context, const Parameters& form,
                                              const std::optional<Place>& place) {
  if (!place) return core::fail(unknown_place());
  PARLEY_TRY(const std::string text,
             context.sign().open(form.get("form"), context.dependencies().clock.wall()));
  PARLEY_TRY(AuthorizeRequest asked, AuthorizeRequest::from_text(text));
  if (asked.issuer != place->issuer()) return core::fail(unknown_place());
  return asked;
}

void decide(Context& context, Visit visit) {
  const auto form = posted_form(visit.request);
  if (!form) return send_error(context, std::move(visit), form.error());
  auto asked = sealed_request(context, *form, context.place_of(visit.request));
  if (!asked) return send_error(context, std::move(visit), asked.error());
  const std::string_view decision = form->get("decision");
  if (decision == "deny") {
    context.counters().denied.add();
    return send_redirect(
        std::move(visit), 303,
        redirect_with_error(*asked, protocol_error("access_denied", "The person refused.")));
  }
  if (decision != "allow") {
    return send_error(context, std::move(visit),
                      protocol_error("invalid_request", "The form has no decision."));
  }
  check_token(context, std::move(visit), *std::move(asked),
              std::string(core::trimmed(form->get("token"))));
}

void add(net::Router& router, Context& context, std::string_view method,
         void (*serve)(Context&, Visit)) {
  const access::Row& row = access::row_of(method, kPath);
  router.add(std::string(row.method), std::string(row.where),
             [&context, serve](net::Request request, net::Responder responder) {
               serve(context, {std::move(request), std::move(responder)});
             });
}

}  // namespace

void install_authorize(net::Router& router, Context& context) {
  add(router, context, "GET", show);
  add(router, context, "POST", decide);
}

}  // namespace parley::oauth
