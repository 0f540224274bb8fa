// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The conversation that a new run continues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/agent/model_turn.h"
#include "runtime/model/context.h"
#include "tests/support/run/run_world.h"

namespace parley::run {
namespace {

using agent::testing::FakeReply;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using OneRun = Run;  // ::testing::Test has a Run of its own

class RunConversation : public ::testing::Test {
 protected:
  OneRun say(const std::string& message, std::optional<std::string> continues = std::nullopt,
             const std::string& agent = "react") {
    RunRequest request;
    request.session = "s1";
    request.message = model::Message::user(message);
    request.continues = std::move(continues);
    request.agent = agent;
    auto run = world_.start(std::move(request));
    EXPECT_TRUE(run) << run.error().message;
    return run ? *run : OneRun();
  }
  void replies(std::deque<FakeReply> all) { world_.models.model->replies = std::move(all); }
  // The texts of the last request to the model, without the system prompt.
  std::vector<std::string> sent() {
    std::vector<std::string> out;
    const auto& messages = world_.models.model->requests.back().messages;
    for (std::size_t i = 1; i < messages.size(); ++i) out.push_back(messages[i].content);
    return out;
  }
  void cancel(const OneRun& run) {
    world_.service->cancel("alice", run.id, world_.scheduler, [](const auto& /*ended*/) {});
    world_.scheduler.run_ready();
  }

