// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/command_flag.h"

#include <gtest/gtest.h>

namespace parley::core {
namespace {

TEST(CommandFlag, Flag_HasOneOrTwoDashes_AndOptionalValue) {
  EXPECT_EQ(split_flag("-port")->name, "port");
  EXPECT_EQ(split_flag("--port")->name, "port");
  EXPECT_EQ(split_flag("--port")->value, std::nullopt);
  EXPECT_EQ(split_flag("--port=22080")->name, "port");
  EXPECT_EQ(split_flag("--port=22080")->value, "22080");
  EXPECT_EQ(split_flag("-input=a=b")->value, "a=b");
  EXPECT_EQ(split_flag("--input=")->value, "");
}

TEST(CommandFlag, WordWithoutDash_IsNoFlag) {
  EXPECT_FALSE(split_flag("port"));
  EXPECT_FALSE(split_flag(""));
}

}  // namespace
}  // namespace parley::core
