// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/net/http/http.h"
#include "base/net/http/http_parser.h"
#include "base/net/http/origin_policy.h"

namespace parley::net {

// The parts of a request target (RFC 9112 section 3.2).
struct HttpTarget {
  std::string path;       // decoded and normalised, begins with '/'; "*" for OPTIONS *
  std::string query;      // as sent, without '?'
  std::string authority;  // from the absolute form ("GET http://host/path"); otherwise empty
};

// Parses origin form ("/a?b"), absolute form and "*". The path is percent-decoded, then normalised:
// empty parts and "." are removed, ".." removes the part before it and never leaves the root, a
// final slash stays. std::nullopt for an invalid escape, control characters (also escaped ones),
// invalid UTF-8, and every other form.
std::optional<HttpTarget> parse_target(std::string_view target);

// {"code":...,"message":...} as Response::error() makes it, with any HTTP status.
Response refusal(int status, std::string message);

// Moves method, target, fields and body into `request`. False if the target is malformed. The
// authority of an absolute target replaces the field Host (RFC 9112 section 3.2.2).
bool read_request(ParsedRequest parsed, Request& request);

// True if a request asks for an upgrade to WebSocket, in a valid form or not.
bool asks_for_websocket(const Headers& headers);

// The route of a request: an answer at once, a handler, or an acceptor of WebSockets.
struct GateResult {
  std::optional<Response> answer;
  std::string_view rejected;  // the reason of a refusal, for the metrics; empty: not refused
  Router::Match match;
  bool upgrade = false;         // to match.acceptor
  bool origin_allowed = false;  // the request has an Origin that may read the answer
};

// Checks Host, then Origin, answers OPTIONS, then routes. Refusals: 421 (the Host is not this
// server's), 403 (a page of another Origin would change state, open a WebSocket or send a
// preflight), 404, 405 with Allow, 426.
GateResult pass_gate(const Request& request, const Router& router, const OriginPolicy& policy);

// The path of a request in the log: its pattern if a part of it is a secret, also if the request
// was refused before it got a `route`; "-" for none.
std::string logged_path(const Router& router, std::string_view path, std::string_view route);

}  // namespace parley::net
