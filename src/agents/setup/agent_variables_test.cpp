// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/agent_variables.h"

#include <gmock/gmock.h>

#include "tests/support/setup/setup_world.h"

namespace parley::setup {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class AgentVariables : public ::testing::Test {
 protected:
  std::vector<std::string> of(AgentId agent) const {
    return misplaced_by_variables(facts_of(agent), world_.places);
  }
  SetupWorld world_;
};

TEST_F(AgentVariables, FolderElsewhere_ConcernsItsAgentAlone) {
  world_.places.variables = {{"CLAUDE_CONFIG_DIR", "/a"}, {"CODEX_HOME", "/b"}};
  EXPECT_THAT(of(AgentId::claude), ElementsAre(AllOf(HasSubstr("CLAUDE_CONFIG_DIR is /a"),
                                                     HasSubstr("parley setup claude --dry-run"))));
  EXPECT_THAT(of(AgentId::codex), ElementsAre(HasSubstr("CODEX_HOME is /b")));
  EXPECT_THAT(of(AgentId::gemini), IsEmpty());
}

TEST_F(AgentVariables, ConfigHome_ConcernsAgentsThatKeepSettingsThere) {
  world_.places.variables = {{"XDG_CONFIG_HOME", "/c"}};
  EXPECT_THAT(of(AgentId::opencode), ElementsAre(HasSubstr("XDG_CONFIG_HOME is /c")));
  EXPECT_THAT(of(AgentId::goose), ElementsAre(HasSubstr("XDG_CONFIG_HOME is /c")));
  EXPECT_THAT(of(AgentId::claude), IsEmpty());
}

TEST_F(AgentVariables, HomeElsewhere_ConcernsAll) {
  world_.places.variables = {{"HOME", "/d"}};
  for (const AgentFacts& agent : agent_table()) {
    EXPECT_THAT(misplaced_by_variables(agent, world_.places), ElementsAre(HasSubstr("HOME is /d")));
  }
}

TEST_F(AgentVariables, UsualPlaceOrEmpty_SaysNothing) {
  world_.places.variables = {{"CLAUDE_CONFIG_DIR", world_.home(".claude/").string()},
                             {"HOME", world_.places.home.string()},
                             {"CODEX_HOME", ""}};
  EXPECT_THAT(of(AgentId::claude), IsEmpty());
  EXPECT_THAT(of(AgentId::codex), IsEmpty());
}

TEST_F(AgentVariables, Value_IsMadeVisible) {
  world_.places.variables = {{"CODEX_HOME", "/x\x1b[2J"}};
  EXPECT_THAT(of(AgentId::codex), ElementsAre(Not(HasSubstr("\x1b"))));
}

TEST_F(AgentVariables, Setup_WarnsAndStillWrites) {
  world_.places.variables = {{"CLAUDE_CONFIG_DIR", "/a"}};
  const SetupOutcome outcome = world_.run("claude");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("CLAUDE_CONFIG_DIR is /a"));
  EXPECT_TRUE(std::filesystem::exists(world_.home(".claude.json")));
  const SetupOutcome shown =
      world_.run("claude", [](SetupOptions& options) { options.show = true; });
  EXPECT_THAT(shown.out, HasSubstr("CLAUDE_CONFIG_DIR is /a"));
}

}  // namespace
}  // namespace parley::setup
