// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/agent_commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/tool/file_tool_world.h"

namespace parley::tool {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class AgentCommandsTest : public ::testing::Test {
 protected:
  // The commands that the agent finds, each as "name path".
  std::vector<std::string> found(std::string_view client) {
    const auto project = Workspace::open(project_.path());
    const auto home = Workspace::open(home_.path());
    std::vector<std::string> out;
    for (const AgentCommand& each : agent_commands(client, {{&*project, ""}, {&*home, "~/"}})) {
      out.push_back(each.name + " " + each.path);
    }
    return out;
  }

  TestFolder project_;
  TestFolder home_;
};

TEST_F(AgentCommandsTest, Commands_AreOfTheClient) {
  project_.write(".claude/commands/review.md", "x");
  project_.write(".claude/commands/git/commit.md", "x");
  project_.write(".claude/commands/notes.txt", "x");
  project_.write(".gemini/commands/plan.toml", "x");
  home_.write(".codex/prompts/draft.md", "x");
  EXPECT_THAT(found("claude-code"), ElementsAre("git:commit .claude/commands/git/commit.md",
                                                "review .claude/commands/review.md"));
  EXPECT_THAT(found("Gemini CLI"), ElementsAre("plan .gemini/commands/plan.toml"));
  EXPECT_THAT(found("codex"), ElementsAre("draft ~/.codex/prompts/draft.md"));
  EXPECT_THAT(found("unheard of"), IsEmpty());
}

TEST_F(AgentCommandsTest, Skills_AreNamedByTheirFolder) {
  project_.write(".agents/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF\n---\n");
  project_.write(".agents/skills/pdf/notes.md", "x");
  project_.write(".agents/skills/SKILL.md", "x");
  const auto project = Workspace::open(project_.path());
  EXPECT_THAT(agent_commands("any", {{&*project, ""}}),
              ElementsAre(AgentCommand{"pdf", ".agents/skills/pdf/SKILL.md", "Reads PDF", true}));
}

TEST_F(AgentCommandsTest, SameName_IsThatOfTheProject) {
  project_.write(".claude/commands/review.md", "x");
  home_.write(".claude/commands/review.md", "x");
  home_.write(".claude/skills/review/SKILL.md", "x");
  EXPECT_THAT(found("claude"), ElementsAre("review .claude/commands/review.md",
                                           "review ~/.claude/skills/review/SKILL.md"));
}

TEST_F(AgentCommandsTest, IgnoredFiles_AreFound_LinksOutsideAreNot) {
  project_.write(".gitignore", ".claude\n");
  project_.write(".claude/commands/mine.md", "x");
  home_.write("secret.md", "description: secret");
  std::filesystem::create_symlink(home_.path() + "/secret.md",
                                  project_.path() + "/.claude/commands/linked.md");
  std::filesystem::create_symlink(home_.path(), project_.path() + "/.agents");
  EXPECT_THAT(found("claude"), ElementsAre("mine .claude/commands/mine.md"));
}

TEST_F(AgentCommandsTest, ManyFiles_AreCutAtLimit) {
  for (std::size_t i = 0; i < kMaxCommands + 5; ++i) {
    project_.write(".cursor/commands/" + std::to_string(i) + ".md", "x");
  }
  EXPECT_EQ(found("cursor").size(), kMaxCommands);
}

TEST(DescriptionIn, EachFormOfHead) {
  EXPECT_EQ(description_in("---\nname: a\ndescription: \"Reads\"\n---\ndescription: no"), "Reads");
  EXPECT_EQ(description_in("---\r\ndescription: Reads\r\n---\r\n"), "Reads");
  EXPECT_EQ(description_in("---\ndescription: >-\n  Reads\n  files\nother: x\n---\n"),
            "Reads files");
  EXPECT_EQ(description_in("description = \"Reads\"\nprompt = \"x\"\n"), "Reads");
  EXPECT_EQ(description_in("---\nname: a\n---\ndescription: no"), "");
  EXPECT_EQ(description_in("# A title"), "");
  EXPECT_EQ(description_in("description = \"" + std::string(500, 'a') + "\"").size(),
            kMaxDescriptionBytes + std::string("…").size());
}

}  // namespace
}  // namespace parley::tool
