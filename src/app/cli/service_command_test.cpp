// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/service_command.h"

#include <gmock/gmock.h>

namespace parley::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::optional<std::string> argument(std::string_view word) {
  return unit_word(word, UnitWord::argument);
}

TEST(UnitWord, SpecialCharacters_AreLiteral) {
  EXPECT_EQ(argument("serve"), "\"serve\"");
  EXPECT_EQ(argument("a b"), "\"a b\"");
  EXPECT_EQ(argument("100%h"), "\"100%%h\"");
  EXPECT_EQ(argument("$HOME"), "\"$$HOME\"");
  EXPECT_EQ(argument("say \"hi\"\\"), "\"say \\\"hi\\\"\\\\\"");
  EXPECT_EQ(argument("/ü/;|&"), "\"/ü/;|&\"");
}

// "$$" in the path of the program would be two characters of its name.
TEST(UnitWord, DollarOfProgramPath_IsNotDoubled) {
  EXPECT_EQ(unit_word("/opt/a$b 5%/parley", UnitWord::program), "\"/opt/a$b 5%%/parley\"");
  EXPECT_THAT(unit_text({"/opt/a$b/parley", "--data=/c$d"}).value(),
              HasSubstr("\nExecStart=\"/opt/a$b/parley\" \"--data=/c$$d\"\n"));
}

TEST(UnitWord, ControlCharacters_AreRefused) {
  EXPECT_FALSE(argument("a\nExecStartPre=/bin/evil"));
  EXPECT_FALSE(argument("a\x7f"));
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
