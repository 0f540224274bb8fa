// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/setup_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json/parse.hpp>

#include "agents/setup/mcp_entry.h"
#include "agents/setup/setup_store.h"
#include "tests/support/setup/setup_world.h"

namespace parley::setup {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// Texts of JSON settings, each with things that must survive.
const std::vector<std::string> kJsonTexts = {
    "",
    "{}",
    "{ }\n",
    "{\n  \"theme\": \"dark\"\n}\n",
    "{\n\t\"t\": 1, // mine\n\t\"mcpServers\": {\n\t\t\"o\": {\"command\": \"x\"},\n\t},\n}",
    "\xef\xbb\xbf{\r\n  \"theme\": \"dark\"\r\n}\r\n",
    "{\"theme\":\"dark\",\"hooks\":{\"Stop\":[]}}",
    "/* first */ {\n    \"hooks\": {\n        \"Stop\": [{\"hooks\": [{\"type\": \"command\", "
    "\"command\": \"x\"}]}]\n    }\n}",
};

bool is_json_agent(const AgentFacts& agent) {
  return agent.shape != EntryShape::codex_toml && agent.shape != EntryShape::goose_yaml;
}

void ask_at_gate(SetupOptions& options) { options.gate = "Bash,Write"; }

class SetupCommand : public testing::Test {
 protected:
  SetupWorld world_;
};

TEST_F(SetupCommand, Install_ThenRemove_RestoresTheBytes) {
  for (const AgentFacts& agent : agent_table()) {
    const std::string word(agent.word);
    const auto nothing = world_.files();
    ASSERT_EQ(world_.run(word, ask_at_gate).status, kSetupDone) << word;
    ASSERT_NE(world_.files(), nothing) << word;
    ASSERT_EQ(world_.remove(word).status, kSetupDone) << word;
    EXPECT_EQ(world_.files(), nothing) << word;
  }
}

TEST_F(SetupCommand, Install_IntoExistingJson_RestoresTheBytes) {
  for (const AgentFacts& agent : agent_table()) {
    if (!is_json_agent(agent)) continue;
    // All texts with one agent, which has everything in one file; two with the others.
    const std::size_t count = agent.id == AgentId::crush ? kJsonTexts.size() : 2;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& text = kJsonTexts[i + (count == 2 ? 3 : 0)];
      if (agent.id == AgentId::qwen && !refused_by(JsonForm::no_trailing_commas, text).empty()) {
        continue;
      }
      const std::string word(agent.word);
      const fs::path file = mcp_file_of(agent, world_.places, {});
      SetupWorld::write(file, text);
      const SetupOutcome installed = world_.run(word, ask_at_gate);
      ASSERT_EQ(installed.status, kSetupDone) << installed.out;
      EXPECT_THAT(SetupWorld::read(file), HasSubstr("agent-assistant")) << text;
      const auto once = world_.files();
      ASSERT_EQ(world_.run(word, ask_at_gate).status, kSetupDone);
      EXPECT_EQ(world_.files(), once) << word;
      ASSERT_EQ(world_.remove(word).status, kSetupDone);
      EXPECT_EQ(SetupWorld::read(file), text) << word;
      fs::remove_all(world_.places.home);
      fs::create_directories(world_.places.home);
    }
  }
}

TEST_F(SetupCommand, Remove_AfterForeignChange_KeepsIt) {
  const fs::path file = world_.home(".gemini/settings.json");
  SetupWorld::write(file, "{\n  \"a\": 1\n}\n");
  ASSERT_EQ(world_.run("gemini").status, kSetupDone);
  std::string text = SetupWorld::read(file);
  text.replace(text.find('1'), 1, "2");
  SetupWorld::write(file, text);
  ASSERT_EQ(world_.remove("gemini").status, kSetupDone);
  EXPECT_EQ(SetupWorld::read(file), "{\n  \"a\": 2\n}\n");
}

