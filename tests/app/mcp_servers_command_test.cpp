// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "program.h"

namespace parley::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The home directory and the working folder are both the folder of the test; where they must
// differ, the file of the user is below another folder.
class McpServersCommand : public ::testing::Test {
 protected:
  Ran mcp(std::vector<std::string> words) {
    words.insert(words.begin(), "mcp");
    return run(dir_, std::move(words));
  }
  boost::json::value list() { return boost::json::parse(mcp({"list", "--json"}).out); }

  const core::TempFolder dir_;
  const std::string file_ = dir_.file(".loom/mcp.json");
};

TEST_F(McpServersCommand, Server_IsAddedShownChangedAndDeleted) {
  EXPECT_THAT(mcp({"list"}).out, HasSubstr("There are no MCP servers."));
  const Ran added = mcp({"add", "files", "--env", "MODE=fast", "--", "npx", "-y", "@x/files", "."});
  ASSERT_EQ(added.status, 0) << added.errors;
  EXPECT_THAT(added.out, HasSubstr(file_));
  EXPECT_EQ(mode_of(file_), 0600U);
  ASSERT_EQ(list().as_array().size(), 1U);
  EXPECT_EQ(list().at(0).at("name"), "files");
  EXPECT_EQ(list().at(0).at("enabled"), true);
  EXPECT_EQ(list().at(0).at("command"), "npx");
  EXPECT_EQ(list().at(0).at("args").as_array().size(), 3U);
  EXPECT_EQ(mcp({"add", "files", "--", "other"}).status, 1) << "there is one";
  ASSERT_EQ(mcp({"disable", "files"}).status, 0);
  EXPECT_EQ(list().at(0).at("enabled"), false);
  EXPECT_THAT(mcp({"show", "files"}).out, HasSubstr("(disabled)"));
  ASSERT_EQ(mcp({"enable", "files"}).status, 0);
  EXPECT_THAT(read_file(file_), Not(HasSubstr("disabled")));
  ASSERT_EQ(mcp({"edit", "files", "--unset-env", "MODE", "--", "uvx", "files"}).status, 0);
  EXPECT_EQ(list().at(0).at("command"), "uvx");
  EXPECT_TRUE(list().at(0).at("env").as_object().empty());
  ASSERT_EQ(mcp({"delete", "files"}).status, 0);
  EXPECT_TRUE(list().as_array().empty());
  for (const char* word : {"show", "edit", "delete", "enable", "disable"}) {
    EXPECT_EQ(mcp({word, "files"}).status, 1) << word;
  }
}

TEST_F(McpServersCommand, ValuesOfSecrets_AreNeverShown) {
  ASSERT_EQ(mcp({"add", "wiki", "--url", "https://me:pw-secret@wiki.example/mcp?key=q-secret",
                 "--header", "Authorization: Bearer h-secret", "--header", "X-Team: ${TEAM}"})
                .status,
            0);
  ASSERT_EQ(mcp({"add", "files", "--env", "TOKEN=e-secret", "--env", "API_KEY", "--", "server",
                 "--api-key", "a-secret", "--token=b-secret", "-e", "GH_TOKEN=c-secret"})
                .status,
            0);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"list"},
                                             {"list", "--json"},
                                             {"show", "wiki"},
                                             {"show", "files"},
                                             {"show", "files", "--json"},
                                             {"edit", "files", "--env", "MORE=d-secret"}}) {
    const Ran ran = mcp(words);
    EXPECT_EQ(ran.status, 0) << words[0];
    EXPECT_THAT(ran.out + ran.errors, Not(HasSubstr("-secret"))) << words[0];
  }
  const std::string shown = mcp({"show", "files"}).out;
  EXPECT_THAT(shown, HasSubstr("TOKEN = ***"));
  EXPECT_THAT(shown, HasSubstr("API_KEY = ${API_KEY}")) << "the name of a variable is no secret";
  EXPECT_THAT(mcp({"show", "wiki"}).out, HasSubstr("https://***@wiki.example/mcp?***"));
  EXPECT_THAT(read_file(file_), HasSubstr("h-secret"));
}

TEST_F(McpServersCommand, Changes_AreShownAsJson) {
  const auto changed = [this](std::vector<std::string> words) {
    words.insert(words.begin() + 1, "--json");
    const Ran ran = mcp(std::move(words));
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_THAT(ran.out, Not(HasSubstr("-secret")));
    const boost::json::value server = boost::json::parse(ran.out);
    EXPECT_EQ(server.at("name"), "files");
    EXPECT_EQ(server.at("file"), boost::json::string_view(file_));
    return server;
  };
  EXPECT_EQ(changed({"add", "files", "--env", "TOKEN=e-secret", "--", "npx"}).at("command"), "npx");
  EXPECT_EQ(changed({"edit", "files", "--", "uvx"}).at("command"), "uvx");
  EXPECT_EQ(changed({"disable", "files"}).at("enabled"), false);
  EXPECT_EQ(changed({"enable", "files"}).at("enabled"), true);
  EXPECT_EQ(changed({"delete", "files"}).at("deleted"), true);
}

