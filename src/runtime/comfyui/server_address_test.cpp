// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/server_address.h"

#include <gtest/gtest.h>

namespace parley::comfyui {
namespace {

TEST(ServerAddress, ReadsBase) {
  auto plain = ServerAddress::parse("http://127.0.0.1:8188/");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->url("/queue"), "http://127.0.0.1:8188/queue");
  EXPECT_EQ(plain->endpoint.port, 8'188);
  auto below = ServerAddress::parse("https://GPU.example.org/comfy//");
  ASSERT_TRUE(below);
  EXPECT_TRUE(below->secure());
  EXPECT_EQ(below->url("/ws"), "https://gpu.example.org:443/comfy/ws");
  auto six = ServerAddress::parse("http://[::1]:80");
  ASSERT_TRUE(six);
  EXPECT_EQ(six->endpoint.host, "::1");
  EXPECT_EQ(six->authority, "[::1]:80");
}

TEST(ServerAddress, InvalidBase_IsRefused) {
  for (const char* url :
       {"", "127.0.0.1:8188", "ftp://x", "http://", "http://u:p@host", "http://host/?a=1",
        "http://host/#x", "http://host/../x", "http://host/a b", "http://host:0",
        "http://host:99999", "file:///etc/passwd"}) {
    auto address = ServerAddress::parse(url);
    ASSERT_FALSE(address) << url;
    EXPECT_EQ(address.error().field, "base_url");
  }
  EXPECT_FALSE(ServerAddress::parse("http://" + std::string(3'000, 'x')));
}

TEST(Credentials, HeaderUnsafeCredentials_AreRefused) {
  EXPECT_EQ((Credentials{"a", "b", ""}.authorization()), "Basic YTpi");
  EXPECT_EQ((Credentials{"", "", "t"}.authorization()), "Bearer t");
  EXPECT_TRUE(Credentials().authorization().empty());
  EXPECT_TRUE((Credentials{"a", "b c", ""}.check()));
  EXPECT_EQ((Credentials{"a", "b", "t"}.check().error().field), "bearer");
  EXPECT_EQ((Credentials{"", "", "t\r\nX: y"}.check().error().field), "bearer");
  EXPECT_EQ((Credentials{"a", "b\n", ""}.check().error().field), "user");
  EXPECT_EQ((Credentials{"a:b", "", ""}.check().error().field), "user");
}

}  // namespace
}  // namespace parley::comfyui
