// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/auth/rights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::auth {
namespace {

TEST(Rights, Text_IsReadBack) {
  EXPECT_EQ(Rights::all().text(), "ask,answer,read,study,run,run-auto,admin");
  EXPECT_EQ(Rights::parse(Rights::all().text()).value(), Rights::all());
  EXPECT_EQ(Rights::parse(" read , ask").value().text(), "ask,read");
  EXPECT_EQ(Rights::parse("all").value(), Rights::all());
  EXPECT_EQ(Rights::usual().text(), "ask,answer,read");
}

TEST(Rights, UnknownName_IsRefused) {
  for (const char* text : {"", ",", "root", "ask,,read", "ask,Run", "run_auto"}) {
    const core::Result<Rights> rights = Rights::parse(text);
    ASSERT_FALSE(rights) << text;
    EXPECT_EQ(rights.error().code, core::Code::invalid_argument);
    EXPECT_EQ(rights.error().field, "rights");
  }
}

TEST(Rights, Rights_AreDistinct) {
  for (const Right one : kAllRights) {
    for (const Right other : kAllRights) {
      EXPECT_EQ(Rights{one}.has(other), one == other);
      EXPECT_EQ(Rights::all().without(one).has(other), one != other);
    }
    EXPECT_THAT(missing_right(one).message, testing::HasSubstr(std::string(right_name(one))));
  }
}

}  // namespace
}  // namespace parley::auth
