// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/service_unit.h"

#include <gmock/gmock.h>

namespace parley::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(UnitWord, SpecialCharacters_AreLiteral) {
  EXPECT_EQ(unit_word("serve"), "\"serve\"");
  EXPECT_EQ(unit_word("a b"), "\"a b\"");
  EXPECT_EQ(unit_word("100%h"), "\"100%%h\"");
  EXPECT_EQ(unit_word("$HOME"), "\"$$HOME\"");
  EXPECT_EQ(unit_word("say \"hi\"\\"), "\"say \\\"hi\\\"\\\\\"");
  EXPECT_EQ(unit_word("/ü/;|&"), "\"/ü/;|&\"");
}

TEST(UnitWord, ControlCharacters_AreRefused) {
  EXPECT_FALSE(unit_word("a\nExecStartPre=/bin/evil"));
  EXPECT_FALSE(unit_word("a\x7f"));
  EXPECT_FALSE(unit_text({"/bin/parley", "--data=/x\ny"}));
}

TEST(UnitText, Command_IsStartedAndUnitIsRecognized) {
  const std::string text = unit_text({"/opt/my parley", "serve", "--data=/d"}).value();
  EXPECT_THAT(text, AllOf(HasSubstr("\nExecStart=\"/opt/my parley\" \"serve\" \"--data=/d\"\n"),
                          HasSubstr("\nWantedBy=default.target\n")));
  EXPECT_TRUE(is_own_unit(text));
  EXPECT_FALSE(is_own_unit("[Unit]\n" + text));
}

TEST(UnitFile, ConfigHome_CountsIfAbsolute) {
  EXPECT_EQ(unit_file("/c", "/h/a"), "/c/systemd/user/parley.service");
  EXPECT_EQ(unit_file("", "/h/a"), "/h/a/.config/systemd/user/parley.service");
  EXPECT_EQ(unit_file("c", "/h/a"), "/h/a/.config/systemd/user/parley.service");
}

}  // namespace
}  // namespace parley::app
