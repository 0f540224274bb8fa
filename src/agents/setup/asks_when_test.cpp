// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/asks_when.h"

#include <gmock/gmock.h>

#include "tests/support/setup/setup_world.h"

namespace parley::setup {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct AskingCase {
  const char* agent;
  SetupOptions options;
  AsksWhen when;
  const char* file;  // of the hooks
};

SetupOptions asking(std::string when_nobody, std::string somebody, std::string gate = {}) {
  SetupOptions options;
  options.when_nobody = std::move(when_nobody);
  options.somebody = std::move(somebody);
  options.gate = std::move(gate);
  return options;
}

std::vector<AskingCase> asking_cases() {
  return {
      {"claude", asking("", ""), AsksWhen::always, ".claude/settings.json"},
      {"claude", asking("pass", ""), AsksWhen::somebody, ".claude/settings.json"},
      {"claude", asking("pass", "page"), AsksWhen::page, ".claude/settings.json"},
      {"codex", asking("", ""), AsksWhen::somebody, ".codex/hooks.json"},
      {"codex", asking("ask", ""), AsksWhen::always, ".codex/hooks.json"},
      {"qwen", asking("", "page"), AsksWhen::page, ".qwen/settings.json"},
      {"opencode", asking("pass", "page"), AsksWhen::page, ".config/opencode/plugins/parley.js"},
      {"copilot", asking("", ""), AsksWhen::never, ".copilot/hooks/parley.json"},
      {"copilot", asking("ask", "", "bash,edit"), AsksWhen::always, ".copilot/hooks/parley.json"},
      {"vscode", asking("", "page", "x"), AsksWhen::page, ".copilot/hooks/parley-vscode.json"},
      {"cursor", asking("", "", "Shell"), AsksWhen::somebody, ".cursor/hooks.json"},
      {"crush", asking("ask", "", "bash"), AsksWhen::always, ".config/crush/crush.json"},
      {"gemini", asking("", ""), AsksWhen::never, ".gemini/settings.json"},
  };
}

TEST(AsksWhen, FlagsAndWrittenHooks_SayTheSame) {
  for (const AskingCase& each : asking_cases()) {
    const AgentFacts& agent = *agent_named(each.agent);
    EXPECT_EQ(asks_when(agent, each.options), each.when) << each.agent;
    SetupWorld world;
    const SetupOutcome outcome = world.run(each.agent, [&each](SetupOptions& options) {
      options.gate = each.options.gate;
      options.when_nobody = each.options.when_nobody;
      options.somebody = each.options.somebody;
    });
    EXPECT_EQ(outcome.status, kSetupDone) << outcome.out << outcome.error;
    EXPECT_EQ(asks_when(agent, SetupWorld::read(world.home(each.file))), each.when) << each.agent;
  }
}

TEST(AsksWhen, Setup_SaysItAndHowToChoose) {
  SetupWorld world;
  EXPECT_THAT(world.run("codex").out, HasSubstr("a notifier or a device with push"));
  EXPECT_THAT(world.run("codex", [](SetupOptions& options) { options.show = true; }).out,
              HasSubstr("--when-nobody ask"));
  const std::string json = world
                               .run("codex",
                                    [](SetupOptions& options) {
                                      options.show = true;
                                      options.json = true;
                                    })
                               .out;
  EXPECT_THAT(json, HasSubstr(R"("asks":"somebody")"));
  EXPECT_THAT(world.run("claude").out, HasSubstr("asks           always"));
  world.remove("codex");
  EXPECT_THAT(world.run("codex", [](SetupOptions& options) { options.show = true; }).out,
              Not(HasSubstr("a notifier")));
}

// A choice is neither a difference nor the work of another version.
TEST(AsksWhen, ChosenFlags_AreShownAsOwnState) {
  for (const char* agent : {"claude", "codex", "qwen", "opencode"}) {
    SetupWorld world;
    const auto choose = [](SetupOptions& options) {
      options.when_nobody = "pass";
      options.somebody = "page";
      options.stop = "ask";
      options.questions = "on";
    };
    ASSERT_EQ(world.run(agent, choose).status, kSetupDone) << agent;
    const std::string shown = world.run(agent, [](SetupOptions& o) { o.show = true; }).out;
    EXPECT_THAT(shown, AllOf(HasSubstr("ours"), Not(HasSubstr("differs")))) << agent;
  }
}

// Another program's flag of the same name is not ours.
TEST(AsksWhen, ForeignCommands_DoNotCount) {
  SetupWorld world;
  SetupWorld::write(world.home(".claude/settings.json"),
                    R"({"hooks":{"Stop":[{"hooks":[{"type":"command",)"
                    R"("command":"other --stop never --when-nobody pass"}]}]}})");
  ASSERT_EQ(world.run("claude").status, kSetupDone);
  const std::string shown = world.run("claude", [](SetupOptions& o) { o.show = true; }).out;
  EXPECT_THAT(shown, AllOf(HasSubstr("always"), Not(HasSubstr("differs"))));
}

TEST(AsksWhen, OddChoice_IsRefused) {
  SetupWorld world;
  EXPECT_EQ(world.run("codex", [](SetupOptions& o) { o.when_nobody = "maybe"; }).status,
            kSetupUsage);
  EXPECT_EQ(world.run("codex", [](SetupOptions& o) { o.somebody = "phone"; }).status, kSetupUsage);
}

}  // namespace
}  // namespace parley::setup
