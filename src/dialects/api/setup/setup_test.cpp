// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/support/api/api_world.h"

namespace parley::api {
namespace {

using testing::World;

constexpr const char* kState =
    R"({"command":"parley setup","agents":[{"word":"claude","title":"Claude Code","state":"absent","asks":null}]})";

TEST(V1Setup, State_IsShownToAdministratorsOnly) {
  World world;
  world.set_setup([] { return core::Result<std::string>(kState); });
  world.add_token("reads", {auth::Right::read, auth::Right::answer});
  EXPECT_EQ(world.call("GET", "/v1/setup", "default").status(), 200);
  EXPECT_EQ(boost::json::serialize(world.call("GET", "/v1/setup", "default").json()), kState);
  EXPECT_EQ(world.call("GET", "/v1/setup", "reads").status(), 403);
}

TEST(V1Setup, UnknownPlaces_HaveTheirSentence) {
  World world;
  EXPECT_EQ(world.call("GET", "/v1/setup", "default").status(), 404);
  world.set_setup([]() -> core::Result<std::string> {
    return core::fail(core::Code::not_found, "this user has no home directory");
  });
  EXPECT_EQ(world.call("GET", "/v1/setup", "default").status(), 404);
}

}  // namespace
}  // namespace parley::api
