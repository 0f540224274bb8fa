// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/http_client/url.h"

#include <gtest/gtest.h>

namespace parley::http_client {
namespace {

TEST(SplitUrl, Parts_AreSplit) {
  auto parts = split_url("HTTPS://Example.org/a?b#c");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->origin(), "https://example.org:443");
  parts = split_url("http://[::1]:8080/");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->host, "[::1]");
  EXPECT_EQ(parts->port, "8080");
}

TEST(SplitUrl, DisguisedAddress_IsNormalized) {
  EXPECT_EQ(split_url("http://0x7f.1/")->host, "127.0.0.1");
  EXPECT_EQ(split_url("http://2130706433/")->host, "127.0.0.1");
}

TEST(SplitUrl, OtherThanWebAddress_IsRefused) {
  for (const char* url : {"", "example", "ftp://example.org/", "file:///etc/passwd", "http://",
                          "http://me:secret@example.org/", "javascript:alert(1)"}) {
    const auto parts = split_url(url);
    ASSERT_FALSE(parts) << url;
    EXPECT_EQ(parts.error().field, "url");
  }
}

TEST(SplitUrl, Nul_IsRefused) {
  using std::string_literals::operator""s;
  EXPECT_EQ(split_url("http://example.org/\0x"s).error().field, "url");
  EXPECT_FALSE(resolve_url("http://example.org/", "/a\0b"s));
}

TEST(ResolveUrl, Location_IsTakenInAnyForm) {
  const std::string base = "https://example.org/a/b?c";
  EXPECT_EQ(resolve_url(base, "d"), "https://example.org/a/d");
  EXPECT_EQ(resolve_url(base, "/d?e"), "https://example.org/d?e");
  EXPECT_EQ(resolve_url(base, "//other.org/"), "https://other.org/");
  EXPECT_EQ(resolve_url(base, "http://other.org/x"), "http://other.org/x");
  EXPECT_FALSE(resolve_url(base, "ftp://other.org/"));
}

}  // namespace
}  // namespace parley::http_client
