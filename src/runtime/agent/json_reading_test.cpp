// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/json_reading.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

namespace parley::agent {
namespace {

std::string found(std::string_view text) {
  const auto value = find_json(text);
  return value ? boost::json::serialize(*value) : "nothing";
}

TEST(JsonReading, Json_IsFoundAnywhereInReply) {
  EXPECT_EQ(found(R"({"a":1})"), R"({"a":1})");
  EXPECT_EQ(found("Sure!\n```json\n{\"a\":1}\n```\n"), R"({"a":1})");
  EXPECT_EQ(found("```\n[1,2]\n```"), "[1,2]");
  EXPECT_EQ(found("```\nnot\n```\nbut\n```\n{\"a\":1}\n```"), R"({"a":1})");
  EXPECT_EQ(found(R"(The plan is {"a":"}"} as you see.)"), R"({"a":"}"})");
  EXPECT_EQ(found(R"(A set {x} and {"a":1})"), R"({"a":1})");
  EXPECT_EQ(found("{\"a\":1, // why\n}"), R"({"a":1})");
}

TEST(JsonReading, TextWithoutJson_FindsNothing) {
  EXPECT_EQ(found(""), "nothing");
  EXPECT_EQ(found("42"), "nothing");
  EXPECT_EQ(found("{\"a\":"), "nothing");
  EXPECT_EQ(found("]]}}"), "nothing");
  EXPECT_EQ(found(std::string(100'000, '[')), "nothing");
}

TEST(JsonReading, Texts_AreTakenFromListOrSingleValue) {
  const auto object = find_json_object(R"({"a":["x",2,null],"b":"y","c":null})");
  ASSERT_TRUE(object);
  EXPECT_EQ(texts_of(*object, "a"), (std::vector<std::string>{"x", "2"}));
  EXPECT_EQ(texts_of(*object, "b"), std::vector<std::string>{"y"});
  EXPECT_TRUE(texts_of(*object, "c").empty());
  EXPECT_TRUE(texts_of(*object, "d").empty());
}

}  // namespace
}  // namespace parley::agent
