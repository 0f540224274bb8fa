// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/session_inbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "model/session/workspace.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/memory_session_store.h"
#include "tests/support/session/recording_participant.h"
#include "tests/support/session/test_actors.h"

namespace parley::tool {
namespace {

using core::Code;
using core::Result;
using session::Answer;
using testing::SizeIs;

Answer words(std::string_view text) {
  Answer answer;
  session::Content content;
  content.text = std::string(text);
  answer.contents.push_back(content);
  return answer;
}

class SessionInboxTest : public testing::Test {
 protected:
  SessionInboxTest() {
    shards_.emplace_back(clock_);
    start();
  }
  ~SessionInboxTest() override { hang_up(); }

  void start() {
    std::vector<std::unique_ptr<session::Shard>> shards;
    for (core::FakeScheduler& scheduler : shards_) {
      shards.push_back(
          std::make_unique<session::Shard>(scheduler, entropy_, store_, session::SessionLimits{}));
    }
    hub_ = std::make_unique<session::Hub>(std::move(shards));
    inbox_ = std::make_unique<SessionInbox>(*hub_);
  }
  // As after kill -9: a new process on the same store.
  void restart() {
    hang_up();
    hub_.reset();
    asked_.clear();
    start();
    hub_->recover(store_, shards_[0], [](const Result<std::size_t>&) {});
    run();
  }
  void run() {
    std::size_t count = 1;
    while (count > 0) {
      count = mine_.run_ready();
      for (core::FakeScheduler& scheduler : shards_) count += scheduler.run_ready();
    }
  }
  void watch() {
    hub_->with_session(session::assistant_workspace("t1"), [this](Result<session::Session*> found) {
      session_ = *found;
      ASSERT_TRUE(session_->join(person_));
    });
    run();
  }
  void hang_up() {
    if (session_ != nullptr) session_->leave(person_);
    session_ = nullptr;
  }
  std::size_t ask(std::string key, std::string text) {
    const std::size_t index = asked_.size();
    asked_.emplace_back();
    session::Prompt prompt;
    prompt.text = std::move(text);
    prompt.timeout_s = 60;
    inbox_->ask("t1", std::move(key), session::InteractionKind::question, prompt, mine_,
                cancel_.token(), [this, index](Result<Answer> answer) {
                  EXPECT_FALSE(asked_[index]) << "told once";
                  asked_[index] = std::move(answer);
                });
    EXPECT_FALSE(asked_[index]);
    run();
    return index;
  }
  void reply(const std::string& key, const std::string& text) {
    session_->answer(key, words(text),
                     session::person(person_.info().client_id, person_.info().nickname), nullptr);
    run();
  }

