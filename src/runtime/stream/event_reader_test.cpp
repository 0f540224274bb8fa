// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/event_reader.h"

#include <gtest/gtest.h>

#include "runtime/stream/frame.h"
#include "tests/support/stream/sample_events.h"

namespace parley::runtime {
namespace {

// Reads an event live and from its payload, and expects the same event.
RunEvent read_both(const RunEvent& event) {
  EventReader reader;
  const RunEvent* replayed = reader.read(stored(event)).event;
  EXPECT_NE(replayed, nullptr) << type_name(event);
  if (replayed == nullptr) return {};
  const RunEvent expected = *replayed;
  const event::Event shown = live(event);
  const RunEvent* read = reader.read(shown).event;
  EXPECT_NE(read, nullptr) << type_name(event);
  if (read != nullptr) {
    EXPECT_EQ(*read, expected) << type_name(event);
  }
  return expected;
}

TEST(EventReader, LiveEventAndItsReplay_AreEqual) {
  for (const RunEvent& event : sample_events()) EXPECT_EQ(read_both(event), event);
}

TEST(EventReader, LiveEvent_IsNotParsed) {
  event::Event shown = live(MessageChunk{"hello", "think"});
  shown.payload = "not JSON";
  EXPECT_EQ(*EventReader().read(shown).event, RunEvent(MessageChunk{"hello", "think"}));
}

TEST(EventReader, StatesOfRuns_AreKeptOnce) {
  EXPECT_EQ(live(Values{"{}"}).live, nullptr);
  EXPECT_EQ(live(Updates{"a", "{}"}).live, nullptr);
  EXPECT_EQ(live(Checkpoint{}).live, nullptr);
}

TEST(EventReader, RepairedText_IsThatOfPayload) {
  EXPECT_EQ(read_both(MessageChunk{"a\xFFz", "think"}),
            RunEvent(MessageChunk{"a\xEF\xBF\xBDz", "think"}));
}

TEST(EventReader, JsonOnSeveralLines_IsOnOneLine) {
  EXPECT_EQ(read_both(ToolCallMade{"c", "read", "{\n\"a\":1}"}),
            RunEvent(ToolCallMade{"c", "read", "{ \"a\":1}"}));
  EXPECT_EQ(read_both(ToolApproval{"c", "read", "{\n}", "{\t}"}),
            RunEvent(ToolApproval{"c", "read", "{ }", "{ }"}));
}

TEST(EventReader, UsageInsideCustom_IsNotPartOfEvent) {
  EXPECT_EQ(read_both(Custom{"{\n}", Usage{1, 2, 3}}), RunEvent(Custom{"{ }"}));
}

TEST(EventReader, BytesOfLiveEvent_CoverItsTexts) {
  const event::Event shown = live(ToolOutput{"c", "bash", std::string(10'000, 'x')});
  EXPECT_GE(shown.live->bytes(), 10'000U + sizeof(RunEvent));
}

TEST(EventReader, Reply_IsRead) {
  EventReader reader;
  const event::Event event = stored_reply(R"({"type":"reply","reply":"Hi"})");
  const EventReader::Read read = reader.read(event);
  EXPECT_EQ(read.event, nullptr);
  ASSERT_NE(read.reply, nullptr);
  EXPECT_EQ(read.reply->reply, "Hi");
}

TEST(EventReader, UnreadablePayload_IsNeither) {
  EventReader reader;
  const EventReader::Read read = reader.read(stored_reply("[]"));
  EXPECT_EQ(read.event, nullptr);
  EXPECT_EQ(read.reply, nullptr);
}

}  // namespace
}  // namespace parley::runtime
