// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/loom/message_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stream/sample_events.h"

namespace parley::loom {
namespace {

using namespace runtime;
using testing::ElementsAre;
using testing::IsEmpty;

class MessageLogTest : public testing::Test {
 protected:
  void take(const RunEvent& event, std::string_view node_id = "run-think-0") {
    log.take(stored(event, ++seq, node_id));
  }
  void reply(std::string_view text) {
    log.take(stored_reply(R"({"type":"reply","reply":")" + std::string(text) + "\"}", ++seq));
  }
  std::vector<std::string> said() {
    std::vector<std::string> out;
    for (const LoggedMessage& message : log.take_messages()) {
      out.push_back(message.role + ": " + message.content);
    }
    return out;
  }

  MessageLog log;
  std::uint64_t seq = 0;
};

TEST_F(MessageLogTest, Log_HoldsQuestionsCallsResultsAndAnswers) {
  take(RunStart{"r", "read it", "react"});
  take(MessageChunk{"I will ", "think"});
  take(MessageChunk{"look", "think"});
  take(ToolCallMade{"c", "read", R"({"path":"a"})"});
  take(NodeExit{"think", std::nullopt});
  take(ToolEnd{"c", "read", "cut", false, "whole"}, "run-act-1");
  take(MessageChunk{"Done.", "think"}, "run-think-2");
  take(NodeExit{"think", std::nullopt}, "run-think-2");
  reply("Done.");
  EXPECT_THAT(
      said(),
      ElementsAre("user: read it",
                  R"(assistant: {"content":"I will look","tool_calls":[{"id":"c","name":"read",)"
                  R"("arguments":"{\"path\":\"a\"}"}]})",
                  R"(tool: {"tool_call_id":"c","content":"whole"})", "assistant: Done."));
  EXPECT_EQ(log.position(), seq);
}

TEST_F(MessageLogTest, UnspokenReply_IsAdded) {
  take(RunStart{"r", "hi", "got"});
  take(MessageChunk{"part", "task"});
  take(NodeExit{"task", std::nullopt});
  reply("merged");
  EXPECT_THAT(said(), ElementsAre("user: hi", "assistant: part", "assistant: merged"));
}

TEST_F(MessageLogTest, SimultaneousNodes_AreKeptApart) {
  take(RunStart{"r", "hi", "got"});
  take(MessageChunk{"a1", "a"}, "run-a-0");
  take(MessageChunk{"b1", "b"}, "run-b-1");
  take(MessageChunk{"a2", "a"}, "run-a-0");
  take(NodeExit{"a", std::nullopt}, "run-a-0");
  take(NodeExit{"b", std::nullopt}, "run-b-1");
  reply("b1");
  EXPECT_THAT(said(), ElementsAre("user: hi", "assistant: a1a2", "assistant: b1"));
}

TEST_F(MessageLogTest, Position_StopsOnlyWhereReadingCanResume) {
  take(RunStart{"r", "hi", "react"});
  EXPECT_THAT(said(), ElementsAre("user: hi"));
  EXPECT_EQ(log.position(), 1U);
  take(MessageChunk{"half", "think"});
  take(NodeExit{"think", std::nullopt});
  EXPECT_THAT(said(), IsEmpty());
  EXPECT_EQ(log.position(), 1U);
  reply("half");
  EXPECT_THAT(said(), ElementsAre("assistant: half"));
  EXPECT_EQ(log.position(), 4U);
}

}  // namespace
}  // namespace parley::loom
