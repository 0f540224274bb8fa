// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/mcp_command.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/core/temp_folder.h"

namespace parley::mcp {
namespace {

TEST(ParseMcpFlags, Flags_HaveOneOrTwoDashes_AnyValueForm) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"-host", "h", "-port", "81", "-token", "t", "-web"},
           {"--host", "h", "--port", "81", "--token", "t", "--web"},
           {"-host=h", "-port=81", "-token=t", "-web=true"},
           {"--host=h", "--port=81", "--token=t", "--web=1"}}) {
    const auto options = parse_mcp_flags(arguments);
    ASSERT_TRUE(options.has_value());
    EXPECT_EQ(options->server.host, "h");
    EXPECT_EQ(options->server.port, 81);
    EXPECT_EQ(options->server.token, "t");
    EXPECT_TRUE(options->web);
  }
}

TEST(ParseMcpFlags, MissingFlags_StayUnset) {
  const auto options = parse_mcp_flags({});
  ASSERT_TRUE(options.has_value());
  EXPECT_FALSE(options->server.host || options->server.port || options->server.token);
  EXPECT_FALSE(options->web);
}

TEST(ParseMcpFlags, UnknownFlags_AreRefusedWithoutValues) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"--frob"}, {"--port", "-1"}, {"--port=x"}, {"--token"}, {"secret"}, {"--web=maybe"}}) {
    const auto options = parse_mcp_flags(arguments);
    ASSERT_FALSE(options.has_value());
    EXPECT_EQ(options.error().message.find("secret"), std::string::npos);
  }
}

TEST(ParseMcpFlags, MaxCall_OffersAwaitAnswer) {
  const auto options = parse_mcp_flags({"--no-project-config", "--max-call", "50", "--elicit"});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->shape, AskShape::elicit);
  EXPECT_TRUE(options->no_project_config);
  EXPECT_EQ(options->longest_call, std::chrono::seconds(50));
  EXPECT_TRUE(find_tool("await_answer", options->tools).has_value());
  EXPECT_FALSE(find_tool("await_answer", ToolChoice{}).has_value());
  for (const std::string bad : {"4", "86401", "x", ""}) {
    EXPECT_FALSE(parse_mcp_flags({"--max-call", bad}).has_value()) << bad;
  }
}

TEST(AgentassistantMcpMain, NoProjectConfig_SkipsTheWorkingDirectory) {
  const core::TempFolder folder;
  std::ofstream(folder.file("agentassistant-mcp.toml")) << "not toml";
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(agentassistant_mcp_main({"--url", "bad"}, out, err), 2);
  EXPECT_NE(err.str().find("agentassistant-mcp.toml:1"), std::string::npos) << err.str();
  err.str("");
  EXPECT_EQ(agentassistant_mcp_main({"--no-project-config", "--url", "bad"}, out, err), 2);
  EXPECT_NE(err.str().find("--url: must begin with http:// or https://"), std::string::npos)
      << err.str();
  std::filesystem::current_path(before);
}

TEST(AgentassistantMcpMain, BadFlag_ExitsWith2_KeepsStdoutClean) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(agentassistant_mcp_main({"--frob"}, out, err), 2);
  EXPECT_EQ(out.str(), "");
  EXPECT_NE(err.str().find("--frob"), std::string::npos);
}

TEST(AgentassistantMcpMain, Version_IsSingleCleanLine) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(agentassistant_mcp_main({"-version"}, out, err), 0);
  EXPECT_TRUE(out.str().starts_with("agentassistant-mcp "));
  EXPECT_EQ(out.str().find('\n'), out.str().size() - 1);
}

}  // namespace
}  // namespace parley::mcp
