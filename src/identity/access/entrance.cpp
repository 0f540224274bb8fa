// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/access/entrance.h"

#include <memory>
#include <utility>

#include "base/net/http/guest_obstacle.h"

namespace parley::access {
namespace {

core::Error guessing_error() {
  return {core::Code::resource_exhausted,
          "Too many wrong tokens came from this address: a token of fewer than 16 characters is "
          "not accepted now. Try again in a minute, or use a longer token.",
          {}};
}

core::Result<void> check_guest(auth::Verifier& verifier, const Row& row,
                               const net::Request& request) {
  if (!row.guests || !request.token().empty()) return {};
  return verifier.check_guest(net::guest_obstacle(request));
}

// Verifies the token again once the body has arrived: it may have been revoked meanwhile.
void serve(auth::Verifier& verifier, const Row& row, const std::shared_ptr<const Handler>& handler,
           const RequestRefusal& refusal, net::Request request, net::Responder responder) {
  const Refusal form = [&](const core::Error& error) { return refusal(error, request); };
  if (const core::Result<void> guest = check_guest(verifier, row, request); !guest) {
    return responder.send(refuse({guest.error()}, form));
  }
  auth::Verdict verdict = verifier.judge(request.token(), request.peer);
  core::Result<void> allowed;
  if (!verdict.identity) {
    allowed = core::fail(verdict.identity.error());
  } else {
    allowed = check_right(row, verdict.identity->rights);
  }
  if (!allowed) return responder.send(refuse({allowed.error(), verdict.wait}, form));
  if (verdict.wait == core::Millis(0)) {
    return (*handler)(std::move(request), std::move(responder), std::move(*verdict.identity));
  }
  core::Scheduler& scheduler = responder.scheduler();
  scheduler.after(verdict.wait,
                  [handler, request = std::move(request), responder = std::move(responder),
                   identity = std::move(*verdict.identity)]() mutable {
                    (*handler)(std::move(request), std::move(responder), std::move(identity));
                  });
}

}  // namespace

core::Result<void> check_right(const Row& row, auth::Rights rights) {
  if (const auto right = missing(row, rights)) return core::fail(auth::missing_right(*right));
  return {};
}

tl::expected<auth::Identity, Refused> let_in(auth::Verifier& verifier, const Row& row,
                                             std::string_view token, std::string_view peer) {
  auth::Verdict verdict = verifier.judge(token, peer);
  if (!verdict.identity) return tl::unexpected(Refused{verdict.identity.error(), verdict.wait});
  if (verdict.wait > core::Millis(0)) {
    return tl::unexpected(Refused{guessing_error(), verdict.wait});
  }
  if (const core::Result<void> allowed = check_right(row, verdict.identity->rights); !allowed) {
    return tl::unexpected(Refused{allowed.error()});
  }
  return std::move(*verdict.identity);
}

tl::expected<net::Admission, net::Response> admit(auth::Verifier& verifier, const Row& row,
                                                  const net::Request& head, const Refusal& form) {
  if (const core::Result<void> guest = check_guest(verifier, row, head); !guest) {
    return tl::unexpected(refuse({guest.error()}, form));
  }
  const std::string token = head.token();
  const core::Result<auth::Identity> identity = verifier.verify(token, head.peer);
  if (!identity) {
    // verify() counts nothing: judge() counts the wrong token as a guess.
    const auth::Verdict verdict = verifier.judge(token, head.peer);
    return tl::unexpected(refuse(
        {verdict.identity ? identity.error() : verdict.identity.error(), verdict.wait}, form));
  }
  // While guesses are refused without a check, no answer may reveal that a guessable token is
  // right.
  if (identity->guessable && verifier.refuses_guesses(head.peer)) {
    return tl::unexpected(refuse({guessing_error()}, form));
  }
  if (const core::Result<void> allowed = check_right(row, identity->rights); !allowed) {
    return tl::unexpected(refuse({allowed.error()}, form));
  }
  // What guests hold counts to their address, not to the workspace that they share.
  return net::Admission{token.empty() ? std::string() : identity->workspace, 0,
                        identity->workspace};
}

tl::expected<auth::Identity, Refused> let_in(auth::Verifier& verifier, const Row& row,
                                             const net::Request& request) {
  if (const core::Result<void> guest = check_guest(verifier, row, request); !guest) {
    return tl::unexpected(Refused{guest.error()});
  }
  return let_in(verifier, row, request.token(), request.peer);
}

net::Response refusal_in_json(const core::Error& error) {
  net::Response response = net::Response::error(error);
  if (error.code == core::Code::unauthenticated) {
    response.headers.set("WWW-Authenticate", "Bearer realm=\"parley\"");
  }
  return response;
}

net::Response refuse(const Refused& refused, const Refusal& form) {
  net::Response response = form(refused.error);
  response.delay = refused.wait;
  return response;
}

void add_route(net::Router& router, const Row& row, std::string pattern, auth::Verifier& verifier,
               Handler handler, Refusal form) {
  add_route(router, row, std::move(pattern), verifier, std::move(handler),
            [form = std::move(form)](const core::Error& error, const net::Request& /*head*/) {
              return form(error);
            });
}

void add_route(net::Router& router, const Row& row, std::string pattern, auth::Verifier& verifier,
               Handler handler, RequestRefusal form) {
  const auto shared = std::make_shared<const Handler>(std::move(handler));
  router.add(
      std::string(row.method), std::move(pattern),
      [&verifier, &row, shared, form](net::Request request, net::Responder responder) {
        serve(verifier, row, shared, form, std::move(request), std::move(responder));
      },
      [&verifier, &row, form](const net::Request& head) {
        return admit(verifier, row, head,
                     [&](const core::Error& error) { return form(error, head); });
      });
}

std::string route_in_the_way(std::string_view prefix) {
  const std::string base = booking_base(prefix);
  if (prefix.empty() || base == kBookingBase) return {};
  for (const Row& row : rows()) {
    if (!row.where.starts_with(kBookingBase)) continue;
    const std::string where = base + std::string(row.where.substr(kBookingBase.size()));
    if (find_row(row.method, where) != nullptr) return std::string(row.method) + " " + where;
  }
  return {};
}

std::string route_without_row(const net::Router& router, std::string_view prefix) {
  std::string missing_row;
  router.each_route([&](std::string_view method, std::string_view pattern) {
    const std::string_view kind = method.empty() ? "WS" : method;
    if (row_of_route(kind, pattern, prefix) != nullptr) return;
    missing_row = std::string(kind) + " " + std::string(pattern);
  });
  return missing_row;
}

}  // namespace parley::access
