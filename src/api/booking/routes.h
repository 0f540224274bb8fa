// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "auth/guest_verifier.h"
#include "booking/booking_service.h"
#include "net/http/http.h"

// The booking backend of the External Agent Protocol over HTTP: movies, theaters, showings, seats,
// ticket types, bookings. Contract: docs/booking.md and docs/openapi.json.
namespace parley::booking_rest {

// What the routes work on. Outlives the router and every answer.
struct BookingContext {
  booking::BookingService& service;
  auth::GuestVerifier& verifier;
  // Where else the routes are served, for existing pages: "/booking". "/": at the root, where
  // unknown paths are left to others. Empty: nowhere else.
  std::string prefix;
};

// One request by somebody who has been let in.
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

// Adds every route below kBase and below the prefix, and the protocol's 404 for the rest of both.
void install(net::Router& router, const BookingContext& context);

}  // namespace parley::booking_rest