TEST_F(SetupCommand, Remove_OfOnePart_KeepsTheOther) {
  const fs::path file = world_.home(".qwen/settings.json");
  SetupWorld::write(file, "{}\n");
  ASSERT_EQ(world_.run("qwen").status, kSetupDone);
  const auto only_mcp = [](SetupOptions& options) { options.remove = options.mcp_only = true; };
  ASSERT_EQ(world_.run("qwen", only_mcp).status, kSetupDone);
  EXPECT_THAT(SetupWorld::read(file), HasSubstr("hook qwen"));
  EXPECT_THAT(SetupWorld::read(file), Not(HasSubstr("mcpServers")));
  // Only what changes is named.
  EXPECT_THAT(world_.run("qwen").out, HasSubstr("settings.json (MCP entry)"));
  ASSERT_EQ(world_.run("qwen", only_mcp).status, kSetupDone);
  ASSERT_EQ(world_.remove("qwen").status, kSetupDone);
  EXPECT_EQ(SetupWorld::read(file), "{}\n");
}

TEST_F(SetupCommand, Claude_GetsTheHooksOfTheDocument) {
  ASSERT_EQ(world_.run("claude").status, kSetupDone);
  const auto document = JsonDocument::parse(SetupWorld::read(world_.home(".claude/settings.json")));
  ASSERT_TRUE(document.has_value());
  for (const char* event :
       {"PermissionRequest", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit",
        "SubagentStop", "SessionEnd", "Stop", "Notification"}) {
    const auto* handler = document->find({"hooks", event, "0", "hooks", "0"});
    ASSERT_NE(handler, nullptr) << event;
    EXPECT_EQ(handler->at("command").as_string(), world_.places.program.string() + " hook claude");
  }
  EXPECT_EQ(
      document->find({"hooks", "PermissionRequest", "0", "hooks", "0", "timeout"})->as_int64(),
      86'400);
  EXPECT_EQ(document->find({"hooks", "Stop", "0", "hooks", "0", "async"})->as_bool(), true);
  const auto state = JsonDocument::parse(SetupWorld::read(world_.home(".claude.json")));
  EXPECT_EQ(state->find({"mcpServers", "agent-assistant", "timeout"})->as_int64(), 86'700'000);
}

TEST_F(SetupCommand, Stop_Ask_WaitsAtTheEnd) {
  const auto ask = [](SetupOptions& options) { options.stop = "ask"; };
  ASSERT_EQ(world_.run("claude").status, kSetupDone);
  ASSERT_EQ(world_.run("claude", ask).status, kSetupDone);
  const auto document = JsonDocument::parse(SetupWorld::read(world_.home(".claude/settings.json")));
  const auto* handler = document->find({"hooks", "Stop", "0", "hooks", "0"});
  EXPECT_TRUE(std::string(handler->at("command").as_string()).ends_with("hook claude --stop ask"));
  EXPECT_FALSE(handler->as_object().contains("async"));
  EXPECT_EQ(document->find({"hooks", "Stop", "1"}), nullptr);
}

TEST_F(SetupCommand, Codex_ForeignHooks_KeepTheirBytes) {
  const fs::path file = world_.home(".codex/hooks.json");
  const std::string foreign =
      "{\"hooks\": {\"PermissionRequest\": [\n  {\"matcher\":  \"Bash\", \"hooks\": [{\"type\": "
      "\"command\", \"command\": \"mine\"}]}";
  SetupWorld::write(file, foreign + "\n]}}\n");
  const SetupOutcome outcome = world_.run("codex");
  ASSERT_EQ(outcome.status, kSetupDone) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("run /hooks and trust"));
  EXPECT_TRUE(SetupWorld::read(file).starts_with(foreign));
  EXPECT_THAT(SetupWorld::read(file), HasSubstr("hook codex"));
  EXPECT_THAT(SetupWorld::read(world_.home(".codex/config.toml")),
              HasSubstr("[mcp_servers.agent-assistant]"));
}

