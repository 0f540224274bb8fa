// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/http_gate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/core/percent.h"
#include "base/core/utf8.h"
#include "base/net/http/http_answer.h"
#include "base/net/http/http_text.h"

namespace parley::net {

namespace {

std::string normalise(std::string_view path) {
  std::vector<std::string_view> parts;
  bool slash_at_end = false;
  std::size_t at = 0;
  while (at < path.size()) {
    const std::size_t next = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, next - at);
    const bool dots = part == "." || part == "..";
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!part.empty() && !dots) parts.push_back(part);
    slash_at_end = part.empty() || dots || next < path.size();
    at = next + 1;
  }
  std::string out;
  out.reserve(path.size());
  for (const std::string_view part : parts) out.append("/").append(part);
  if (out.empty() || slash_at_end) out.push_back('/');
  return out;
}

}  // namespace

std::optional<HttpTarget> parse_target(std::string_view target) {
  HttpTarget out;
  if (target == "*") {
    out.path = "*";
    return out;
  }
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equals_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    const std::size_t end = std::min(target.find_first_of("/?"), target.size());
    out.authority = target.substr(0, end);
    if (out.authority.empty()) return std::nullopt;
    target.remove_prefix(end);
    if (target.empty()) target = "/";
    break;
  }
  const bool rootless = !out.authority.empty() && target.front() == '?';
  if (target.empty() || (target.front() != '/' && !rootless)) return std::nullopt;
  if (target.find('#') != std::string_view::npos) return std::nullopt;
  const std::size_t mark = std::min(target.find('?'), target.size());
  if (mark < target.size()) out.query = target.substr(mark + 1);
  const auto decoded = core::percent_decoded(target.substr(0, mark));
  if (!decoded || !core::is_utf8(*decoded)) return std::nullopt;
  if (std::any_of(decoded->begin(), decoded->end(), is_control)) return std::nullopt;
  out.path = normalise(*decoded);
  return out;
}

namespace {

// The name of a part of a path that is never logged.
constexpr std::string_view kSecretPart = "{secret}";
constexpr std::string_view kAllMethods = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";

core::Code code_of(int status) {
  switch (status) {
    case 403:
    case 421:
      return core::Code::permission_denied;
    case 404:
      return core::Code::not_found;
    case 408:
      return core::Code::deadline_exceeded;
    case 413:
    case 414:
    case 431:
      return core::Code::resource_exhausted;
    case 405:
    case 426:
    case 501:
    case 505:
      return core::Code::unimplemented;
    case 500:
      return core::Code::internal;
    case 503:
      return core::Code::unavailable;
    default:
      return core::Code::invalid_argument;
  }
}

bool changes_state(std::string_view method) {
  return method != "GET" && method != "HEAD" && method != "OPTIONS";
}

GateResult refuse(int status, std::string message, std::string_view reason) {
  GateResult out;
  out.answer = refusal(status, std::move(message));
  out.rejected = reason;
  return out;
}

GateResult check_origin(const Request& request, const OriginPolicy& policy) {
  const std::string_view host = request.headers.get("Host");
  if (!host.empty() && !policy.is_own_host(host)) {
    return refuse(421, std::string(kForeignHostAdvice), "bad_host");
  }
  GateResult out;
  if (!request.headers.has("Origin")) return out;
  out.origin_allowed = policy.is_allowed_origin(request.headers.get("Origin"), host);
  const bool preflight = request.method == "OPTIONS";
  if (out.origin_allowed) return out;
  if (changes_state(request.method) || preflight || asks_for_websocket(request.headers)) {
    return refuse(403,
                  "Pages of this Origin may not use this server. To allow them, add the Origin to "
                  "the setting allowed_origins.",
                  "bad_origin");
  }
  return out;
}

// True if OPTIONS was answered here; a route for OPTIONS is answered by its own handler, except a
// preflight.
bool answer_options(const Request& request, GateResult& out) {
  if (request.method != "OPTIONS") return false;
  const bool preflight = out.origin_allowed && request.headers.has("Access-Control-Request-Method");
  const bool has_handler = out.match.found_path && out.match.handler != nullptr;
  if (has_handler && !preflight) return false;
  const std::string_view methods = out.match.found_path ? out.match.allow : kAllMethods;
  Response response;
  response.status = 204;
  if (preflight) {
    add_preflight_fields(response, methods, request.headers.get("Access-Control-Request-Headers"));
  } else {
    response.headers.add("Allow", std::string(methods));
  }
  out.answer = std::move(response);
  return true;
}

}  // namespace

Response refusal(int status, std::string message) {
  Response response = Response::error({code_of(status), std::move(message), {}});
  response.status = status;
  return response;
}

bool read_request(ParsedRequest parsed, Request& request) {
  request.method = std::move(parsed.method);
  request.target = std::move(parsed.target);
  request.headers = std::move(parsed.headers);
  request.body = std::move(parsed.body);
  auto target = parse_target(request.target);
  if (!target || (target->path == "*" && request.method != "OPTIONS")) return false;
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  if (!target->authority.empty()) request.headers.set("Host", std::move(target->authority));
  return true;
}

bool asks_for_websocket(const Headers& headers) { return headers.lists("Upgrade", "websocket"); }

GateResult pass_gate(const Request& request, const Router& router, const OriginPolicy& policy) {
  GateResult out = check_origin(request, policy);
  if (out.answer) return out;
  out.match = router.match(request.method, request.path);
  if (answer_options(request, out)) return out;
  if (out.match.acceptor != nullptr &&
      (asks_for_websocket(request.headers) || out.match.handler == nullptr)) {
    if (asks_for_websocket(request.headers)) {
      out.upgrade = true;
      return out;
    }
    out.answer = refusal(426, "This path accepts only WebSocket connections.");
    out.answer->headers.add("Upgrade", "websocket");
    return out;
  }
  if (out.match.handler == nullptr) {
    out.answer = refusal(405, "This path does not support the method " + request.method + ".");
    out.answer->headers.add("Allow", out.match.allow);
  }
  return out;
}

std::string logged_path(const Router& router, std::string_view path, std::string_view route) {
  std::string shown(path.empty() ? "-" : path);
  const auto hide = [&](std::string_view pattern) {
    const std::size_t secret = pattern.find(kSecretPart);
    if (secret != std::string_view::npos && path.starts_with(pattern.substr(0, secret))) {
      shown = pattern;
    }
  };
  if (!route.empty()) {
    hide(route);
  } else {
    // A request that is refused by its Host, Origin or method has no route; its secret stays valid.
    router.each_route(
        [&](std::string_view /*method*/, std::string_view pattern) { hide(pattern); });
  }
  return shown;
}

}  // namespace parley::net
