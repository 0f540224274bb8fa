// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/chat_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stream/sample_events.h"

namespace parley::chat {
namespace {

using testing::Contains;
using testing::HasSubstr;

// A run with an event of every type and texts that its payload changes.
std::vector<runtime::RunEvent> long_run() {
  std::vector<runtime::RunEvent> out = runtime::sample_events();
  out.emplace_back(runtime::MessageChunk{"a\xFFz", "think"});
  out.emplace_back(
      runtime::ToolCallMade{"call_2", "todo_write", "{\n\"todos\":[{\"content\":\"x\"}]}"});
  out.emplace_back(runtime::ToolStart{"call_2", "todo_write"});
  out.emplace_back(runtime::ToolEnd{"call_2", "todo_write", "done", false, std::nullopt});
  out.emplace_back(
      runtime::Custom{R"({"context_fitted":{"summary":"s","tokens":5,"messages":2}})"});
  out.emplace_back(runtime::Usage{4, 5, 9});
  return out;
}

std::vector<std::string> frames_of(Generation generation, bool live) {
  std::vector<std::string> out;
  FrameWriter frames("code", [&out](std::string_view frame) { out.emplace_back(frame); });
  frames.set_generation(generation);
  ChatView view(frames, true);
  std::uint64_t seq = 0;
  for (const runtime::RunEvent& event : long_run()) {
    ++seq;
    view.take(live ? runtime::live(event, seq) : runtime::stored(event, seq), true);
  }
  view.take(runtime::stored_reply(R"({"type":"reply","reply":"done","stop_reason":"end_turn"})"),
            true);
  return out;
}

class ChatViewTest : public testing::TestWithParam<Generation> {};

TEST_P(ChatViewTest, LiveRunAndItsReplay_AreSameFrames) {
  const std::vector<std::string> replayed = frames_of(GetParam(), false);
  EXPECT_EQ(frames_of(GetParam(), true), replayed);
  EXPECT_THAT(replayed, Contains(HasSubstr("I\\tsee\\n")));
}

INSTANTIATE_TEST_SUITE_P(Generations, ChatViewTest,
                         testing::Values(Generation::first, Generation::second));

}  // namespace
}  // namespace parley::chat
