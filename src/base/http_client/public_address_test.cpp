// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/http_client/public_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

namespace parley::http_client {
namespace {

TEST(PublicLiteral, LocalAndPrivateAddresses_AreNotPublic) {
  for (const char* host : {"127.0.0.1",       "127.255.0.9",
                           "0.0.0.0",         "10.1.2.3",
                           "172.16.0.1",      "172.31.255.255",
                           "192.168.1.1",     "169.254.169.254",
                           "100.64.0.1",      "224.0.0.1",
                           "255.255.255.255", "198.18.0.1",
                           "192.0.2.1",       "::1",
                           "[::1]",           "::",
                           "fe80::1",         "fe80::1%eth0",
                           "fc00::1",         "fd12::1",
                           "ff02::1",         "::ffff:127.0.0.1",
                           "::ffff:10.0.0.1", "64:ff9b::7f00:1",
                           "2001:db8::1",     "2002:7f00:1::",
                           "2001::1",         "[fd00::1]"}) {
    EXPECT_EQ(is_public_literal(host), false) << host;
  }
}

TEST(PublicLiteral, OtherAddresses_ArePublic) {
  for (const char* host : {"1.1.1.1", "172.32.0.1", "172.15.255.255", "100.128.0.1",
                           "9.255.255.255", "11.0.0.1", "223.255.255.255", "2606:4700::1111",
                           "[2a00:1450::1]", "::ffff:8.8.8.8", "64:ff9b::808:808"}) {
    EXPECT_EQ(is_public_literal(host), true) << host;
  }
}

TEST(PublicLiteral, Name_IsNoLiteral) {
  EXPECT_EQ(is_public_literal("example.org"), std::nullopt);
  EXPECT_EQ(is_public_literal(""), std::nullopt);
  EXPECT_EQ(is_public_literal("1.2.3"), std::nullopt);
}

TEST(PublicAddress, SocketAddresses_AreRead) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(0x0a000001);
  EXPECT_FALSE(is_public_address(reinterpret_cast<const sockaddr&>(v4)));
  v4.sin_addr.s_addr = htonl(0x08080808);
  EXPECT_TRUE(is_public_address(reinterpret_cast<const sockaddr&>(v4)));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_loopback;
  EXPECT_FALSE(is_public_address(reinterpret_cast<const sockaddr&>(v6)));
  sockaddr other{};
  other.sa_family = AF_UNIX;
  EXPECT_FALSE(is_public_address(other));
}

TEST(LocalName, LocalName_HasNoDotOrLocalEnding) {
  for (const char* host : {"localhost", "LOCALHOST", "localhost.", "router", "a.localhost",
                           "printer.local", "db.internal", "metadata.google.internal"}) {
    EXPECT_TRUE(is_local_name(host)) << host;
  }
  EXPECT_FALSE(is_local_name("example.org"));
  EXPECT_FALSE(is_local_name("local.example.org"));
}

}  // namespace
}  // namespace parley::http_client
