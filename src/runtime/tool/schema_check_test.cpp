// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/schema_check.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

namespace parley::tool {
namespace {

constexpr std::string_view kEdit = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1},
    "limit": {"type": "integer", "minimum": 1, "maximum": 2000},
    "ratio": {"type": "number", "exclusiveMinimum": 0},
    "replaceAll": {"type": "boolean"},
    "mode": {"enum": ["fast", "slow"]},
    "include": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
    "edits": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/edit"}},
    "id": {"anyOf": [{"type": "integer"}, {"type": "string"}]}
  },
  "required": ["path"],
  "additionalProperties": false,
  "$defs": {"edit": {"type": "object", "properties": {"oldString": {"type": "string"}},
                     "required": ["oldString"]}}
})";

std::string read_checked(std::string_view written) {
  const auto result = read_arguments(kEdit, written);
  return result ? boost::json::serialize(*result) : "error: " + result.error().message;
}

std::string field_at_fault(std::string_view written) {
  const auto result = read_arguments(kEdit, written);
  return result ? "none" : result.error().field;
}

TEST(Arguments, FittingArguments_StayUnchanged) {
  constexpr std::string_view kWhole =
      R"({"path":"a","limit":5,"ratio":5E-1,"replaceAll":true,"mode":"slow","include":["x"],"id":"7"})";
  EXPECT_EQ(read_checked(kWhole), kWhole);
}

