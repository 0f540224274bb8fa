// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/frame.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>

#include "tests/support/stream/sample_events.h"

namespace parley::runtime {
namespace {

TEST(Frame, SessionAndNumber_PrecedePayload) {
  EXPECT_EQ(frame_of(stored(runtime::NodeEnter{"think"})),
            R"({"session_id":"s1","event_id":7,"type":"node_enter","id":"think",)"
            R"("node_id":"run-think-0"})");
}

TEST(Frame, GotExpand_HasOnlyPayloadNodeId) {
  EXPECT_EQ(frame_of(stored(runtime::GotExpand{"analyze", 2, 2}, 9)),
            R"({"session_id":"s1","event_id":9,"type":"got_expand","node_id":"analyze",)"
            R"("nodes_added":2,"edges_added":2})");
}

TEST(Frame, Time_IsToldOnRequest) {
  EXPECT_EQ(frame_of(stored(runtime::NodeEnter{"a"}), {.with_time = true}),
            R"({"session_id":"s1","event_id":7,"at":1700000000123,"type":"node_enter","id":"a",)"
            R"("node_id":"run-think-0"})");
}

TEST(Frame, Reply_HasNoType) {
  EXPECT_EQ(
      frame_of(stored_reply(
          R"({"type":"reply","reply":"Hi","node_id":"run-think-0","stop_reason":"end_turn"})")),
      R"({"session_id":"s1","event_id":9,"reply":"Hi","node_id":"run-think-0",)"
      R"("stop_reason":"end_turn"})");
}

TEST(Frame, Reply_AnyMemberOrder_HasNoType) {
  EXPECT_EQ(frame_of(stored_reply(R"({"reply":"so far","type":"reply","error":"it broke"})")),
            R"({"session_id":"s1","event_id":9,"reply":"so far","error":"it broke"})");
  EXPECT_EQ(frame_of(stored_reply(R"({"type":"reply"})")), R"({"session_id":"s1","event_id":9})");
}

TEST(Frame, Frame_HasNoRawControlCharacter) {
  event::Event event = stored(runtime::ToolCallMade{"c", "read", "{\n\t\"path\":\r\n\t\"a\"}"});
  const std::string frame = frame_of(event);
  EXPECT_TRUE(std::none_of(frame.begin(), frame.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20;
  })) << frame;
  EXPECT_NE(frame.find(R"({  "path":   "a"})"), std::string::npos) << frame;
}

TEST(Frame, FrameOfEveryType_IsJsonObject) {
  simdjson::dom::parser parser;
  for (const runtime::RunEvent& event : sample_events()) {
    const std::string frame = frame_of(stored(event));
    simdjson::dom::object object;
    ASSERT_EQ(parser.parse(frame).get(object), simdjson::SUCCESS) << frame;
    EXPECT_EQ(std::string_view(object["type"]), runtime::type_name(event));
    EXPECT_EQ(std::uint64_t(object["event_id"]), 7U);
    EXPECT_TRUE(is_frame(runtime::type_name(event)));
  }
}

TEST(Frame, SessionName_IsEscaped) {
  event::Event event = stored(runtime::NodeEnter{"a"});
  event.session = "a\"b\xe4\xbd\xa0";
  EXPECT_TRUE(
      frame_of(event).starts_with("{\"session_id\":\"a\\\"b\xe4\xbd\xa0\",\"event_id\":7,"));
}

TEST(Frame, OtherSessionEvents_AreNoFrames) {
  for (const char* type : {"interaction.opened", "presence.changed", "", "node", "node_enter_"}) {
    EXPECT_FALSE(is_frame(type)) << type;
  }
  EXPECT_TRUE(is_frame("reply"));
  EXPECT_TRUE(is_reply("reply"));
  EXPECT_FALSE(is_reply("node_exit"));
}

TEST(Frame, EmptyPayload_LeavesEnvelope) {
  event::Event event = stored(runtime::NodeEnter{"a"});
  event.payload = "{ }";
  EXPECT_EQ(frame_of(event), R"({"session_id":"s1","event_id":7})");
}

}  // namespace
}  // namespace parley::runtime
