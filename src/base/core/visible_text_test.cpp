// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/visible_text.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>
#include <sstream>

#include "base/core/utf8.h"

namespace parley::core {
namespace {

namespace json = boost::json;

json::array cases() {
  std::ifstream file(PARLEY_SOURCE_DIR "/tests/visible_text/cases.json");
  std::stringstream text;
  text << file.rdbuf();
  return json::parse(text.str()).as_array();
}

Breaks breaks_of(const json::object& one) {
  return one.contains("one_line") ? Breaks::escape : Breaks::keep;
}

std::string text_of(const json::object& one, std::string_view name) {
  return std::string(one.at(name).as_string());
}

TEST(VisibleText, SharedCases_MatchConsole) {
  const json::array all = cases();
  ASSERT_GT(all.size(), 40U);
  for (const json::value& each : all) {
    const json::object& one = each.as_object();
    const std::string text = text_of(one, "text");
    EXPECT_EQ(visible_text(text, breaks_of(one)), text_of(one, "visible")) << one.at("name");
    EXPECT_EQ(count_hidden(text, breaks_of(one)), one.at("hidden").to_number<std::size_t>())
        << one.at("name");
  }
}

TEST(VisibleText, CutBetweenAnyTwoCharacters_MakesNoDifference) {
  for (const json::value& each : cases()) {
    const json::object& one = each.as_object();
    const std::string text = text_of(one, "text");
    VisibleText visible(breaks_of(one));
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at + 1;
      while (end < text.size() && !is_utf8(std::string_view(text).substr(at, end - at))) ++end;
      visible.append(out, std::string_view(text).substr(at, end - at));
      at = end;
    }
    visible.finish(out);
    EXPECT_EQ(out, text_of(one, "visible")) << one.at("name");
  }
}

TEST(VisibleText, VisibleForm_IsIdempotent) {
  for (const json::value& each : cases()) {
    const std::string visible = text_of(each.as_object(), "visible");
    EXPECT_EQ(visible_text(visible), visible);
  }
}

TEST(VisibleText, NonUtf8Bytes_AreWrittenOut) {
  EXPECT_EQ(visible_text("a\x9b"
                         "2J\xff\xe2\x80z"),
            "a<0x9B>2J<0xFF><0xE2><0x80>z");
  EXPECT_EQ(count_hidden("\xed\xa0\x80"), 3U) << "a surrogate is not UTF-8";
}

TEST(VisibleText, Finish_StartsNewText) {
  VisibleText visible(Breaks::keep);
  std::string out;
  visible.append(out, "\u2764");
  visible.finish(out);
  visible.append(out, "\ufe0f");
  visible.finish(out);
  EXPECT_EQ(out, "\u2764<U+FE0F>");
}

}  // namespace
}  // namespace parley::core
