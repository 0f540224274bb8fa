// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/openai_request.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace parley::model {
namespace {

// The messages of the request, after a check that the whole request is strict JSON.
std::string messages_of(const std::vector<Message>& messages) {
  ModelRequest request;
  request.messages = messages;
  const boost::json::value parsed = boost::json::parse(openai_request("m", request, {}));
  return boost::json::serialize(parsed.at("messages"));
}

Message calling(std::string text, std::vector<ToolCall> calls) {
  Message message = Message::assistant(std::move(text));
  message.tool_calls = std::move(calls);
  return message;
}

Part part(Part::Type type) {
  Part out;
  out.type = type;
  return out;
}

TEST(OpenAiRequest, Text_IsPlainString) {
  EXPECT_EQ(messages_of({Message::system("be brief"), Message::user("say \"hi\""),
                         Message::assistant("hi")}),
            R"([{"role":"system","content":"be brief"},{"role":"user","content":"say \"hi\""},)"
            R"({"role":"assistant","content":"hi"}])");
}

TEST(OpenAiRequest, OtherParts_AreList) {
  Message message = Message::user("look");
  message.parts = {part(Part::Type::image_url), part(Part::Type::image_base64),
                   part(Part::Type::audio_base64), part(Part::Type::file)};
  message.parts[0].url = "https://a.org/x.png";
  message.parts[1].media_type = "image/jpeg";
  message.parts[1].data = "QUJD";
  message.parts[2].media_type = "audio/wav";
  message.parts[2].data = "QUJD";
  message.parts[3].name = "a.pdf";
  message.parts[3].media_type = "application/pdf";
  message.parts[3].data = "QUJD";
  EXPECT_EQ(
      messages_of({message}),
      R"([{"role":"user","content":[{"type":"text","text":"look"},)"
      R"({"type":"image_url","image_url":{"url":"https://a.org/x.png"}},)"
      R"({"type":"image_url","image_url":{"url":"data:image/jpeg;base64,QUJD"}},)"
      R"({"type":"input_audio","input_audio":{"data":"QUJD","format":"wav"}},)"
      R"({"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,QUJD"}}]}])");
}

TEST(OpenAiRequest, File_IsBytesIdOrUrl) {
  Message message = Message::user("look");
  message.parts = {part(Part::Type::text), part(Part::Type::image_url), part(Part::Type::file),
                   part(Part::Type::file), part(Part::Type::file)};
  message.parts[0].text = "look";
  message.parts[1].url = "https://a.org/x.png";
  message.parts[1].detail = "low";
  message.parts[2].url = "file-1";
  message.parts[3].url = "https://a.org/a.pdf";
  message.parts[3].media_type = "application/pdf";
  message.parts[4].url = "https://a.org/a.mp4";
  message.parts[4].media_type = "video/mp4";
  EXPECT_EQ(messages_of({message}),
            R"([{"role":"user","content":[{"type":"text","text":"look"},)"
            R"({"type":"image_url","image_url":{"url":"https://a.org/x.png","detail":"low"}},)"
            R"({"type":"file","file":{"file_id":"file-1"}},)"
            R"({"type":"file","file":{"filename":"file","file_data":"https://a.org/a.pdf"}},)"
            R"({"type":"video_url","video_url":{"url":"https://a.org/a.mp4"}}]}])");
}

TEST(OpenAiRequest, TextPart_IsString) {
  Message message = Message::user("hello");
  message.parts = {part(Part::Type::text)};
  message.parts[0].text = "hello";
  EXPECT_EQ(messages_of({message}), R"([{"role":"user","content":"hello"}])");
}

TEST(OpenAiRequest, Results_FollowCallsInOrder) {
  EXPECT_EQ(messages_of({calling("", {{"a", "read", "{\"p\":1}"}, {"b", "ls", "{}"}}),
                         Message::tool("b", "B"), Message::tool("a", "A")}),
            R"([{"role":"assistant","content":null,"tool_calls":[)"
            R"({"id":"a","type":"function","function":{"name":"read","arguments":"{\"p\":1}"}},)"
            R"({"id":"b","type":"function","function":{"name":"ls","arguments":"{}"}}]},)"
            R"({"role":"tool","tool_call_id":"a","content":"A"},)"
            R"({"role":"tool","tool_call_id":"b","content":"B"}])");
}

TEST(OpenAiRequest, UnpairedCallsAndResults_AreMended) {
  EXPECT_EQ(
      messages_of({Message::tool("x", "lost"), calling("go", {{"a", "f", "{}"}}),
                   Message::user("and now?")}),
      R"([{"role":"user","content":"Result of a tool:\nlost"},)"
      R"({"role":"assistant","content":"go","tool_calls":[)"
      R"({"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},)"
      R"({"role":"tool","tool_call_id":"a","content":"There is no result: the call was interrupted."},)"
      R"({"role":"user","content":"and now?"}])");
}

TEST(OpenAiRequest, FieldsThatServersRefuse_AreNotSent) {
  EXPECT_EQ(messages_of({Message::assistant(""), calling("", {{"a", "f", "{\"x\": oops"}}),
                         Message::tool("a", "r")}),
            R"([{"role":"assistant","content":null,"tool_calls":[)"
            R"({"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},)"
            R"({"role":"tool","tool_call_id":"a","content":"r"}])");
}

TEST(OpenAiRequest, Options_AreSentUnlessRefused) {
  ModelRequest request;
  request.temperature = 0.5;
  request.max_tokens = 100;
  request.json_only = true;
  request.tools = {{"read", "Reads.", R"({"type":"object"})"}, {"odd", "", "no schema"}};
  EXPECT_EQ(openai_request("m", request, {}),
            R"({"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true},)"
            R"("tools":[{"type":"function","function":{"name":"read","description":"Reads.",)"
            R"("parameters":{"type":"object"}}},{"type":"function","function":{"name":"odd",)"
            R"("description":"","parameters":{"type":"object","properties":{}}}}],)"
            R"("temperature":0.5,"max_tokens":100,"response_format":{"type":"json_object"}})");
  request.tools.clear();
  EXPECT_EQ(openai_request("m", request, {true, true, true, true}),
            R"({"model":"m","messages":[],"stream":true,"max_completion_tokens":100})");
}

}  // namespace
}  // namespace parley::model