TEST_F(SetupCommand, Codex_WithOwnReviewer_GetsNoHooks) {
  SetupWorld::write(world_.home(".codex/config.toml"), "approvals_reviewer = \"auto_review\"\n");
  const SetupOutcome outcome = world_.run("codex");
  EXPECT_EQ(outcome.status, kSetupRefused);
  EXPECT_FALSE(fs::exists(world_.home(".codex/hooks.json")));
  EXPECT_EQ(world_.run("codex", [](SetupOptions& options) { options.force = true; }).status,
            kSetupDone);
  EXPECT_TRUE(fs::exists(world_.home(".codex/hooks.json")));
}

TEST_F(SetupCommand, EntryOfAnotherProgram_IsRefused) {
  const fs::path file = world_.home(".cursor/mcp.json");
  const std::string text = R"({"mcpServers": {"agent-assistant": {"command": "/other"}}})";
  SetupWorld::write(file, text);
  const SetupOutcome refused = world_.run("cursor");
  EXPECT_EQ(refused.status, kSetupRefused);
  EXPECT_THAT(refused.out, HasSubstr("add this to the file"));
  EXPECT_EQ(SetupWorld::read(file), text);
  EXPECT_EQ(world_.remove("cursor").status, kSetupDone);
  EXPECT_EQ(SetupWorld::read(file), text);
  EXPECT_EQ(world_.run("cursor", [](SetupOptions& options) { options.force = true; }).status,
            kSetupDone);
  EXPECT_THAT(SetupWorld::read(file), HasSubstr("--max-call"));
}

TEST_F(SetupCommand, BrokenFile_IsNotTouched) {
  for (const std::string text :
       {"{\"a\": ", "{\"mcpServers\": {}, \"mcpServers\": {}}", "nothing", "\xff{}"}) {
    SetupWorld::write(world_.home(".kiro/settings/mcp.json"), text);
    EXPECT_EQ(world_.run("kiro").status, kSetupRefused) << text;
    EXPECT_EQ(SetupWorld::read(world_.home(".kiro/settings/mcp.json")), text);
  }
}

TEST_F(SetupCommand, OwnMembersOfTheEntry_Stay) {
  const fs::path file = world_.home(".cursor/mcp.json");
  ASSERT_EQ(world_.run("cursor").status, kSetupDone);
  std::string text = SetupWorld::read(file);
  text.insert(text.find("\"command\""), "\"env\": {\"LANG\": \"de\"}, ");
  text.replace(text.find("\"50\""), 4, "\"40\"");
  SetupWorld::write(file, text);
  ASSERT_EQ(world_.run("cursor").status, kSetupDone);
  EXPECT_THAT(SetupWorld::read(file), HasSubstr("\"LANG\": \"de\""));
  EXPECT_THAT(SetupWorld::read(file), HasSubstr("\"50\""));
}

TEST_F(SetupCommand, Gate_IsNeededWhereHooksSeeEverything) {
  for (const std::string word : {"copilot", "vscode", "cursor", "crush"}) {
    const SetupOutcome plain = world_.run(word);
    EXPECT_EQ(plain.status, kSetupDone);
    EXPECT_THAT(plain.out, HasSubstr("--gate TOOLS")) << word;
    for (const auto& [name, text] : world_.files()) {
      EXPECT_THAT(text, Not(HasSubstr("permissionRequest"))) << name;
      EXPECT_THAT(text, Not(HasSubstr("PreToolUse"))) << name;
      EXPECT_THAT(text, Not(HasSubstr("before"))) << name;
    }
    EXPECT_EQ(world_.run(word, ask_at_gate).status, kSetupDone);
    bool has_hook = false;
    for (const auto& [name, text] : world_.files()) {
      has_hook = has_hook || (text.find(word) != std::string::npos &&
                              text.find("Bash,Write") != std::string::npos);
    }
    EXPECT_TRUE(has_hook) << word;
    ASSERT_EQ(world_.remove(word).status, kSetupDone);
  }
}

