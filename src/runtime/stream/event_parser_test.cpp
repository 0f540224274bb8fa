// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/event_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/stream/export_form.h"
#include "runtime/stream/frame.h"
#include "tests/support/stream/sample_events.h"

namespace parley::runtime {
namespace {

using namespace runtime;
using ::testing::HasSubstr;
using ::testing::Not;

StreamLine read(std::string_view text) {
  EventParser parser;
  auto line = parser.parse(text);
  EXPECT_TRUE(line) << text << ": " << (line ? "" : line.error().message);
  return line ? *line : StreamLine();
}

template <typename T>
T read_as(std::string_view text) {
  const StreamLine line = read(text);
  const T* event = line.event() == nullptr ? nullptr : std::get_if<T>(line.event());
  EXPECT_NE(event, nullptr) << text;
  return event == nullptr ? T() : *event;
}

LineFault fault(std::string_view text) {
  EventParser parser;
  const auto line = parser.parse(text);
  EXPECT_FALSE(line) << text;
  return line ? LineFault() : line.error();
}

TEST(EventParser, EveryType_RoundTrips) {
  for (const RunEvent& event : sample_events()) {
    const StreamLine line = read(frame_of(stored(event, 7)));
    ASSERT_NE(line.event(), nullptr);
    EXPECT_EQ(*line.event(), event) << type_name(event);
    EXPECT_EQ(line.session_id, "s1");
    EXPECT_EQ(line.event_id, 7U);
    if (std::holds_alternative<GotExpand>(event)) continue;
    EXPECT_EQ(line.node_id, "run-think-0");
  }
}

TEST(EventParser, ExplanationOfApproval_RoundTrips_AndIsNotExported) {
  const RunEvent asked =
      ToolApproval{"c1", "bash", R"({"command":"ls"})", R"({"dangerous":false,"en":{}})"};
  const std::string line = frame_of(stored(asked));
  EXPECT_THAT(line, HasSubstr(R"("parley.explanation":{"dangerous":false,"en":{}})"));
  EventParser parser;
  const auto read = parser.parse(line);
  ASSERT_TRUE(read);
  ASSERT_NE(read->event(), nullptr);
  EXPECT_EQ(*read->event(), asked);
  EXPECT_THAT(export_form(*read), Not(HasSubstr("explanation")));
}

TEST(EventParser, EventsWithoutEnvelope_AreRead) {
  const StreamLine line = read(R"({"type":"node_enter","id":"think"})");
  EXPECT_EQ(line.session_id, std::nullopt);
  EXPECT_EQ(line.node_id, std::nullopt);
  EXPECT_EQ(line.event_id, std::nullopt);
}

TEST(EventParser, Numbers_StartAtZero) {
  EXPECT_EQ(read(R"({"session_id":"s","event_id":0,"type":"run_start"})").event_id, 0U);
}

TEST(EventParser, Null_IsAbsent) {
  EXPECT_EQ(read_as<RunStart>(R"({"type":"run_start","run_id":null,"message":null})"), RunStart{});
  EXPECT_EQ(read_as<ToolCallChunk>(
                R"({"type":"tool_call_chunk","call_id":null,"name":null,"arguments_delta":"x"})"),
            (ToolCallChunk{std::nullopt, std::nullopt, "x"}));
  EXPECT_EQ(read(R"({"type":"usage","prompt_tokens":1,"completion_tokens":2,"total_tokens":3,)"
                 R"("session_id":null,"node_id":null,"event_id":null})")
                .session_id,
            std::nullopt);
  EXPECT_EQ(read_as<Values>(R"({"type":"values","state":null})").state, "null");
}

TEST(EventParser, UnknownMembers_AreSkipped) {
  EXPECT_EQ(read_as<NodeEnter>(R"({"new":{"a":[1,{}]},"type":"node_enter","id":"x","more":1e9})"),
            NodeEnter{"x"});
}

TEST(EventParser, UnknownTypes_AreKept) {
  const StreamLine line = read(R"({"type":"tea_break","event_id":4,"cups":2})");
  const auto* unknown = std::get_if<UnknownEvent>(&line.body);
  ASSERT_NE(unknown, nullptr);
  EXPECT_EQ(unknown->type, "tea_break");
  EXPECT_EQ(unknown->json, R"({"type":"tea_break","event_id":4,"cups":2})");
  EXPECT_EQ(line.event_id, 4U);
  const StreamLine exported = read(R"({"TeaBreak":{"cups":2}})");
  ASSERT_NE(std::get_if<UnknownEvent>(&exported.body), nullptr);
}

TEST(EventParser, NodeOfGotExpand_IsNotTakenForEnvelope) {
  const StreamLine line =
      read(R"({"type":"got_expand","node_id":"a","nodes_added":2,"edges_added":2,"event_id":9})");
  EXPECT_EQ(line.node_id, std::nullopt);
  EXPECT_EQ(std::get<GotExpand>(*line.event()), (GotExpand{"a", 2, 2}));
}

TEST(EventParser, EarlierShapesOfExportForm_AreRead) {
  EXPECT_EQ(read_as<NodeEnter>(R"({"TaskStart":{"node_id":"a"}})"), NodeEnter{"a"});
  EXPECT_EQ(read_as<MessageChunk>(
                R"({"Messages":{"chunk":{"content":"hi"},"metadata":{"loom_node":"think"}}})"),
            (MessageChunk{"hi", "think"}));
  EXPECT_EQ(read_as<MessageChunk>(R"({"Messages":{"chunk":"hi","metadata":null}})"),
            (MessageChunk{"hi", ""}));
  EXPECT_EQ(read_as<ThoughtChunk>(R"({"ThoughtChunk":{"content":"hm","id":"think"}})"),
            (ThoughtChunk{"hm", "think"}));
  EXPECT_EQ(read_as<ThoughtChunk>(
                R"({"ThoughtChunk":{"chunk":{"content":"hm"},"metadata":{"loom_node":"a"}}})"),
            (ThoughtChunk{"hm", "a"}));
  EXPECT_EQ(read_as<GotNodeStart>(R"({"GotNodeStart":{"id":"x"}})"), GotNodeStart{"x"});
}

TEST(EventParser, EnvelopeAroundExportForm_IsRead) {
  const StreamLine line = read(R"({"TaskStart":{"node_id":"a"},"session_id":"s","event_id":3})");
  EXPECT_EQ(line.session_id, "s");
  EXPECT_EQ(line.event_id, 3U);
}

TEST(EventParser, Reply_IsRead) {
  const StreamLine line = read(
      R"({"session_id":"s","node_id":"run-think-1","event_id":8,"reply":"I see","error":"why",)"
      R"("stop_reason":"end_turn","reasoning_content":null})");
  ASSERT_NE(line.reply(), nullptr);
  EXPECT_EQ(line.reply()->reply, "I see");
  EXPECT_EQ(line.reply()->error, "why");
  EXPECT_EQ(line.reply()->reasoning_content, std::nullopt);
  EXPECT_EQ(line.node_id, "run-think-1");
}

TEST(EventParser, WebSocketForm_IsRead) {
  const StreamLine line =
      read(R"({"type":"run_stream_event","id":"r1","event":{"session_id":"s","event_id":2,)"
           R"("type":"node_enter","id":"a"}})");
  EXPECT_EQ(line.event_id, 2U);
  EXPECT_EQ(std::get<NodeEnter>(*line.event()), NodeEnter{"a"});
  const StreamLine end = read(R"({"type":"run_end","id":"r1","reply":"done","event_id":5})");
  ASSERT_NE(end.reply(), nullptr);
  EXPECT_EQ(end.event_id, 5U);
}

TEST(EventParser, ScoresInAnySpelling_AreNumbers) {
  const auto event = read_as<TotEvaluate>(
      R"({"type":"tot_evaluate","chosen":1.0,"scores":[0.8999999761581421,1,null,1e-1]})");
  EXPECT_EQ(event.chosen, 1U);
  ASSERT_EQ(event.scores.size(), 4U);
  EXPECT_NEAR(event.scores[0], 0.9, 1e-6);
  EXPECT_EQ(event.scores[2], 0.0);
}

TEST(EventParser, NumbersInStates_KeepAnySize) {
  EXPECT_EQ(read_as<Custom>(R"({"type":"custom","value":123456789012345678901234567890})").value,
            "123456789012345678901234567890");
}

TEST(EventParser, FaultInLine_IsNamed) {
  EXPECT_EQ(fault(R"({"type":"node_enter")").code, FindingCode::not_json);
  EXPECT_EQ(fault("").code, FindingCode::not_json);
  EXPECT_EQ(fault("[1]").code, FindingCode::not_object);
  EXPECT_EQ(fault("{\"type\":\"\xff\"}").code, FindingCode::not_utf8);
  EXPECT_EQ(fault(R"({"a":1})").code, FindingCode::no_type);
  EXPECT_EQ(fault(R"({"type":7})").code, FindingCode::no_type);
  EXPECT_EQ(fault(R"({"TaskStart":{},"TaskEnd":{}})").code, FindingCode::no_type);
  EXPECT_EQ(fault(R"({"TaskStart":7})").code, FindingCode::wrong_type);
  EXPECT_EQ(fault(R"({"type":"custom","value":)" + std::string(300, '[') + "}").code,
            FindingCode::too_deep);
  const LineFault missing = fault(R"({"type":"node_enter"})");
  EXPECT_EQ(missing.code, FindingCode::missing_field);
  EXPECT_EQ(missing.message, "\"id\" is missing.");
}

TEST(EventParser, MembersOfWrongType_AreNamed) {
  for (const char* text :
       {R"({"type":"node_enter","id":7})", R"({"type":"node_exit","id":"a","result":"Fine"})",
        R"({"type":"usage","prompt_tokens":-1,"completion_tokens":0,"total_tokens":0})",
        R"({"type":"tot_expand","candidates":["a",1]})",
        R"({"type":"tot_evaluate","chosen":0,"scores":["x"]})",
        R"({"type":"tool_end","name":"a","result":"b","is_error":"no"})",
        R"({"type":"run_start","event_id":"1"})", R"({"type":"run_start","session_id":1})",
        R"({"reply":"x","event_id":1.5})"}) {
    EXPECT_EQ(fault(text).code, FindingCode::wrong_type) << text;
  }
}

TEST(EventParser, FailuresOfNodes_AreRead) {
  EXPECT_EQ(
      read_as<NodeExit>(R"({"type":"node_exit","id":"a","result":{"Err":"interrupted: {}"}})"),
      (NodeExit{"a", "interrupted: {}"}));
  EXPECT_EQ(read_as<NodeExit>(R"({"type":"node_exit","id":"a","result":{"Err":{"code":1}}})"),
            (NodeExit{"a", R"({"code":1})"}));
}

TEST(EventParser, LoneSurrogates_AreMadeReadable) {
  EXPECT_EQ(read_as<MessageChunk>(R"({"type":"message_chunk","content":"\ud83d!","id":"a"})"),
            (MessageChunk{"\xef\xbf\xbd!", "a"}));
}

}  // namespace
}  // namespace parley::runtime
