// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "access/access_table.h"
#include "auth/token_store.h"
#include "net/http/http.h"

// The door of every dialect: what the table of rights says, done to requests.
namespace parley::access {

// Why a caller is not let in, and how much later that is answered.
struct Refused {
  core::Error error;
  core::Millis wait{0};
};

// Whom `token` stands for, if it is valid and has the right of `row`. Errors: those of
// auth::Verifier::judge(), `permission_denied` (field "rights"). A guessable token that has to wait
// is refused with `resource_exhausted` after that wait.
tl::expected<auth::Identity, Refused> let_in(auth::Verifier& verifier, const Row& row,
                                             std::string_view token, std::string_view peer);

// The same of a request. One without a token that came from elsewhere, or that a page of another
// site made a browser send, is no guest's (auth::Verifier::check_guest()).
tl::expected<auth::Identity, Refused> let_in(auth::Verifier& verifier, const Row& row,
                                             const net::Request& request);

// `permission_denied` with the right that is missing, if one is.
core::Result<void> check_right(const Row& row, auth::Rights rights);

// How a dialect says that a caller is not let in.
using Refusal = std::function<net::Response(const core::Error&)>;

// {"code":...,"message":...,"field":...}, with WWW-Authenticate where a token is missing.
net::Response refusal_in_json(const core::Error& error);

// The answer to a handshake or a request that is refused, held back as long as it has to wait.
net::Response refuse(const Refused& refused, const Refusal& form = refusal_in_json);

// The decision on a request with its head: who lacks the token or the right is refused before a
// byte of the body is kept.
tl::expected<net::Admission, net::Response> admit(auth::Verifier& verifier, const Row& row,
                                                  const net::Request& head, const Refusal& form);

// A request by somebody who has been let in.
using Handler = std::function<void(net::Request, net::Responder, auth::Identity)>;

// Adds the route of `row`, behind admit(), at `pattern`, which differs from the row's below
// booking.prefix. `verifier` outlives the router.
void add_route(net::Router& router, const Row& row, std::string pattern, auth::Verifier& verifier,
               Handler handler, Refusal form = refusal_in_json);

// A route of another dialect ("GET /health") that the booking backend would serve as well if it
// were at `prefix`, too; empty: none.
std::string route_in_the_way(std::string_view prefix);

// A route of `router` that has no row: "GET /x"; empty if all have one. `prefix`: where the rows of
// the booking backend are served, too.
std::string route_without_row(const net::Router& router, std::string_view prefix);

}  // namespace parley::access
