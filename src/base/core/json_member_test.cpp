// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/json_member.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "base/core/json_parts.h"

namespace parley::core {
namespace {

constexpr std::string_view kText = R"({"name":"a\u00e9","number":1,"none":null,"empty":""})";

template <typename Object>
void expect_members(const Object& object) {
  EXPECT_EQ(text_member(object, "name"), "a\xc3\xa9");
  for (const std::string_view name : {"number", "none", "empty", "absent"}) {
    EXPECT_EQ(text_member(object, name), "") << name;
  }
  const std::string kept = string_member(object, "name");
  EXPECT_EQ(kept, "a\xc3\xa9");
}

TEST(JsonMember, Text_IsRead_OtherTypesAreEmpty) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  ASSERT_EQ(parser.parse(kText.data(), kText.size()).get(object), simdjson::SUCCESS);
  expect_members(object);
  const boost::json::value tree = boost::json::parse(kText);
  expect_members(tree.get_object());
}

TEST(JsonMember, Booleans_AreRead_OtherTypesAreDefault) {
  const boost::json::value tree = boost::json::parse(R"({"yes":true,"no":false,"text":"true"})");
  const boost::json::object& object = tree.get_object();
  EXPECT_TRUE(bool_member(object, "yes"));
  EXPECT_FALSE(bool_member(object, "no", true));
  for (const std::string_view name : {"text", "absent"}) {
    EXPECT_FALSE(bool_member(object, name)) << name;
    EXPECT_TRUE(bool_member(object, name, true)) << name;
  }
}

}  // namespace
}  // namespace parley::core
