// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/net/http/http.h"
#include "base/net/websocket/websocket.h"

namespace parley::net {
namespace {

void answer_nothing(const Request&, Responder) {}

Router sample_router() {
  Router router;
  router.add("GET", "/healthz", answer_nothing);
  router.add("GET", "/v1/sessions/{id}", answer_nothing);
  router.add("DELETE", "/v1/sessions/{id}", answer_nothing);
  router.add("POST", "/v1/sessions/active", answer_nothing);
  router.add("GET", "/v1/sessions/active", answer_nothing);
  router.add("GET", "/v1/sessions/{id}/events", answer_nothing);
  router.add("GET", "/console/*", answer_nothing);
  router.add("GET", "/*", answer_nothing);
  router.add_websocket("/ws", {}, nullptr);
  router.add_websocket("/both", {}, nullptr);
  router.add("GET", "/both", answer_nothing);
  return router;
}

struct MatchCase {
  std::string_view method;
  std::string_view path;
  std::string_view pattern;  // empty: no route for this method
};

TEST(Router, MostExactPattern_Wins) {
  const Router router = sample_router();
  const std::vector<MatchCase> cases = {
      {"GET", "/healthz", "/healthz"},
      {"GET", "/healthz/", "/*"},
      {"GET", "/v1/sessions/active", "/v1/sessions/active"},
      {"GET", "/v1/sessions/x1", "/v1/sessions/{id}"},
      {"DELETE", "/v1/sessions/active", "/v1/sessions/{id}"},
      {"GET", "/v1/sessions/x1/events", "/v1/sessions/{id}/events"},
      {"GET", "/v1/sessions//events", "/*"},
      {"GET", "/console/a/b", "/console/*"},
      {"GET", "/console/", "/console/*"},
      {"GET", "/console", "/*"},
      {"GET", "/", "/*"},
      {"HEAD", "/healthz", "/healthz"},
      {"POST", "/healthz", ""},
      {"GET", "/ws", "/ws"},
      {"GET", "/both", "/both"},
  };
  for (const MatchCase& one : cases) {
    const Router::Match match = router.match(one.method, one.path);
    EXPECT_EQ(match.pattern, one.pattern) << one.method << " " << one.path;
    EXPECT_TRUE(match.found_path);
  }
}

TEST(Router, NamedPathParts_AreGiven) {
  const Router router = sample_router();
  Request request;
  request.path_params = router.match("GET", "/v1/sessions/x1/events").params;
  EXPECT_EQ(request.path_param("id"), "x1");
  EXPECT_EQ(request.path_param("other"), "");
  request.path_params = router.match("GET", "/console/a/b").params;
  EXPECT_EQ(request.path_param("*"), "a/b");
}

TEST(Router, KnownPathWithOtherMethod_NamesMethods) {
  Router router;
  router.add("GET", "/a", answer_nothing);
  router.add("PUT", "/a", answer_nothing);
  const Router::Match match = router.match("POST", "/a");
  EXPECT_TRUE(match.found_path);
  EXPECT_EQ(match.handler, nullptr);
  EXPECT_EQ(match.allow, "GET, HEAD, OPTIONS, PUT");
}

TEST(Router, WebSocket_IsFoundOnlyByGet_MaySharePath) {
  const Router router = sample_router();
  EXPECT_NE(router.match("GET", "/ws").acceptor, nullptr);
  EXPECT_EQ(router.match("GET", "/ws").handler, nullptr);
  EXPECT_EQ(router.match("POST", "/ws").acceptor, nullptr);
  EXPECT_NE(router.match("GET", "/both").acceptor, nullptr);
  EXPECT_NE(router.match("GET", "/both").handler, nullptr);
}

TEST(Router, UnknownPath_GoesToFallback) {
  Router router;
  router.add("GET", "/a", answer_nothing);
  EXPECT_FALSE(router.match("GET", "/b").found_path);
  EXPECT_NE(router.match("GET", "/b").handler, nullptr);
  router.set_fallback(answer_nothing);
  EXPECT_NE(router.match("POST", "/b").handler, nullptr);
  EXPECT_EQ(router.match("POST", "/b").pattern, "");
}

TEST(Router, Wrap_ReplacesHandlersAndAcceptors) {
  Router router;
  router.add("GET", "/open", answer_nothing);
  router.add("GET", "/known", answer_nothing, [](const Request&) { return Admission{}; });
  router.add_websocket("/accepts", {}, [](const Request&) { return AcceptedWebSocket(); });
  std::string handlers;
  int acceptors = 0;
  router.wrap(
      [&](const Router::RouteName& route, HttpHandler handler) {
        handlers += std::string(route.method) + " " + std::string(route.pattern) +
                    (route.admits ? " admits\n" : "\n");
        return handler;
      },
      [&](WebSocketAcceptor acceptor) {
        ++acceptors;
        return acceptor;
      });
  EXPECT_EQ(handlers, "GET /open\nGET /known admits\n");
  EXPECT_EQ(acceptors, 1);
  EXPECT_NE(*router.match("GET", "/open").handler, nullptr);
}

TEST(Router, InvalidRoute_IsRefused) {
  Router router;
  router.add("GET", "/a", answer_nothing);
  EXPECT_THROW(router.add("GET", "/a", answer_nothing), std::logic_error);
  EXPECT_THROW(router.add("GET", "a", answer_nothing), std::logic_error);
  EXPECT_THROW(router.add("GET", "/*/a", answer_nothing), std::logic_error);
  EXPECT_THROW(router.add("", "/b", answer_nothing), std::logic_error);
}

}  // namespace
}  // namespace parley::net
