// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/message.h"

#include <gtest/gtest.h>

#include <string>

namespace parley::model {
namespace {

std::string written(const Message& message) {
  std::string out;
  core::JsonWriter json(out);
  write_state_form(json, message);
  return out;
}

Message read_state_form(std::string_view json) {
  core::Result<Message> message = message_from_state_form(json);
  EXPECT_TRUE(message.has_value()) << json;
  return message.value_or(Message());
}

Part media(Part::Type type, std::string url, std::string media_type, std::string data,
           std::string name = {}) {
  return {type, {}, std::move(url), std::move(media_type), std::move(data), std::move(name), {}};
}

TEST(StateForm, EachRole_IsWrittenAsInContract) {
  EXPECT_EQ(written(Message::system("be kind")), R"({"System":"be kind"})");
  EXPECT_EQ(written(Message::user("hi")), R"({"User":"hi"})");
  EXPECT_EQ(written(Message::assistant("hello")), R"({"Assistant":"hello"})");
  EXPECT_EQ(written(Message::tool("c1", "text")),
            R"({"Tool":{"tool_call_id":"c1","content":"text"}})");
}

TEST(StateForm, AssistantWithCallsOrReasoning_IsObject) {
  Message message = Message::assistant("");
  message.tool_calls = {{"c1", "read", R"({"path":"a"})"}};
  EXPECT_EQ(
      written(message),
      R"({"Assistant":{"content":"","tool_calls":[{"id":"c1","name":"read","arguments":"{\"path\":\"a\"}"}]}})");
  message.tool_calls.clear();
  message.reasoning = "so";
  EXPECT_EQ(written(message),
            R"({"Assistant":{"content":"","tool_calls":[],"reasoning_content":"so"}})");
}

TEST(StateForm, FailedTool_IsMarked) {
  const Message message = Message::tool("c1", "no such file", true);
  EXPECT_EQ(written(message),
            R"({"Tool":{"tool_call_id":"c1","content":"no such file","is_error":true}})");
  EXPECT_EQ(read_state_form(written(message)), message);
}

TEST(StateForm, EveryMessage_RoundTrips) {
  Message calls = Message::assistant("两个调用");
  calls.reasoning = "先读\n再写";
  calls.tool_calls = {{"c1", "read", R"({"path":"a b"})"}, {"c2", "x", "not json {"}};
  const Message all[] = {
      Message::system(""),
      Message::user("quotes \" and \\ and \n and 中文"),
      Message::assistant("plain"),
      calls,
      Message::tool("c1", "", false),
      Message::user_with({{Part::Type::text, "look", {}, {}, {}, {}},
                          media(Part::Type::image_url, "https://x.test/a.png", "", ""),
                          media(Part::Type::image_base64, "", "image/png", "aGk="),
                          media(Part::Type::audio_base64, "", "audio/wav", "aGk="),
                          media(Part::Type::file, "https://x.test/a.pdf", "application/pdf", ""),
                          media(Part::Type::file, "", "application/pdf", "aGk="),
                          media(Part::Type::file, "https://x.test/v", "video/*", ""),
                          media(Part::Type::file, "", "video/mp4", "aGk="),
                          media(Part::Type::file, "", "text/csv", "aGk=", "a.csv"),
                          media(Part::Type::file, "file-7", "", ""),
                          {Part::Type::text, "and this", {}, {}, {}, {}}}),
  };
  for (const Message& message : all) EXPECT_EQ(read_state_form(written(message)), message);
}

TEST(StateForm, TextBesideMedia_BecomesPart) {
  Message message = Message::user("what is this");
  message.parts = {media(Part::Type::image_url, "https://x.test/a.png", "", "")};
  EXPECT_EQ(
      written(message),
      R"({"User":[{"type":"text","text":"what is this"},{"type":"image_url","url":"https://x.test/a.png"}]})");
  EXPECT_EQ(read_state_form(written(message)).content, "what is this");
}

TEST(StateForm, IllFormedText_IsStillValidJson) {
  EXPECT_EQ(read_state_form(written(Message::user("a\xff"))).content, "a\xef\xbf\xbd");
}

TEST(StateForm, MissingOptionalMembers_AreTolerated) {
  EXPECT_EQ(read_state_form(R"({"Assistant":{"content":"a","reasoning_content":null}})"),
            Message::assistant("a"));
  const Message call = read_state_form(
      R"({"Assistant":{"content":null,"tool_calls":[{"name":"x","arguments":{"a":1}}]}})");
  ASSERT_EQ(call.tool_calls.size(), 1U);
  EXPECT_EQ(call.tool_calls[0], (ToolCall{"", "x", R"({"a":1})"}));
  EXPECT_EQ(read_state_form(
                R"({"Tool":{"tool_call_id":"c","content":{"type":"terminal","terminal_id":"t"}}})")
                .content,
            R"({"type":"terminal","terminal_id":"t"})");
}

TEST(StateForm, OtherThanMessage_IsDataLoss) {
  for (const char* json :
       {"", "[]", "{}", R"({"User":7})", R"({"System":null})", R"({"Robot":"x"})",
        R"({"User":"a","System":"b"})", R"({"Assistant":{"content":1}})",
        R"({"Assistant":{"content":"","tool_calls":{}}})",
        R"({"Assistant":{"content":"","tool_calls":[1]}})", R"({"Tool":"x"})",
        R"({"Tool":{"tool_call_id":1}})", R"({"User":[{"type":"smell"}]})", R"({"User":"a")"}) {
    const core::Result<Message> message = message_from_state_form(json);
    ASSERT_FALSE(message.has_value()) << json;
    EXPECT_EQ(message.error().code, core::Code::data_loss);
    EXPECT_EQ(message.error().field, "messages");
  }
}

TEST(UserMessage, SingleTextPart_IsPlainText) {
  EXPECT_EQ(Message::user_with({{Part::Type::text, "a", {}, {}, {}, {}}}), Message::user("a"));
}

TEST(UserMessage, TextParts_AreLines) {
  const Message message = Message::user_with(
      {{Part::Type::text, "a", {}, {}, {}, {}}, {Part::Type::text, "b", {}, {}, {}, {}}});
  EXPECT_EQ(message.content, "a\nb");
  EXPECT_EQ(message.parts.size(), 2U);
}

}  // namespace
}  // namespace parley::model
