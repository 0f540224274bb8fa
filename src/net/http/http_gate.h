// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http/http.h"
#include "net/http/http_parser.h"
#include "net/http/origin_policy.h"

namespace parley::net {

// {"code":...,"message":...} as Response::error() makes it, with any HTTP status.
Response refusal(int status, std::string message);

// Moves what was read into `request`: method, target, fields, body. False if the target is
// malformed. The authority of an absolute target replaces the field Host (RFC 9112 section 3.2.2).
bool read_request(ParsedRequest parsed, Request& request);

// True if a request asks to become a WebSocket, well or badly.
bool asks_for_websocket(const Headers& headers);

// The route of a request: an answer at once, a handler, or an acceptor of WebSockets.
struct GateResult {
  std::optional<Response> answer;
  std::string_view rejected;  // why, for the metrics; empty if it was not
  Router::Match match;
  bool upgrade = false;         // to match.acceptor
  bool origin_allowed = false;  // there is an Origin, and it may read the answer
};

// Checks Host, then Origin, answers OPTIONS, then routes. Refusals: 421 (a Host that is not ours),
// 403 (a page of another site wants to change something or to open a WebSocket), 404, 405 with
// Allow, 426.
GateResult pass_gate(const Request& request, const Router& router, const OriginPolicy& policy);

}  // namespace parley::net
