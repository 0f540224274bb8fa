// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/loop/stream.h"

#include <gtest/gtest.h>

namespace parley::net {
namespace {

TEST(Endpoint, EveryDocumentedForm_IsRead) {
  struct Case {
    const char* text;
    const char* host;
    std::uint16_t port;
    const char* written;
  };
  for (const Case& c : {Case{"127.0.0.1:22080", "127.0.0.1", 22080, "127.0.0.1:22080"},
                        Case{"[::1]:80", "::1", 80, "[::1]:80"},
                        Case{":22080", "127.0.0.1", 22080, "127.0.0.1:22080"},
                        Case{"0.0.0.0:0", "0.0.0.0", 0, "0.0.0.0:0"},
                        Case{"localhost:65535", "localhost", 65535, "localhost:65535"},
                        Case{"my-host.lan:1", "my-host.lan", 1, "my-host.lan:1"}}) {
    const auto endpoint = Endpoint::parse(c.text);
    ASSERT_TRUE(endpoint.has_value()) << c.text;
    EXPECT_EQ(endpoint->host, c.host);
    EXPECT_EQ(endpoint->port, c.port);
    EXPECT_EQ(endpoint->to_string(), c.written);
  }
}

TEST(Endpoint, InvalidAddress_IsRefusedWithExpectedForm) {
  for (const char* text : {"", "127.0.0.1", "host:", "host:65536", "host:-1", "host:1x", "[::1]",
                           "[::1:80", "::1:80", "[]:80", "[zz]:80", "ho st:80", "host:000080"}) {
    const auto endpoint = Endpoint::parse(text);
    ASSERT_FALSE(endpoint.has_value()) << text;
    EXPECT_EQ(endpoint.error().code, core::Code::invalid_argument);
    EXPECT_NE(endpoint.error().message.find("HOST:PORT"), std::string::npos);
  }
}

TEST(Endpoint, LoopbackOnlyAddress_IsKnown) {
  EXPECT_TRUE((Endpoint{"127.0.0.1", 1}.is_loopback()));
  EXPECT_TRUE((Endpoint{"127.8.9.1", 1}.is_loopback()));
  EXPECT_TRUE((Endpoint{"::1", 1}.is_loopback()));
  EXPECT_TRUE((Endpoint{"localhost", 1}.is_loopback()));
  EXPECT_FALSE((Endpoint{"0.0.0.0", 1}.is_loopback()));
  EXPECT_FALSE((Endpoint{"192.168.1.4", 1}.is_loopback()));
  EXPECT_FALSE((Endpoint{"127.0.0.1.example.org", 1}.is_loopback()));
  EXPECT_FALSE((Endpoint{"localhost.example.org", 1}.is_loopback()));
}

}  // namespace
}  // namespace parley::net