TEST_F(McpServersCommand, MistypedCommand_IsNotTakenForAFlagOfTheServer) {
  const Ran ran = mcp({"lst"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.errors, HasSubstr("Did you mean list?"));
}

TEST_F(McpServersCommand, UnknownMembers_StayUnchanged) {
  std::filesystem::create_directories(dir_.file("real"));
  std::filesystem::create_directories(dir_.file(".loom"));
  std::ofstream(dir_.file("real/mcp.json"))
      << R"({"$schema":"x","mcpServers":{"a":{"command":"one","timeout":5,"tags":["p","q"]},)"
      << R"("b":{"url":"http://h/"}},"inputs":[{"id":1}]})";
  std::filesystem::permissions(dir_.file("real/mcp.json"), std::filesystem::perms(0640));
  std::filesystem::create_symlink(dir_.file("real/mcp.json"), file_);
  ASSERT_EQ(mcp({"edit", "a", "--env", "N=1"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(file_)) << "a link stays a link";
  EXPECT_EQ(mode_of(dir_.file("real/mcp.json")), 0640U);
  const boost::json::value root = boost::json::parse(read_file(file_));
  EXPECT_EQ(root.at("$schema"), "x");
  EXPECT_EQ(root.at("inputs").at(0).at("id"), 1);
  EXPECT_EQ(root.at("mcpServers").at("a").at("timeout"), 5);
  EXPECT_EQ(root.at("mcpServers").at("a").at("tags").as_array().size(), 2U);
  EXPECT_EQ(root.at("mcpServers").at("a").at("env").at("N"), "1");
  EXPECT_EQ(root.as_object().begin()->key(), "$schema") << "and where it was";
}

TEST_F(McpServersCommand, InvalidEntry_LeavesFileAlone) {
  EXPECT_EQ(mcp({"add", "x"}).status, 2) << "neither a program nor an address";
  EXPECT_EQ(mcp({"add", "x", "--url", "https://h/", "--", "program"}).status, 2);
  EXPECT_EQ(mcp({"add", "x", "--url", "ftp://h/"}).status, 2);
  EXPECT_EQ(mcp({"add", "x", "--url", "https://h/", "--env", "A=1"}).status, 2);
  EXPECT_EQ(mcp({"add", "x", "--header", "A: 1", "--", "program"}).status, 2);
  EXPECT_EQ(mcp({"add", std::string(65, 'x'), "--", "program"}).status, 2);
  EXPECT_FALSE(std::filesystem::exists(file_));
  std::filesystem::create_directories(dir_.file(".loom"));
  std::ofstream(file_) << "{\"mcpServers\": oops";
  const Ran broken = mcp({"add", "x", "--", "program"});
  EXPECT_EQ(broken.status, 2);
  EXPECT_THAT(broken.errors, HasSubstr(file_));
  EXPECT_EQ(read_file(file_), "{\"mcpServers\": oops");
}

TEST_F(McpServersCommand, File_IsNamedOrFirstExisting) {
  const std::string named = dir_.file("named.json");
  ASSERT_EQ(mcp({"add", "n", "--mcp-config", named, "--", "one"}).status, 0);
  EXPECT_THAT(read_file(named), HasSubstr("\"n\""));
  std::filesystem::create_directories(dir_.file("project"));
  const std::string project = dir_.file("project");
  const Ran added = mcp({"add", "p", "--project", "--cwd", project, "--", "two"});
  ASSERT_EQ(added.status, 0) << added.errors;
  EXPECT_TRUE(std::filesystem::exists(project + "/.loom/mcp.json"));
  EXPECT_THAT(added.errors, HasSubstr("runs.folder_mcp")) << "it does not count as it is";
  ASSERT_EQ(mcp({"add", "q", "--cwd", project, "--", "three"}).status, 0);
  EXPECT_THAT(read_file(file_), HasSubstr("\"q\""));
  ASSERT_EQ(mcp({"add", "u", "--user", "--cwd", project, "--", "four"}).status, 0);
  EXPECT_THAT(read_file(file_), HasSubstr("\"u\""));
  EXPECT_EQ(mcp({"list", "--user", "--project"}).status, 2);
  EXPECT_EQ(mcp({"list", "--mcp-config", dir_.file("none.json")}).status, 1);
}

TEST_F(McpServersCommand, ForeignFolder_StartsNothing) {
  const std::string project = dir_.file("project");
  std::filesystem::create_directories(project);
  ASSERT_EQ(mcp({"add", "p", "--project", "--cwd", project, "--", MCP_TEST_SERVER}).status, 0);
  const auto shown = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"tool",  "show",   "echo",           "--cwd",
                                      project, "--data", dir_.file("data")};
    words.insert(words.end(), more.begin(), more.end());
    return run(dir_, std::move(words)).status;
  };
  EXPECT_EQ(shown({}), 1);
  std::filesystem::create_directories(dir_.file("etc"));
  std::ofstream(dir_.file("etc/parley.toml")) << "[runs]\nfolder_mcp = true\n";
  EXPECT_EQ(shown({"--config", dir_.file("etc/parley.toml")}), 0);
}

TEST_F(McpServersCommand, Runs_HaveToolsOfAddedServers) {
  ASSERT_EQ(mcp({"add", "test", "--", MCP_TEST_SERVER}).status, 0);
  const auto shown = [this] {
    return run(dir_, {"tool", "show", "echo", "--data", dir_.file("data")}).status;
  };
  EXPECT_EQ(shown(), 0);
  ASSERT_EQ(mcp({"disable", "test"}).status, 0);
  EXPECT_EQ(shown(), 1);
}

TEST_F(McpServersCommand, NoSubcommand_ServesMcpOnStdio) {
  const Ran help = mcp({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, HasSubstr("--disable-ask-question"));
  EXPECT_THAT(help.out, HasSubstr("parley mcp add --help"));
  EXPECT_EQ(mcp({"nonsense"}).status, 2);
}

}  // namespace
}  // namespace parley::tests
