// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/json_rpc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::mcp {
namespace {

RpcMessage only(std::string_view line) {
  RpcLine read = parse_rpc_line(line);
  EXPECT_EQ(read.messages.size(), 1U);
  EXPECT_FALSE(read.batch);
  return read.messages.empty() ? RpcMessage{} : std::move(read.messages.front());
}

TEST(ParseRpcLine, Request_IsRead) {
  const RpcMessage message =
      only(R"({"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"a":1}})");
  EXPECT_EQ(message.kind, RpcMessage::Kind::request);
  EXPECT_EQ(message.id, "7");
  EXPECT_EQ(message.method, "tools/list");
  EXPECT_EQ(message.params.at("a").as_int64(), 1);
}

TEST(ParseRpcLine, Id_KeepsItsSpelling) {
  EXPECT_EQ(only(R"({"jsonrpc":"2.0","id": 1.50 ,"method":"m"})").id, "1.50");
  EXPECT_EQ(only(R"({"jsonrpc":"2.0","id":"a\u0062\/" ,"method":"m"})").id, R"("a\u0062\/")");
  EXPECT_EQ(only(R"({"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"m"})").id,
            "123456789012345678901234567890");
  EXPECT_EQ(only(R"({"id":1,"\u0069d":2,"jsonrpc":"2.0","method":"m"})").id, "2");
}

TEST(ParseRpcLine, MessageWithoutId_IsNotification) {
  EXPECT_EQ(only(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").kind,
            RpcMessage::Kind::notification);
}

TEST(ParseRpcLine, Answer_IsNeitherRequestNorInvalid) {
  EXPECT_EQ(only(R"({"jsonrpc":"2.0","id":1,"result":{}})").kind, RpcMessage::Kind::response);
  EXPECT_EQ(only(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}})").kind,
            RpcMessage::Kind::response);
}

TEST(ParseRpcLine, TextOtherThanJson_IsParseErrorWithoutId) {
  for (const std::string_view line :
       {"hello", "{", R"({"jsonrpc":"2.0","id":1,"method":"m",})", "{} {}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}"}) {
    const RpcMessage message = only(line);
    EXPECT_EQ(message.kind, RpcMessage::Kind::invalid) << line;
    EXPECT_EQ(message.error_code, kParseError) << line;
    EXPECT_EQ(message.id, "null") << line;
  }
}

TEST(ParseRpcLine, OverlyDeepDocument_IsParseError) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(only(deep).error_code, kParseError);
}

TEST(ParseRpcLine, InvalidRequest_IsAnsweredUnderReadableId) {
  const RpcMessage no_method = only(R"({"jsonrpc":"2.0","id":"x"})");
  EXPECT_EQ(no_method.error_code, kInvalidRequest);
  EXPECT_EQ(no_method.id, "\"x\"");
  const RpcMessage old = only(R"({"id":4,"method":"m"})");
  EXPECT_EQ(old.error_code, kInvalidRequest);
  EXPECT_EQ(old.id, "4");
  const RpcMessage params = only(R"({"jsonrpc":"2.0","id":5,"method":"m","params":3})");
  EXPECT_EQ(params.error_code, kInvalidRequest);
  EXPECT_EQ(params.id, "5");
  for (const std::string_view line :
       {R"({"jsonrpc":"2.0","id":{},"method":"m"})", R"({"jsonrpc":"2.0","id":null,"method":"m"})",
        "3", "\"text\"", "null"}) {
    EXPECT_EQ(only(line).error_code, kInvalidRequest) << line;
    EXPECT_EQ(only(line).id, "null") << line;
  }
}