TEST_F(SetupCommand, NoticesOfCopilot_NeedNoGate) {
  const fs::path file = world_.home(".copilot/hooks/parley.json");
  ASSERT_EQ(world_.run("copilot").status, kSetupDone);
  EXPECT_THAT(SetupWorld::read(file), HasSubstr("agentStop"));
  EXPECT_THAT(SetupWorld::read(file), HasSubstr("notification"));
  const auto gate = [](SetupOptions& options) { options.gate = "bash,edit"; };
  ASSERT_EQ(world_.run("copilot", gate).status, kSetupDone);
  const std::string gated = SetupWorld::read(file);
  EXPECT_THAT(gated, HasSubstr("\"matcher\": \"bash|edit\""));
  ASSERT_EQ(world_.run("copilot").status, kSetupDone);
  EXPECT_EQ(SetupWorld::read(file), gated) << "a gate is not taken back by leaving it out";
}

// Claude Code takes the answer of a call that it has moved into the background for no input of a
// person, so that calls end before.
TEST_F(SetupCommand, CallsOfClaude_EndBeforeTheBackground) {
  const fs::path state = world_.home(".claude.json");
  ASSERT_EQ(world_.run("claude").status, kSetupDone);
  EXPECT_THAT(SetupWorld::read(state), HasSubstr("\"--max-call\", \"110\""));
  const auto foreground = [](SetupOptions& options) { options.foreground = true; };
  ASSERT_EQ(world_.run("claude", foreground).status, kSetupDone);
  EXPECT_THAT(SetupWorld::read(state), Not(HasSubstr("--max-call")));
  const auto once = world_.files();
  const SetupOutcome again = world_.run("claude");
  EXPECT_EQ(world_.files(), once) << "the setting of the run before holds";
  EXPECT_THAT(again.out, Not(HasSubstr("--foreground")));
  ASSERT_EQ(world_.remove("claude").status, kSetupDone);
  EXPECT_TRUE(world_.files().empty());
}

TEST_F(SetupCommand, Trust_IsTheAgentsOwnRule) {
  const fs::path settings = world_.home(".claude/settings.json");
  const std::string before = "{\n  \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}\n";
  const auto trust = [](SetupOptions& options) { options.trust = true; };
  SetupWorld::write(settings, before);
  EXPECT_THAT(world_.run("claude").out, HasSubstr("--trust"));
  EXPECT_THAT(SetupWorld::read(settings), Not(HasSubstr("\"mcp__agent-assistant\"")));
  ASSERT_EQ(world_.run("claude", trust).status, kSetupDone);
  EXPECT_THAT(SetupWorld::read(settings), HasSubstr("[\"Bash(ls:*)\", \"mcp__agent-assistant\"]"));
  const auto once = world_.files();
  ASSERT_EQ(world_.run("claude", trust).status, kSetupDone);
  EXPECT_EQ(world_.files(), once);
  SetupWorld::write(settings, SetupWorld::read(settings) + "\n");
  ASSERT_EQ(world_.remove("claude").status, kSetupDone);
  EXPECT_EQ(SetupWorld::read(settings), before + "\n");
  for (const std::string word : {"gemini", "qwen"}) {
    ASSERT_EQ(world_.run(word, trust).status, kSetupDone);
    EXPECT_THAT(SetupWorld::read(world_.home("." + word + "/settings.json")),
                HasSubstr("\"trust\": true"));
  }
}

