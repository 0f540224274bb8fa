// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/tool_result.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "tests/support/mcp/fake_assistant_calls.h"

namespace parley::mcp {
namespace {

boost::json::value result_of(const AssistantOutcome& outcome,
                             const std::vector<std::string>& notes = {}) {
  std::string text;
  core::JsonWriter json(text);
  json.begin_object();
  write_tool_result(json, outcome, notes);
  json.key("_meta").raw("{" + tool_result_meta(outcome) + "}");
  json.end_object();
  return boost::json::parse(text);
}

AssistantReply reply_with(core::Content content) {
  AssistantReply reply;
  reply.contents.push_back(std::move(content));
  return reply;
}

TEST(WriteToolResult, Image_IsFollowedByAttachment) {
  const auto content =
      result_of(reply_with({core::Content::Type::image, {}, "image/png", {}, "hi"})).at("content");
  EXPECT_EQ(content.at(0).at("type").as_string(), "image");
  EXPECT_EQ(content.at(0).at("data").as_string(), "aGk=");
  EXPECT_EQ(content.at(0).at("mimeType").as_string(), "image/png");
  EXPECT_EQ(content.at(1).at("type").as_string(), "resource");
  EXPECT_EQ(content.at(1).at("resource").at("uri").as_string(), "attachment://image/0");
  EXPECT_EQ(content.at(1).at("resource").at("blob").as_string(), "aGk=");
}

TEST(WriteToolResult, Audio_IsFollowedByAttachment) {
  const auto content =
      result_of(reply_with({core::Content::Type::audio, {}, "audio/wav", {}, "hi"})).at("content");
  EXPECT_EQ(content.at(0).at("type").as_string(), "audio");
  EXPECT_EQ(content.at(1).at("resource").at("uri").as_string(), "attachment://audio/0");
}

TEST(WriteToolResult, EmbeddedResource_IsBlob) {
  core::Content file{core::Content::Type::resource, {}, "text/plain", "file://a.txt", "hi\n"};
  const auto content = result_of(reply_with(file)).at("content");
  EXPECT_EQ(content.at(0).at("resource").at("uri").as_string(), "file://a.txt");
  EXPECT_EQ(content.at(0).at("resource").at("blob").as_string(), "aGkK");
  file.data.clear();
  const auto empty = result_of(reply_with(file)).at("content");
  EXPECT_EQ(empty.at(0).at("text").as_string(), "Resource: file://a.txt");
}

TEST(WriteToolResult, Error_AlwaysHasReason) {
  AssistantReply reply;
  reply.is_error = true;
  reply.meta = {{"error", "timeout"}, {"message", "Request timed out after 5 seconds"}};
  const auto result = result_of(reply);
  EXPECT_TRUE(result.at("isError").as_bool());
  EXPECT_EQ(result.at("content").at(0).at("text").as_string(),
            "Nobody answered in time: Request timed out after 5 seconds");
  EXPECT_EQ(result.at("_meta").at("agentassistproto/meta").at("error").as_string(), "timeout");
  reply.meta.clear();
  EXPECT_FALSE(result_of(reply).at("content").as_array().empty());
}

TEST(WriteToolResult, Error_KeepsItsWords) {
  AssistantReply reply = core::text_answer("No, never.");
  reply.is_error = true;
  const auto content = result_of(reply).at("content");
  ASSERT_EQ(content.as_array().size(), 1U);
  EXPECT_EQ(content.at(0).at("text").as_string(), "No, never.");
}

TEST(WriteToolResult, Notes_FollowAnswer) {
  const auto result = result_of(core::text_answer("ok"), {"Note: x"});
  EXPECT_EQ(result.at("content").at(1).at("text").as_string(), "Note: x");
  EXPECT_TRUE(result.at("_meta").as_object().empty());
}

TEST(PlainText, NonTextContent_IsNamed) {
  AssistantReply reply = core::text_answer("one");
  reply.contents.push_back({core::Content::Type::resource, {}, {}, "file://a.txt", {}});
  EXPECT_EQ(plain_text(reply), "one\n[file: file://a.txt]");
}

}  // namespace
}  // namespace parley::mcp
