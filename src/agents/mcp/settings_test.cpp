// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/settings.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "agents/mcp/mcp_command.h"
#include "base/core/file_descriptor.h"
#include "base/core/temp_folder.h"

namespace parley::mcp {
namespace {

namespace fs = std::filesystem;

class SettingsTest : public ::testing::Test {
 protected:
  SettingsTest() {
    places_ = {root_ / "work", root_ / "config", root_ / "data"};
    for (const char* folder : {"work", "config/agentassistant", "config/parley", "data"}) {
      fs::create_directories(root_ / folder);
    }
    write("data/lock", "");
    lock_.reset(::open((root_ / "data/lock").c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_EQ(::flock(lock_.get(), LOCK_EX), 0);
  }

  void write(const std::string& path, const std::string& text) {
    std::ofstream(root_ / path) << text;
    ::chmod((root_ / path).c_str(), 0600);
  }
  void write_endpoint(const std::string& pid) {
    write("data/endpoint.json",
          R"({"url":"http://127.0.0.1:4242/","token":"running","pid":)" + pid + "}");
  }
  ServerAccess resolved(const ServerSettings& server) {
    return resolve_endpoint(server, "", places_);
  }

  core::TempFolder place_{"parley-settings"};
  fs::path root_ = place_.path();
  UserPlaces places_;
  core::FileDescriptor lock_;  // that of the running server
};

TEST_F(SettingsTest, ProtocolExampleFile_IsRead) {
  write("work/agentassistant-mcp.toml",
        "agentassistant_server_host = \"192.168.1.51\"\n"
        "agentassistant_server_port = 8080\n"
        "agentassistant_server_token = \"test\"\n");
  const auto settings = load_settings({}, places_);
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->server.host, "192.168.1.51");
  EXPECT_EQ(settings->server.port, 8080);
  EXPECT_EQ(settings->server.token, "test");
  const ServerAccess endpoint = resolved(settings->server);
  EXPECT_EQ(endpoint.base_url, "http://192.168.1.51:8080");
  EXPECT_EQ(endpoint.token, "test");
}

TEST_F(SettingsTest, Flags_WinOverFile) {
  write("work/agentassistant-mcp.toml",
        "agentassistant_server_port = 8080\nagentassistant_server_token = \"file\"\n");
  ServerSettings flags;
  flags.token = "flag";
  const auto settings = load_settings(flags, places_);
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->server.port, 8080);
  EXPECT_EQ(settings->server.token, "flag");
}

TEST_F(SettingsTest, PortZero_IsNotGiven) {
  write("work/agentassistant-mcp.toml", "agentassistant_server_port = 0\n");
  EXPECT_EQ(load_settings({}, places_)->server.port, std::nullopt);
  write("work/agentassistant-mcp.toml", "agentassistant_server_port = 8080\n");
  ServerSettings flags;
  flags.port = 0;
  EXPECT_EQ(load_settings(flags, places_)->server.port, 8080);
  flags.port = -1;
  EXPECT_EQ(load_settings(flags, places_).error().message,
            "--port: must be a number from 1 to 65535");
  EXPECT_FALSE(parse_settings("agentassistant_server_port = -1", "f.toml").has_value());
  EXPECT_EQ(parse_mcp_flags({"--port", "0"})->server.port, 0);
}

TEST_F(SettingsTest, FaultOfFlag_HasItsName) {
  ServerSettings flags;
  flags.base_url = "ftp://x";
  EXPECT_EQ(load_settings(flags, places_).error().message,
            "--url: must begin with http:// or https://");
  EXPECT_EQ(
      parse_settings("agentassistant_server_base_url = \"ftp://x\"", "f.toml").error().message,
      "f.toml: agentassistant_server_base_url: must begin with http:// or https://");
}

TEST_F(SettingsTest, WorkingDirectory_PrecedesUserFolders) {
  write("config/parley/agentassistant-mcp.toml", "agentassistant_server_token = \"third\"\n");
  EXPECT_EQ(load_settings({}, places_)->server.token, "third");
  write("config/agentassistant/agentassistant-mcp.toml",
        "agentassistant_server_token = \"second\"\n");
  EXPECT_EQ(load_settings({}, places_)->server.token, "second");
  write("work/agentassistant-mcp.toml", "agentassistant_server_token = \"first\"\n");
  EXPECT_EQ(load_settings({}, places_)->server.token, "first");
}

TEST_F(SettingsTest, Error_NamesFileLineAndKey) {
  const auto port = parse_settings(
      "agentassistant_server_host = \"h\"\nagentassistant_server_port = \"8080\"\n", "f.toml");
  ASSERT_FALSE(port.has_value());
  EXPECT_EQ(port.error().message,
            "f.toml:2: agentassistant_server_port: must be a number from 1 to 65535");
  EXPECT_EQ(port.error().field, "agentassistant_server_port");
  const auto broken = parse_settings("\n\nagentassistant_server_host = h\n", "f.toml");
  ASSERT_FALSE(broken.has_value());
  EXPECT_TRUE(broken.error().message.starts_with("f.toml:3: ")) << broken.error().message;
  EXPECT_FALSE(parse_settings("agentassistant_server_port = 70000", "f.toml").has_value());
  EXPECT_FALSE(parse_settings("agentassistant_server_tls = 1", "f.toml").has_value());
  EXPECT_FALSE(parse_settings("agentassistant_server_host = \"a/b\"", "f.toml").has_value());
}

TEST_F(SettingsTest, HeaderForgingToken_IsRefusedWithoutEcho) {
  const auto settings =
      parse_settings("agentassistant_server_token = \"secret\\r\\nX: y\"", "f.toml");
  ASSERT_FALSE(settings.has_value());
  EXPECT_EQ(settings.error().message.find("secret"), std::string::npos);
}

TEST_F(SettingsTest, UnknownKey_IsWarning) {
  const auto settings = parse_settings("colour = 1\n", "f.toml");
  ASSERT_TRUE(settings.has_value());
  ASSERT_EQ(settings->warnings.size(), 1U);
  EXPECT_TRUE(settings->warnings[0].starts_with("f.toml:1: unknown key colour"));
}

TEST_F(SettingsTest, MissingNamedFile_IsError) {
  EXPECT_FALSE(load_settings({}, places_, (root_ / "none.toml").string()).has_value());
}

TEST_F(SettingsTest, NoConfiguration_RunningServerIsFound) {
  write_endpoint(std::to_string(::getpid()));
  const ServerAccess endpoint = resolved({});
  EXPECT_EQ(endpoint.base_url, "http://127.0.0.1:4242");
  EXPECT_EQ(endpoint.token, "running");
}

TEST_F(SettingsTest, EndpointReadableByOthers_IsNotTrusted) {
  write_endpoint(std::to_string(::getpid()));
  ::chmod((root_ / "data/endpoint.json").c_str(), 0644);
  EXPECT_FALSE(discover_server(places_.data).has_value());
}

TEST_F(SettingsTest, LinkedEndpoint_IsNotTrusted) {
  write("data/real.json", R"({"url":"http://x","token":"t","pid":1})");
  fs::create_symlink(root_ / "data/real.json", root_ / "data/endpoint.json");
  EXPECT_FALSE(discover_server(places_.data).has_value());
}

TEST_F(SettingsTest, EndpointOfDeadServer_IsIgnored) {
  write_endpoint("2147483646");  // above the largest pid of any kernel
  EXPECT_FALSE(discover_server(places_.data).has_value());
  EXPECT_EQ(resolved({}).base_url, "http://127.0.0.1:22080");
}

// The process id of a killed server can be that of another program by now.
TEST_F(SettingsTest, EndpointWithoutLock_IsIgnored) {
  write_endpoint(std::to_string(::getpid()));
  EXPECT_TRUE(running_server(places_.data).has_value());
  lock_.reset();
  EXPECT_FALSE(running_server(places_.data).has_value());
  EXPECT_EQ(resolved({}).token, kDefaultToken);
  fs::remove(root_ / "data/lock");
  EXPECT_FALSE(running_server(places_.data).has_value());
}

TEST_F(SettingsTest, MalformedEndpoint_IsIgnored) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"url":7,"token":"t","pid":1})",
        R"({"url":"ftp://x","token":"t","pid":1})", R"({"url":"http://x","token":"a b","pid":1})",
        R"({"url":"http://x","token":"t","pid":-1})"}) {
    write("data/endpoint.json", text);
    EXPECT_FALSE(discover_server(places_.data).has_value()) << text;
  }
}

