// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The stream as Loom clients read it: their types require members, their pages join all
// message_chunk and know no other event that tells of the text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "runtime/agent/react_state.h"
#include "runtime/stream/frame.h"
#include "tests/support/agent/agent_world.h"

namespace parley::agent {
namespace {

using testing::AgentWorld;
using ::testing::AllOf;
using ::testing::Each;
using testing::echo_tool;
using testing::FakeReply;
using ::testing::HasSubstr;
using ::testing::Not;

namespace dom = simdjson::dom;

// Counts the calls in every member "tool_calls" below `value`, and checks that each of them has
// the members that Loom's ParsedToolCall requires.
std::size_t decode_calls(const dom::element& value) {
  std::size_t count = 0;
  dom::array items;
  if (value.get(items) == simdjson::SUCCESS) {
    for (const dom::element item : items) count += decode_calls(item);
  }
  dom::object members;
  if (value.get(members) != simdjson::SUCCESS) return count;
  for (const auto& [key, member] : members) {
    count += decode_calls(member);
    if (key != "tool_calls" || member.get(items) != simdjson::SUCCESS) continue;
    for (const dom::element call : items) {
      std::string_view text;
      EXPECT_EQ(call["name"].get(text), simdjson::SUCCESS) << simdjson::minify(call);
      EXPECT_EQ(call["arguments"].get(text), simdjson::SUCCESS) << simdjson::minify(call);
      ++count;
    }
  }
  return count;
}

class LoomStates : public ::testing::TestWithParam<std::tuple<Kind, std::size_t>> {};

TEST_P(LoomStates, EveryCall_HasArguments) {
  const Kind kind = std::get<0>(GetParam());
  const std::size_t bytes = std::get<1>(GetParam());
  AgentWorld world;
  world.parts->tools.add(echo_tool());
  const std::string arguments = R"({"text":")" + std::string(bytes, 'x') + R"("})";
  world.model->script = [&, called = false](const model::ModelRequest& request) mutable {
    if (request.tools.empty() && kind == Kind::dup) return FakeReply::text("Go");
    if (std::exchange(called, true)) {
      return FakeReply::text("CANDIDATE 1: THOUGHT: Done. | TOOL_CALLS: []");
    }
    if (kind != Kind::tot) return FakeReply::call("c1", "echo", arguments);
    return FakeReply::text(R"({"candidates":[{"thought":"A","tool_calls":[{"name":"echo",)"
                           R"("arguments":)" +
                           arguments + "}]}]}");
  };
  world.run(kind, "Go");
  ASSERT_EQ(world.result->end, graph::ExecutionResult::End::finished) << world.error();
  dom::parser parser;
  std::size_t calls = 0;
  for (const auto& entry : world.sink.entries) {
    const simdjson::padded_string text(runtime::stored_payload(entry.event, entry.node_id));
    calls += decode_calls(parser.parse(text));
  }
  EXPECT_GT(calls, 3U);
  const auto checkpoints = world.sink.all<runtime::Checkpoint>().size();
  for (std::size_t nth = 0; nth < checkpoints; ++nth) {
    const auto state = world.state_at(kind, nth);
    for (const model::Message& message : messages_of(*state)) {
      for (const model::ToolCall& call : message.tool_calls)
        EXPECT_GT(call.arguments.size(), bytes);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, LoomStates,
                         ::testing::Combine(::testing::Values(Kind::react, Kind::dup, Kind::tot),
                                            ::testing::Values(kMaxWrittenArguments / 2,
                                                              kMaxWrittenArguments * 2)));

std::string shown(const AgentWorld& world) {
  std::string out;
  for (const auto& chunk : world.sink.all<runtime::MessageChunk>()) out += chunk.content;
  return out;
}

std::vector<std::string> notes(const AgentWorld& world) {
  std::vector<std::string> out;
  for (const auto& custom : world.sink.all<runtime::Custom>()) out.push_back(custom.value);
  return out;
}

TEST(LoomPage, TextOfFailedAttempt_IsShownAsVoid) {
  AgentWorld world;
  FakeReply retried = FakeReply::text("Half of the text");
  retried.retried = core::Error{core::Code::unavailable, "The connection broke.", ""};
  world.model->replies = {retried};
  world.run(Kind::react, "Go");
  EXPECT_EQ(shown(world),
            "Half of the text\n\n[The text so far is void: the model is asked again.]\n\n"
            "Half of the text");
  EXPECT_EQ(world.outcome().reply, "Half of the text");
}

TEST(LoomPage, DupReply_IsAllChunksJoined) {
  AgentWorld world;
  world.model->replies = {FakeReply::text(R"({"core_goal":"Say x"})"), FakeReply::text("Said.")};
  world.run(Kind::dup, "Say x");
  EXPECT_EQ(shown(world), "Said.");
  EXPECT_THAT(testing::transcript(world.sink), HasSubstr("Goal: Say x"));
}

TEST(LoomPage, EmptyUnderstanding_HasNoHeading) {
  AgentWorld world;
  world.model->replies = {FakeReply::text("{}"), FakeReply::text("Said.")};
  world.run(Kind::dup, "Say x");
  EXPECT_THAT(testing::transcript(world.sink), Not(HasSubstr("**Understanding**\"")));
}

TEST(LoomPage, CutReply_IsTold) {
  for (const char* reason : {"length", "content_filter"}) {
    AgentWorld world;
    FakeReply cut = FakeReply::text("It begins");
    cut.finish_reason = reason;
    world.model->replies = {cut};
    world.run(Kind::react, "Go");
    EXPECT_THAT(notes(world), ::testing::Contains(AllOf(HasSubstr("reply_cut"), HasSubstr(reason),
                                                        HasSubstr("reply is cut"))));
  }
}

TEST(LoomPage, CompleteReply_IsNotToldAsCut) {
  AgentWorld world;
  world.model->replies = {FakeReply::text("It is whole.")};
  world.run(Kind::react, "Go");
  EXPECT_THAT(notes(world), Each(Not(HasSubstr("reply_cut"))));
}

}  // namespace
}  // namespace parley::agent
