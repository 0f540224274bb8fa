// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/json_document.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>

namespace parley::setup {
namespace {

const boost::json::value kSample{{"command", "p"}};

std::string put(const std::string& text, const JsonPath& path) {
  auto document = JsonDocument::parse(text);
  if (!document) return "fault: " + document.error().message;
  if (const auto done = document->put(path, kSample); !done)
    return "refused: " + done.error().message;
  if (const auto same = document->verify(); !same) return "wrong: " + document->text();
  return document->text();
}

std::string erased(const std::string& text, const JsonPath& path) {
  auto document = JsonDocument::parse(text);
  if (!document) return "fault";
  if (const auto done = document->erase(path); !done) return "refused: " + done.error().message;
  if (const auto same = document->verify(); !same) return "wrong: " + document->text();
  return document->text();
}

TEST(JsonDocument, Put_KeepsCommentsTabsAndCommas) {
  EXPECT_EQ(put("{\n\t// mine\n\t\"a\": 1, // one\n}\n", {"b"}),
            "{\n\t// mine\n\t\"a\": 1, // one\n\t\"b\": {\n\t\t\"command\": \"p\"\n\t},\n}\n");
  EXPECT_EQ(put("{\n  \"a\": 1 /* x */ // y\n}", {"b"}),
            "{\n  \"a\": 1, /* x */ // y\n  \"b\": {\n    \"command\": \"p\"\n  }\n}");
}

TEST(JsonDocument, Put_KeepsLineEndsAndByteOrderMark) {
  EXPECT_EQ(
      put("\xef\xbb\xbf{\r\n    \"a\": {}\r\n}", {"a", "b"}),
      "\xef\xbb\xbf{\r\n    \"a\": {\r\n        \"b\": {\r\n            \"command\": \"p\"\r\n"
      "        }\r\n    }\r\n}");
}

TEST(JsonDocument, Put_IntoOneLine_StaysOneLine) {
  EXPECT_EQ(put(R"({"a":{"x":1},"c":2})", {"a", "b"}),
            R"({"a":{"x":1, "b": {"command":"p"}},"c":2})");
  EXPECT_EQ(put(R"({"a":{}})", {"a", "b"}), R"({"a":{"b": {"command":"p"}}})");
}

TEST(JsonDocument, Put_IntoEmptyText_MakesAnObject) {
  const std::string whole =
      "{\n  \"a\": {\n    \"b\": {\n      \"command\": \"p\"\n    }\n  }\n}\n";
  EXPECT_EQ(put("", {"a", "b"}), whole);
  EXPECT_EQ(put("{}\n", {"a", "b"}), whole);
  EXPECT_EQ(put(" \n", {"a", "b"}), whole);
}

TEST(JsonDocument, Put_OnUnclearPath_IsRefused) {
  EXPECT_EQ(put(R"({"a": {}, "a": {}})", {"a", "b"}), "refused: a occurs twice");
  EXPECT_EQ(put(R"({"a": {"b": 1, "b": 2}})", {"a", "b"}), "refused: a.b occurs twice");
  EXPECT_EQ(put(R"({"a": 1})", {"a", "b"}), "refused: a is neither an object nor a list");
  EXPECT_EQ(put(R"({"a": {}})", {"a", "-"}), "refused: a is not a list");
  // Elsewhere a name that occurs twice is not ours to judge.
  EXPECT_EQ(put(R"({"x": 1, "x": 2})", {"a"}), R"({"x": 1, "x": 2, "a": {"command":"p"}})");
}

TEST(JsonDocument, Parse_OfBrokenText_NamesTheLine) {
  EXPECT_EQ(put("{\n\"a\": \n", {"a"}), "fault: line 3: a value is missing");
  EXPECT_EQ(put("[1]", {"a"}), "fault: the file does not hold an object");
  EXPECT_EQ(put("{} {}", {"a"}), "fault: line 1: text behind the value");
  EXPECT_TRUE(put("{\"a\": tru}", {"b"}).starts_with("fault"));
  EXPECT_TRUE(put(std::string(70, '[') + std::string(70, ']'), {"a"}).starts_with("fault"));
}

TEST(JsonDocument, Put_ThenErase_RestoresTheBytes) {
  for (const std::string text :
       {"{\n  \"a\": 1\n}\n", "{\n\t\"a\": 1,\n}", "{\"a\": 1}", "{}", "{\"a\":{\"b\":[]}}",
        "{\r\n  \"a\": 1 // one\r\n}\r\n", "{\n  // nothing\n}\n", "{ \"a\": 1, }",
        "{\n  \"a\": 1\n  /* end */\n}\n"}) {
    EXPECT_EQ(erased(put(text, {"z"}), {"z"}), text);
  }
}

TEST(JsonDocument, Erase_TakesOnlyTheMember) {
  EXPECT_EQ(erased("{\n  \"a\": 1,\n  \"b\": 2, // two\n  \"c\": 3\n}", {"b"}),
            "{\n  \"a\": 1, // two\n  \"c\": 3\n}");
  EXPECT_EQ(erased("[{\"a\": 1}]", {"0"}), "fault");
  EXPECT_EQ(erased("{\"a\": [1, 2, 3]}", {"a", "0"}), "{\"a\": [2, 3]}");
  EXPECT_EQ(erased("{\"a\": [1, 2, 3]}", {"a", "2"}), "{\"a\": [1, 2]}");
  EXPECT_EQ(erased("{\"a\": [1,2]}", {"b"}), "{\"a\": [1,2]}");
}

TEST(JsonDocument, CommentOfASlash_HidesItsComma) {
  EXPECT_EQ(erased("{\"a\": 1 /*/ , */, \"b\": 2}", {"b"}), "{\"a\": 1 /*/ , */}");
  EXPECT_EQ(erased("{\n  \"a\": 1 /*/ , */,\n  \"b\": 2\n}", {"a"}), "{\n  \"b\": 2\n}");
}

TEST(JsonDocument, Append_KeepsTheOtherElements) {
  EXPECT_EQ(put("{\n  \"h\": [\n    1\n  ]\n}\n", {"h", "-"}),
            "{\n  \"h\": [\n    1,\n    {\n      \"command\": \"p\"\n    }\n  ]\n}\n");
}

}  // namespace
}  // namespace parley::setup
