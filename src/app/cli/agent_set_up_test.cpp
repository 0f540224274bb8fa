// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/agent_set_up.h"

#include <gmock/gmock.h>

#include "tests/support/setup/setup_world.h"

namespace parley::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class AgentSetUpTest : public ::testing::Test {
 protected:
  AgentSetUp only() {
    const std::vector<AgentSetUp> all = agents_set_up(world_.places);
    EXPECT_THAT(all, SizeIs(1));
    return all.empty() ? AgentSetUp() : all.front();
  }
  setup::SetupWorld world_;
};

TEST_F(AgentSetUpTest, State_FollowsTheFiles) {
  EXPECT_THAT(agents_set_up(world_.places), IsEmpty());
  std::filesystem::create_directories(world_.home(".claude"));
  EXPECT_EQ(only().state, AgentSetUp::State::absent);
  ASSERT_EQ(world_.run("claude").status, 0);
  EXPECT_EQ(only().state, AgentSetUp::State::current);
  EXPECT_THAT(only().files, IsEmpty());
  // Another place of the program: the entries name the old one.
  world_.places.program = world_.home("other/parley");
  EXPECT_EQ(only().state, AgentSetUp::State::other);
  EXPECT_THAT(only().files, SizeIs(2));
}

TEST_F(AgentSetUpTest, HooksTakenOut_IsSetUpOtherwise) {
  ASSERT_EQ(world_.run("claude").status, 0);
  std::filesystem::remove(world_.home(".claude/settings.json"));
  EXPECT_EQ(only().state, AgentSetUp::State::other);
  EXPECT_THAT(only().files, ElementsAre(HasSubstr("(hooks): absent")));
}

TEST_F(AgentSetUpTest, UnreadableFile_Blocks) {
  setup::SetupWorld::write(world_.home(".claude/settings.json"), "{ not json");
  EXPECT_EQ(only().state, AgentSetUp::State::blocked);
}

TEST_F(AgentSetUpTest, VariableElsewhere_IsHint) {
  std::filesystem::create_directories(world_.home(".claude"));
  world_.places.variables["CLAUDE_CONFIG_DIR"] = "/elsewhere";
  EXPECT_THAT(only().hints, ElementsAre(HasSubstr("CLAUDE_CONFIG_DIR is /elsewhere")));
}

}  // namespace
}  // namespace parley::app
