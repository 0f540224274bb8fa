// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/loopback.h"

#include <gtest/gtest.h>

namespace parley::core {
namespace {

TEST(Loopback, Localhost_AndSubdomains_AreNames) {
  for (const char* host : {"localhost", "LocalHost", "app.localhost", "a.b.LOCALHOST"}) {
    EXPECT_TRUE(is_loopback_name(host)) << host;
    EXPECT_FALSE(is_loopback_address(host)) << host;
    EXPECT_TRUE(is_loopback_host(host)) << host;
  }
}

TEST(Loopback, LoopbackNumbers_AreAddresses) {
  for (const char* host : {"127.0.0.1", "127.255.255.254", "::1", "[::1]", "0:0:0:0:0:0:0:1",
                           "::ffff:127.0.0.1", "::FFFF:7f00:1", "[::ffff:127.3.2.1]"}) {
    EXPECT_TRUE(is_loopback_address(host)) << host;
    EXPECT_FALSE(is_loopback_name(host)) << host;
    EXPECT_TRUE(is_loopback_host(host)) << host;
  }
}

TEST(Loopback, NamesAndAddressesOfOthers_AreNot) {
  using std::string_view_literals::operator""sv;
  for (const std::string_view host : {""sv,
                                      "localhost.example.org"sv,
                                      "localhost.localhost.org"sv,
                                      "notlocalhost"sv,
                                      ".localhost"sv,
                                      "localhost:80"sv,
                                      "localhost."sv,
                                      "127.0.0.1.example.org"sv,
                                      "127.1"sv,
                                      "127.evil.example"sv,
                                      "127.0.0.1 "sv,
                                      "127.0.0.1\0.example.org"sv,
                                      "[127.0.0.1]"sv,
                                      "[::1"sv,
                                      "[]"sv,
                                      "128.0.0.1"sv,
                                      "0.0.0.0"sv,
                                      "::"sv,
                                      "::2"sv,
                                      "::127.0.0.1"sv,
                                      "::ffff:10.0.0.1"sv,
                                      "fe80::1"sv,
                                      "[::1].example.org"sv}) {
    EXPECT_FALSE(is_loopback_host(host)) << host;
  }
}

}  // namespace
}  // namespace parley::core
