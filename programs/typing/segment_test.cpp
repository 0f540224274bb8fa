// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/typing/segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::typing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const Segment kEnter{{}, Key::enter};
const Segment kTab{{}, Key::tab};

TEST(TypedSegments, LineEndsAndTabs_AreKeys) {
  EXPECT_THAT(*segments_of("one\ntwo\tthree"),
              ElementsAre(Segment{"one"}, kEnter, Segment{"two"}, kTab, Segment{"three"}));
  EXPECT_THAT(*segments_of("\n\n"), ElementsAre(kEnter, kEnter));
}

// Messages of the page "People", each typed as it comes.
TEST(TypedSegments, DictatedPieces_KeepBlanks_AndEndWithReturn) {
  EXPECT_THAT(*segments_of("git status "), ElementsAre(Segment{"git status "}));
  EXPECT_THAT(*segments_of("and more"), ElementsAre(Segment{"and more"}));
  EXPECT_THAT(*segments_of("\n"), ElementsAre(kEnter));
  EXPECT_THAT(*segments_of("ls -la\n"), ElementsAre(Segment{"ls -la"}, kEnter));
}

TEST(TypedSegments, CarriageReturns_AreSkipped) {
  EXPECT_THAT(*segments_of("one\r\ntwo\r"), ElementsAre(Segment{"one"}, kEnter, Segment{"two"}));
}

TEST(TypedSegments, AllOtherCharacters_AreTyped) {
  const std::string text = "a \xC2\xA0\xE4\xBD\xA0\xF0\x9F\x98\x80~";
  EXPECT_THAT(*segments_of(text), ElementsAre(Segment{text}));
}

struct BadText {
  const char* name;
  std::string text;
  const char* said;
};
void PrintTo(const BadText& bad, std::ostream* out) { *out << bad.name; }
class BadTypedText : public ::testing::TestWithParam<BadText> {};
TEST_P(BadTypedText, BadText_IsRefusedWithoutEcho) {
  const auto segments = segments_of(GetParam().text);
  ASSERT_FALSE(segments);
  EXPECT_EQ(segments.error().code, core::Code::invalid_argument);
  EXPECT_THAT(segments.error().message, HasSubstr(GetParam().said));
  EXPECT_THAT(segments.error().message, Not(HasSubstr("secret")));
}
INSTANTIATE_TEST_SUITE_P(
    All, BadTypedText,
    ::testing::Values(BadText{"empty", "", "nothing to type"},
                      BadText{"only_returns", "\r\r", "nothing to type"},
                      BadText{"escape", "secret\x1B[2J", "control character at byte 6"},
                      BadText{"nul", std::string("secret\0", 7), "control character at byte 6"},
                      BadText{"delete", "secret\x7F", "control character at byte 6"},
                      BadText{"c1", "secret\xC2\x9B", "control character at byte 6"},
                      BadText{"not_utf8", "secret\xFF", "not valid UTF-8 at byte 6"},
                      BadText{"long", std::string(kMaxTypedBytes + 1, 'x'), "at most 1048576"}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace parley::typing