TEST_F(SetupCommand, FileThatTheAgentRefuses_IsNotSaidToBeSetUp) {
  struct Case {
    const char* agent;
    const char* file;
    std::string text;
    const char* why;  // null: the agent reads it
  };
  const std::vector<Case> cases = {
      {"claude", ".claude/settings.json", "{\n  // mine\n}\n", "line 2 has a comment"},
      {"claude", ".claude/settings.json", "{\n  \"a\": 1,\n}\n", "line 3 has a comma"},
      {"claude", ".claude/settings.json", "{\n  \"a\": \"// x\"\n}\n", nullptr},
      {"qwen", ".qwen/settings.json", "{\n  \"a\": [1,]\n}\n", "line 2 has a comma"},
      {"qwen", ".qwen/settings.json", "{\n  // mine\n}\n", nullptr},
      {"gemini", ".gemini/settings.json", "{\n  \"a\": 1, // mine\n}\n", nullptr},
  };
  for (const Case& one : cases) {
    SetupWorld world;
    SetupWorld::write(world.home(one.file), one.text);
    const SetupOutcome outcome = world.run(one.agent);
    EXPECT_EQ(outcome.status, one.why == nullptr ? kSetupDone : kSetupRefused) << one.text;
    if (one.why == nullptr) continue;
    EXPECT_THAT(outcome.out, HasSubstr(one.why)) << one.text;
    EXPECT_EQ(SetupWorld::read(world.home(one.file)), one.text);
  }
  ASSERT_EQ(world_.run("claude").status, kSetupDone);
  const fs::path settings = world_.home(".claude/settings.json");
  SetupWorld::write(settings, "// mine\n" + SetupWorld::read(settings));
  const std::string shown =
      world_.run("claude", [](SetupOptions& options) { options.show = true; }).out;
  EXPECT_THAT(shown, HasSubstr("refused by the agent"));
  EXPECT_THAT(shown, HasSubstr("line 1 has a comment"));
  EXPECT_EQ(world_.remove("claude").status, kSetupDone) << "a removal is possible nevertheless";
}

TEST_F(SetupCommand, DryRun_WritesNothing) {
  const fs::path file = world_.home(".gemini/settings.json");
  SetupWorld::write(file,
                    "{\n  \"apiKey\": \"abc\",\n  \"x\": {\"args\": [\"--token\", \"def\"]}\n}\n");
  const auto before = fs::last_write_time(file);
  const SetupOutcome outcome =
      world_.run("gemini", [](SetupOptions& options) { options.dry_run = true; });
  EXPECT_EQ(outcome.status, kSetupDone);
  EXPECT_THAT(outcome.out, HasSubstr("would be written"));
  EXPECT_THAT(outcome.out, HasSubstr("+    \"agent-assistant\": {"));
  EXPECT_THAT(outcome.out, HasSubstr("\"apiKey\": \"***\""));
  EXPECT_THAT(outcome.out, Not(HasSubstr("abc")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("def")));
  EXPECT_EQ(fs::last_write_time(file), before);
  EXPECT_FALSE(fs::exists(world_.places.data));
}

TEST_F(SetupCommand, Show_WritesNothing) {
  const SetupOutcome outcome = world_.run("");
  EXPECT_EQ(outcome.status, kSetupDone);
  EXPECT_THAT(outcome.out, HasSubstr("Nothing was written"));
  EXPECT_TRUE(world_.files().empty());
  EXPECT_FALSE(fs::exists(world_.places.data));
}

TEST_F(SetupCommand, Show_NamesWhatStandsInTheWay) {
  const fs::path project = world_.project();
  SetupWorld::write(
      project / ".claude/settings.json",
      R"({"disableAllHooks": true, "hooks": {"PermissionRequest": [{"hooks": []}]}})");
  SetupWorld::write(project / ".mcp.json",
                    R"({"mcpServers": {"agent-assistant": {"command": "/evil"}}})");
  fs::create_directories(project / ".git");
  SetupWorld::write(
      world_.home(".claude/settings.json"),
      R"({"permissions": {"defaultMode": "auto"}, "hooks": {"PermissionRequest": [{"hooks": [{"type": "command", "command": "/x/parley hook claude", "timeout": 60}]}]}})");
  world_.places.working_directory = project;
  const std::string out =
      world_.run("claude", [](SetupOptions& options) { options.show = true; }).out;
  EXPECT_THAT(out, HasSubstr("may answer before a person"));
  EXPECT_THAT(out, HasSubstr("turns all hooks off"));
  EXPECT_THAT(out, HasSubstr("runs another program"));
  EXPECT_THAT(out, HasSubstr("time-out"));
  EXPECT_THAT(out, HasSubstr("permissions.defaultMode is auto"));
  EXPECT_THAT(out, HasSubstr("differs"));
}