TEST(ParseRpcLine, TooManyMembers_IsInvalidRequest) {
  std::string text = R"({"jsonrpc":"2.0","id":1,"method":"ping")";
  for (int i = 0; i < 2'000; ++i) text += ",\"m" + std::to_string(i) + "\":0";
  const RpcLine line = parse_rpc_line(text + "}");
  ASSERT_EQ(line.messages.size(), 1U);
  EXPECT_EQ(line.messages[0].error_code, kInvalidRequest);
  EXPECT_EQ(line.messages[0].error_text, "Invalid request: more than 1,024 members");
}

TEST(ParseRpcLine, DeepestMessage_KeepsItsId_AloneAndInBatch) {
  const auto nested = [](std::size_t depth) {
    return R"({"jsonrpc":"2.0","id":"a","method":"m","params":)" + std::string(depth, '[') +
           std::string(depth, ']') + "}";
  };
  for (std::size_t depth = 55; depth < 70; ++depth) {
    const RpcLine alone = parse_rpc_line(nested(depth));
    ASSERT_EQ(alone.messages.size(), 1U);
    if (alone.messages[0].error_code != kParseError) {
      EXPECT_EQ(alone.messages[0].id, R"("a")");
    }
    const RpcLine batch = parse_rpc_line("[" + nested(depth) + "]");
    ASSERT_EQ(batch.messages.size(), 1U);
    if (batch.messages[0].error_code != kParseError) {
      EXPECT_EQ(batch.messages[0].id, R"("a")");
    }
  }
}

TEST(ParseRpcLine, RepeatedId_LastCounts) {
  const RpcLine line = parse_rpc_line(R"({"jsonrpc":"2.0","id":1,"method":"ping","id":"b"})");
  ASSERT_EQ(line.messages.size(), 1U);
  EXPECT_EQ(line.messages[0].id, R"("b")");
}

TEST(ParseRpcLine, Batch_IsReadWithEachId) {
  const RpcLine read =
      parse_rpc_line(R"([{"jsonrpc":"2.0","id":"a","method":"m"},{"jsonrpc":"2.0","method":"n"},3,)"
                     R"({"jsonrpc":"2.0","id":2.0,"method":"m"}])");
  EXPECT_TRUE(read.batch);
  ASSERT_EQ(read.messages.size(), 4U);
  EXPECT_EQ(read.messages[0].id, "\"a\"");
  EXPECT_EQ(read.messages[1].kind, RpcMessage::Kind::notification);
  EXPECT_EQ(read.messages[2].error_code, kInvalidRequest);
  EXPECT_EQ(read.messages[3].id, "2.0");
}

TEST(ParseRpcLine, EmptyOrHugeBatch_IsSingleInvalidRequest) {
  EXPECT_EQ(only("[]").error_code, kInvalidRequest);
  std::string huge = "[0";
  for (std::size_t i = 0; i < kMaxBatch; ++i) huge += ",0";
  EXPECT_EQ(only(huge + "]").error_code, kInvalidRequest);
}

TEST(ParseRpcLine, BlankLine_HoldsNothing) {
  EXPECT_TRUE(parse_rpc_line("").messages.empty());
  EXPECT_TRUE(parse_rpc_line(" \t\r").messages.empty());
}

TEST(RpcIdKey, Key_IsEqualOnlyForEqualIds) {
  EXPECT_EQ(rpc_id_key(R"("ab")"), rpc_id_key(R"("a\u0062")"));
  EXPECT_NE(rpc_id_key("1"), rpc_id_key(R"("1")"));
  EXPECT_EQ(rpc_id_value_key(boost::json::value(7)), rpc_id_key("7"));
  EXPECT_NE(rpc_id_key("1e-7"), rpc_id_key("2e-7"));
  EXPECT_NE(rpc_id_key("0.1"), rpc_id_key("0.10000000000000002"));
  EXPECT_EQ(rpc_id_key("1.5"), rpc_id_key("15e-1"));
  EXPECT_EQ(rpc_id_value_key(boost::json::value(nullptr)), "");
}

TEST(RpcError, Error_HoldsIdVerbatim_EscapesText) {
  EXPECT_EQ(rpc_error("1.50", kMethodNotFound, "no \"x\""),
            R"({"jsonrpc":"2.0","id":1.50,"error":{"code":-32601,"message":"no \"x\""}})");
}

}  // namespace
}  // namespace parley::mcp
