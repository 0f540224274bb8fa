// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "identity/auth/rights.h"

// The table of rights: every route and socket of every dialect, with the right that it needs.
// docs/rights.md shows the same table, and a test compares the two.
namespace parley::access {

enum class Need : std::uint8_t {
  nothing,  // open to all
  token,    // any valid token
  right,    // a token with Row::right
};

struct Row {
  // "GET", ...: a route. "WS": the opening handshake of a WebSocket. "message": a message that a
  // client sends on a WebSocket.
  std::string_view method;
  std::string_view where;  // the pattern of the router; for a message: "/loom/ws run"
  Need need = Need::nothing;
  auth::Right right = auth::Right::ask;  // for Need::right
  bool guests = false;  // admits callers without a token if the settings allow guests
  // In a cluster: one node serves it for all owners, because its state belongs to none.
  bool shared = false;
  // In a cluster: its answer waits until all nodes know what it changed: tokens, users, logins.
  bool announced = false;
};

// All rows, grouped by dialect.
std::span<const Row> rows();

// The row of a route, a handshake or a message; null if there is none.
const Row* find_row(std::string_view method, std::string_view where);
// The same for a row that must exist: ends the process otherwise.
const Row& row_of(std::string_view method, std::string_view where);

// The paths of the booking backend, which is served at a second place too.
inline constexpr std::string_view kBookingBase = "/v1/booking";
// The base of that place: "booking/" becomes "/booking".
std::string booking_base(std::string_view prefix);

// The row of a route of the router. `booking_prefix`: the second place of the booking backend.
// Null if there is none.
const Row* row_of_route(std::string_view method, std::string_view pattern,
                        std::string_view booking_prefix);

// The right that a token with `rights` lacks for a row; std::nullopt: none.
std::optional<auth::Right> missing(const Row& row, auth::Rights rights);

// The form in docs/rights.md: "right `run`", "any token", "open".
std::string need_text(const Row& row);

}  // namespace parley::access