TEST_F(SetupCommand, All_TakesThoseThatAreFound) {
  fs::create_directories(world_.home(".gemini"));
  SetupWorld::write(world_.home("bin/zed"), "#!/bin/sh\n");
  fs::permissions(world_.home("bin/zed"), fs::perms::owner_all);
  world_.places.search_path = {world_.home("bin")};
  ASSERT_EQ(world_.run("", [](SetupOptions& options) { options.all = true; }).status, kSetupDone);
  EXPECT_TRUE(fs::exists(world_.home(".gemini/settings.json")));
  EXPECT_TRUE(fs::exists(world_.home(".config/zed/settings.json")));
  EXPECT_FALSE(fs::exists(world_.home(".cursor")));
}

TEST_F(SetupCommand, ClaudeProgram_EditsItsOwnState) {
  const fs::path program = world_.home("bin/claude");
  SetupWorld::write(program,
                    "#!/bin/sh\necho \"$@\" >>\"$(dirname \"$0\")/calls\"\n"
                    "echo \"$DISABLE_TELEMETRY$CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"
                    "$DISABLE_AUTOUPDATER\" >>\"$(dirname \"$0\")/calls\"\n"
                    "[ \"$2\" = remove ] && exit 1\n"
                    "printf '{\"mcpServers\": {\"agent-assistant\": %s}}' \"$4\" >.claude.json\n");
  fs::permissions(program, fs::perms::owner_all);
  world_.places.search_path = {world_.home("bin")};
  SetupWorld::write(world_.home(".claude.json"), "{\"live\": 1}");
  ASSERT_EQ(world_.run("claude").status, kSetupDone);
  EXPECT_THAT(SetupWorld::read(world_.home("bin/calls")),
              HasSubstr("mcp add-json agent-assistant {"));
  EXPECT_THAT(SetupWorld::read(world_.home("bin/calls")), HasSubstr("\n111\n"))
      << "it sends nothing";
  EXPECT_THAT(SetupWorld::read(world_.home(".claude.json")), Not(HasSubstr("live")));
  SetupWorld::write(world_.home("bin/calls"), "");
  ASSERT_EQ(world_.run("claude").status, kSetupDone);
  EXPECT_EQ(SetupWorld::read(world_.home("bin/calls")), "");
  // A program that others may replace is not started; the file is edited here.
  fs::permissions(program, fs::perms::others_write, fs::perm_options::add);
  SetupWorld::write(world_.home(".claude.json"), "{\"live\": 1}");
  ASSERT_EQ(world_.run("claude").status, kSetupDone);
  EXPECT_EQ(SetupWorld::read(world_.home("bin/calls")), "");
  EXPECT_THAT(SetupWorld::read(world_.home(".claude.json")), HasSubstr("live"));
}

TEST_F(SetupCommand, ProgramInTheProject_IsRefused) {
  fs::create_directories(world_.project() / ".git");
  world_.places.program = world_.project() / "parley";
  SetupWorld::write(world_.places.program, "");
  world_.places.working_directory = world_.project();
  const SetupOutcome outcome =
      world_.run("gemini", [](SetupOptions& options) { options.project = ""; });
  EXPECT_EQ(outcome.status, kSetupRefused);
  EXPECT_THAT(outcome.error, HasSubstr("inside the project"));
  EXPECT_TRUE(world_.files().empty());
  EXPECT_EQ(world_.run("gemini").status, kSetupDone);  // of the person, who builds it there
}

TEST_F(SetupCommand, Project_ClaudeWritesItsOwnFiles) {
  fs::create_directories(world_.project());
  const auto in_project = [&](SetupOptions& options) {
    options.project = world_.project().string();
  };
  const SetupOutcome outcome = world_.run("claude", in_project);
  ASSERT_EQ(outcome.status, kSetupDone) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr(".gitignore"));
  EXPECT_TRUE(fs::exists(world_.project() / ".claude/settings.local.json"));
  EXPECT_FALSE(fs::exists(world_.project() / ".mcp.json"));
  EXPECT_THAT(SetupWorld::read(world_.home(".claude.json")), HasSubstr(world_.project().string()));
  const auto removing = [&](SetupOptions& options) {
    in_project(options);
    options.remove = true;
  };
  ASSERT_EQ(world_.run("claude", removing).status, kSetupDone);
  EXPECT_FALSE(fs::exists(world_.home(".claude.json")));
  EXPECT_FALSE(fs::exists(world_.project() / ".claude"));
}

