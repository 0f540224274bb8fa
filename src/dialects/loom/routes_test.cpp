// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/loom/routes.h"

#include <gtest/gtest.h>

#include "tests/support/loom/loom_world.h"

namespace parley::loom {
namespace {

class LoomRoutes : public testing::Test {
 protected:
  LoomRoutes() { install(router, *server.context); }
  // Requests the WebSocket. Returns 101, or the status of the refusal.
  int open(std::string query, std::string authorization = {}) {
    const net::Router::Match match = router.match("GET", "/loom/ws");
    if (match.acceptor == nullptr) return 404;
    net::Request request;
    request.method = "GET";
    request.path = "/loom/ws";
    request.query = std::move(query);
    if (!authorization.empty()) request.headers.add("Authorization", std::move(authorization));
    const auto handler = (*match.acceptor)(request);
    return handler ? 101 : handler.error().status;
  }

  LoomServer server;
  net::Router router;
};

TEST_F(LoomRoutes, Routes_NeedToken) {
  EXPECT_EQ(open(""), 401);
  EXPECT_EQ(open("token=wrong"), 401);
  EXPECT_EQ(open("token=tok"), 101);
  EXPECT_EQ(open("", "Bearer tok"), 101);
}

TEST_F(LoomRoutes, Routes_NeedReadRight) {
  server.tokens.allow("runner", "t9", "runner", {auth::Right::run});
  EXPECT_EQ(open("token=runner"), 403);
  server.tokens.allow("reader", "t8", "reader", {auth::Right::read});
  EXPECT_EQ(open("token=reader"), 101);
}

TEST(LoomRights, RequestWithoutRight_IsAnsweredAndDoesNothing) {
  LoomServer server;
  server.tokens.allow("reader", "t8", "reader", {auth::Right::read});
  LoomPeer peer(server, "reader");
  const std::string refused = peer.ask(R"({"type":"run","id":"r1","message":"Hello"})");
  EXPECT_NE(refused.find(R"("id":"r1")"), std::string::npos) << refused;
  EXPECT_NE(refused.find(R"(lacks the right \"run\")"), std::string::npos) << refused;
  EXPECT_TRUE(server.runs->requests.empty());
  EXPECT_NE(peer.ask(R"({"type":"ping","id":"p"})").find("pong"), std::string::npos);
}

TEST(LoomRights, Run_HasRightsOfItsToken) {
  LoomServer server;
  server.tokens.allow("runner", "t9", "runner", {auth::Right::read, auth::Right::run});
  LoomPeer runner(server, "runner");
  runner.send(R"({"type":"run","id":"r1","message":"Hello"})");
  LoomPeer admin(server);
  admin.send(R"({"type":"run","id":"r2","message":"Hello"})");
  ASSERT_EQ(server.runs->requests.size(), 2U);
  EXPECT_FALSE(server.runs->requests[0].leave.any_folder);
  EXPECT_FALSE(server.runs->requests[0].leave.automatic);
  EXPECT_TRUE(server.runs->requests[1].leave.any_folder);
  EXPECT_TRUE(server.runs->requests[1].leave.automatic);
}

TEST(LoomRights, EndOfToken_ClosesIdleSocket) {
  LoomServer server;
  server.tokens.allow("phone", "t7");
  LoomPeer idle(server, "phone");
  LoomPeer other(server);
  server.tokens.forget("phone");
  server.run();
  EXPECT_FALSE(idle.socket.is_open);
  EXPECT_EQ(idle.socket.close_code, net::close_code::kUnauthenticated);
  EXPECT_TRUE(other.socket.is_open);
  EXPECT_EQ(server.tokens.watches(), 1U);
}

}  // namespace
}  // namespace parley::loom
