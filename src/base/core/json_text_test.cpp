// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "base/core/entropy.h"

namespace parley::core {
namespace {

ScanResult scan(std::string_view text, std::size_t depth = 64) {
  std::vector<JsonField> fields;
  std::vector<JsonField> inner;
  return scan_object(text, depth, "payload", fields, inner);
}

TEST(JsonText, MembersOfObjectAndPayload_AreListed) {
  std::vector<JsonField> fields;
  std::vector<JsonField> inner;
  ASSERT_EQ(scan_object(R"( { "a" : 1 , "payload":{"x":[1, 2] ,"y":null},"b" :"t" } )", 64,
                        "payload", fields, inner),
            ScanResult::ok);
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields[0].name, "\"a\"");
  EXPECT_EQ(fields[0].value, "1");
  EXPECT_EQ(fields[0].type, JsonType::number);
  EXPECT_EQ(fields[1].value, R"({"x":[1, 2] ,"y":null})");
  EXPECT_EQ(fields[2].value, "\"t\"");
  ASSERT_EQ(inner.size(), 2U);
  EXPECT_EQ(inner[0].value, "[1, 2]");
  EXPECT_EQ(inner[1].type, JsonType::null);
}

TEST(JsonText, ValuesOfArray_AreListed) {
  std::vector<JsonField> values;
  ASSERT_EQ(scan_array(R"( ["a", -1.5 ,{"x":[1]},null] )", 64, values), ScanResult::ok);
  ASSERT_EQ(values.size(), 4U);
  EXPECT_EQ(values[0].value, "\"a\"");
  EXPECT_EQ(values[1].value, "-1.5");
  EXPECT_EQ(values[1].type, JsonType::number);
  EXPECT_EQ(values[2].value, R"({"x":[1]})");
  EXPECT_EQ(values[3].type, JsonType::null);
  EXPECT_EQ(scan_array("[]", 64, values), ScanResult::ok);
  EXPECT_TRUE(values.empty());
  EXPECT_EQ(scan_array("{}", 64, values), ScanResult::malformed);
  EXPECT_EQ(scan_array("[1,]", 64, values), ScanResult::malformed);
  EXPECT_EQ(scan_array("[[[]]]", 2, values), ScanResult::too_deep);
}

TEST(JsonText, LastOfSeveralPayloads_IsListed) {
  std::vector<JsonField> fields;
  std::vector<JsonField> inner;
  ASSERT_EQ(
      scan_object(R"({"payload":{"x":1},"payl\u006fad":{"y":2}})", 64, "payload", fields, inner),
      ScanResult::ok);
  ASSERT_EQ(inner.size(), 1U);
  EXPECT_EQ(inner[0].name, "\"y\"");
  ASSERT_EQ(scan_object(R"({"payload":{"x":1},"payload":7})", 64, "payload", fields, inner),
            ScanResult::ok);
  EXPECT_TRUE(inner.empty());
}

TEST(JsonText, TextValidForJsonParse_IsTaken) {
  for (const char* text :
       {"{}", " {} \n", R"({"":0})", R"({"a":-0.5e+10})", R"({"a":1E400})",
        R"({"a":123456789012345678901234567890})", R"({"a":"\ud83d"})",
        R"({"a":"\"\\\/\b\f\n\r\t"})", R"({"a":[[],{},[{}]]})", R"({"a":true,"b":false,"c":null})",
        "{\"a\":\"\xe2\x82\xac\"}", "{\"a\":\"\x7f\"}"}) {
    EXPECT_EQ(scan(text), ScanResult::ok) << text;
  }
}

TEST(JsonText, TextInvalidForJsonParse_IsRefused) {
  for (const char* text : {"",
                           "{",
                           "}",
                           "{]",
                           "{}x",
                           "{} {}",
                           "[]",
                           "1",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{,}",
                           "{a:1}",
                           "{'a':1}",
                           "{\"a\":01}",
                           "{\"a\":+1}",
                           "{\"a\":1.}",
                           "{\"a\":.5}",
                           "{\"a\":1e}",
                           "{\"a\":-}",
                           "{\"a\":NaN}",
                           "{\"a\":nul}",
                           "{\"a\":tru }",
                           "{\"a\":[1 2]}",
                           "{\"a\":[1,]}",
                           "{\"a\":[}",
                           "{\"a\":\"\\x\"}",
                           "{\"a\":\"\\u12g4\"}",
                           "{\"a\":\"\\u12\"}",
                           "{\"a\":\"\n\"}",
                           "{\"a\":\"\\",
                           "{\"a\":\"abcdefgh",
                           "{\"a\":\"12345678\t12345678\"}",
                           "{\"a\" 1}",
                           "\xef\xbb\xbf{}",
                           "{\"a\":1 /* c */}"}) {
    EXPECT_EQ(scan(text), ScanResult::malformed) << text;
  }
}

