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
};

// All rows, grouped by dialect.
std::span<const Row> rows();

// The row of a route, a handshake or a message; null if there is none.
const Row* find_row(std::string_view method, std::string_view where);
// The same for a row that must exist: ends the process otherwise.
const Row& row_of(std::string_view method, std::string_view where);

// The right that a token with `rights` lacks for a row; std::nullopt: none.
std::optional<auth::Right> missing(const Row& row, auth::Rights rights);

// The form in docs/rights.md: "right `run`", "any token", "open".
std::string need_text(const Row& row);

}  // namespace parley::access
