// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/net/http/http.h"
#include "identity/auth/guest_verifier.h"
#include "services/booking/booking_service.h"

// The booking backend of the External Agent Protocol over HTTP: movies, theaters, showings, seats,
// ticket types, bookings. Contract: docs/booking.md and docs/openapi.json.
namespace parley::booking_rest {

// The dependencies of the routes. Outlives the router and every answer.
struct BookingContext {
  booking::BookingService& service;
  auth::GuestVerifier& verifier;
  // A second base of the routes, for existing pages: "/booking". "/": the root; other handlers then
  // get the unknown paths. Empty: no second base.
  std::string prefix;
};

// One request of an admitted caller.
struct Call {
  net::Request request;
  net::Responder responder;
};

using Handler = void (*)(const BookingContext&, Call);

struct Route {
  std::string_view method;
  std::string_view path;  // below the base: "/movies/{id}"
  Handler handler;
};

std::span<const Route> routes();

inline constexpr std::string_view kBase = "/v1/booking";

// Adds every route below kBase and below the prefix, and the protocol's 404 for other paths below
// them.
void install(net::Router& router, const BookingContext& context);

}  // namespace parley::booking_rest