  core::FakeClock clock_;
  std::deque<core::FakeScheduler> shards_;
  core::FakeScheduler mine_{clock_};
  core::SeededEntropy entropy_{1};
  event::MemorySessionStore store_;
  std::unique_ptr<session::Hub> hub_;
  std::unique_ptr<SessionInbox> inbox_;
  session::RecordingParticipant person_{"phone"};
  session::Session* session_ = nullptr;
  core::CancelSource cancel_;
  std::deque<std::optional<Result<Answer>>> asked_;
};

TEST_F(SessionInboxTest, Question_StandsInOwnersInbox_AnswerReturns) {
  watch();
  ask("r1/c1", "Which way?");
  ASSERT_THAT(person_.opened, SizeIs(1));
  EXPECT_EQ(person_.opened[0]->key, "r1/c1");
  EXPECT_EQ(person_.opened[0]->prompt.text, "Which way?");
  EXPECT_FALSE(asked_[0]);
  reply("r1/c1", "left");
  ASSERT_TRUE(asked_[0] && *asked_[0]);
  EXPECT_EQ((*asked_[0])->contents[0].text, "left");
}

TEST_F(SessionInboxTest, Cancel_WithdrawsQuestion) {
  watch();
  ask("r1/c1", "Which way?");
  cancel_.cancel("The run was cancelled.");
  EXPECT_FALSE(asked_[0]) << "not inside the cancellation";
  run();
  ASSERT_TRUE(asked_[0] && !*asked_[0]);
  EXPECT_EQ(asked_[0]->error().code, Code::cancelled);
  ASSERT_THAT(person_.closed, SizeIs(1));
  EXPECT_EQ(person_.closed[0]->state, session::InteractionState::cancelled);
  EXPECT_EQ(person_.closed[0]->outcome.reason, "The run was cancelled.");
}

TEST_F(SessionInboxTest, CancelBeforeSession_AsksNothing) {
  watch();
  session::Prompt prompt;
  prompt.text = "Which way?";
  std::optional<Result<Answer>> told;
  inbox_->ask("t1", "k", session::InteractionKind::question, prompt, mine_, cancel_.token(),
              [&](Result<Answer> answer) { told = std::move(answer); });
  mine_.run_ready();
  cancel_.cancel("Never mind.");
  run();
  ASSERT_TRUE(told && !*told);
  EXPECT_EQ(told->error().code, Code::cancelled);
  for (const auto& opened : person_.opened) {
    ASSERT_THAT(person_.closed, SizeIs(1)) << opened->key << " must not stay open";
  }
  told.reset();
  inbox_->ask("t1", "k2", session::InteractionKind::question, prompt, mine_, cancel_.token(),
              [&](Result<Answer> answer) { told = std::move(answer); });
  run();
  ASSERT_TRUE(told && !*told);
  EXPECT_EQ(session_->pending_count(), 0U);
}

TEST_F(SessionInboxTest, PassedDeadline_IsTold) {
  watch();
  ask("r1/c1", "Which way?");
  shards_[0].advance(std::chrono::seconds(61));
  run();
  ASSERT_TRUE(asked_[0] && !*asked_[0]);
  EXPECT_EQ(asked_[0]->error().code, Code::deadline_exceeded);
}

TEST_F(SessionInboxTest, SameKey_AfterRestart_AttachesAgain) {
  ask("r1/c1", "Which way?");
  restart();
  watch();
  ASSERT_THAT(session_->pending(), SizeIs(1)) << "the question has survived";
  ask("r1/c1", "Which way?");
  EXPECT_THAT(session_->pending(), SizeIs(1)) << "no second question";
  reply("r1/c1", "left");
  ASSERT_TRUE(asked_[0] && *asked_[0]);
  EXPECT_EQ((*asked_[0])->contents[0].text, "left");
}

TEST_F(SessionInboxTest, AnswerGivenMeanwhile_IsFound) {
  ask("r1/c1", "Which way?");
  restart();
  watch();
  reply("r1/c1", "left");
  ask("r1/c1", "Which way?");
  ASSERT_TRUE(asked_[0] && *asked_[0]);
  EXPECT_EQ((*asked_[0])->contents[0].text, "left");
}

TEST_F(SessionInboxTest, SameKeyForOtherQuestion_IsRefused) {
  ask("r1/c1", "Which way?");
  ask("r1/c1", "How far?");
  ASSERT_TRUE(asked_[1] && !*asked_[1]);
  EXPECT_EQ(asked_[1]->error().code, Code::already_exists);
}

TEST_F(SessionInboxTest, StoppingServer_SaysSo_QuestionStays) {
  ask("r1/c1", "Which way?");
  hub_->shut_down();
  run();
  ASSERT_TRUE(asked_[0] && !*asked_[0]);
  EXPECT_EQ(asked_[0]->error().field, session::kShuttingDown);
  restart();
  watch();
  EXPECT_THAT(session_->pending(), SizeIs(1));
}

TEST_F(SessionInboxTest, RunEndingWithServer_KeepsQuestion) {
  ask("r1/c1", "Which way?");
  hub_->shut_down();
  cancel_.cancel("The server is shutting down.");
  run();
  ASSERT_TRUE(asked_[0] && !*asked_[0]);
  cancel_ = core::CancelSource();
  restart();
  watch();
  EXPECT_THAT(session_->pending(), SizeIs(1));
}

TEST_F(SessionInboxTest, QuestionsOfRun_AreWithdrawnAlone) {
  watch();
  const std::size_t mine = ask(question_prefix("r") + "approval/c1", "Allow?");
  const std::size_t other = ask(question_prefix("r-2") + "approval/c1", "Allow?");
  run();
  inbox_->withdraw("t1", question_prefix("r"), "It is over.");
  run();
  ASSERT_TRUE(asked_.at(mine));
  EXPECT_EQ(asked_.at(mine)->error().message, "It is over.");
  EXPECT_FALSE(asked_.at(other));
  ASSERT_THAT(session_->pending(), SizeIs(1));
  EXPECT_EQ(session_->pending().front()->key, "r-2/approval/c1");
}

}  // namespace
}  // namespace parley::tool
