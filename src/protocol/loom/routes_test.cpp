// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/loom/routes.h"

#include <gtest/gtest.h>

#include "protocol/loom/loom_world.h"

namespace parley::loom {
namespace {

class LoomRoutes : public testing::Test {
 protected:
  LoomRoutes() { install(router, *server.context); }
  // 101, or the status of the refusal.
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

TEST_F(LoomRoutes, WantAToken) {
  EXPECT_EQ(open(""), 401);
  EXPECT_EQ(open("token=wrong"), 401);
  EXPECT_EQ(open("token=tok"), 101);
  EXPECT_EQ(open("", "Bearer tok"), 101);
}

}  // namespace
}  // namespace parley::loom
