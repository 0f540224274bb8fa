// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/message_parts.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "base/core/json_writer.h"

namespace parley::model {
namespace {

core::Result<Message> read_parts(const std::string& json) {
  simdjson::dom::parser parser;
  return user_message_from(parser.parse(json));
}

TEST(MessageParts, Text_IsMessage) {
  const auto message = read_parts(R"("hi \"there\"")");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->content, "hi \"there\"");
  EXPECT_TRUE(message->parts.empty());
}

TEST(MessageParts, PartsOfText_AreJoined) {
  const auto message = read_parts(R"([{"type":"text","text":"a"},{"type":"text","text":"b"}])");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->content, "a\nb");
  EXPECT_TRUE(message->parts.empty());
}

TEST(MessageParts, NonTextParts_AreKept) {
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

TEST(MessageParts, FileIdAndImageDetail_SurviveState) {
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

TEST(MessageParts, EveryType_SurvivesState) {
  for (const char* part :
       {R"({"type":"image_url","url":"https://a/x.png"})",
        R"({"type":"image_base64","data":"AAAA"})",
        R"({"type":"image_base64","data":"AAAA","media_type":"image/webp"})",
        R"({"type":"audio_base64","data":"AAAA","media_type":"audio/mpeg"})",
        R"({"type":"video_url","url":"https://a/v"})",
        R"({"type":"video_base64","data":"AAAA","media_type":"video/webm"})",
        R"({"type":"pdf_url","url":"https://a/x.pdf"})", R"({"type":"pdf_base64","data":"AAAA"})",
        R"({"type":"file","file_id":"file-1"})",
        R"({"type":"file","file_data":"AAAA","filename":"a.csv","media_type":"text/csv"})"}) {
    const auto message = read_parts("[" + std::string(part) + "]");
    ASSERT_TRUE(message) << part;
    std::string state;
    core::JsonWriter json(state);
    write_state_form(json, *message);
    const core::Result<Message> again = message_from_state_form(state);
    ASSERT_TRUE(again) << state;
    EXPECT_EQ(again->parts, message->parts) << state;
    std::string named(part);
    named = named.substr(0, named.find(','));
    EXPECT_NE(state.find(named), std::string::npos) << state;
  }
}

TEST(MessageParts, RequiredMembers_MustBeText) {
  for (const auto& [part, field] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"({"type":"image_url","url":7})", "message[0].url"},
           {R"({"type":"image_url","url":""})", "message[0].url"},
           {R"({"type":"pdf_base64","data":null})", "message[0].data"},
           {R"({"type":"text"})", "message[0].text"},
           {R"({"type":"file","filename":"a.txt"})", "message[0].file_data"},
           {R"({"type":"text","text":"a","detail":[]})", "message[0].detail"},
           {R"({"type":7})", "message[0].type"}}) {
    const auto message = read_parts("[" + std::string(part) + "]");
    ASSERT_FALSE(message) << part;
    EXPECT_EQ(message.error().field, field) << part;
  }
}

TEST(MessageParts, Faults_NamePart) {
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