TEST_F(SetupCommand, Project_SharedNamesNoPath) {
  fs::create_directories(world_.project());
  const auto shared = [&](SetupOptions& options) {
    options.project = world_.project().string();
    options.shared = true;
  };
  const SetupOutcome outcome = world_.run("claude", shared);
  ASSERT_EQ(outcome.status, kSetupDone) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("warning"));
  EXPECT_THAT(SetupWorld::read(world_.project() / ".mcp.json"),
              HasSubstr("\"command\": \"parley\""));
  EXPECT_THAT(SetupWorld::read(world_.project() / ".claude/settings.json"),
              HasSubstr("\"parley hook claude\""));
}

TEST_F(SetupCommand, Project_LinkOutOfIt_IsRefused) {
  fs::create_directories(world_.project());
  SetupWorld::write(world_.home("target.json"), "{}");
  fs::create_directories(world_.project() / ".cursor");
  fs::create_symlink(world_.home("target.json"), world_.project() / ".cursor/mcp.json");
  const SetupOutcome outcome = world_.run(
      "cursor", [&](SetupOptions& options) { options.project = world_.project().string(); });
  EXPECT_EQ(outcome.status, kSetupRefused);
  EXPECT_EQ(SetupWorld::read(world_.home("target.json")), "{}");
}

TEST_F(SetupCommand, Project_WithoutAFile_IsRefused) {
  fs::create_directories(world_.project());
  const SetupOutcome outcome = world_.run(
      "goose", [&](SetupOptions& options) { options.project = world_.project().string(); });
  EXPECT_EQ(outcome.status, kSetupRefused);
  EXPECT_THAT(outcome.out, HasSubstr("refused"));
}

TEST_F(SetupCommand, Foreground_IsTakenBack) {
  const fs::path file = world_.home(".claude/settings.json");
  SetupWorld::write(file, "{\n  \"env\": {\n    \"A\": \"b\"\n  }\n}\n");
  ASSERT_EQ(world_.run("claude", [](SetupOptions& options) { options.foreground = true; }).status,
            kSetupDone);
  EXPECT_THAT(SetupWorld::read(file), HasSubstr("\"CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS\": \"0\""));
  SetupWorld::write(file, SetupWorld::read(file) + "\n");
  ASSERT_EQ(world_.remove("claude").status, kSetupDone);
  EXPECT_EQ(SetupWorld::read(file), "{\n  \"env\": {\n    \"A\": \"b\"\n  }\n}\n\n");
}

TEST_F(SetupCommand, OpenCode_GetsThePluginWithItsCommand) {
  const auto ask = [](SetupOptions& options) { options.questions = "off"; };
  ASSERT_EQ(world_.run("opencode", ask).status, kSetupDone);
  EXPECT_THAT(SetupWorld::read(world_.home(".config/opencode/plugins/parley.js")),
              HasSubstr("const kCommand = [\"" + world_.places.program.string() +
                        "\",\"hook\",\"opencode\",\"--questions\",\"off\"];\n"));
}

TEST_F(SetupCommand, Cline_GetsProgramsThatRun) {
  ASSERT_EQ(world_.run("cline").status, kSetupDone);
  const fs::path file = world_.home("Documents/Cline/Hooks/TaskComplete");
  EXPECT_TRUE(
      SetupWorld::read(file).ends_with("exec " + world_.places.program.string() + " hook cline\n"));
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_all);
}

TEST_F(SetupCommand, OwnFileOfAnotherProgram_IsRefused) {
  const fs::path file = world_.home(".config/opencode/plugins/parley.js");
  SetupWorld::write(file, "export const Mine = 1;\n");
  EXPECT_EQ(world_.run("opencode").status, kSetupRefused);
  EXPECT_EQ(world_.remove("opencode").status, kSetupDone);
  EXPECT_EQ(SetupWorld::read(file), "export const Mine = 1;\n");
}

