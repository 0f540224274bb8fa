// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/event_line.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "tests/support/stream/sample_events.h"

namespace parley::runtime {
namespace {

// "LEVEL (CALL_ID) TEXT", with "!" behind the level of a failure.
std::string told(const RunEvent& event) {
  const EventLine line = event_line(event);
  std::string out = std::to_string(line.level) + (line.failed ? "! " : " ");
  if (!line.call_id.empty()) out += '(' + line.call_id + ") ";
  return out + line.text;
}

TEST(EventLine, EachType_HasLine) {
  constexpr std::string_view kWanted[] = {
      "0 run-1  react  Hello",
      "1 think",
      "1 think",
      "1! act  it \"broke\"",
      "2 think  I\tsee\n",
      "2 think  hm",
      "2 100 + 62 = 162 tokens",
      R"(1 {"messages":[{"User":"hi"}]})",
      R"(1 think  {"turn_count":1})",
      R"(2 {"progress":0.5})",
      "1 c1  step 3  next act",
      R"(2 ["a","b"])",
      "2 chosen 1  scores [0.25,0.9]",
      "2 back to depth 2  tool error",
      R"(2 tasks ["x","y"]  edges 1)",
      "2 x",
      "2 x  done",
      "2! y  no",
      "2 x  2 tasks more",
      "2 (call_1) read  {\"pa",
      R"(2 (call_1) read {"path":"a.txt"})",
      "2 (call_1) read",
      "3 (call_1) read  part",
      "2 (call_1) read  text",
      R"(2 (call_1) bash {"command":"ls"})",
  };
  const std::vector<RunEvent> events = sample_events();
  ASSERT_EQ(events.size(), std::size(kWanted));
  std::set<std::size_t> types;
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(told(events[i]), kWanted[i]) << type_name(events[i]);
    types.insert(events[i].index());
  }
  EXPECT_EQ(types.size(), std::variant_size_v<RunEvent>);
}

TEST(EventLine, WithoutOptionalMembers_HasNoGaps) {
  EXPECT_EQ(told(RunStart{}), "0 ");
  EXPECT_EQ(told(RunStart{std::nullopt, "Hello", std::nullopt}), "0 Hello");
  EXPECT_EQ(told(Checkpoint{"k", "1", 2, "{}", {}, {}, {}}), "1 k  step 2");
  EXPECT_EQ(told(ToolCallChunk{std::nullopt, std::nullopt, ":1"}), "2 :1");
}

TEST(EventLine, FailedCall_IsFailure) {
  EXPECT_EQ(told(ToolEnd{std::nullopt, "bash", "User rejected.", true, {}}),
            "2! bash  User rejected.");
}

}  // namespace
}  // namespace parley::runtime
