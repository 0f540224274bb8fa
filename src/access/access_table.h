// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "auth/rights.h"

// The table of rights: every route and socket of every dialect, with its need. docs/security.md
// shows the same table, and a test holds the two together.
namespace parley::access {

enum class Need : std::uint8_t {
  nothing,  // open to all
  token,    // any valid token
  right,    // a token with Row::right
};

struct Row {
  // "GET", ...: a route. "WS": the opening handshake of a WebSocket. "message": what a client says
  // on one.
  std::string_view method;
  std::string_view where;  // the pattern of the router; of a message: "/loom/ws run"
  Need need = Need::nothing;
  auth::Right right = auth::Right::ask;  // of Need::right
  bool guests = false;  // callers without a token are let in where the settings allow guests
};

// Every row, one dialect after the other.
std::span<const Row> rows();

// The row of a route, a handshake or a message; null if there is none.
const Row* find_row(std::string_view method, std::string_view where);
// The same of a row that must be there: ends the process otherwise.
const Row& row_of(std::string_view method, std::string_view where);

// The right that a token with `rights` lacks for a row; std::nullopt: none.
std::optional<auth::Right> missing(const Row& row, auth::Rights rights);

// "right `run`", "any token", "open": as docs/security.md has it.
std::string need_text(const Row& row);

}  // namespace parley::access
