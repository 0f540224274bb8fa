// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/assistant/connect_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/net/http/compression.h"
#include "dialects/assistant/codec.h"

namespace parley::assistant {
namespace {

using core::Code;
using testing::HasSubstr;
using testing::Not;

TEST(RpcCodecOf, BothUnaryTypes_AreTakenWithParameters) {
  EXPECT_EQ(rpc_codec_of("application/proto"), RpcCodec::proto);
  EXPECT_EQ(rpc_codec_of("application/json; charset=utf-8"), RpcCodec::json);
  EXPECT_EQ(rpc_codec_of("Application/JSON ;x"), RpcCodec::json);
  for (const char* type : {"", "text/plain", "application/grpc", "application/connect+proto",
                           "application/protobuf", "application/jsonx"}) {
    EXPECT_EQ(rpc_codec_of(type), std::nullopt) << type;
  }
}

TEST(CheckProtocolVersion, Version_MayBeMissing_OtherwiseIs1) {
  net::Headers headers;
  EXPECT_TRUE(check_protocol_version(headers));
  headers.set("Connect-Protocol-Version", "1");
  EXPECT_TRUE(check_protocol_version(headers));
  headers.set("Connect-Protocol-Version", "2");
  EXPECT_EQ(check_protocol_version(headers).error().code, Code::invalid_argument);
  headers.set("Connect-Protocol-Version", "");
  EXPECT_FALSE(check_protocol_version(headers));
}

TEST(RpcTimeoutOf, Timeout_HasAtMostTenDigits) {
  net::Headers headers;
  EXPECT_EQ(*rpc_timeout_of(headers), std::nullopt);
  headers.set("Connect-Timeout-Ms", "1500");
  EXPECT_EQ(*rpc_timeout_of(headers), core::Millis(1500));
  headers.set("Connect-Timeout-Ms", "9999999999");
  EXPECT_EQ(*rpc_timeout_of(headers), core::Millis(9'999'999'999));
  for (const char* bad : {"", "-1", "+1", "1.5", "10s", " 1", "12345678901"}) {
    headers.set("Connect-Timeout-Ms", bad);
    ASSERT_FALSE(rpc_timeout_of(headers)) << bad;
    EXPECT_EQ(rpc_timeout_of(headers).error().code, Code::invalid_argument);
  }
}

TEST(RpcTokenOf, Token_ComesFromHeaderQueryOrMessage) {
  net::Request request;
  EXPECT_EQ(*rpc_token_of(request, ""), "");
  EXPECT_EQ(*rpc_token_of(request, "a"), "a");
  request.headers.set("Authorization", "Bearer a");
  EXPECT_EQ(*rpc_token_of(request, ""), "a");
  EXPECT_EQ(*rpc_token_of(request, "a"), "a");
  ASSERT_FALSE(rpc_token_of(request, "b"));
  EXPECT_EQ(rpc_token_of(request, "b").error().code, Code::unauthenticated);
  EXPECT_THAT(rpc_token_of(request, "bbb").error().message, Not(HasSubstr("bbb")));
}

// --- bodies --------------------------------------------------------------------------------------

TEST(RpcBodyOf, Gzip_IsUnpackedUpToLimit) {
  net::Request request;
  request.headers.set("Content-Encoding", "gzip");
  request.body = *net::gzip(std::string(100'000, 'x'));
  EXPECT_LT(request.body.size(), 1'000U);
  net::Request again = request;
  EXPECT_EQ(rpc_body_of(again, 100'000)->size(), 100'000U);
  EXPECT_EQ(rpc_body_of(request, 99'999).error().code, Code::resource_exhausted) << "a bomb";
}

TEST(RpcBodyOf, IncompleteGzip_IsRefused) {
  const std::string whole = *net::gzip("some text that is packed");
  for (const std::string& body :
       {std::string(), std::string("not gzip"), whole.substr(0, whole.size() - 1), whole + "x"}) {
    net::Request request;
    request.headers.set("Content-Encoding", "gzip");
    request.body = body;
    EXPECT_EQ(rpc_body_of(request, 1'000).error().code, Code::invalid_argument);
  }
}

TEST(RpcBodyOf, OtherEncodingsAndOversize_AreRefused) {
  net::Request request;
  request.body = "12345";
  EXPECT_EQ(rpc_body_of(request, 4).error().code, Code::resource_exhausted);
  request.headers.set("Content-Encoding", "br");
  EXPECT_EQ(rpc_body_of(request, 5).error().code, Code::unimplemented);
  request.headers.set("Content-Encoding", "Identity");
  EXPECT_EQ(*rpc_body_of(request, 5), "12345");
}

TEST(RpcBodyOf, SeveralGzipMembers_AreSingleBody) {
  net::Request request;
  request.headers.set("Content-Encoding", "gzip");
  request.body = *net::gzip("ab") + *net::gzip("cd");
  EXPECT_EQ(*rpc_body_of(request, 10), "abcd");
}

// --- JSON ----------------------------------------------------------------------------------------

TEST(ReadMessage, Json_InEitherSpelling_IgnoresUnknownFields) {
  pb::AskQuestionRequest message;
  ASSERT_TRUE(read_message(RpcCodec::json,
                           R"({"ID":"q1","UserToken":"t","Timestamp":"1700000000000","future":[1],
      "Request":{"ProjectDirectory":"/p","Question":"q?","Timeout":600,
      "Questions":[{"question":"q?","options":[{"label":"a"}],"custom":true}]}})",
                           message));
  EXPECT_EQ(message.id(), "q1");
  EXPECT_EQ(message.timestamp(), 1'700'000'000'000);
  EXPECT_EQ(message.request().timeout(), 600);
  EXPECT_EQ(message.request().questions(0).options(0).label(), "a");

  for (const char* name : {"mimeType", "mime_type"}) {
    pb::AskQuestionResponse response;
    const std::string json = R"({"contents":[{"type":4,"embeddedResource":{"data":"//79",")" +
                             std::string(name) + R"(":"text/x"}}]})";
    ASSERT_TRUE(read_message(RpcCodec::json, json, response));
    EXPECT_EQ(response.contents(0).embedded_resource().mime_type(), "text/x");
    EXPECT_EQ(response.contents(0).embedded_resource().data(), "\xff\xfe\xfd");
  }
}

TEST(ReadMessage, NonStrictJson_IsRefused) {
  for (const char* bad :
       {"", " ", "null", "[]", "\"x\"", "{", R"({"ID":"a",})", R"({'ID':'a'})", R"({ID:"a"})",
        R"({"ID":"a"}x)", R"({"ID":"a"}{})", R"({"ID":1})", R"({"Request":[]})",
        R"({"Request":{"Timeout":1e99}})", R"({"Request":{"Timeout":"x"}})", "{\"ID\":\"\xff\"}",
        "{\"ID\":\"\x01\"}", R"({"ID":"\ud800"})"}) {
    pb::AskQuestionRequest message;
    const auto read = read_message(RpcCodec::json, bad, message);
    ASSERT_FALSE(read) << bad;
    EXPECT_EQ(read.error().code, Code::invalid_argument) << bad;
  }
}

TEST(ReadMessage, InvalidProto_IsRefused) {
  pb::AskQuestionRequest message;
  EXPECT_TRUE(read_message(RpcCodec::proto, "", message));
  EXPECT_EQ(read_message(RpcCodec::proto, "\x0a\x05x", message).error().code,
            Code::invalid_argument);
}

TEST(WriteMessage, Json_HasProtocolForm) {
  pb::AskQuestionResponse response;
  response.set_id("q1");
  (*response.mutable_meta())["k"] = "v";
  response.add_contents()->set_type(4);
  response.mutable_contents(0)->mutable_embedded_resource()->set_data("\xff\xfe\xfd");
  response.mutable_contents(0)->mutable_embedded_resource()->set_mime_type("text/x");
  EXPECT_EQ(write_message(RpcCodec::json, response),
            R"({"ID":"q1","Meta":{"k":"v"},"contents":[{"type":4,"embeddedResource":)"
            R"({"mimeType":"text/x","data":"//79"}}]})");
  pb::AskQuestionRequest request;
  request.set_timestamp(1'700'000'000'000);
  EXPECT_EQ(write_message(RpcCodec::json, request), R"({"Timestamp":"1700000000000"})");
}

// --- answers -------------------------------------------------------------------------------------

TEST(RpcAnswer, Answer_IsGzippedOnlyIfAcceptedAndWorthwhile) {
  pb::AskQuestionResponse response;
  response.set_id("short");
  EXPECT_FALSE(rpc_answer(RpcCodec::proto, true, response).headers.has("Content-Encoding"));
  response.set_id(std::string(5'000, 'x'));
  EXPECT_FALSE(rpc_answer(RpcCodec::proto, false, response).headers.has("Content-Encoding"));
  const net::Response packed = rpc_answer(RpcCodec::proto, true, response);
  EXPECT_EQ(packed.headers.get("Content-Encoding"), "gzip");
  EXPECT_EQ(packed.headers.get("Content-Type"), "application/proto");
  EXPECT_EQ(*net::gunzip(packed.body, 10'000), encode(response));
}

TEST(RpcError, Error_HasConnectForm) {
  const net::Response response = rpc_error({Code::cancelled, "gone \"away\""});
  EXPECT_EQ(response.status, 499);
  EXPECT_EQ(response.headers.get("Content-Type"), "application/json");
  EXPECT_EQ(response.body, R"({"code":"canceled","message":"gone \"away\""})");
}

TEST(RpcUnsupportedType, UnsupportedType_SaysWhatToPost) {
  const net::Response grpc = rpc_unsupported_type("application/grpc-web+proto");
  EXPECT_EQ(grpc.status, 415);
  EXPECT_EQ(grpc.headers.get("Accept-Post"), "application/json, application/proto");
  EXPECT_THAT(grpc.body, HasSubstr("gRPC"));
  EXPECT_THAT(rpc_unsupported_type("text/plain").body, HasSubstr("text/plain"));
}

}  // namespace
}  // namespace parley::assistant
