// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/json_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/core/utf8.h"

namespace parley::core {
namespace {

TEST(JsonWriter, MembersAndElements_AreSeparatedByCommas) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("a").number(1).key("b").begin_array().string("x").null().boolean(true);
  json.end_array().key("c").begin_object().end_object().end_object();
  EXPECT_EQ(out, R"({"a":1,"b":["x",null,true],"c":{}})");
}

TEST(JsonWriter, Rfc8259Characters_AreEscaped) {
  std::string out;
  append_json_string(out, std::string_view("\"\\\n\t\x01\0z", 7));
  EXPECT_EQ(out, R"("\"\\\n\t\u0001\u0000z")");
}

TEST(JsonWriter, IllFormedBytes_AreReplaced) {
  std::string out;
  append_json_string(out, "a\xff\xed\xa0\x80z");
  EXPECT_EQ(out, "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\"");
  EXPECT_TRUE(is_utf8(out));
}

TEST(JsonWriter, EscapedByte_IsFoundAtAnyPosition) {
  for (int c = 0; c < 0x80; ++c) {
    std::string escaped(1, static_cast<char>(c));
    if (c == '"' || c == '\\') escaped.insert(0, "\\");
    if (c < 0x20) {
      escaped.clear();
      append_json_string(escaped, std::string(1, static_cast<char>(c)));
      escaped = escaped.substr(1, escaped.size() - 2);
      EXPECT_EQ(escaped.front(), '\\');
    }
    for (std::size_t at = 0; at < 20; ++at) {
      std::string text(20, 'x');
      text[at] = static_cast<char>(c);
      std::string out;
      append_json_string(out, text);
      EXPECT_EQ(out, '"' + std::string(at, 'x') + escaped + std::string(19 - at, 'x') + '"') << c;
    }
  }
}

TEST(JsonWriter, Collections_BecomeArraysWithCommas) {
  const std::vector<std::string> names = {"a", "b"};
  const std::string out = json_object([&names](JsonWriter& json) {
    json.key("strings").strings(names).key("none").strings(std::vector<std::string>());
    json.key("array").array(names, [](JsonWriter& to, const std::string& name) {
      to.begin_array().string(name).end_array();
    });
    json.key("objects").objects(names, [](JsonWriter& to, const std::string& name) {
      to.key(name).number(1).key("z").null();
    });
  });
  EXPECT_EQ(out, R"({"strings":["a","b"],"none":[],"array":[["a"],["b"]],)"
                 R"("objects":[{"a":1,"z":null},{"b":1,"z":null}]})");
}

TEST(JsonWriter, NonJsonNumbers_AreWrittenAsNull) {
  std::string out;
  JsonWriter json(out);
  json.begin_array().number(std::numeric_limits<double>::quiet_NaN()).number(0.5).end_array();
  EXPECT_EQ(out, "[null,0.5]");
}

TEST(Utf8, Truncation_IsBetweenCharacters) {
  EXPECT_EQ(utf8_truncate("a\xe4\xb8\xad", 3), "a");
  EXPECT_EQ(utf8_truncate("a\xe4\xb8\xad", 4), "a\xe4\xb8\xad");
}

TEST(Utf8, Prefix_StopsAtFirstIllFormedSequence) {
  EXPECT_EQ(utf8_prefix("ok\xc0\xaf"), 2U);
  EXPECT_EQ(utf8_prefix("\xf4\x90\x80\x80"), 0U);
  EXPECT_EQ(utf8_prefix("\xf0\x9f\x98\x80!"), 5U);
  EXPECT_EQ(utf8_prefix("cut\xe4\xb8"), 3U);
}

}  // namespace
}  // namespace parley::core