TEST_F(SettingsTest, TokenOfRunningServer_IsSentOnlyToIt) {
  write_endpoint(std::to_string(::getpid()));
  ServerSettings elsewhere;
  elsewhere.host = "other.example";
  EXPECT_EQ(resolved(elsewhere).token, kDefaultToken);
  ServerSettings same;
  same.port = 4242;
  EXPECT_EQ(resolved(same).token, "running");
  ServerSettings own_token;
  own_token.token = "mine";
  EXPECT_EQ(resolved(own_token).base_url, "http://127.0.0.1:4242");
  EXPECT_EQ(resolved(own_token).token, "mine");
}

TEST_F(SettingsTest, AuthorityOfRunningServer_IsTrustedOnlyThere) {
  write("data/endpoint.json", R"({"url":"https://127.0.0.1:4242","token":"t","ca_file":"a.pem",)"
                              R"("pid":)" +
                                  std::to_string(::getpid()) + "}");
  EXPECT_EQ(resolved({}).ca_file, (places_.data / "a.pem").string());
  ServerSettings elsewhere;
  elsewhere.host = "other.example";
  EXPECT_EQ(resolved(elsewhere).ca_file, "");
  ServerSettings own;
  own.ca_file = "mine.pem";
  EXPECT_EQ(resolved(own).ca_file, "mine.pem");
}

TEST_F(SettingsTest, Url_IsBuiltFromParts) {
  ServerSettings server;
  server.host = "::1";
  server.tls = true;
  EXPECT_EQ(resolved(server).base_url, "https://[::1]:22080");
  server.base_url = "https://parley.example/";
  EXPECT_EQ(resolved(server).base_url, "https://parley.example");
}

TEST(PageUrl, Token_IsEscaped) {
  EXPECT_EQ(page_url(ServerAccess{"http://h:1", "a&b c/+", "", "", ""}),
            "http://h:1/?token=a%26b%20c%2F%2B");
}

}  // namespace
}  // namespace parley::mcp
