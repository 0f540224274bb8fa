// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text_port.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/core/temp_folder.h"

namespace parley::app {
namespace {

class TextPort : public testing::Test {
 protected:
  TextPort() {
    for (const char* name : {"bin", "work", "config/agentassistant"}) {
      std::filesystem::create_directories(folder_.file(name));
    }
    places_.working_directory = folder_.file("work");
    places_.config_home = folder_.file("config");
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.file(name)) << text;
  }
  core::Result<std::vector<SettingDefault>> read() {
    return defaults_of_text(folder_.file("bin"), places_);
  }
  // The resulting setting "listen"; `file` is the text of parley.toml.
  std::string listens(std::optional<std::string> file = std::nullopt,
                      std::vector<std::pair<std::string, std::string>> flags = {}) {
    ConfigSources sources;
    sources.defaults = read().value();
    sources.file_name = "parley.toml";
    sources.file_text = std::move(file);
    sources.flags = std::move(flags);
    return load_config(sources).value().settings.listen.to_string();
  }

  core::TempFolder folder_;
  mcp::UserPlaces places_;
};

TEST_F(TextPort, NoFile_DefaultPortIsUsed) { EXPECT_EQ(listens(), "127.0.0.1:22080"); }

TEST_F(TextPort, Lookup_BesideProgram_ThenWorkingFolderThenUser) {
  write("config/agentassistant/agentassistant-mcp.toml", "agentassistant_server_port = 3003\n");
  EXPECT_EQ(listens(), "127.0.0.1:3003");
  write("work/agentassistant-mcp.toml", "agentassistant_server_port = 3002\n");
  EXPECT_EQ(listens(), "127.0.0.1:3002");
  write("bin/agentassistant-mcp.toml", "agentassistant_server_port = 3001\n");
  EXPECT_EQ(listens(), "127.0.0.1:3001");
}

TEST_F(TextPort, AnyServerSetting_Wins) {
  write("work/agentassistant-mcp.toml", "agentassistant_server_port = 3002\n");
  EXPECT_EQ(listens("listen = \"127.0.0.1:4001\"\n"), "127.0.0.1:4001");
  EXPECT_EQ(listens(std::nullopt, {{"listen", ":4002"}}), "127.0.0.1:4002");
}

TEST_F(TextPort, HostInFile_IsNotListenAddress) {
  write("work/agentassistant-mcp.toml",
        "agentassistant_server_host = \"192.0.2.1\"\nagentassistant_server_port = 3002\n"
        "agentassistant_server_token = \"test-token\"\n");
  EXPECT_EQ(listens(), "127.0.0.1:3002");
  write("work/agentassistant-mcp.toml", "agentassistant_server_host = \"192.0.2.1\"\n");
  EXPECT_EQ(listens(), "127.0.0.1:22080");
}

TEST_F(TextPort, WrongFile_IsNamed) {
  write("work/agentassistant-mcp.toml", "agentassistant_server_port = \"many\"\n");
  const auto wrong = read();
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("agentassistant-mcp.toml:1"), std::string::npos)
      << wrong.error().message;
}

}  // namespace
}  // namespace parley::app
