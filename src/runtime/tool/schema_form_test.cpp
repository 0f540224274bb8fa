// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/schema_form.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/tool/schema_check.h"

namespace parley::tool {
namespace {

std::string fault_of(std::string_view schema) {
  const auto checked = check_schema_form(schema);
  return checked ? "" : checked.error().message;
}

TEST(SchemaForm, ArgumentsSchema_IsTaken) {
  for (
      const char* schema :
      {"{}", R"({"type":"object"})", R"({"type":null,"properties":null,"required":null})",
       R"({"type":"object","properties":{"a":{"type":["string","null"],"default":1}},"required":[]})",
       R"({"properties":{"a":true,"b":{"type":"array","items":{"type":"integer"}}}})",
       R"({"properties":{"a":{"anyOf":[{"type":"string"},{"enum":[1,2]}]}},"additionalProperties":false})",
       R"({"$schema":"x","title":7,"minimum":"so"})"}) {
    EXPECT_EQ(fault_of(schema), "") << schema;
  }
}

TEST(SchemaForm, Fault_IsNamedWithPath) {
  EXPECT_EQ(fault_of("[]"), "it must be a JSON object of at most 64 levels");
  EXPECT_EQ(fault_of("{"), "it must be a JSON object of at most 64 levels");
  EXPECT_EQ(fault_of(R"({"type":"array"})"), R"(type must be "object")");
  EXPECT_EQ(fault_of(R"({"type":["object"]})"), R"(type must be "object")");
  EXPECT_EQ(fault_of(R"({"properties":[]})"), "properties must be an object");
  EXPECT_EQ(fault_of(R"({"properties":{"a":"string"}})"),
            "properties.a must be a schema, which is an object");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"type":"text"}}})"),
            "properties.a.type must be the name of a JSON type, or a list of such names");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"type":[]}}})"),
            "properties.a.type must be the name of a JSON type, or a list of such names");
  EXPECT_EQ(fault_of(R"({"required":"a"})"), "required must be a list of names");
  EXPECT_EQ(fault_of(R"({"required":[1]})"), "required must be a list of names");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"items":7}}})"),
            "properties.a.items must be a schema, which is an object");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"enum":"x"}}})"), "properties.a.enum must be a list");
  EXPECT_EQ(fault_of(R"({"anyOf":{}})"), "anyOf must be a list of schemas");
  EXPECT_EQ(fault_of(R"({"oneOf":[7]})"), "oneOf.0 must be a schema, which is an object");
  EXPECT_EQ(fault_of(R"({"additionalProperties":"no"})"),
            "additionalProperties must be a schema, which is an object");
}

TEST(SchemaForm, DeeperThanArguments_IsRefused) {
  std::string deep = R"({"enum":)";
  deep += std::string(kMaxArgumentDepth, '[') + std::string(kMaxArgumentDepth, ']') + "}";
  EXPECT_EQ(fault_of(deep), "it must be a JSON object of at most 64 levels");
}

}  // namespace
}  // namespace parley::tool
