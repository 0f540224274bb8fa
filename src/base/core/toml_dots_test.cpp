// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/toml_dots.h"

#include <gtest/gtest.h>

namespace parley::core {
namespace {

TEST(TomlDots, DotsOfKeysAndNumbers_Count) {
  EXPECT_EQ(count_toml_dots("a.b = 1.5\n[c.d.e]\n"), 4U);
  EXPECT_EQ(count_toml_dots(""), 0U);
}

TEST(TomlDots, DotsInStringsAndComments_DoNotCount) {
  EXPECT_EQ(count_toml_dots("a = \"x.y\\\".z\" # one. two.\nb = 'c.\\'\n"), 0U);
  EXPECT_EQ(count_toml_dots("a = \"\"\"\n.\"..\n\"\"\"\nb = '''\n'.\n'''\nc.d = 1"), 1U);
}

TEST(TomlDots, StringWithoutEnd_EndsAtLine) {
  EXPECT_EQ(count_toml_dots("a = \"x.\nb.c = 1\n"), 1U);
  EXPECT_EQ(count_toml_dots("a = \"\\"), 0U);
}

}  // namespace
}  // namespace parley::core
