// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/pattern.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace parley::conformance {
namespace {

namespace json = boost::json;

std::optional<Mismatch> compare(std::string_view pattern, std::string_view value) {
  Bindings bound;
  return match(json::parse(pattern), json::parse(value), bound);
}

bool matches(std::string_view pattern, std::string_view value) {
  return !compare(pattern, value).has_value();
}

bool well_formed(std::string_view pattern) {
  return check_pattern(json::parse(pattern)).has_value();
}

TEST(Pattern, Object_AllowsUnnamedMembers) {
  EXPECT_TRUE(matches(R"({"a":1})", R"({"a":1,"b":2})"));
  EXPECT_FALSE(matches(R"({"a":1})", R"({"b":2})"));
  EXPECT_FALSE(matches(R"({"a":1})", R"({"a":2})"));
  EXPECT_FALSE(matches(R"({"a":{"b":true}})", R"({"a":true})"));
}

TEST(Pattern, Array_NeedsEveryElementInOrder) {
  EXPECT_TRUE(matches("[1,2]", "[1,2]"));
  EXPECT_FALSE(matches("[1,2]", "[2,1]"));
  EXPECT_FALSE(matches("[1,2]", "[1,2,3]"));
}

TEST(Pattern, Numbers_CompareByValue_TextStaysText) {
  EXPECT_TRUE(matches("1", "1.0"));
  EXPECT_FALSE(matches("1", "\"1\""));
  EXPECT_FALSE(matches("0", "false"));
  EXPECT_FALSE(matches("0", "null"));
}

TEST(Pattern, Exact_RefusesOtherMembers) {
  EXPECT_TRUE(matches(R"({"$exact":{"a":1}})", R"({"a":1})"));
  EXPECT_FALSE(matches(R"({"$exact":{"a":1}})", R"({"a":1,"b":2})"));
}

TEST(Pattern, Absent_NeedsMissingMember) {
  EXPECT_TRUE(matches(R"({"a":{"$absent":true}})", R"({"b":1})"));
  EXPECT_FALSE(matches(R"({"a":{"$absent":true}})", R"({"a":null})"));
}

TEST(Pattern, TypeRegexAndLength) {
  EXPECT_TRUE(matches(R"({"$type":"number"})", "3"));
  EXPECT_FALSE(matches(R"({"$type":"integer"})", "3.5"));
  EXPECT_TRUE(matches(R"({"$regex":"^a+$"})", R"("aaa")"));
  EXPECT_FALSE(matches(R"({"$regex":"^a+$"})", R"("aab")"));
  EXPECT_TRUE(matches(R"({"$len":2})", "[1,2]"));
  EXPECT_TRUE(matches(R"({"$len":{"$range":[1,null]}})", R"("x")"));
  EXPECT_FALSE(matches(R"({"$len":{"$range":[1,null]}})", R"("")"));
}

TEST(Pattern, Range_TakesNumbersAndIntegersAsText) {
  EXPECT_TRUE(matches(R"({"$range":[1,5]})", "5"));
  EXPECT_TRUE(matches(R"({"$range":[1,5]})", R"("3")"));
  EXPECT_FALSE(matches(R"({"$range":[1,5]})", "6"));
  EXPECT_FALSE(matches(R"({"$range":[1,5]})", R"("3x")"));
  EXPECT_TRUE(matches(R"({"$range":[1,null]})", "1e9"));
}

TEST(Pattern, Contains_LooksIntoTextAndArrays) {
  EXPECT_TRUE(matches(R"({"$contains":"ell"})", R"("hello")"));
  EXPECT_TRUE(matches(R"({"$contains":{"id":2}})", R"([{"id":1},{"id":2,"x":0}])"));
  EXPECT_FALSE(matches(R"({"$contains":{"id":3}})", R"([{"id":1}])"));
}

TEST(Pattern, Unordered_FindsAssignmentByBacktracking) {
  EXPECT_TRUE(matches(R"({"$unordered":[{"$any":true},1]})", "[1,2]"));
  EXPECT_FALSE(matches(R"({"$unordered":[1,1]})", "[1,2]"));
  EXPECT_FALSE(matches(R"({"$unordered":[1]})", "[1,2]"));
}

TEST(Pattern, NotAnyOfEachAndInnerJson) {
  EXPECT_TRUE(matches(R"({"$not":1})", "2"));
  EXPECT_FALSE(matches(R"({"$not":1})", "1"));
  EXPECT_TRUE(matches(R"({"$one_of":[1,"a"]})", R"("a")"));
  EXPECT_FALSE(matches(R"({"$one_of":[1,"a"]})", "2"));
  EXPECT_TRUE(matches(R"({"$each":{"$type":"string"}})", R"(["a","b"])"));
  EXPECT_FALSE(matches(R"({"$each":{"$type":"string"}})", R"(["a",1])"));
  EXPECT_TRUE(matches(R"({"$json":{"a":1}})", R"("{\"a\":1}")"));
  EXPECT_FALSE(matches(R"({"$json":{"a":1}})", R"("{")"));
}

TEST(Pattern, Bind_CapturesOnlyFullMatch) {
  Bindings bound;
  const json::value pattern = json::parse(R"({"id":{"$bind":"id","$type":"string"},"ok":true})");
  EXPECT_TRUE(match(pattern, json::parse(R"({"id":"x","ok":false})"), bound).has_value());
  EXPECT_TRUE(bound.empty());
  EXPECT_FALSE(match(pattern, json::parse(R"({"id":"x","ok":true})"), bound).has_value());
  EXPECT_EQ(bound.at("id"), json::value("x"));
}

TEST(Pattern, Mismatch_NamesPath) {
  const auto difference = compare(R"({"a":[{"b/c":1}]})", R"({"a":[{"b/c":2}]})");
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->path, "/a/0/b~1c");
  EXPECT_EQ(difference->expected, "1");
  EXPECT_EQ(difference->got, "2");
}

TEST(Pattern, Check_RefusesMalformedPatterns) {
  EXPECT_TRUE(well_formed(R"({"a":[{"$any":true}]})"));
  EXPECT_TRUE(well_formed(R"({"${id}":true})"));
  EXPECT_FALSE(well_formed(R"({"$sometimes":true})"));
  EXPECT_FALSE(well_formed(R"({"$regex":"("})"));
  EXPECT_FALSE(well_formed(R"({"$type":"text"})"));
  EXPECT_FALSE(well_formed(R"({"$range":[1]})"));
  EXPECT_FALSE(well_formed(R"({"$any":true,"plain":1})"));
  EXPECT_FALSE(well_formed(R"({"$unordered":{"$any":true}})"));
  const auto checked = check_pattern(json::parse(R"({"a":[1,{"$typo":1}]})"));
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().field, "/a/1/$typo");
}

}  // namespace
}  // namespace parley::conformance
