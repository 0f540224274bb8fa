// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The behaviour of a session whose home another node has taken: MemorySessionStore::take_over()
// stands in for that node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/session/session_fixture.h"
#include "tests/support/session/test_actors.h"

namespace parley::session {
namespace {

using core::Code;
using testing::ElementsAre;

class StepDownTest : public SessionTest {
 protected:
  void leave_and_forget() {
    session_->leave(keeper_);
    scheduler_.run_ready();
    ASSERT_EQ(shard_->find("s"), nullptr);
  }
  std::vector<core::Result<std::uint64_t>> appended_;
  Session::EventDone note() {
    return [this](core::Result<std::uint64_t> seq) { appended_.push_back(std::move(seq)); };
  }
};

TEST_F(StepDownTest, AnswerAfterTakeover_IsRefusedUnseen) {
  ask("k", "Go on?");
  scheduler_.run_ready();
  store_.take_over();
  answer("k", "yes");
  scheduler_.run_ready();
  ASSERT_EQ(receipts_.size(), 1U);
  EXPECT_EQ(receipts_[0].error().code, Code::owned_elsewhere);
  EXPECT_EQ(receipts_[0].error().field, event::kHomeField);
  ASSERT_EQ(fates_.size(), 1U);
  EXPECT_EQ(fates_[0].second.error().code, Code::owned_elsewhere);
  EXPECT_TRUE(keeper_.closed.empty());
  EXPECT_EQ(store_.events("s").size(), 1U);
}

TEST_F(StepDownTest, Participants_AreToldToLeave_WithTheirPosition) {
  session_->append("in", "message", "{}", note());
  scheduler_.run_ready();
  store_.take_over();
  session_->append("in", "message", "{}", note());
  session_->append("in", "message", "{}", note());
  scheduler_.run_ready();
  ASSERT_EQ(appended_.size(), 3U);
  EXPECT_EQ(appended_[1].error().code, Code::owned_elsewhere);
  EXPECT_FALSE(appended_[2]);
  EXPECT_EQ(keeper_.events.size(), 1U);
  EXPECT_THAT(keeper_.leave_reasons, ElementsAre(LeaveReason::home_moved));
  EXPECT_EQ(session_->visible_seq(), 1U);
}

TEST_F(StepDownTest, OpenQuestions_StayPending_CallersAreTold) {
  ask("a", "A?");
  ask("b", "B?", 5);
  scheduler_.run_ready();
  store_.take_over();
  session_->append("in", "message", "{}", note());
  scheduler_.run_ready();
  EXPECT_EQ(fates_.size(), 2U);
  EXPECT_EQ(session_->pending_count(), 0U);
  // A deadline must not end an interaction that another node owns.
  scheduler_.advance(std::chrono::seconds(3'600));
  EXPECT_EQ((*store_.make_reader())->pending("s")->size(), 2U);
}

TEST_F(StepDownTest, QuestionsInEveryPhase_AreAnsweredOnce) {
  ask("open", "?");
  scheduler_.run_ready();
  store_.step_by_step();
  ask("looked up", "?");
  answer("open", "yes");
  ask("opening", "?");
  scheduler_.run_ready();
  store_.take_over();
  answer("opening", "yes");
  for (int i = 0; i < 20; ++i) {
    store_.proceed(1);
    scheduler_.run_ready();
  }
  EXPECT_EQ(fates_.size(), 3U);
  for (const auto& [key, fate] : fates_) EXPECT_FALSE(fate) << key;
  EXPECT_EQ(receipts_.size(), 2U);
  EXPECT_THAT(keeper_.leave_reasons, ElementsAre(LeaveReason::home_moved));
}

TEST_F(StepDownTest, CallerCallingAgainWhenTold_IsToldToo) {
  std::size_t told = 0;
  for (const char* key : {"a", "b"}) {
    AskRequest request{asking_token()};
    request.key = key;
    session_->ask(std::move(request), [&](core::Result<InteractionPtr> fate) {
      EXPECT_FALSE(fate);
      ++told;
      for (const char* other : {"a", "b"}) answer(other, "late");
    });
  }
  scheduler_.run_ready();
  store_.take_over();
  answer("a", "yes");
  scheduler_.run_ready();
  EXPECT_EQ(told, 2U);
  EXPECT_EQ(receipts_.size(), 5U);
  for (const auto& receipt : receipts_) EXPECT_EQ(receipt.error().code, Code::owned_elsewhere);
  leave_and_forget();
}

TEST_F(StepDownTest, MovedSession_TakesNothingUntilReloaded) {
  store_.take_over();
  session_->append("in", "message", "{}", note());
  scheduler_.run_ready();
  ask("k", "?");
  answer("k", "yes");
  EXPECT_EQ(session_->append_flowing({{"out", "usage", "{}"}}).error().code, Code::owned_elsewhere);
  session_->append_durable({{"in", "message", "{}"}}, note());
  EXPECT_EQ(appended_.back().error().code, Code::owned_elsewhere);
  ASSERT_EQ(fates_.size(), 1U);
  EXPECT_EQ(fates_[0].second.error().code, Code::owned_elsewhere);
  EXPECT_EQ(receipts_.at(0).error().code, Code::owned_elsewhere);
  RecordingParticipant late("late");
  EXPECT_EQ(session_->join(late).error().code, Code::owned_elsewhere);
  shard_->with_session({"s", "test", "owner"}, [](core::Result<Session*> session) {
    EXPECT_EQ(session.error().code, Code::owned_elsewhere);
  });
  leave_and_forget();
  session_ = open_session();
  session_->append("in", "message", "{}", note());
  scheduler_.run_ready();
  EXPECT_TRUE(appended_.back().has_value());
}

TEST_F(StepDownTest, RefusedFlowingEvents_KeepNoSessionInMemory) {
  session_->append("in", "message", "{}", note());
  scheduler_.run_ready();
  store_.take_over();
  ASSERT_TRUE(session_->append_flowing({{"out", "usage", "{}"}}));
  scheduler_.run_ready();
  EXPECT_THAT(keeper_.leave_reasons, ElementsAre(LeaveReason::home_moved));
  leave_and_forget();
}

TEST_F(StepDownTest, EpochEndingDuringLoad_IsNotUsed) {
  leave_and_forget();
  store_.step_by_step();
  std::optional<core::Error> refused;
  shard_->with_session({"s", "test", "owner"}, [&refused](core::Result<Session*> session) {
    ASSERT_FALSE(session);
    refused = session.error();
  });
  store_.take_over();
  store_.proceed(1);
  scheduler_.run_ready();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, Code::owned_elsewhere);
}

}  // namespace
}  // namespace parley::session