TEST_F(SetupCommand, WrongCommandLine_IsUsage) {
  EXPECT_EQ(world_.run("emacs").status, kSetupUsage);
  EXPECT_EQ(world_.run("claude", [](SetupOptions& o) { o.remove = o.show = true; }).status,
            kSetupUsage);
  EXPECT_EQ(world_.run("claude", [](SetupOptions& o) { o.mcp_only = o.hooks_only = true; }).status,
            kSetupUsage);
  EXPECT_EQ(world_.run("claude", [](SetupOptions& o) { o.shared = true; }).status, kSetupUsage);
  EXPECT_EQ(world_.run("claude", [](SetupOptions& o) { o.all = true; }).status, kSetupUsage);
  EXPECT_EQ(world_.run("claude", [](SetupOptions& o) { o.stop = "later"; }).status, kSetupUsage);
  EXPECT_EQ(world_.run("claude", [](SetupOptions& o) { o.gate = "a b"; }).status, kSetupUsage);
  EXPECT_EQ(world_.run("claude", [](SetupOptions& o) { o.gate = "a,,b"; }).status, kSetupUsage);
  EXPECT_EQ(world_.run("claude", [](SetupOptions& o) { o.project = "nowhere"; }).status,
            kSetupUsage);
  EXPECT_TRUE(world_.files().empty());
}

TEST_F(SetupCommand, Json_ListsFilesAndActions) {
  const SetupOutcome outcome =
      world_.run("zed", [](SetupOptions& options) { options.json = true; });
  const auto value = boost::json::parse(outcome.out);
  EXPECT_EQ(value.at("status").as_int64(), 0);
  EXPECT_EQ(value.at("agents").at(0).at("agent").as_string(), "zed");
  EXPECT_EQ(value.at("agents").at(0).at("files").at(0).at("action").as_string(), "created");
  const SetupOutcome shown =
      world_.run("zed", [](SetupOptions& options) { options.json = options.show = true; });
  EXPECT_EQ(
      boost::json::parse(shown.out).at("agents").at(0).at("parts").at(0).at("state").as_string(),
      "ours");
}

TEST_F(SetupCommand, Backups_KeepTheLastTen) {
  const fs::path file = world_.home(".config/amp/settings.json");
  const fs::path backups = world_.places.data / "setup-backups";
  for (int i = 0; i < 12; ++i) {
    SetupWorld::write(file, "{\"n\": " + std::to_string(i) + "}");
    ASSERT_EQ(world_.run("amp").status, kSetupDone);
    ::usleep(2'000);  // Backups are named by the millisecond.
  }
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(backups)) {
    ++count;
    EXPECT_EQ(fs::status(entry).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  }
  EXPECT_EQ(count, kMaxBackups);
}

TEST(McpEntry, Ours_IsKnownByProgramAndWord) {
  const auto ours = [](const char* text) { return is_our_entry(boost::json::parse(text)); };
  EXPECT_TRUE(ours(R"({"command": "/usr/bin/parley", "args": ["mcp"]})"));
  EXPECT_TRUE(ours(R"({"command": ["/usr/bin/parley", "mcp"]})"));
  EXPECT_TRUE(ours(R"({"cmd": "agentassistant-mcp"})"));
  EXPECT_FALSE(ours(R"({"command": "/usr/bin/parley-other", "args": ["mcp"]})"));
  EXPECT_FALSE(ours(R"({"command": "/usr/bin/parley", "args": ["serve"]})"));
  const auto hook = [](const char* text) {
    return is_our_hook(boost::json::parse(text).as_object());
  };
  EXPECT_TRUE(hook(R"({"command": "'/my folder/parley' hook claude"})"));
  EXPECT_TRUE(hook(R"({"exec": "/usr/bin/parley", "args": ["hook", "copilot"]})"));
  EXPECT_FALSE(hook(R"({"command": "/usr/bin/parley mcp"})"));
  EXPECT_FALSE(hook(R"({"command": "echo parley hook"})"));
  EXPECT_EQ(shell_word("/a b/it's"), "'/a b/it'\\''s'");
}

}  // namespace
}  // namespace parley::setup
