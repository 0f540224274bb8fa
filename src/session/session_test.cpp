// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fake_scheduler.h"
#include "event/memory_store.h"
#include "session/hub.h"
#include "session/recording_participant.h"

namespace parley::session {
namespace {

using core::Code;
using core::Millis;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// One workspace on one shard, and what its asks came back with.
class SessionTest : public testing::Test {
 protected:
  SessionTest() { session_ = open_session(); }

  Session* open_session() {
    Session* found = nullptr;
    shard_->with_session({"s", "test", "owner"}, [&](core::Result<Session*> session) {
      ASSERT_TRUE(session) << session.error().message;
      found = *session;
      EXPECT_TRUE(found->join(keeper_));
    });
    scheduler_.run_ready();
    return found;
  }

  // A restart: a new shard on the same store, with what was pending taken up.
  void restart() {
    session_->leave(keeper_);
    std::vector<std::unique_ptr<Shard>> shards;
    shard_.reset();
    shards.push_back(std::make_unique<Shard>(scheduler_, entropy_, store_, limits_));
    hub_ = std::make_unique<Hub>(std::move(shards));
    bool recovered = false;
    hub_->recover(store_, scheduler_, [&](core::Result<std::size_t> count) {
      ASSERT_TRUE(count) << count.error().message;
      recovered = true;
    });
    scheduler_.run_ready();
    ASSERT_TRUE(recovered);
    hub_->with_session({"s", "test", "owner"}, [&](core::Result<Session*> session) {
      session_ = *session;
      EXPECT_TRUE(session_->join(keeper_));
    });
    scheduler_.run_ready();
  }

  WaiterId ask(const std::string& key, const std::string& text, int timeout_s = 0) {
    AskRequest request;
    request.key = key;
    request.prompt.text = text;
    request.prompt.timeout_s = timeout_s;
    return session_->ask(std::move(request), [this, key](core::Result<InteractionPtr> result) {
      fates_.emplace_back(key, std::move(result));
    });
  }

