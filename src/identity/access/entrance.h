// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/net/http/http.h"
#include "identity/access/access_table.h"
#include "identity/auth/token_store.h"

// Admission to every dialect: applies the table of rights to requests.
namespace parley::access {

// The reason why a caller is refused, and the delay before the answer.
struct Refused {
  core::Error error;
  core::Millis wait{0};
};

// The holder of `token`, if it is valid and has the right of `row`. Errors: those of
// auth::Verifier::judge(), `permission_denied` (field "rights"). A guessable token whose answer
// must wait is refused with `resource_exhausted` after that wait.
tl::expected<auth::Identity, Refused> let_in(auth::Verifier& verifier, const Row& row,
                                             std::string_view token, std::string_view peer);

// The same for a request. A request without a token is admitted as a guest only if
// auth::Verifier::check_guest() allows it.
tl::expected<auth::Identity, Refused> let_in(auth::Verifier& verifier, const Row& row,
                                             const net::Request& request);

// `permission_denied` that names the missing right, if `rights` lacks it.
core::Result<void> check_right(const Row& row, auth::Rights rights);

// Makes a dialect's form of a refusal.
using Refusal = std::function<net::Response(const core::Error&)>;

// {"code":...,"message":...,"field":...}, with WWW-Authenticate where a token is missing.
net::Response refusal_in_json(const core::Error& error);

// The answer to a refused handshake or request, delayed by its wait.
net::Response refuse(const Refused& refused, const Refusal& form = refusal_in_json);

// The decision on a request by its head: a caller that lacks the token or the right is refused
// before a byte of the body is kept.
tl::expected<net::Admission, net::Response> admit(auth::Verifier& verifier, const Row& row,
                                                  const net::Request& head, const Refusal& form);

// Serves a request of an admitted caller.
using Handler = std::function<void(net::Request, net::Responder, auth::Identity)>;

// The same for a dialect whose refusals depend on the request. Uses the head alone.
using RequestRefusal = std::function<net::Response(const core::Error&, const net::Request& head)>;

// Adds the route of `row`, behind admit(), at `pattern`, which differs from the row's own below
// booking.prefix. `verifier` outlives the router.
void add_route(net::Router& router, const Row& row, std::string pattern, auth::Verifier& verifier,
               Handler handler, Refusal form = refusal_in_json);
void add_route(net::Router& router, const Row& row, std::string pattern, auth::Verifier& verifier,
               Handler handler, RequestRefusal form);

// A route of another dialect ("GET /health") that would collide with the booking backend at
// `prefix`; empty: none.
std::string route_in_the_way(std::string_view prefix);

// A route of `router` that has no row, such as "GET /x"; empty if all have one. `prefix`: the
// second place at which the rows of the booking backend are served.
std::string route_without_row(const net::Router& router, std::string_view prefix);

}  // namespace parley::access
