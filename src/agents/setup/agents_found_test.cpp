// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/agents_found.h"

#include <gtest/gtest.h>

#include "tests/support/setup/setup_world.h"

namespace parley::setup {
namespace {

class AgentsFoundTest : public ::testing::Test {
 protected:
  std::string state_of(std::string_view word) const {
    for (const AgentFound& agent : agents_found(world_.places)) {
      if (agent.word == word) return std::string(agent.state);
    }
    return "not found";
  }

  SetupWorld world_;
};

TEST_F(AgentsFoundTest, ComputerWithoutAgents_HasNone) {
  EXPECT_TRUE(agents_found(world_.places).empty());
}

TEST_F(AgentsFoundTest, State_FollowsSetup) {
  SetupWorld::write(world_.home(".claude/settings.json"), "{}\n");
  EXPECT_EQ(state_of("claude"), "absent");
  ASSERT_EQ(world_.run("claude", [](SetupOptions& options) { options.mcp_only = true; }).status, 0);
  EXPECT_EQ(state_of("claude"), "partly");
  ASSERT_EQ(world_.run("claude").status, 0);
  EXPECT_EQ(state_of("claude"), "ready");
  ASSERT_EQ(world_.remove("claude").status, 0);
  EXPECT_EQ(state_of("claude"), "absent");
}

TEST_F(AgentsFoundTest, Asks_FollowsItsHooks) {
  SetupWorld::write(world_.home(".claude/settings.json"), "{}\n");
  const auto asks = [this] {
    const std::string json = setup_json(world_.places);
    return json.substr(json.find("\"asks\":"));
  };
  ASSERT_EQ(world_.run("claude", [](SetupOptions& options) { options.mcp_only = true; }).status, 0);
  EXPECT_EQ(asks(), R"("asks":null}]})");
  ASSERT_EQ(world_.run("claude").status, 0);
  EXPECT_EQ(asks(), R"("asks":"always"}]})");
  ASSERT_EQ(world_.run("claude", [](SetupOptions& o) { o.when_nobody = "pass"; }).status, 0);
  EXPECT_EQ(asks(), R"("asks":"somebody"}]})");
}

TEST_F(AgentsFoundTest, DamagedFile_IsBlocked) {
  SetupWorld::write(world_.home(".claude/settings.json"), "{ not json");
  EXPECT_EQ(state_of("claude"), "blocked");
}

TEST_F(AgentsFoundTest, Json_HasCommandAndNoPathOfAFile) {
  SetupWorld::write(world_.home(".claude/settings.json"), "{}\n");
  const std::string json = setup_json(world_.places);
  EXPECT_EQ(
      json,
      R"({"command":")" + world_.places.program.string() +
          R"( setup","agents":[{"word":"claude","title":"Claude Code","state":"absent","asks":null}]})");
  world_.places.search_path = {world_.places.program.parent_path()};
  EXPECT_TRUE(setup_json(world_.places).starts_with(R"({"command":"parley setup")"));
}

}  // namespace
}  // namespace parley::setup
