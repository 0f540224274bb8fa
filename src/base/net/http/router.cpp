// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/net/http/http.h"

namespace parley::net {
namespace {

std::vector<std::string_view> split_path(std::string_view path) {
  std::vector<std::string_view> parts;
  if (!path.empty() && path.front() == '/') path.remove_prefix(1);
  while (true) {
    const std::size_t end = path.find('/');
    parts.push_back(path.substr(0, end));
    if (end == std::string_view::npos) return parts;
    path.remove_prefix(end + 1);
  }
}

bool is_param(std::string_view part) {
  return part.size() > 2 && part.front() == '{' && part.back() == '}';
}

// The precedence of a part of a pattern; the larger one wins.
int exactness(std::string_view part) {
  if (part == "*") return 0;
  return is_param(part) ? 1 : 2;
}

bool fits(const std::vector<std::string>& pattern, const std::vector<std::string_view>& path) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == "*") return path.size() > i;
    if (i >= path.size()) return false;
    if (is_param(pattern[i]) ? path[i].empty() : pattern[i] != path[i]) return false;
  }
  return pattern.size() == path.size();
}

// True if `a` takes precedence over `b`; both match the same path.
bool more_exact(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const std::size_t count = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < count; ++i) {
    const int left = exactness(a[i]);
    const int right = exactness(b[i]);
    if (left != right) return left > right;
  }
  return false;
}

std::vector<std::pair<std::string, std::string>> read_params(
    const std::vector<std::string>& pattern, const std::vector<std::string_view>& path) {
  std::vector<std::pair<std::string, std::string>> params;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (is_param(pattern[i])) {
      params.emplace_back(pattern[i].substr(1, pattern[i].size() - 2), path[i]);
    }
    if (pattern[i] == "*") {
      std::string rest;
      for (std::size_t j = i; j < path.size(); ++j) {
        if (j > i) rest.push_back('/');
        rest.append(path[j]);
      }
      params.emplace_back("*", std::move(rest));
    }
  }
  return params;
}

void answer_not_found(const Request& request, Responder responder) {
  responder.send(
      Response::error({core::Code::not_found, "There is nothing at " + request.path + ".", {}}));
}

}  // namespace

void Router::add_route(Route route) {
  if (route.pattern.empty() || route.pattern.front() != '/') {
    throw std::logic_error("A route begins with '/': " + route.pattern);
  }
  for (const std::string_view part : split_path(route.pattern)) route.parts.emplace_back(part);
  for (std::size_t i = 0; i + 1 < route.parts.size(); ++i) {
    if (route.parts[i] == "*") throw std::logic_error("'*' ends a route: " + route.pattern);
  }
  for (const Route& other : routes_) {
    if (other.method == route.method && other.pattern == route.pattern) {
      throw std::logic_error("This route is there already: " + route.method + " " + route.pattern);
    }
  }
  routes_.push_back(std::move(route));
}

void Router::add(std::string method, std::string pattern, HttpHandler handler, Admit admit) {
  if (method.empty()) throw std::logic_error("A route has a method: " + pattern);
  Route route;
  route.method = std::move(method);
  route.pattern = std::move(pattern);
  route.handler = std::move(handler);
  route.admit = std::move(admit);
  add_route(std::move(route));
}

void Router::add_websocket(std::string pattern, WebSocketOptions options,
                           WebSocketAcceptor acceptor) {
  Route route;
  route.pattern = std::move(pattern);
  route.acceptor = std::move(acceptor);
  route.options = std::move(options);
  add_route(std::move(route));
}

void Router::set_fallback(HttpHandler handler) { fallback_ = std::move(handler); }

void Router::wrap(const std::function<HttpHandler(const RouteName&, HttpHandler)>& handler,
                  const std::function<WebSocketAcceptor(WebSocketAcceptor)>& acceptor) {
  for (Route& route : routes_) {
    if (route.handler) {
      const RouteName name{route.method, route.pattern, route.admit != nullptr};
      route.handler = handler(name, std::move(route.handler));
    }
    if (route.acceptor) route.acceptor = acceptor(std::move(route.acceptor));
  }
}

void Router::each_route(
    const std::function<void(std::string_view, std::string_view)>& visit) const {
  for (const Route& route : routes_) visit(route.method, route.pattern);
}

Router::Match Router::match(std::string_view method, std::string_view path) const {
  const std::vector<std::string_view> parts = split_path(path);
  const Route* best = nullptr;       // for this method
  const Route* best_get = nullptr;   // serves HEAD as well
  const Route* websocket = nullptr;  // requested with GET
  std::set<std::string> methods;
  for (const Route& route : routes_) {
    if (!fits(route.parts, parts)) continue;
    methods.insert(route.method.empty() ? "GET" : route.method);
    const Route** slot = nullptr;
    if (route.method.empty()) slot = &websocket;
    if (route.method == method) slot = &best;
    if (route.method == "GET" && method == "HEAD") slot = &best_get;
    if (slot == nullptr) continue;
    if (*slot == nullptr || more_exact(route.parts, (*slot)->parts)) *slot = &route;
  }
  if (best == nullptr) best = best_get;
  if (method != "GET") websocket = nullptr;
  if (best != nullptr && websocket != nullptr) {
    if (more_exact(best->parts, websocket->parts))
      websocket = nullptr;
    else if (more_exact(websocket->parts, best->parts))
      best = nullptr;
  }

  Match found;
  found.found_path = !methods.empty();
  if (const Route* chosen = best != nullptr ? best : websocket; chosen != nullptr) {
    found.pattern = chosen->pattern;
    found.params = read_params(chosen->parts, parts);
  }
  if (best != nullptr) {
    found.handler = &best->handler;
    if (best->admit) found.admit = &best->admit;
  }
  if (websocket != nullptr) {
    found.acceptor = &websocket->acceptor;
    found.websocket_options = &websocket->options;
  }
  if (!found.found_path) {
    static const HttpHandler kNotFound = answer_not_found;
    found.handler = fallback_ ? &fallback_ : &kNotFound;
    return found;
  }
  if (methods.contains("GET")) methods.insert("HEAD");
  methods.insert("OPTIONS");
  for (const std::string& name : methods) {
    if (!found.allow.empty()) found.allow.append(", ");
    found.allow.append(name);
  }
  return found;
}

}  // namespace parley::net