  void answer(const std::string& key, const std::string& text, const std::string& who = "ui") {
    Answer answer;
    answer.contents.push_back(
        {.type = Content::Type::text, .text = text, .mime_type = {}, .uri = {}, .data = {}});
    session_->answer(
        key, std::move(answer), {who, "nick of " + who},
        [this](core::Result<AnswerReceipt> receipt) { receipts_.push_back(std::move(receipt)); });
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{1};
  event::MemoryStore store_;
  SessionLimits limits_;
  RecordingParticipant keeper_{"keeper"};
  std::unique_ptr<Shard> shard_ =
      std::make_unique<Shard>(scheduler_, entropy_, store_, SessionLimits{});
  std::unique_ptr<Hub> hub_;
  Session* session_ = nullptr;
  std::vector<std::pair<std::string, core::Result<InteractionPtr>>> fates_;
  std::vector<core::Result<AnswerReceipt>> receipts_;
};

TEST_F(SessionTest, AQuestionIsShownOnlyAfterItIsDurable) {
  ask("q1", "Which way?");
  EXPECT_THAT(keeper_.opened, IsEmpty());
  scheduler_.run_ready();
  ASSERT_THAT(keeper_.opened, SizeIs(1));
  EXPECT_EQ(keeper_.opened[0]->prompt.text, "Which way?");
  EXPECT_TRUE(session_->is_pending("q1"));
  ASSERT_THAT(store_.events("s"), SizeIs(1));
  EXPECT_EQ(store_.events("s")[0].type, "interaction.opened");
}

TEST_F(SessionTest, TheAnswerReachesTheCallerAndEveryParticipant) {
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

TEST_F(SessionTest, TheFirstAnswerWinsAndTheOtherLearnsTheWinner) {
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

TEST_F(SessionTest, AnAnswerToAnUnknownQuestionIsNotFound) {
  answer("nobody asked", "yes");
  scheduler_.run_ready();
  ASSERT_THAT(receipts_, SizeIs(1));
  ASSERT_FALSE(receipts_[0]);
  EXPECT_EQ(receipts_[0].error().code, Code::not_found);
}

TEST_F(SessionTest, TheSameRequestAttachesAndAnotherOneIsRefused) {
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

TEST_F(SessionTest, ARepeatedRequestIsAnsweredFromTheRecord) {
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

TEST_F(SessionTest, ADeadlineExpiresTheQuestionAndSaysSo) {
  ask("q1", "Which way?", 5);
  scheduler_.advance(Millis(4'999));
  EXPECT_THAT(fates_, IsEmpty());
  scheduler_.advance(Millis(1));
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ((*fates_[0].second)->state, InteractionState::expired);
  EXPECT_EQ((*fates_[0].second)->outcome.reason, "Request timed out after 5 seconds");
  EXPECT_THAT(keeper_.closed, SizeIs(1));
}

TEST_F(SessionTest, WaitsAreBounded) {
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

TEST_F(SessionTest, ACallerThatGoesCancelsItsQuestionAfterTheGrace) {
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

TEST_F(SessionTest, ACallerThatComesBackInTimeFindsItsQuestionOpen) {
  session_->abandon(ask("q1", "Which way?"));
  scheduler_.advance(core::limits::kCallerGrace - Millis(1));
  ask("q1", "Which way?");
  scheduler_.advance(core::limits::kCallerGrace * 2);
  EXPECT_TRUE(session_->is_pending("q1"));
  answer("q1", "left");
  scheduler_.run_ready();
  EXPECT_THAT(fates_, SizeIs(1));
}

TEST_F(SessionTest, CancelTellsTheCallerTheReason) {
  ask("q1", "Which way?");
  bool won = false;
  session_->cancel("q1", "no longer needed", {},
                   [&](core::Result<AnswerReceipt> receipt) { won = receipt->won; });
  scheduler_.run_ready();
  EXPECT_TRUE(won) << "a cancellation that comes before the question is durable waits for it";
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ((*fates_[0].second)->outcome.reason, "no longer needed");
}

TEST_F(SessionTest, PendingIsInOrderOfCreation) {
  ask("z", "1");
  ask("a", "2");
  ask("m", "3");
  scheduler_.run_ready();
  std::vector<std::string> keys;
  for (const InteractionPtr& one : session_->pending()) keys.push_back(one->key);
  EXPECT_THAT(keys, ElementsAre("z", "a", "m"));
}

TEST_F(SessionTest, TooManyOpenQuestionsAreRefused) {
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

TEST_F(SessionTest, AKeyThatIsTooLongIsRefusedByName) {
  ask(std::string(core::limits::kMaxKeyBytes + 1, 'k'), "?");
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ(fates_[0].second.error().code, Code::invalid_argument);
  EXPECT_EQ(fates_[0].second.error().field, "ID");
}

TEST_F(SessionTest, ARestartKeepsPendingQuestionsWithWhatIsLeftOfTheirDeadline) {
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

TEST_F(SessionTest, ARestartDoesNotCancelAQuestionThatNoCallerHasComeBackFor) {
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

TEST_F(SessionTest, SequenceNumbersGoOnWithoutAGapAfterARestart) {
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

TEST_F(SessionTest, AFailedStoreRefusesTheQuestionAndTheNextOneWorks) {
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

TEST_F(SessionTest, WhatIsTooLargeToBeStoredIsRefusedAloneAndHarmsNothingBesideIt) {
  // Six bytes each in JSON.
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

TEST_F(SessionTest, AnAnswerThatCannotBeStoredLeavesTheQuestionOpen) {
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

TEST_F(SessionTest, ADeadlineThatCannotBeStoredIsTriedAgain) {
  ask("q1", "?", 1);
  scheduler_.run_ready();
  store_.fail_next(2, {Code::data_loss, "The disk failed.", ""});
  scheduler_.advance(Millis(1'000));
  EXPECT_THAT(fates_, IsEmpty());
  scheduler_.advance(Millis(5'000));
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ((*fates_[0].second)->state, InteractionState::expired);
}

TEST_F(SessionTest, ShuttingDownTellsCallersAndKeepsTheirQuestions) {
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

TEST_F(SessionTest, RevokingATokenEndsItsParticipantsAndTellsItsCallers) {
  ask("q1", "?");
  scheduler_.run_ready();
  shard_->revoke("somebody else");
  EXPECT_THAT(keeper_.leave_reasons, IsEmpty());
  shard_->revoke("owner");
  EXPECT_THAT(keeper_.leave_reasons, ElementsAre(LeaveReason::token_revoked));
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ(fates_[0].second.error().code, Code::unauthenticated);
}

TEST_F(SessionTest, AnotherOwnerCannotEnter) {
  core::Code code = Code::unknown;
  shard_->with_session({"s", "test", "somebody else"}, [&](core::Result<Session*> session) {
    ASSERT_FALSE(session);
    code = session.error().code;
  });
  EXPECT_EQ(code, Code::permission_denied);
}

TEST_F(SessionTest, PresenceReachesTheOthersOnly) {
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

TEST_F(SessionTest, DirectMessagesReachTheReceiverAlone) {
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

TEST_F(SessionTest, EventsAreSeenInOrderEvenIfALaterOneIsReadyFirst) {
  std::vector<std::uint64_t> seqs;
  const auto note = [&](core::Result<std::uint64_t> seq) { seqs.push_back(*seq); };
  session_->append("in", "note", "{}", note);
  session_->append("in", "note", "{}", note);
  EXPECT_THAT(keeper_.events, IsEmpty());
  scheduler_.run_ready();
  EXPECT_THAT(seqs, ElementsAre(1U, 2U));
  ASSERT_THAT(keeper_.events, SizeIs(2));
  EXPECT_EQ(keeper_.events[0].seq, 1U);
  EXPECT_EQ(session_->visible_seq(), 2U);
}

TEST_F(SessionTest, FlowingEventsAreSeenAtOnce) {
  const auto last = session_->append_flowing(
      {{"out", "message_chunk", "{\"content\":\"a\"}"}, {"out", "message_chunk", "{}"}});
  ASSERT_TRUE(last) << last.error().message;
  EXPECT_EQ(*last, 2U);
  ASSERT_THAT(keeper_.events, SizeIs(2));
  EXPECT_EQ(keeper_.events[0].payload, "{\"content\":\"a\"}");
  scheduler_.run_ready();
  EXPECT_THAT(store_.events("s"), SizeIs(2));
}

TEST_F(SessionTest, FlowingEventsWaitForTheDurableOnesBeforeThem) {
  session_->append("out", "tool_start", "{}",
                   [](const core::Result<std::uint64_t>& seq) { EXPECT_TRUE(seq); });
  ASSERT_TRUE(session_->append_flowing({{"out", "tool_output", "{}"}}));
  EXPECT_THAT(keeper_.events, IsEmpty());
  scheduler_.run_ready();
  ASSERT_THAT(keeper_.events, SizeIs(2));
  EXPECT_EQ(keeper_.events[0].type, "tool_start");
  EXPECT_EQ(keeper_.events[1].type, "tool_output");
}

// Appends an event of its own when it sees the first.
class AppendingParticipant final : public RecordingParticipant {
 public:
  explicit AppendingParticipant(Session& session)
      : RecordingParticipant("appending"), session_(session) {}
  void on_event(const event::Event& event) override {
    RecordingParticipant::on_event(event);
    if (event.seq != 1) return;
    EXPECT_TRUE(session_.append_flowing({{"out", "custom", "{}"}}));
  }

 private:
  Session& session_;
};

TEST_F(SessionTest, WhatAParticipantAppendsIsSeenAfterWhatItSaw) {
  session_->leave(keeper_);
  AppendingParticipant appending(*session_);
  ASSERT_TRUE(session_->join(appending));
  ASSERT_TRUE(session_->join(keeper_));
  ASSERT_TRUE(session_->append_flowing({{"out", "usage", "{}"}, {"out", "usage", "{}"}}));
  const auto seqs_of = [](const RecordingParticipant& participant) {
    std::vector<std::uint64_t> seqs;
    for (const event::Event& event : participant.events) seqs.push_back(event.seq);
    return seqs;
  };
  EXPECT_THAT(seqs_of(appending), ElementsAre(1U, 2U, 3U));
  EXPECT_THAT(seqs_of(keeper_), ElementsAre(1U, 2U, 3U));
  EXPECT_THAT(store_.events("s"), SizeIs(3));
  session_->leave(appending);
}

// Keeps what it is given, whole.
class KeepingParticipant final : public RecordingParticipant {
 public:
  KeepingParticipant() : RecordingParticipant("keeping") {}
  void on_events(const event::UnitPtr& unit) override { units.push_back(unit); }
  std::vector<event::UnitPtr> units;
};

TEST_F(SessionTest, EventsThatBecomeVisibleTogetherAreGivenTogether) {
  KeepingParticipant keeping;
  ASSERT_TRUE(session_->join(keeping));
  ASSERT_TRUE(session_->append_flowing({{"out", "usage", "{}"}, {"out", "custom", "{}"}}));
  session_->append_durable({{"out", "tool_start", "{}"}, {"out", "updates", "{}"}},
                           [](const core::Result<std::uint64_t>& seq) { EXPECT_TRUE(seq); });
  scheduler_.run_ready();
  ASSERT_THAT(keeping.units, SizeIs(2));
  EXPECT_THAT(keeping.units[0]->events, SizeIs(2));
  ASSERT_THAT(keeping.units[1]->events, SizeIs(2));
  EXPECT_EQ(keeping.units[1]->events[1].type, "updates");
  EXPECT_THAT(keeper_.events, SizeIs(4));
  session_->leave(keeping);
}

TEST_F(SessionTest, OnlyFlowingTypesFlow) {
  const auto refused =
      session_->append_flowing({{"out", "message_chunk", "{}"}, {"out", "reply", "{}"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().field, "type");
  EXPECT_THAT(keeper_.events, IsEmpty());
}

TEST_F(SessionTest, TransientTypesAreNotAppended) {
  Code code = Code::unknown;
  session_->append("in", "presence.changed", "{}",
                   [&](core::Result<std::uint64_t> seq) { code = seq.error().code; });
  EXPECT_EQ(code, Code::invalid_argument);
}

TEST_F(SessionTest, AnIdleSessionLeavesMemory) {
  EXPECT_EQ(shard_->counts().sessions, 1U);
  session_->leave(keeper_);
  scheduler_.run_ready();
  EXPECT_EQ(shard_->counts().sessions, 0U);
}

TEST_F(SessionTest, NumbersOfLostEventsAreNotGivenAgain) {
  store_.hold_flowing();
  session_->append("out", "tool_start", "{}", [](const auto& seq) { EXPECT_TRUE(seq); });
  scheduler_.run_ready();
  ASSERT_TRUE(session_->append_flowing({{"out", "usage", "{}"}, {"out", "usage", "{}"}}));
  EXPECT_EQ(session_->visible_seq(), 3U);
  store_.lose_held();
  restart();
  EXPECT_EQ(session_->visible_seq(), 1U);
  session_->skip_lost_numbers();
  keeper_.events.clear();
  std::uint64_t seq = 0;
  session_->append("out", "tool_end", "{}", [&](const auto& given) { seq = given.value_or(0); });
  scheduler_.run_ready();
  ASSERT_THAT(store_.events("s"), SizeIs(3));
  EXPECT_EQ(store_.events("s")[1].type, event::kNumbersSkipped);
  EXPECT_EQ(store_.events("s")[1].seq + 1, seq);
  EXPECT_GT(seq, store_.max_lost_numbers());
  EXPECT_THAT(keeper_.events, SizeIs(2)) << "who watches is told, too";
}

TEST_F(SessionTest, ASkipThatCannotBeStoredIsAnnouncedAgain) {
  session_->append("out", "tool_start", "{}", [](const auto& seq) { EXPECT_TRUE(seq); });
  scheduler_.run_ready();
  session_->skip_lost_numbers();
  store_.fail_next(1, {Code::resource_exhausted, "The disk is full.", ""});
  std::vector<std::uint64_t> seqs;
  const auto note = [&](const core::Result<std::uint64_t>& seq) {
    seqs.push_back(seq.value_or(0));
  };
  session_->append("out", "tool_end", "{}", note);
  scheduler_.run_ready();
  session_->append("out", "tool_end", "{}", note);
  scheduler_.run_ready();
  ASSERT_THAT(seqs, SizeIs(2));
  EXPECT_EQ(seqs[0], 0U);
  EXPECT_GT(seqs[1], store_.max_lost_numbers());
  ASSERT_THAT(store_.events("s"), SizeIs(3));
  EXPECT_EQ(store_.events("s")[1].type, event::kNumbersSkipped);
}

TEST_F(SessionTest, AfterAFailedCommitTheNumbersThatWereSeenAreNotGivenAgain) {
  store_.hold_flowing();
  ASSERT_TRUE(session_->append_flowing({{"out", "usage", "{}"}, {"out", "usage", "{}"}}));
  store_.lose_held();
  std::vector<std::uint64_t> seqs;
  const auto note = [&](const core::Result<std::uint64_t>& seq) {
    seqs.push_back(seq.value_or(0));
  };
  session_->append("out", "tool_start", "{}", note);
  scheduler_.run_ready();
  session_->append("out", "tool_start", "{}", note);
  scheduler_.run_ready();
  EXPECT_THAT(seqs, ElementsAre(0U, 4U)) << "3 says that 1 and 2 are nobody's";
  EXPECT_THAT(store_.events("s"), SizeIs(2));
}

}  // namespace
}  // namespace parley::session
