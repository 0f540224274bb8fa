// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/compression.h"

#include <gtest/gtest.h>

namespace parley::net {
namespace {

TEST(Gzip, Text_ComesBackWholeAndSmaller) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "line " + std::to_string(i % 97) + "\n";
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{2'000}, text.size()}) {
    const std::string part = text.substr(0, size);
    const auto packed = gzip(part);
    ASSERT_TRUE(packed.has_value());
    EXPECT_EQ(gunzip(*packed, text.size()), part);
    if (size >= 2'000) {
      EXPECT_LT(packed->size(), part.size() / 2);
    }
  }
  EXPECT_EQ(gzip(text), gzip(text));
}

TEST(Gunzip, OversizedCutOrTrailingData_IsRefused) {
  const std::string packed = gzip(std::string(5'000, 'a')).value();
  EXPECT_TRUE(gunzip(packed, 5'000).has_value());
  EXPECT_FALSE(gunzip(packed, 4'999).has_value());
  EXPECT_FALSE(gunzip(packed.substr(0, packed.size() - 1), 5'000).has_value());
  EXPECT_FALSE(gunzip(packed + "x", 5'000).has_value());
  EXPECT_FALSE(gunzip("plain text", 5'000).has_value());
  EXPECT_FALSE(gunzip("", 5'000).has_value());
  EXPECT_FALSE(gunzip(packed + packed, 10'000).has_value());
}

TEST(Gunzip, SeveralMembers_AreReadAsSingleText) {
  const std::string packed = *gzip("ab") + *gzip("") + *gzip("cd");
  EXPECT_EQ(gunzip(packed, 4, GzipMembers::several), "abcd");
  EXPECT_EQ(gunzip(*gzip("ab"), 2, GzipMembers::several), "ab");
  const auto code = [](const std::string& bytes, std::size_t limit) {
    return gunzip(bytes, limit, GzipMembers::several).error().code;
  };
  EXPECT_EQ(code(packed, 3), core::Code::resource_exhausted);
  EXPECT_EQ(code(packed + "x", 4), core::Code::invalid_argument);
  EXPECT_EQ(code(packed.substr(0, packed.size() - 1), 4), core::Code::invalid_argument);
  EXPECT_EQ(code("", 4), core::Code::invalid_argument);
}

TEST(IsCompressible, TextAndData_AreCompressible_ImagesAreNot) {
  EXPECT_TRUE(is_compressible("text/html; charset=utf-8"));
  EXPECT_TRUE(is_compressible("Application/JSON"));
  EXPECT_TRUE(is_compressible("application/proto"));
  EXPECT_TRUE(is_compressible("image/svg+xml"));
  EXPECT_FALSE(is_compressible("image/png"));
  EXPECT_FALSE(is_compressible("text/event-stream"));
  EXPECT_FALSE(is_compressible(""));
}

}  // namespace
}  // namespace parley::net
