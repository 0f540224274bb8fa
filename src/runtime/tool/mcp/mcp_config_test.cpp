// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/mcp/mcp_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/core/temp_folder.h"

namespace parley::tool {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

const Environment kEnvironment = {"TOKEN=t0p", "EMPTY="};

TEST(ReadMcpConfig, ProgramsAndAddresses_AreRead) {
  const auto config = read_mcp_config(R"({"mcpServers":{
    "web":{"url":"https://e.org/mcp","headers":{"Authorization":"Bearer ${TOKEN}"},"type":"http"},
    "files":{"command":"npx","args":["-y","server"],"env":{"A":"x${EMPTY}y","B":"$HOME"}},
    "off":{"command":"x","disabled":true}}})",
                                      kEnvironment);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_THAT(config->faults, IsEmpty());
  ASSERT_THAT(config->servers, SizeIs(2));
  const McpServerConfig& files = config->servers[0];
  EXPECT_EQ(files.name, "files");
  EXPECT_EQ(files.command, "npx");
  EXPECT_THAT(files.args, ElementsAre("-y", "server"));
  EXPECT_THAT(files.env, ElementsAre(Pair("A", "xy"), Pair("B", "$HOME")));
  EXPECT_EQ(config->servers[1].url, "https://e.org/mcp");
  EXPECT_THAT(config->servers[1].headers, ElementsAre(Pair("Authorization", "Bearer t0p")));
}

TEST(ReadMcpConfig, FaultyServer_IsLeftOutByName_OthersStay) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({})", "needs either command or url"},
      {R"({"command":"x","url":"y"})", "needs either command or url"},
      {R"({"command":"x","args":"y"})", "args"},
      {R"({"command":"x","args":[1]})", "args"},
      {R"({"command":"x","env":{"A":1}})", "env.A"},
      {R"({"url":"x","headers":{"A":"${NOT_THERE}"}})", "NOT_THERE"},
      {R"({"url":"x","headers":{"A":"${TOKEN"}})", "without }"},
      {R"({"command":"x","disabled":"yes"})", "disabled"},
      {R"({"command":"x\u0000y"})", "NUL"},
      {R"({"command":"x","args":["a","b\u0000c"]})", "NUL"},
      {R"({"command":"x","env":{"A\u0000":"1"}})", "NUL"},
      {R"(7)", "object"},
  };
  for (const auto& [server, named] : cases) {
    const auto config = read_mcp_config(
        R"({"mcpServers":{"bad":)" + server + R"(,"good":{"command":"x"}}})", kEnvironment);
    ASSERT_TRUE(config) << server;
    EXPECT_THAT(config->servers, SizeIs(1)) << server;
    ASSERT_THAT(config->faults, SizeIs(1)) << server;
    EXPECT_THAT(config->faults[0], HasSubstr("MCP server bad is left out"));
    EXPECT_THAT(config->faults[0], HasSubstr(named));
  }
}

TEST(McpConfigDigest, ProgramAndAddress_DecideIt) {
  const McpServerConfig base{"files", "node", {"a", "bc"}, {{"A", "1"}}, {}, {}};
  const std::string digest = mcp_config_digest(base, "");
  const auto other = [&](auto change) {
    McpServerConfig changed = base;
    change(changed);
    return mcp_config_digest(changed, "");
  };
  EXPECT_NE(other([](McpServerConfig& it) { it.command = "deno"; }), digest);
  EXPECT_NE(other([](McpServerConfig& it) { it.args = {"ab", "c"}; }), digest);
  EXPECT_NE(other([](McpServerConfig& it) { it.args.clear(); }), digest);
  EXPECT_NE(other([](McpServerConfig& it) { it.env = {{"PATH", "/tmp"}}; }), digest);
  EXPECT_NE(other([](McpServerConfig& it) { std::swap(it.command, it.url); }), digest);
  EXPECT_NE(mcp_config_digest(base, "/p"), digest);
  EXPECT_EQ(other([](McpServerConfig& it) { it.headers = {{"Authorization", "x"}}; }), digest);
}

TEST(ReadMcpConfig, InvalidConfiguration_IsRefused) {
  for (const char* text : {"", "{", "[]", "{}", R"({"mcpServers":[]})"}) {
    EXPECT_FALSE(read_mcp_config(text, {})) << text;
  }
  std::string many = R"({"mcpServers":{"a":{"command":"x"})";
  for (int i = 0; i < 64; ++i) many += ",\"s" + std::to_string(i) + R"(":{"command":"x"})";
  EXPECT_FALSE(read_mcp_config(many + "}}", {}));
}

class McpPlacesTest : public testing::Test {
 protected:
  std::string folder(const std::string& name, bool with_file) {
    fs::create_directories(root_ / name / ".loom");
    if (with_file) std::ofstream(root_ / name / ".loom" / "mcp.json") << R"({"mcpServers":{}})";
    return (root_ / name).string();
  }
  core::TempFolder place_{"parley-mcp"};
  fs::path root_ = place_.path();
};

TEST_F(McpPlacesTest, FirstExistingPlace_Wins) {
  McpPlaces places{"named.json", "variable.json", folder("wd", true), folder("home", true)};
  EXPECT_EQ(find_mcp_config(places), "named.json");
  places.named.clear();
  EXPECT_EQ(find_mcp_config(places), "variable.json");
  places.variable.clear();
  EXPECT_EQ(find_mcp_config(places), places.working_folder + "/.loom/mcp.json");
  places.working_folder = folder("empty", false);
  EXPECT_EQ(find_mcp_config(places), places.home + "/.loom/mcp.json");
  places.home.clear();
  EXPECT_EQ(find_mcp_config(places), std::nullopt);
}

TEST_F(McpPlacesTest, MissingOrBrokenFile_IsNamed) {
  EXPECT_TRUE(load_mcp_config(folder("wd", true) + "/.loom/mcp.json", {}));
  auto missing = load_mcp_config((root_ / "no.json").string(), {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, core::Code::not_found);
  EXPECT_THAT(missing.error().message, HasSubstr("no.json"));
  std::ofstream(root_ / "broken.json") << "{";
  const auto broken = load_mcp_config((root_ / "broken.json").string(), {});
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("broken.json"));
}

TEST(McpConfigLimits, OversizedFile_IsRefused) {
  const core::TempFolder folder;
  std::ofstream(folder.file("mcp.json"))
      << "{\"mcpServers\":{}}" << std::string(kMaxMcpConfigBytes, ' ');
  const auto config = load_mcp_config(folder.file("mcp.json"), {});
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().message.find("larger than 1 MiB"), std::string::npos);
}

TEST(McpConfigLimits, VariablesFilledIn_AreCounted) {
  std::string value;
  for (int i = 0; i < 200; ++i) value += "${BIG}";
  const auto config =
      read_mcp_config(R"({"mcpServers":{"a":{"command":"x","env":{"A":")" + value + R"("}}}})",
                      {"BIG=" + std::string(100'000, 'x')});
  ASSERT_TRUE(config);
  ASSERT_EQ(config->faults.size(), 1U);
  EXPECT_NE(config->faults[0].find("too long"), std::string::npos);
}

}  // namespace
}  // namespace parley::tool