TEST(Arguments, RepeatedMember_IsRefusedByName) {
  EXPECT_EQ(read_checked(R"({"path":"safe","path":"other"})"),
            "error: The arguments name `path` twice: give each member of an object once.");
  EXPECT_EQ(field_at_fault(R"({"path":"a","edits":[{"oldString":"x","oldString":"y"}]})"),
            "oldString");
  EXPECT_EQ(field_at_fault(R"("{\"path\":\"a\",\"\\u0070ath\":\"b\"}")"), "path");
  EXPECT_EQ(field_at_fault(R"({"path":"a","edits":"[{\"oldString\":\"x\",\"oldString\":\"y\"}]"})"),
            "edits");
}

TEST(Arguments, MissingMember_IsNamedWithExpectedType) {
  EXPECT_EQ(read_checked("{}"), "error: The argument `path` is missing: a string is expected.");
  EXPECT_EQ(field_at_fault("{}"), "path");
  EXPECT_EQ(field_at_fault(R"({"path":"a","edits":[{"oldString":"x"},{}]})"), "edits[1].oldString");
}

TEST(Arguments, MemberOfWrongType_IsNamed) {
  EXPECT_EQ(read_checked(R"({"path":["a"]})"),
            "error: The argument `path` must be a string, but is an array.");
  EXPECT_EQ(read_checked(R"({"path":"a","limit":"many"})"),
            "error: The argument `limit` must be an integer, but is a string.");
  EXPECT_EQ(field_at_fault(R"({"path":"a","limit":1.5})"), "limit");
  EXPECT_EQ(field_at_fault(R"({"path":"a","include":["x",{}]})"), "include[1]");
  EXPECT_EQ(field_at_fault(R"({"path":"a","replaceAll":1})"), "replaceAll");
  EXPECT_EQ(field_at_fault(R"({"path":null})"), "path");
}

TEST(Arguments, EnumsAndBounds_AreEnforced) {
  EXPECT_EQ(read_checked(R"({"path":"a","mode":"medium"})"),
            R"(error: The argument `mode` must be one of "fast", "slow", but is "medium".)");
  EXPECT_EQ(read_checked(R"({"path":"a","limit":0})"),
            "error: The argument `limit` must be at least 1.");
  EXPECT_EQ(read_checked(R"({"path":"a","limit":2001})"),
            "error: The argument `limit` must be at most 2000.");
  EXPECT_EQ(field_at_fault(R"({"path":"a","ratio":0})"), "ratio");
  EXPECT_EQ(field_at_fault(R"({"path":""})"), "path");
  EXPECT_EQ(field_at_fault(R"({"path":"a","include":["x","y","z"]})"), "include");
  EXPECT_EQ(field_at_fault(R"({"path":"a","edits":[]})"), "edits");
}

TEST(Arguments, UnknownMember_IsNamedWithKnownMembers) {
  const std::string told = read_checked(R"({"path":"a","colour":"red"})");
  EXPECT_NE(told.find("`colour` is not known"), std::string::npos) << told;
  EXPECT_NE(told.find("replaceAll"), std::string::npos) << told;
}

TEST(Arguments, EmptyText_IsEmptyObject) {
  constexpr std::string_view kFree = R"({"type":"object"})";
  for (const std::string_view written : {"", "  \n", "null", "\"\"", "{}"}) {
    const auto result = read_arguments(kFree, written);
    ASSERT_TRUE(result.has_value()) << written;
    EXPECT_TRUE(result->empty()) << written;
  }
}

TEST(Arguments, ArgumentsInsideStringOrFence_AreUnwrapped) {
  EXPECT_EQ(read_checked(R"("{\"path\":\"a\"}")"), R"({"path":"a"})");
  EXPECT_EQ(read_checked("```json\n{\"path\":\"a\"}\n```"), R"({"path":"a"})");
  EXPECT_EQ(read_checked(R"({"path":"a","edits":"[{\"oldString\":\"x\"}]"})"),
            R"({"path":"a","edits":[{"oldString":"x"}]})");
}

TEST(Arguments, NonObjectArguments_AreRefusedInWords) {
  EXPECT_EQ(read_checked("[1]"), "error: The arguments must be an object, but are an array.");
  EXPECT_NE(read_checked("{\"path\":").find("not valid JSON"), std::string::npos);
  EXPECT_NE(read_checked(R"("\"\\\"\\\\\\\"x\\\\\\\"\\\"\"")").find("error"), std::string::npos);
  EXPECT_NE(read_checked("{\"path\":\"\xff\"}").find("not valid JSON"), std::string::npos);
}

TEST(Arguments, NumbersAndBooleansInStrings_AreConverted) {
  EXPECT_EQ(read_checked(R"({"path":"a","limit":"42","replaceAll":"true"})"),
            R"({"path":"a","limit":42,"replaceAll":true})");
  EXPECT_EQ(read_checked(R"({"path":"a","limit":3.0})"), R"({"path":"a","limit":3})");
  EXPECT_EQ(read_checked(R"({"path":7})"), R"({"path":"7"})");
  EXPECT_EQ(read_checked(R"({"path":1.5})"), R"({"path":"1.5"})");
  EXPECT_EQ(read_checked(R"({"path":false})"), R"({"path":"false"})");
}

TEST(Arguments, StringWhereAllowed_StaysString) {
  EXPECT_EQ(read_checked(R"({"path":"42","id":"42"})"), R"({"path":"42","id":"42"})");
  EXPECT_EQ(field_at_fault(R"({"path":"a","id":{}})"), "id");
}

TEST(Arguments, SingleValue_IsTakenAsList) {
  EXPECT_EQ(read_checked(R"({"path":"a","include":"*.h"})"), R"({"path":"a","include":["*.h"]})");
}

TEST(Arguments, NullForOptionalMember_IsAbsent) {
  EXPECT_EQ(read_checked(R"({"path":"a","limit":null})"), R"({"path":"a"})");
}

TEST(Arguments, NamesOfOtherStyle_AreUnderstood) {
  EXPECT_EQ(read_checked(R"({"Path":"a","replace_all":true})"),
            R"({"path":"a","replaceAll":true})");
  EXPECT_EQ(field_at_fault(R"({"path":"a","replaceAll":true,"replace_all":true})"), "replace_all");
}

TEST(Arguments, HostileDepthAndLength_AreRefused) {
  std::string deep = R"({"path":)";
  for (int i = 0; i < 5'000; ++i) deep += "[";
  EXPECT_NE(read_checked(deep).find("not valid JSON"), std::string::npos);
  EXPECT_NE(read_checked(std::string(kMaxArgumentBytes + 1, ' ')).find("longer"),
            std::string::npos);
}

TEST(Schema, SelfReferencingSchema_EndsInWords) {
  constexpr std::string_view kLoop =
      R"({"properties":{"a":{"$ref":"#/properties/a"}},"type":"object"})";
  const auto result = read_arguments(kLoop, R"({"a":1})");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().field, "a");
}

TEST(Schema, EndlesslyBranchingSchema_EndsInWords) {
  constexpr std::string_view kBranches = R"({"anyOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}]})";
  EXPECT_FALSE(read_arguments(kBranches, R"({"a":1})").has_value());
  const std::string large = R"({"a":")" + std::string(4U << 20U, 'x') + R"("})";
  EXPECT_FALSE(read_arguments(kBranches, large).has_value());
}

TEST(Arguments, ManyThousandMembers_AreCheckedInLinearTime) {
  std::string many = R"({"path":"a")";
  for (int i = 0; i < 50'000; ++i) many += ",\"m" + std::to_string(i) + "\":1";
  EXPECT_TRUE(field_at_fault(many + "}").starts_with("m"));
}

TEST(Schema, InvalidSchema_RestrainsNothing) {
  for (const std::string_view schema :
       {"", "not json", "true", "[]", R"({"type":7,"required":{},"properties":[]})",
        R"({"properties":{"a":{"type":"wish","enum":3,"anyOf":[],"$ref":"http://else.where"}}})"}) {
    const auto result = read_arguments(schema, R"({"a":1})");
    ASSERT_TRUE(result.has_value()) << schema << ": " << result.error().message;
    EXPECT_EQ(boost::json::serialize(*result), R"({"a":1})");
  }
}

TEST(Schema, AllOfAndConst_AreEnforced) {
  constexpr std::string_view kBoth =
      R"({"allOf":[{"required":["a"]},{"properties":{"a":{"const":"x"}}}]})";
  EXPECT_TRUE(read_arguments(kBoth, R"({"a":"x"})").has_value());
  EXPECT_EQ(read_arguments(kBoth, R"({"a":"y"})").error().field, "a");
  EXPECT_EQ(read_arguments(kBoth, R"({})").error().field, "a");
}

TEST(Schema, FurtherMembers_AreChecked) {
  constexpr std::string_view kMap = R"({"type":"object","additionalProperties":{"type":"string"}})";
  EXPECT_EQ(read_arguments(kMap, R"({"a":"x","b":[]})").error().field, "b");
}

}  // namespace
}  // namespace parley::tool
