// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/proto_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <fstream>

#include "base/core/hex.h"
#include "tools/conformance/bytes.h"

namespace parley::conformance {
namespace {

using testing::HasSubstr;

std::string write_file(const std::string& name, const std::string& text) {
  std::string path = testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

TEST(ProtoSchema, UnknownProtoFile_MessagesRoundTrip) {
  const std::string path = write_file("schema_test.proto",
                                      "syntax = \"proto3\"; package t;\n"
                                      "message M { string Cmd = 1; map<string, bool> on = 2; }\n");
  const auto schema = ProtoSchema::load(path);
  ASSERT_TRUE(schema) << schema.error().message;
  const auto value = boost::json::parse(R"({"Cmd":"x","on":{"b":false,"a":true}})");
  const auto encoded = (*schema)->encode("t.M", value);
  ASSERT_TRUE(encoded) << encoded.error().message;
  EXPECT_EQ(core::hex_text(*encoded),
            "0a017812050a016110011205"
            "0a01621000");
  EXPECT_EQ((*schema)->decode("t.M", *encoded).value(), value);
}

TEST(ProtoSchema, MistakeInCase_IsError) {
  const std::string path = write_file("schema_test2.proto", "syntax = \"proto3\"; message M {}\n");
  const auto schema = ProtoSchema::load(path);
  ASSERT_TRUE(schema);
  EXPECT_FALSE((*schema)->encode("M", boost::json::parse(R"({"typo":1})")));
  EXPECT_FALSE((*schema)->encode("N", boost::json::parse("{}")));
  EXPECT_FALSE((*schema)->decode("M", "\xff"));
}

TEST(ProtoSchema, UncompilableFile_IsErrorWithLine) {
  const std::string path = write_file("schema_test3.proto", "syntax = \"proto3\";\nmessage {}\n");
  const auto schema = ProtoSchema::load(path);
  ASSERT_FALSE(schema);
  EXPECT_THAT(schema.error().message, HasSubstr("schema_test3.proto:2"));
  EXPECT_FALSE(ProtoSchema::load("/nowhere.proto"));
}

}  // namespace
}  // namespace parley::conformance
