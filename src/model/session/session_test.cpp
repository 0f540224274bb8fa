// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/session/session_fixture.h"

namespace parley::session {
namespace {

using core::Code;
using core::Millis;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(SessionTest, Question_IsShownOnceDurable) {
  ask("q1", "Which way?");
  EXPECT_THAT(keeper_.opened, IsEmpty());
  scheduler_.run_ready();
  ASSERT_THAT(keeper_.opened, SizeIs(1));
  EXPECT_EQ(keeper_.opened[0]->prompt.text, "Which way?");
  EXPECT_TRUE(session_->is_pending("q1"));
  ASSERT_THAT(store_.events("s"), SizeIs(1));
  EXPECT_EQ(store_.events("s")[0].type, "interaction.opened");
}

// Simulates two read threads of different speed.
TEST_F(SessionTest, LookupsOutOfOrder_OpenInAskingOrder) {
  ask("q0", "Before?");  // the session is stored: keys are looked up from now on
  scheduler_.run_ready();
  store_.step_by_step();
  ask("q1", "First?");
  ask("q2", "Second?");
  ask("q3", "Third?");
  store_.proceed_with_newest();
  scheduler_.run_ready();
  store_.proceed_with_newest();
  scheduler_.run_ready();
  EXPECT_THAT(store_.events("s"), SizeIs(1)) << "the first is not looked up yet";
  store_.proceed(1);
  scheduler_.run_ready();
  store_.proceed(3);
  scheduler_.run_ready();
  ASSERT_THAT(keeper_.opened, SizeIs(4));
  EXPECT_EQ(keeper_.opened[1]->key, "q1");
  EXPECT_EQ(keeper_.opened[2]->key, "q2");
  EXPECT_EQ(keeper_.opened[3]->key, "q3");
}

TEST_F(SessionTest, Answer_ReachesCallerAndParticipants) {
  RecordingParticipant other("other");
  ASSERT_TRUE(session_->join(other));
  ask("q1", "Which way?");
  scheduler_.run_ready();
  answer("q1", "left");
  EXPECT_THAT(fates_, IsEmpty()) << "the answer is not durable yet";
  scheduler_.run_ready();
  ASSERT_THAT(fates_, SizeIs(1));
  ASSERT_TRUE(fates_[0].second);
  const Interaction& closed = **fates_[0].second;
  EXPECT_EQ(closed.state, InteractionState::answered);
  EXPECT_EQ(closed.outcome.answer.contents[0].text, "left");
  EXPECT_EQ(closed.outcome.client_id, "ui");
  EXPECT_THAT(other.closed, SizeIs(1));
  EXPECT_THAT(keeper_.closed, SizeIs(1));
  ASSERT_THAT(receipts_, SizeIs(1));
  EXPECT_TRUE(receipts_[0]->won);
  EXPECT_FALSE(session_->is_pending("q1"));
  session_->leave(other);
}

TEST_F(SessionTest, FirstAnswer_Wins_OtherLearnsWinner) {
  ask("q1", "Which way?");
  scheduler_.run_ready();
  answer("q1", "left", "a");
  answer("q1", "right", "b");
  scheduler_.run_ready();
  answer("q1", "late", "c");
  scheduler_.run_ready();
  ASSERT_THAT(receipts_, SizeIs(3));
  EXPECT_TRUE(receipts_[0]->won);
  for (const std::size_t loser : {1U, 2U}) {
    ASSERT_TRUE(receipts_[loser]);
    EXPECT_FALSE(receipts_[loser]->won);
    EXPECT_EQ(receipts_[loser]->interaction->outcome.client_id, "a");
    EXPECT_EQ(receipts_[loser]->interaction->outcome.answer.contents[0].text, "left");
  }
  EXPECT_THAT(fates_, SizeIs(1));
  EXPECT_THAT(keeper_.closed, SizeIs(1));
}

TEST_F(SessionTest, AnswerToUnknownQuestion_IsNotFound) {
  answer("nobody asked", "yes");
  scheduler_.run_ready();
  ASSERT_THAT(receipts_, SizeIs(1));
  ASSERT_FALSE(receipts_[0]);
  EXPECT_EQ(receipts_[0].error().code, Code::not_found);
}

TEST_F(SessionTest, SameRequest_Attaches_OtherIsRefused) {
  ask("q1", "Which way?");
  scheduler_.run_ready();
  ask("q1", "Which way?");
  ask("q1", "Another question?");
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ(fates_[0].second.error().code, Code::already_exists);
  answer("q1", "left");
  scheduler_.run_ready();
  ASSERT_THAT(fates_, SizeIs(3));
  EXPECT_EQ(*fates_[1].second, *fates_[2].second);
  EXPECT_THAT(keeper_.opened, SizeIs(1));
}

TEST_F(SessionTest, RepeatedRequest_IsAnsweredFromRecord) {
  ask("q1", "Which way?");
  scheduler_.run_ready();
  answer("q1", "left");
  scheduler_.run_ready();
  ask("q1", "Which way?");
  ask("q1", "Another question?");
  scheduler_.run_ready();
  ASSERT_THAT(fates_, SizeIs(3));
  EXPECT_EQ(fates_[1].second.error().code, Code::already_exists);
  ASSERT_TRUE(fates_[2].second);
  EXPECT_EQ((*fates_[2].second)->outcome.answer.contents[0].text, "left");
  EXPECT_THAT(keeper_.opened, SizeIs(1));
}

TEST_F(SessionTest, Deadline_ExpiresQuestionWithReason) {
  ask("q1", "Which way?", 5);
  scheduler_.advance(Millis(4'999));
  EXPECT_THAT(fates_, IsEmpty());
  scheduler_.advance(Millis(1));
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ((*fates_[0].second)->state, InteractionState::expired);
  EXPECT_EQ((*fates_[0].second)->outcome.reason, "Request timed out after 5 seconds");
  EXPECT_THAT(keeper_.closed, SizeIs(1));
}

TEST_F(SessionTest, Waits_AreBounded) {
  ask("default", "?", 0);
  ask("negative", "?", -7);
  ask("for ever", "?", 2'000'000'000);
  scheduler_.run_ready();
  const auto pending = session_->pending();
  ASSERT_THAT(pending, SizeIs(3));
  EXPECT_EQ(pending[0]->deadline - pending[0]->opened_at, core::limits::kDefaultWait);
  EXPECT_EQ(pending[1]->deadline - pending[1]->opened_at, core::limits::kDefaultWait);
  EXPECT_EQ(pending[2]->deadline - pending[2]->opened_at, core::limits::kMaxWait);
}

TEST_F(SessionTest, LostCaller_CancelsQuestionAfterGrace) {
  const WaiterId waiter = ask("q1", "Which way?");
  scheduler_.run_ready();
  session_->abandon(waiter);
  scheduler_.advance(core::limits::kCallerGrace - Millis(1));
  EXPECT_TRUE(session_->is_pending("q1"));
  scheduler_.advance(Millis(1));
  EXPECT_FALSE(session_->is_pending("q1"));
  ASSERT_THAT(keeper_.closed, SizeIs(1));
  EXPECT_EQ(keeper_.closed[0]->state, InteractionState::cancelled);
  EXPECT_EQ(keeper_.closed[0]->outcome.reason, "Request was cancelled by client");
  EXPECT_THAT(fates_, IsEmpty()) << "nobody waits any more";
}

TEST_F(SessionTest, CallerReturningInTime_FindsQuestionOpen) {
  session_->abandon(ask("q1", "Which way?"));
  scheduler_.advance(core::limits::kCallerGrace - Millis(1));
  ask("q1", "Which way?");
  scheduler_.advance(core::limits::kCallerGrace * 2);
  EXPECT_TRUE(session_->is_pending("q1"));
  answer("q1", "left");
  scheduler_.run_ready();
  EXPECT_THAT(fates_, SizeIs(1));
}

TEST_F(SessionTest, Cancel_TellsCallerReason) {
  ask("q1", "Which way?");
  bool won = false;
  session_->cancel("q1", "no longer needed", person("", ""),
                   [&](core::Result<AnswerReceipt> receipt) { won = receipt->won; });
  scheduler_.run_ready();
  EXPECT_TRUE(won) << "a cancellation that comes before the question is durable waits for it";
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ((*fates_[0].second)->outcome.reason, "no longer needed");
}

TEST_F(SessionTest, Pending_IsInOrderOfCreation) {
  ask("z", "1");
  ask("a", "2");
  ask("m", "3");
  scheduler_.run_ready();
  std::vector<std::string> keys;
  for (const InteractionPtr& one : session_->pending()) keys.push_back(one->key);
  EXPECT_THAT(keys, ElementsAre("z", "a", "m"));
}

TEST_F(SessionTest, TooManyOpenQuestions_AreRefused) {
  for (std::size_t i = 0; i < core::limits::kMaxPendingPerSession; ++i) {
    ask("q" + std::to_string(i), "?");
  }
  scheduler_.run_ready();
  EXPECT_THAT(fates_, IsEmpty());
  ask("one more", "?");
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ(fates_[0].second.error().code, Code::resource_exhausted);
  answer("q0", "done");
  scheduler_.run_ready();
  ask("one more", "?");
  scheduler_.run_ready();
  EXPECT_TRUE(session_->is_pending("one more"));
}

TEST_F(SessionTest, OpenQuestions_HoldBoundedBytes) {
  const std::string large(core::limits::kMaxPendingBytesPerSession / 4, '?');
  for (int i = 0; i < 3; ++i) ask("q" + std::to_string(i), large);
  scheduler_.run_ready();
  EXPECT_THAT(fates_, IsEmpty());
  ask("one more", large);
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ(fates_[0].second.error().code, Code::resource_exhausted);
  EXPECT_THAT(fates_[0].second.error().message, HasSubstr("sessions.pending_bytes"));
  // A small question still fits, and asking an open one again adds no bytes.
  ask("small", "?");
  ask("q0", large);
  scheduler_.run_ready();
  EXPECT_THAT(fates_, SizeIs(1));
  EXPECT_TRUE(session_->is_pending("small"));
  answer("q0", "done");
  scheduler_.run_ready();
  ask("one more", large);
  scheduler_.run_ready();
  EXPECT_TRUE(session_->is_pending("one more"));
}

TEST_F(SessionTest, OverlongKey_IsRefusedByName) {
  ask(std::string(core::limits::kMaxKeyBytes + 1, 'k'), "?");
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ(fates_[0].second.error().code, Code::invalid_argument);
  EXPECT_EQ(fates_[0].second.error().field, "ID");
}

TEST_F(SessionTest, Restart_KeepsQuestionsWithRemainingTime) {
  ask("q1", "Which way?", 10);
  scheduler_.advance(Millis(4'000));
  restart();
  ASSERT_TRUE(session_->is_pending("q1"));
  EXPECT_EQ(session_->pending()[0]->prompt.text, "Which way?");
  fates_.clear();
  ask("q1", "Which way?", 10);
  scheduler_.advance(Millis(5'999));
  EXPECT_THAT(fates_, IsEmpty());
  scheduler_.advance(Millis(1));
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ((*fates_[0].second)->state, InteractionState::expired);
}

TEST_F(SessionTest, Restart_WithoutCaller_KeepsQuestion) {
  ask("q1", "Which way?");
  scheduler_.run_ready();
  restart();
  scheduler_.advance(core::limits::kCallerGrace * 10);
  EXPECT_TRUE(session_->is_pending("q1"));
  answer("q1", "left");
  scheduler_.run_ready();
  fates_.clear();
  ask("q1", "Which way?");
  scheduler_.run_ready();
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ((*fates_[0].second)->outcome.answer.contents[0].text, "left");
}

TEST_F(SessionTest, SequenceNumbers_AfterRestart_HaveNoGap) {
  ask("q1", "?");
  scheduler_.run_ready();
  answer("q1", "!");
  scheduler_.run_ready();
  restart();
  ask("q2", "?");
  scheduler_.run_ready();
  const auto events = store_.events("s");
  ASSERT_THAT(events, SizeIs(3));
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].seq, i + 1);
}

TEST_F(SessionTest, FailedStore_RefusesQuestion_NextWorks) {
  store_.fail_next(1, {Code::resource_exhausted, "The disk is full.", ""});
  ask("q1", "?");
  scheduler_.run_ready();
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ(fates_[0].second.error().code, Code::resource_exhausted);
  EXPECT_THAT(keeper_.opened, IsEmpty());
  ask("q1", "?");
  scheduler_.run_ready();
  EXPECT_TRUE(session_->is_pending("q1"));
  EXPECT_EQ(store_.events("s")[0].seq, 1U);
}

TEST_F(SessionTest, OversizedQuestion_IsRefusedAlone) {
  // Each character takes six bytes in JSON.
  const std::string huge(core::limits::kMaxPayloadBytes / 5, '\x01');
  ask("first", "?");
  ask("huge", huge);
  ask("last", "?");
  scheduler_.run_ready();
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ(fates_[0].first, "huge");
  EXPECT_EQ(fates_[0].second.error().code, Code::resource_exhausted);
  EXPECT_THAT(session_->pending(), SizeIs(2));
  answer("first", huge);
  answer("last", "left");
  scheduler_.run_ready();
  ASSERT_THAT(receipts_, SizeIs(2));
  EXPECT_EQ(receipts_[0].error().code, Code::resource_exhausted);
  EXPECT_TRUE(receipts_[1]->won);
  answer("first", "right");
  scheduler_.run_ready();
  EXPECT_TRUE(receipts_[2]->won);
}

TEST_F(SessionTest, UnstorableAnswer_LeavesQuestionOpen) {
  ask("q1", "?");
  scheduler_.run_ready();
  store_.fail_next(1, {Code::resource_exhausted, "The disk is full.", ""});
  answer("q1", "left");
  scheduler_.run_ready();
  ASSERT_THAT(receipts_, SizeIs(1));
  EXPECT_FALSE(receipts_[0]);
  EXPECT_TRUE(session_->is_pending("q1"));
  EXPECT_THAT(keeper_.closed, IsEmpty());
  answer("q1", "left");
  scheduler_.run_ready();
  EXPECT_TRUE(receipts_[1]->won);
  EXPECT_THAT(fates_, SizeIs(1));
}

TEST_F(SessionTest, UnstorableDeadline_IsRetried) {
  ask("q1", "?", 1);
  scheduler_.run_ready();
  store_.fail_next(2, {Code::data_loss, "The disk failed.", ""});
  scheduler_.advance(Millis(1'000));
  EXPECT_THAT(fates_, IsEmpty());
  scheduler_.advance(Millis(5'000));
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ((*fates_[0].second)->state, InteractionState::expired);
}

TEST_F(SessionTest, Shutdown_TellsCallers_KeepsQuestions) {
  ask("q1", "?");
  scheduler_.run_ready();
  shard_->shut_down();
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ(fates_[0].second.error().code, Code::unavailable);
  EXPECT_EQ(fates_[0].second.error().field, kShuttingDown);
  EXPECT_THAT(keeper_.leave_reasons, ElementsAre(LeaveReason::shutting_down));
  ask("q2", "?");
  EXPECT_EQ(fates_[1].second.error().field, kShuttingDown);
  restart();
  EXPECT_TRUE(session_->is_pending("q1"));
}

TEST_F(SessionTest, RevokedToken_EndsParticipants_TellsCallers) {
  ask("q1", "?");
  scheduler_.run_ready();
  shard_->revoke("somebody else");
  EXPECT_THAT(keeper_.leave_reasons, IsEmpty());
  shard_->revoke("owner");
  EXPECT_THAT(keeper_.leave_reasons, ElementsAre(LeaveReason::token_revoked));
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ(fates_[0].second.error().code, Code::unauthenticated);
}

TEST_F(SessionTest, OtherOwner_CannotEnter) {
  core::Code code = Code::unknown;
  shard_->with_session({"s", "test", "somebody else"}, [&](core::Result<Session*> session) {
    ASSERT_FALSE(session);
    code = session.error().code;
  });
  EXPECT_EQ(code, Code::already_exists);
}

TEST_F(SessionTest, Presence_ReachesOnlyOthers) {
  RecordingParticipant other("other");
  ASSERT_TRUE(session_->join(other));
  EXPECT_THAT(other.presence, IsEmpty());
  EXPECT_THAT(keeper_.presence, ElementsAre(std::pair("other", Presence::joined)));
  session_->renamed(other);
  session_->leave(other);
  EXPECT_THAT(keeper_.presence, ElementsAre(std::pair("other", Presence::joined),
                                            std::pair("other", Presence::renamed),
                                            std::pair("other", Presence::left)));
}

TEST_F(SessionTest, DirectMessages_ReachOnlyReceiver) {
  RecordingParticipant other("other");
  ASSERT_TRUE(session_->join(other));
  DirectMessage message;
  message.from = keeper_.info();
  message.text = "hello";
  EXPECT_TRUE(session_->send_direct(message, "other"));
  EXPECT_THAT(other.messages, SizeIs(1));
  EXPECT_THAT(keeper_.messages, IsEmpty());
  EXPECT_EQ(session_->send_direct(message, "nobody").error().code, Code::not_found);
  EXPECT_THAT(store_.events("s"), IsEmpty());
  session_->leave(other);
}

TEST_F(SessionTest, AbandonedQuestion_StoreFailed_IsCancelled) {
  const WaiterId waiter = ask("q", "Shall I?", 600);
  scheduler_.run_ready();
  session_->abandon(waiter);
  store_.fail_next(2, {Code::data_loss, "The disk failed.", ""});
  for (int tries = 0; tries < 3; ++tries) {
    EXPECT_TRUE(session_->is_pending("q"));
    scheduler_.advance(core::limits::kCallerGrace);
  }
  EXPECT_FALSE(session_->is_pending("q"));
}

TEST_F(SessionTest, AbandonedQuestion_UnstorableAnswer_IsCancelled) {
  const WaiterId waiter = ask("q", "Shall I?", 600);
  scheduler_.run_ready();
  store_.step_by_step();
  store_.fail_next(1, {Code::data_loss, "The disk failed.", ""});
  answer("q", "yes");
  session_->abandon(waiter);
  store_.proceed(10);
  scheduler_.run_ready();
  EXPECT_TRUE(session_->is_pending("q"));
  scheduler_.advance(core::limits::kCallerGrace);
  store_.proceed(10);
  scheduler_.run_ready();
  EXPECT_FALSE(session_->is_pending("q"));
}

TEST_F(SessionTest, WithdrawnQuestion_StoreFailed_IsCancelled) {
  ask("q", "Shall I?", 600);
  scheduler_.run_ready();
  store_.fail_next(1, {Code::data_loss, "The disk failed.", ""});
  session_->withdraw("q", "The run has ended.", asking_token());
  scheduler_.run_ready();
  EXPECT_TRUE(session_->is_pending("q"));
  scheduler_.advance(core::limits::kCallerGrace);
  EXPECT_FALSE(session_->is_pending("q"));
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ((*fates_[0].second)->outcome.reason, "The run has ended.");
}

TEST_F(SessionTest, QuestionDuringAnswer_IsPendingForNewClients) {
  ask("q", "Shall I?");
  scheduler_.run_ready();
  store_.step_by_step();
  store_.fail_next(1, {Code::data_loss, "The disk failed.", ""});
  answer("q", "yes");
  EXPECT_THAT(session_->pending(), SizeIs(1)) << "the answer is not stored yet, and never will be";
  store_.proceed(10);
  scheduler_.run_ready();
  EXPECT_THAT(session_->pending(), SizeIs(1));
}

TEST_F(SessionTest, UnwatchedSession_IsUnloadedAtLastExpiry) {
  ask("q", "Shall I?", 1);
  scheduler_.run_ready();
  session_->leave(keeper_);
  scheduler_.advance(std::chrono::seconds(2));
  EXPECT_THAT(fates_, SizeIs(1));
  EXPECT_EQ(shard_->find("s"), nullptr);
}

TEST_F(SessionTest, IdleSession_IsUnloaded) {
  EXPECT_EQ(shard_->counts().sessions, 1U);
  session_->leave(keeper_);
  scheduler_.run_ready();
  EXPECT_EQ(shard_->counts().sessions, 0U);
}

}  // namespace
}  // namespace parley::session
