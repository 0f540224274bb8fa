// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/mcp_http/http_envelope.h"

#include <gtest/gtest.h>

#include "dialects/mcp_http/legacy_session.h"

namespace parley::mcp_http {
namespace {

mcp::RpcMessage message(const std::string& text) {
  return mcp::parse_rpc_line(text).messages.front();
}
net::Headers fields(const std::vector<std::pair<std::string, std::string>>& all) {
  net::Headers headers;
  for (const auto& [name, value] : all) headers.add(name, value);
  return headers;
}

TEST(DecodeField, Base64Form_IsDecodedStrictly) {
  EXPECT_EQ(decode_field(" plain "), "plain");
  EXPECT_EQ(decode_field("=?base64?w6k=?="), "\xc3\xa9");
  EXPECT_EQ(decode_field("=?base64?w6k?="), std::nullopt);
  EXPECT_EQ(decode_field("=?base64?w6k*?="), std::nullopt);
  EXPECT_EQ(decode_field("=?base64?w6k="), "=?base64?w6k=");
  EXPECT_EQ(decode_field("=?base64?"
                         "?="),
            "");
  EXPECT_EQ(decode_field("=?base64?="), "=?base64?=");
}

TEST(IsModern, BodyOrHeader_Decides_MethodHeaderDoesNot) {
  const auto old = message(R"({"jsonrpc":"2.0","id":1,"method":"initialize"})");
  EXPECT_FALSE(is_modern({}, old));
  EXPECT_FALSE(is_modern(fields({{"Mcp-Method", "initialize"}}), old));
  EXPECT_FALSE(is_modern(fields({{"MCP-Protocol-Version", "2025-06-18"}}), old));
  EXPECT_TRUE(is_modern(fields({{"mcp-protocol-version", "2099-01-01"}}), old));
  EXPECT_TRUE(
      is_modern({}, message(R"({"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":)"
                            R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})")));
}

TEST(CheckFields, MirroredValues_AreComparedByType) {
  const auto call = message(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t",)"
                            R"("arguments":{"deep":{"n":7,"b":true},"none":null}}})");
  const auto check = [&call](const std::string& value, std::vector<std::string> path) {
    return check_fields(
               fields({{"Mcp-Method", "tools/call"}, {"Mcp-Name", "t"}, {"Mcp-Param-V", value}}),
               call, {{"V", std::move(path)}})
        .has_value();
  };
  EXPECT_TRUE(check("7", {"deep", "n"}));
  EXPECT_TRUE(check("007", {"deep", "n"}));
  EXPECT_FALSE(check("8", {"deep", "n"}));
  EXPECT_TRUE(check("true", {"deep", "b"}));
  EXPECT_FALSE(check("True", {"deep", "b"}));
  EXPECT_TRUE(check("anything", {"none"}));
  EXPECT_TRUE(check("anything", {"absent", "n"}));
}

TEST(AcceptsAnswers, BothForms_AreNeeded) {
  EXPECT_TRUE(accepts_answers({}));
  EXPECT_TRUE(accepts_answers(fields({{"Accept", "*/*"}})));
  EXPECT_TRUE(accepts_answers(fields({{"Accept", "application/json, text/event-stream"}})));
  EXPECT_FALSE(accepts_answers(fields({{"Accept", "application/json"}})));
  EXPECT_FALSE(accepts_answers(fields({{"Accept", "text/html"}})));
}

TEST(EventPlace, Text_ReadsBack_OtherTextDoesNot) {
  const auto place = EventPlace::parse(EventPlace{3, 14}.text());
  ASSERT_TRUE(place);
  EXPECT_EQ(place->stream, 3U);
  EXPECT_EQ(place->number, 14U);
  for (const char* text : {"", "3", "-", "3-", "-4", "a-b", "3-4-5", "99999999999999999999-1"}) {
    EXPECT_FALSE(EventPlace::parse(text)) << text;
  }
}

}  // namespace
}  // namespace parley::mcp_http
