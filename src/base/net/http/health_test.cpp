// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/net/http_test_world.h"

namespace parley::net {
namespace {

TEST(HealthRoutes, Health_TellsLivenessAndReadiness) {
  HttpWorld world;
  bool ready = false;
  add_health_routes(world.router, [&ready]() -> core::Result<void> {
    if (ready) return {};
    return core::fail(core::Code::unavailable, "The store is being opened.");
  });
  world.start();
  EXPECT_EQ(world.request("GET", "/healthz").body, "ok");
  EXPECT_EQ(world.request("GET", "/health").body, "OK");
  const WireResponse before = world.request("GET", "/readyz");
  EXPECT_EQ(before.status, 503);
  EXPECT_EQ(before.body, "The store is being opened.");
  ready = true;
  EXPECT_EQ(world.request("GET", "/readyz").status, 200);
}

TEST(MetricsRoute, Counters_AreRendered) {
  HttpWorld world;
  add_metrics_route(world.router, world.metrics);
  world.start();
  world.request("GET", "/none");
  const WireResponse response = world.request("GET", "/metrics");
  EXPECT_EQ(response.headers.get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(response.body,
              testing::HasSubstr("parley_http_requests_total{method=\"GET\",route=\"none\","
                                 "status=\"404\"} 1\n"));
  EXPECT_THAT(response.body, testing::HasSubstr("parley_http_connections "));
}

}  // namespace
}  // namespace parley::net
