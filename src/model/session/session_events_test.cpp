// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The events of a session: their numbers, and the moment when watchers see them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/session/session_fixture.h"

namespace parley::session {
namespace {

using core::Code;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using SessionEvents = SessionTest;

TEST_F(SessionEvents, Events_AreSeenInOrder) {
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

TEST_F(SessionEvents, ParticipantThatThrows_HidesNothingFromOthers) {
  class Thrower final : public RecordingParticipant {
   public:
    Thrower() : RecordingParticipant("thrower") {}
    void on_events(const event::UnitPtr& /*unit*/) override { throw std::bad_alloc(); }
  };
  Thrower thrower;
  RecordingParticipant late("late");
  ASSERT_TRUE(session_->join(thrower));
  ASSERT_TRUE(session_->join(late));
  for (int i = 0; i < 2; ++i) {
    session_->append("in", "note", "{}",
                     [](const core::Result<std::uint64_t>& /*seq*/) { throw std::bad_alloc(); });
  }
  scheduler_.run_ready();
  EXPECT_THAT(keeper_.events, SizeIs(2));
  EXPECT_THAT(late.events, SizeIs(2));
  session_->leave(thrower);
  session_->leave(late);
}

TEST_F(SessionEvents, FlowingEvents_AreSeenAtOnce) {
  const auto last = session_->append_flowing(
      {{"out", "message_chunk", "{\"content\":\"a\"}"}, {"out", "message_chunk", "{}"}});
  ASSERT_TRUE(last) << last.error().message;
  EXPECT_EQ(*last, 2U);
  ASSERT_THAT(keeper_.events, SizeIs(2));
  EXPECT_EQ(keeper_.events[0].payload, "{\"content\":\"a\"}");
  scheduler_.run_ready();
  EXPECT_THAT(store_.events("s"), SizeIs(2));
}

TEST_F(SessionEvents, FlowingEvents_WaitForEarlierDurableEvents) {
  session_->append("out", "tool_start", "{}",
                   [](const core::Result<std::uint64_t>& seq) { EXPECT_TRUE(seq); });
  ASSERT_TRUE(session_->append_flowing({{"out", "tool_output", "{}"}}));
  EXPECT_THAT(keeper_.events, IsEmpty());
  scheduler_.run_ready();
  ASSERT_THAT(keeper_.events, SizeIs(2));
  EXPECT_EQ(keeper_.events[0].type, "tool_start");
  EXPECT_EQ(keeper_.events[1].type, "tool_output");
}

// Appends an event of its own when it sees the first event.
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

TEST_F(SessionEvents, EventsAppendedByParticipant_AreSeenAfterwards) {
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

// Keeps the units that it receives.
class KeepingParticipant final : public RecordingParticipant {
 public:
  KeepingParticipant() : RecordingParticipant("keeping") {}
  void on_events(const event::UnitPtr& unit) override { units.push_back(unit); }
  std::vector<event::UnitPtr> units;
};

TEST_F(SessionEvents, EventsVisibleTogether_AreGivenTogether) {
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

TEST_F(SessionEvents, FlowingEventAfterFailedDurable_IsNotSeen) {
  store_.step_by_step();
  store_.fail_next(1, {Code::data_loss, "The disk failed.", ""});
  const auto ignore = [](const core::Result<std::uint64_t>&) {};
  session_->append("out", "tool_start", "{}", ignore);
  std::vector<Code> lost;
  ASSERT_TRUE(session_->append_flowing({{"out", "tool_output", "{}"}},
                                       [&](const core::Error& why) { lost.push_back(why.code); }));
  session_->append("out", "tool_end", "{}", ignore);
  store_.proceed(1);
  scheduler_.run_ready();
  EXPECT_THAT(keeper_.events, IsEmpty()) << "the last durable one is still with the store";
  store_.proceed(2);
  scheduler_.run_ready();
  EXPECT_THAT(keeper_.events, IsEmpty());
  EXPECT_THAT(lost, ElementsAre(Code::unavailable));
}

TEST_F(SessionEvents, SessionWithUnstoredFlowingEvents_StaysInMemory) {
  store_.step_by_step();
  ASSERT_TRUE(session_->append_flowing({{"out", "usage", "{}"}}));
  session_->leave(keeper_);
  scheduler_.run_ready();
  EXPECT_EQ(shard_->find("s"), session_);
  store_.proceed(1);
  scheduler_.run_ready();
  EXPECT_EQ(shard_->find("s"), nullptr);
}

TEST_F(SessionEvents, NumbersOfLostEvents_AfterUnload_AreNotReused) {
  store_.hold_flowing();
  ASSERT_TRUE(session_->append_flowing({{"out", "usage", "{}"}, {"out", "usage", "{}"}}));
  store_.lose_held();
  session_->leave(keeper_);
  scheduler_.advance(kStoreRetry);
  ASSERT_EQ(shard_->find("s"), nullptr);
  session_ = open_session();
  std::uint64_t seq = 0;
  session_->append("out", "tool_start", "{}", [&](const auto& given) { seq = given.value_or(0); });
  scheduler_.run_ready();
  EXPECT_EQ(seq, 4U) << "3 says that 1 and 2 are nobody's";
}

TEST_F(SessionEvents, ClockThatIsSetBack_BetweenTwoLoads_LeavesTimesInOrder) {
  session_->append("out", "tool_start", "{}", [](const auto& /*seq*/) {});
  scheduler_.run_ready();
  session_->leave(keeper_);
  scheduler_.run_ready();
  ASSERT_EQ(shard_->find("s"), nullptr);
  clock_.set_wall(clock_.wall() - std::chrono::hours(1));
  session_ = open_session();
  session_->append("out", "tool_end", "{}", [](const auto& /*seq*/) {});
  scheduler_.run_ready();
  ASSERT_THAT(keeper_.events, SizeIs(2));
  EXPECT_EQ(keeper_.events[1].seq, 2U);
  EXPECT_EQ(keeper_.events[1].at, keeper_.events[0].at);
}

TEST_F(SessionEvents, ClockThatWasFarAhead_DoesNotBindTheNextLoad) {
  const core::WallTime now = clock_.wall();
  clock_.set_wall(now + kMostStepBack + std::chrono::hours(1));
  session_->append("out", "tool_start", "{}", [](const auto& /*seq*/) {});
  scheduler_.run_ready();
  session_->leave(keeper_);
  scheduler_.run_ready();
  ASSERT_EQ(shard_->find("s"), nullptr);
  clock_.set_wall(now);
  session_ = open_session();
  session_->append("out", "tool_end", "{}", [](const auto& /*seq*/) {});
  scheduler_.run_ready();
  ASSERT_THAT(keeper_.events, SizeIs(2));
  EXPECT_EQ(keeper_.events[1].at, now);
}

TEST_F(SessionEvents, OnlyFlowingTypes_Flow) {
  const auto refused =
      session_->append_flowing({{"out", "message_chunk", "{}"}, {"out", "reply", "{}"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().field, "type");
  EXPECT_THAT(keeper_.events, IsEmpty());
}

TEST_F(SessionEvents, TransientTypes_AreNotAppended) {
  Code code = Code::unknown;
  session_->append("in", "presence.changed", "{}",
                   [&](core::Result<std::uint64_t> seq) { code = seq.error().code; });
  EXPECT_EQ(code, Code::invalid_argument);
}

TEST_F(SessionEvents, NumbersOfLostEvents_AreNotReused) {
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

TEST_F(SessionEvents, EndOfARestoredApproval_ReusesNoNumber) {
  AskRequest request{Authority::of_run()};
  request.key = "k";
  session_->ask(std::move(request), nullptr);
  scheduler_.run_ready();
  store_.hold_flowing();
  ASSERT_TRUE(session_->append_flowing({{"out", "usage", "{}"}}));
  EXPECT_EQ(session_->visible_seq(), 2U);
  store_.lose_held();
  restart();
  session_->withdraw("k", "It is over.", Authority::of_run());
  scheduler_.run_ready();
  ASSERT_THAT(store_.events("s"), SizeIs(3));
  EXPECT_EQ(store_.events("s")[1].type, event::kNumbersSkipped);
  EXPECT_GT(store_.events("s")[2].seq, store_.max_lost_numbers());
}

TEST_F(SessionEvents, UnstorableSkip_IsAnnouncedAgain) {
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

TEST_F(SessionEvents, SeenNumbers_AfterFailedCommit_AreNotReused) {
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