  RunWorld world_;
};

TEST_F(RunConversation, NextRun_KnowsConversation) {
  replies({FakeReply::text("Blue."), FakeReply::text("You said blue.")});
  say("My colour?");
  say("Which was it?");
  EXPECT_THAT(sent(), ElementsAre("My colour?", "Blue.", "Which was it?"));
}

TEST_F(RunConversation, CancelledRun_LeavesSpokenText) {
  FakeReply stopped = FakeReply::text("It begins with");
  stopped.stalls = true;
  replies({stopped, FakeReply::text("Go on.")});
  cancel(say("Tell me"));
  say("And then?");
  EXPECT_THAT(sent(), ElementsAre("Tell me", StartsWith("It begins with\n["), "And then?"));
}

TEST_F(RunConversation, CancelInToolCall_LeavesTextOnce) {
  FakeReply calls = FakeReply::call("c1", "echo", R"({"text":"hi"})");
  calls.chunks = {"I call."};
  auto tool = agent::testing::echo_tool();
  tool->holds = true;
  world_.tools.tools.add(tool);
  replies({calls, FakeReply::text("Go on.")});
  cancel(say("Call it"));
  say("And then?");
  EXPECT_THAT(sent(), ElementsAre("Call it", "I call.", HasSubstr("before this call was finished"),
                                  "And then?"));
}

TEST_F(RunConversation, RetriedReply_IsNotKept) {
  FakeReply retried = FakeReply::text("Void ");
  retried.retried = core::Error{core::Code::unavailable, "The connection broke.", ""};
  retried.stalls = true;
  replies({retried, FakeReply::text("Go on.")});
  cancel(say("Tell me"));
  say("And then?");
  EXPECT_THAT(sent(), ElementsAre("Tell me", StartsWith("Void \n["), "And then?"));
}

TEST_F(RunConversation, ContinuesNothing_StartsAnew) {
  replies({FakeReply::text("Blue."), FakeReply::text("Which?")});
  say("My colour is blue");
  say("Which is it?", "");
  EXPECT_THAT(sent(), ElementsAre("Which is it?"));
}

TEST_F(RunConversation, ContinuesEarlierRun_LeavesOutLaterRuns) {
  replies({FakeReply::text("One."), FakeReply::text("Two."), FakeReply::text("Three.")});
  const OneRun first = say("1");
  say("2");
  say("3", first.id);
  EXPECT_THAT(sent(), ElementsAre("1", "One.", "3"));
}

TEST_F(RunConversation, ContinuesInterruptedRun_EndsAtNextRun) {
  const auto first = world_.start_held("1", "s1");
  ASSERT_TRUE(first);
  world_.restart();
  replies({FakeReply::text("Two."), FakeReply::text("Three.")});
  say("2");
  say("3", first->id);
  EXPECT_THAT(sent(), ElementsAre("1", "3"));
}

TEST_F(RunConversation, ContinuesRunOfOtherSession_IsRefused) {
  const auto other = world_.start("Hello", "s2");
  ASSERT_TRUE(other);
  ASSERT_TRUE(world_.start("Hello", "s1"));
  RunRequest request;
  request.session = "s1";
  request.message = model::Message::user("Go on");
  request.continues = other->id;
  const auto run = world_.start(std::move(request));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().field, "continues");
}

TEST_F(RunConversation, Compact_ReplacesConversationBySummary) {
  replies({FakeReply::text("Blue."), FakeReply::text("The person likes blue."),
           FakeReply::text("Blue.")});
  say("My colour is blue");
  const OneRun compact = say("/compact", std::nullopt, "compact");
  EXPECT_THAT(world_.types("s1"), testing::Contains("reply").Times(2));
  EXPECT_EQ(world_.find(compact.id)->state, RunState::finished);
  say("Which is it?");
  EXPECT_THAT(sent(), ElementsAre(std::string(model::kSummaryHeading) + "\nThe person likes blue.",
                                  "Which is it?"));
}

// A provider whose model accepts less than `context_tokens` says.
class SmallContext : public RunConversation {
 protected:
  SmallContext() {
    world_.models.model->script = [this](const model::ModelRequest& request) {
      const std::uint64_t size =
          model::estimate_tokens(request.messages) + model::estimate_tokens(request.tools);
      auto& limit = world_.models.model->limit;
      if (size <= accepts_) return FakeReply::text("Read.");
      ++refused_;
      if (learns_) limit = std::min(limit, accepts_);
      FakeReply refusal;
      refusal.error = core::Error{core::Code::out_of_range, "Too long.", ""};
      return refusal;
    };
  }
  static std::string long_text(int turn) {
    return "Turn " + std::to_string(turn) + ": " + std::string(6'000, 'x');
  }

  std::uint64_t accepts_ = 8'192;
  bool learns_ = true;
  int refused_ = 0;
};

TEST_F(SmallContext, LongSession_GoesOn) {
  for (int turn = 0; turn < 12; ++turn) {
    const OneRun run = say(long_text(turn));
    const auto ended = world_.find(run.id);
    ASSERT_EQ(ended->state, RunState::finished) << turn << ": " << ended->error;
    EXPECT_EQ(ended->reply, "Read.");
  }
  EXPECT_EQ(refused_, 1) << "the learned limit is kept";
}

TEST_F(SmallContext, EveryKind_GoesOn) {
  for (const char* kind : {"react", "dup", "tot", "got", "agot"}) {
    world_.models.model->limit = 128'000;
    accepts_ = 128'000;
    for (int turn = 0; turn < 8; ++turn) say(long_text(turn), std::nullopt, kind);
    accepts_ = 8'192;
    refused_ = 0;
    const OneRun run = say("And now?", std::nullopt, kind);
    const auto ended = world_.find(run.id);
    EXPECT_EQ(ended->state, RunState::finished) << kind << ": " << ended->error;
    EXPECT_GT(refused_, 0) << kind;
  }
}

TEST_F(SmallContext, Compact_Works) {
  accepts_ = 128'000;
  for (int turn = 0; turn < 10; ++turn) say(long_text(turn));
  accepts_ = 8'192;
  const OneRun compact = say("/compact", std::nullopt, "compact");
  EXPECT_EQ(world_.find(compact.id)->state, RunState::finished);
  EXPECT_EQ(world_.find(say("And now?").id)->state, RunState::finished);
}

// A limit learned from requests without tools is too low for their descriptions.
TEST_F(SmallContext, LearnedLimitBelowTools_LetsProviderDecide) {
  world_.models.model->limit = 100;
  world_.models.model->learned = true;
  for (int turn = 0; turn < 4; ++turn) {
    const auto ended = world_.find(say(long_text(turn)).id);
    EXPECT_EQ(ended->state, RunState::finished) << ended->error;
  }
}

TEST_F(SmallContext, LimitThatNeverFits_IsGivenUp) {
  accepts_ = 1;
  learns_ = false;
  const auto ended = world_.find(say("Hello").id);
  EXPECT_EQ(ended->state, RunState::failed);
  EXPECT_EQ(ended->error, "Too long.");
  EXPECT_LE(refused_, 1 + agent::kMaxRefits);
}

TEST_F(RunConversation, CompactOfNothing_CallsNoModel) {
  const OneRun compact = say("/compact", std::nullopt, "compact");
  EXPECT_EQ(world_.find(compact.id)->state, RunState::finished);
  EXPECT_TRUE(world_.models.model->requests.empty());
}

}  // namespace
}  // namespace parley::run