TEST(JsonText, Levels_AreCountedFromOwnBraces) {
  EXPECT_EQ(scan(R"({"a":[1]})", 2), ScanResult::ok);
  EXPECT_EQ(scan(R"({"a":[1]})", 1), ScanResult::too_deep);
  EXPECT_EQ(scan(R"({"a":[{}]})", 2), ScanResult::too_deep);
  EXPECT_EQ(scan(std::string(1'000'000, '{')), ScanResult::malformed);
  EXPECT_EQ(scan("{\"a\":" + std::string(1'000'000, '['), 1U << 30U), ScanResult::too_deep);
}

TEST(JsonText, ListedMembers_AreLimited) {
  std::string text = "{";
  for (std::size_t i = 0; i < kMaxScannedFields; ++i) text += (i == 0 ? "\"k\":1" : ",\"k\":1");
  EXPECT_EQ(scan(text + "}"), ScanResult::ok);
  EXPECT_EQ(scan(text + ",\"k\":1}"), ScanResult::too_many_fields);
  EXPECT_EQ(scan("{\"payload\":" + text + ",\"k\":1}}"), ScanResult::too_many_fields);
  EXPECT_EQ(scan("{\"other\":" + text + ",\"k\":1}}"), ScanResult::ok);
}

TEST(JsonText, DecodesStrings) {
  EXPECT_EQ(decode_json_string(R"("plain")"), "plain");
  EXPECT_EQ(decode_json_string(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(decode_json_string(R"("\u0041\u00e9\u20ac")"), "A\u00e9\u20ac");
  EXPECT_EQ(decode_json_string(R"("\ud83d\ude00!")"), "\U0001F600!");
  EXPECT_EQ(decode_json_string(R"("\ud83d!\ude00")"), "\uFFFD!\uFFFD");
  EXPECT_EQ(decode_json_string(R"("\ud83d\ud83d\ude00")"), "\uFFFD\U0001F600");
  EXPECT_EQ(decode_json_string(R"("\ud83d")"), "\uFFFD");
}

TEST(JsonText, LastMemberOfName_IsFound) {
  std::vector<JsonField> fields;
  std::vector<JsonField> inner;
  ASSERT_EQ(scan_object(R"({"a":1,"\u0061":2,"b":3})", 64, "", fields, inner), ScanResult::ok);
  EXPECT_EQ(find_field(fields, "a")->value, "2");
  EXPECT_EQ(find_field(fields, "c"), nullptr);
}

// Random texts near JSON: the scanner accepts exactly the texts that simdjson accepts. None has
// huge numbers or lone surrogates, which only simdjson refuses.
TEST(JsonText, Scanner_AgreesWithSimdjson) {
  constexpr std::string_view kPieces[] = {
      "{", "}",    "[",     "]",  ",",    ":",      "\"a\"", "\"payload\"", "\"type\"",
      "1", "-2.5", "true",  " ",  "null", "\"",     "\\n",   "\\u0041",     "x",
      "0", "e5",   "false", "\t", "{}",   "\"\\\"", "[1]",   "\"b\":"};
  core::SeededEntropy entropy(7);
  simdjson::dom::parser parser;
  std::size_t good = 0;
  for (int round = 0; round < 60'000; ++round) {
    std::string text = "{\"k\":";
    const std::size_t count = entropy.next_u64() % 9;
    for (std::size_t i = 0; i < count; ++i)
      text += kPieces[entropy.next_u64() % std::size(kPieces)];
    if (entropy.next_u64() % 8 != 0) text += "}";
    simdjson::dom::element root;
    const bool expected = parser.parse(text).get(root) == simdjson::SUCCESS;
    ASSERT_EQ(scan(text) == ScanResult::ok, expected) << text;
    good += expected ? 1U : 0U;
  }
  EXPECT_GT(good, 1'000U);
}

}  // namespace
}  // namespace parley::core
