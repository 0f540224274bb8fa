// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/message_parts.h"

#include <gtest/gtest.h>

#include <string>

#include "core/json_writer.h"

namespace parley::model {
namespace {

core::Result<Message> read_parts(const std::string& json) {
  simdjson::dom::parser parser;
  return user_message_from(parser.parse(json));
}

TEST(MessageParts, TextIsTheMessage) {
  const auto message = read_parts(R"("hi \"there\"")");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->content, "hi \"there\"");
  EXPECT_TRUE(message->parts.empty());
}

TEST(MessageParts, PartsOfTextAreJoined) {
  const auto message = read_parts(R"([{"type":"text","text":"a"},{"type":"text","text":"b"}])");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->content, "a\nb");
  EXPECT_TRUE(message->parts.empty());
}

TEST(MessageParts, WhatIsNotTextIsKept) {
  const auto message = read_parts(
      R"([{"type":"text","text":"see"},{"type":"image_base64","media_type":"image/jpeg","data":"AAAA"},)"
      R"({"type":"pdf_base64","data":"BBBB"},{"type":"file","file_data":"CCCC","filename":"a.txt"}])");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->content, "see");
  ASSERT_EQ(message->parts.size(), 4U);
  EXPECT_EQ(message->parts[1].type, Part::Type::image_base64);
  EXPECT_EQ(message->parts[1].media_type, "image/jpeg");
  EXPECT_EQ(message->parts[2].media_type, "application/pdf");
  EXPECT_EQ(message->parts[3].data, "CCCC");
  EXPECT_EQ(message->parts[3].name, "a.txt");
}

TEST(MessageParts, TheIdOfAFileAndTheDetailOfAnImageStayThroughTheState) {
  const auto message = read_parts(
      R"([{"type":"image_url","url":"https://a/x.png","detail":"low"},{"type":"file","file_id":"file-1"}])");
  ASSERT_TRUE(message);
  ASSERT_EQ(message->parts.size(), 2U);
  EXPECT_EQ(message->parts[0].detail, "low");
  EXPECT_EQ(message->parts[1].url, "file-1");
  std::string state;
  core::JsonWriter json(state);
  write_state_form(json, *message);
  const core::Result<Message> again = message_from_state_form(state);
  ASSERT_TRUE(again) << state;
  EXPECT_EQ(again->parts, message->parts);
}

TEST(MessageParts, FaultsNameThePart) {
  EXPECT_EQ(read_parts(R"([{"type":"text","text":"a"},{"type":"smell"}])").error().field,
            "message[1].type");
  EXPECT_EQ(read_parts(R"([{"type":"image_url"}])").error().field, "message[0].url");
  EXPECT_EQ(read_parts(R"([7])").error().field, "message[0]");
  EXPECT_EQ(read_parts("7").error().field, "message");
  std::string many = "[";
  for (std::size_t i = 0; i <= kMaxParts; ++i) many += R"({"type":"text","text":"a"},)";
  many.back() = ']';
  EXPECT_EQ(read_parts(many).error().field, "message");
}

}  // namespace
}  // namespace parley::model
