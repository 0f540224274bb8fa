// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/agent_client/server_url.h"

#include <gtest/gtest.h>

namespace parley::agent_client {
namespace {

TEST(ServerUrlTest, PrintedServerAddress_IsTaken) {
  const auto url = ServerUrl::parse("http://127.0.0.1:22080");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->endpoint.host, "127.0.0.1");
  EXPECT_EQ(url->endpoint.port, 22080);
  EXPECT_EQ(url->authority, "127.0.0.1:22080");
  EXPECT_EQ(url->path, "/agent/ws");
  EXPECT_FALSE(url->secure);
}

TEST(ServerUrlTest, TrailingSlash_IsNoPath) {
  const auto url = ServerUrl::parse("http://127.0.0.1:22080/");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->path, "/agent/ws");
}

TEST(ServerUrlTest, Scheme_TellsSecureConnection) {
  const auto https = ServerUrl::parse("https://parley.example");
  const auto wss = ServerUrl::parse("wss://parley.example/agent/ws");
  const auto ws = ServerUrl::parse("ws://parley.example");
  ASSERT_TRUE(https && wss && ws);
  EXPECT_TRUE(https->secure);
  EXPECT_EQ(https->endpoint.port, 443);
  EXPECT_TRUE(wss->secure);
  EXPECT_FALSE(ws->secure);
  EXPECT_EQ(ws->endpoint.port, 80);
}

TEST(ServerUrlTest, OtherPath_IsKept) {
  const auto url = ServerUrl::parse("ws://relay.example:3000/study/agent/ws");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->path, "/study/agent/ws");
}

TEST(ServerUrlTest, IPv6_StandsInBrackets) {
  const auto url = ServerUrl::parse("http://[::1]:80");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->endpoint.host, "::1");
  EXPECT_EQ(url->authority, "[::1]:80");
}

TEST(ServerUrlTest, InvalidAddress_IsRefusedInWords) {
  for (const char* text :
       {"", "127.0.0.1:22080", "ftp://a", "http://", "http://a:", "http://a:99999", "http://a:0",
        "http://[::1", "http://[::1]x", "http://a b", "http://u@a", "http://a?token=x"}) {
    const auto url = ServerUrl::parse(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code, core::Code::invalid_argument);
    EXPECT_NE(url.error().message.find("http://HOST:PORT"), std::string::npos);
  }
}

}  // namespace
}  // namespace parley::agent_client
