// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/session_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <thread>

#include "base/core/id.h"
#include "tests/support/event/fault_vfs.h"
#include "tests/support/event/opened_store.h"

namespace parley::event {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SessionStoreTest : public OpenedStoreTest {
 protected:
  // As unit_of(), with the current home epoch.
  Unit owned_unit(const std::string& session, std::uint64_t seq, std::string payload = "{}") {
    Unit unit = unit_of(session, seq, std::move(payload));
    unit.home_epoch = store_->home_epoch(session);
    return unit;
  }
  ReadQuery after(std::uint64_t seq, std::size_t limit = 100) const {
    ReadQuery query;
    query.session = "s";
    query.after = seq;
    query.limit = limit;
    return query;
  }
  void commit_events(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t seq = first; seq <= last; ++seq) {
      ASSERT_TRUE(caller_->commit(unit_of("s", seq)));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, SessionStoreTest, sql::each_engine(), sql::engine_name);

class SessionFileTest : public SessionStoreTest {};
INSTANTIATE_TEST_SUITE_P(Files, SessionFileTest, sql::only_sqlite(), sql::engine_name);

TEST_P(SessionStoreTest, AcknowledgedUnits_SurviveRestart) {
  open();
  Unit unit = unit_of("s", 1, R"({"text":"hello"})");
  unit.events[0].direction = "agent->host";
  unit.events[0].type = "note";
  ASSERT_TRUE(caller_->commit(unit));
  open();
  const core::Result<EventPage> page = caller_->read(after(0));
  ASSERT_TRUE(page);
  ASSERT_EQ(page->events.size(), 1U);
  const Event& event = page->events[0];
  EXPECT_EQ(event.session, "s");
  EXPECT_EQ(event.seq, 1U);
  EXPECT_EQ(event.at, unit.events[0].at);
  EXPECT_EQ(event.direction, "agent->host");
  EXPECT_EQ(event.type, "note");
  EXPECT_EQ(event.payload, R"({"text":"hello"})");
}

TEST_P(SessionStoreTest, StoredEvent_HasNoLiveMember) {
  open();
  Unit unit = owned_unit("s", 1);
  unit.events[0].live = std::make_shared<const Live>(1);
  ASSERT_TRUE(caller_->commit(std::move(unit)));
  const core::Result<EventPage> page = caller_->read(after(0));
  ASSERT_TRUE(page);
  ASSERT_THAT(seqs_of(*page), ElementsAre(1));
  EXPECT_EQ(page->events[0].live, nullptr);
}

TEST_P(SessionStoreTest, ForwardReads_ComeInPages) {
  open();
  commit_events(1, 5);
  const core::Result<EventPage> first = caller_->read(after(1, 2));
  ASSERT_TRUE(first);
  EXPECT_THAT(seqs_of(*first), ElementsAre(2, 3));
  EXPECT_TRUE(first->more);
  EXPECT_EQ(first->first_seq, 1U);
  EXPECT_EQ(first->last_seq, 5U);
  const core::Result<EventPage> last = caller_->read(after(3, 2));
  ASSERT_TRUE(last);
  EXPECT_THAT(seqs_of(*last), ElementsAre(4, 5));
  EXPECT_FALSE(last->more);
}

TEST_P(SessionStoreTest, Page_EndsWithEventExceedingItsBytes) {
  open();
  commit_events(1, 5);
  ReadQuery query = after(0, 5);
  query.max_bytes = 1;
  const core::Result<EventPage> page = caller_->read(query);
  ASSERT_TRUE(page);
  EXPECT_THAT(seqs_of(*page), ElementsAre(1));
  EXPECT_TRUE(page->more);
}

TEST_P(SessionStoreTest, BackwardReads_AreNearestFirstButAscending) {
  open();
  commit_events(1, 5);
  ReadQuery query = after(0, 2);
  query.before = 5;
  const core::Result<EventPage> page = caller_->read(query);
  ASSERT_TRUE(page);
  EXPECT_THAT(seqs_of(*page), ElementsAre(3, 4));
  EXPECT_TRUE(page->more);
  query.before = 3;
  const core::Result<EventPage> older = caller_->read(query);
  ASSERT_TRUE(older);
  EXPECT_THAT(seqs_of(*older), ElementsAre(1, 2));
  EXPECT_FALSE(older->more);
}

TEST_P(SessionStoreTest, Types_FilterEvents) {
  open();
  for (std::uint64_t seq = 1; seq <= 4; ++seq) {
    Unit unit = unit_of("s", seq);
    unit.events[0].type = seq % 2 == 0 ? "even" : "odd";
    ASSERT_TRUE(caller_->commit(std::move(unit)));
  }
  ReadQuery query = after(0);
  query.types = {"even", "none"};
  const core::Result<EventPage> page = caller_->read(query);
  ASSERT_TRUE(page);
  EXPECT_THAT(seqs_of(*page), ElementsAre(2, 4));
  EXPECT_EQ(page->last_seq, 4U);
}

TEST_P(SessionStoreTest, UnknownSession_HasEmptyPageAndNoRow) {
  open();
  const core::Result<EventPage> page = caller_->read(after(0));
  ASSERT_TRUE(page);
  EXPECT_THAT(page->events, IsEmpty());
  EXPECT_EQ(page->first_seq, 1U);
  EXPECT_EQ(page->last_seq, 0U);
  const core::Result<SessionRow> row = caller_->session("s");
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().code, core::Code::not_found);
}

TEST_P(SessionStoreTest, Gap_IsRefused_HarmsNoOtherUnit) {
  open();
  commit_events(1, 2);
  const core::Result<Revision> gap = caller_->commit(unit_of("s", 4));
  ASSERT_FALSE(gap);
  EXPECT_EQ(gap.error().code, core::Code::failed_precondition);
  EXPECT_TRUE(caller_->commit(unit_of("other", 1)));
  EXPECT_TRUE(caller_->commit(unit_of("s", 3)));
  EXPECT_FALSE(caller_->commit(unit_of("s", 3)));
}

TEST_P(SessionStoreTest, SessionsOfOwner_AreListedNewestEventFirst) {
  open();
  Unit foreign = unit_of("c", 1);
  foreign.session = session_row("c", "somebody else");
  ASSERT_TRUE(caller_->commit(unit_of("a", 1)));
  ASSERT_TRUE(caller_->commit(unit_of("b", 1)));
  ASSERT_TRUE(caller_->commit(std::move(foreign)));
  ASSERT_TRUE(caller_->commit(unit_of("a", 2)));
  const core::Result<std::vector<SessionRow>> rows = caller_->sessions("owner", 10);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].id, "a");
  EXPECT_EQ((*rows)[0].last_seq, 2U);
  EXPECT_EQ((*rows)[1].id, "b");
  const core::Result<std::vector<SessionRow>> one = caller_->sessions("owner", 1);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->size(), 1U);
  Unit drop;
  drop.drop = HistoryDrop{"a", 3};
  ASSERT_TRUE(caller_->commit(std::move(drop)));
  const core::Result<std::vector<SessionRow>> rest = caller_->sessions("owner", 10);
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->size(), 1U) << "what has no events any more is not listed";
  EXPECT_EQ(rest->front().id, "b");
}

// The list equals a full sort by the last event of each session, even if the clock jumps.
TEST_P(SessionStoreTest, SessionPage_IsOrderedByLastEvents) {
  open();
  constexpr int kSessions = 40;
  core::SeededEntropy entropy(3);
  std::map<int, std::pair<std::uint64_t, std::int64_t>> last;  // seq and time of the last event
  std::int64_t now = 1'000'000;
  for (int i = 0; i < 600; ++i) {
    const std::string dice = core::random_hex(entropy, 4);
    const auto roll = static_cast<int>(std::stoul(dice, nullptr, 16));
    now += roll % 97 == 0 ? -3'000 : roll % 300;
    const int session = roll / 1'000 % kSessions;
    auto& [seq, at] = last[session];
    at = now;
    Unit unit = unit_of("s" + std::to_string(session), ++seq);
    unit.events.back().at = core::from_unix_ms(at);
    ASSERT_TRUE(caller_->commit(std::move(unit)));
  }
  std::vector<std::pair<std::int64_t, std::string>> wanted;
  for (const auto& [session, place] : last) {
    wanted.emplace_back(-place.second, "s" + std::to_string(session));
  }
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const std::size_t limit : {1U, 2U, 7U, 39U, 100U}) {
    const core::Result<std::vector<SessionRow>> rows = caller_->sessions("owner", limit);
    ASSERT_TRUE(rows);
    ASSERT_EQ(rows->size(), std::min(limit, wanted.size()));
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const auto& [seq, at] = last[std::stoi((*rows)[i].id.substr(1))];
      EXPECT_EQ(-at, wanted[i].first) << "place " << i << " of " << limit;
      EXPECT_EQ((*rows)[i].last_at, core::from_unix_ms(at));
    }
  }
}

TEST_P(SessionStoreTest, Title_Changes_OwnerNever) {
  open();
  commit_events(1, 1);
  Unit renamed;
  renamed.session = session_row("s");
  renamed.session->title = "New";
  ASSERT_TRUE(caller_->commit(renamed));
  EXPECT_EQ(caller_->session("s")->title, "New");
  Unit stolen;
  stolen.session = session_row("s", "thief");
  const core::Result<Revision> refused = caller_->commit(stolen);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::failed_precondition);
  EXPECT_EQ(caller_->session("s")->owner, "owner");
}

TEST_P(SessionStoreTest, PendingSessions_AreThoseWithOpenInteractions) {
  open();
  EXPECT_THAT(*caller_->pending_sessions(), IsEmpty());
  for (const char* session : {"one", "closed", "two"}) {
    ASSERT_TRUE(caller_->commit(asking_unit(session, "k", 1)));
    ASSERT_TRUE(caller_->commit(asking_unit(session, "l", 2)));
  }
  ASSERT_TRUE(caller_->commit(unit_of("quiet", 1)));
  ASSERT_TRUE(caller_->commit(ending_unit("closed", "k", 3, "answered")));
  ASSERT_TRUE(caller_->commit(ending_unit("closed", "l", 4, "expired")));
  const auto pending = *caller_->pending_sessions();
  ASSERT_EQ(pending.size(), 2U);
  EXPECT_EQ(pending[0].id, "one");
  EXPECT_EQ(pending[1].id, "two");
  EXPECT_EQ(pending[1].owner, "owner");
}

TEST_P(SessionStoreTest, PendingInteraction_SurvivesRestartUntilClosed) {
  open();
  const Unit asked = asking_unit("s", "k", 1, R"({"q":1})");
  ASSERT_TRUE(caller_->commit(asked));
  open();
  const core::Result<std::vector<StoredInteraction>> pending = caller_->pending("s");
  ASSERT_TRUE(pending);
  ASSERT_EQ(pending->size(), 1U);
  EXPECT_EQ((*pending)[0].row.key, "k");
  EXPECT_EQ((*pending)[0].row.id, "id-k");
  EXPECT_EQ((*pending)[0].row.kind, "question");
  EXPECT_EQ((*pending)[0].row.fingerprint, "f");
  EXPECT_EQ((*pending)[0].row.opened_at, asked.events[0].at);
  EXPECT_EQ((*pending)[0].row.deadline, asked.changes[0].deadline);
  EXPECT_EQ((*pending)[0].opened_payload, R"({"q":1})");
  EXPECT_EQ((*pending)[0].closed_payload, "");

  ASSERT_TRUE(caller_->commit(ending_unit("s", "k", 2, "answered", R"({"a":2})")));
  EXPECT_TRUE(caller_->pending("s")->empty());
  const auto stored = caller_->interaction("s", "k");
  ASSERT_TRUE(stored);
  ASSERT_TRUE(stored->has_value());
  EXPECT_EQ((*stored)->row.state, "answered");
  EXPECT_EQ((*stored)->row.kind, "question");
  EXPECT_EQ((*stored)->row.opened_seq, 1U);
  EXPECT_EQ((*stored)->row.closed_seq, 2U);
  EXPECT_EQ((*stored)->closed_payload, R"({"a":2})");
  EXPECT_FALSE(caller_->interaction("s", "other")->has_value());
}

TEST_P(SessionStoreTest, Interaction_EndsOnce) {
  open();
  ASSERT_TRUE(caller_->commit(asking_unit("s", "k", 1)));
  ASSERT_TRUE(caller_->commit(ending_unit("s", "k", 2, "answered")));
  EXPECT_FALSE(caller_->commit(ending_unit("s", "k", 3, "cancelled")));
  // Its key cannot be used again either.
  EXPECT_FALSE(caller_->commit(asking_unit("s", "k", 3)));
  EXPECT_EQ(caller_->session("s")->last_seq, 2U);
  EXPECT_EQ((*caller_->interaction("s", "k"))->row.state, "answered");
}

TEST_P(SessionStoreTest, Read_SeesEarlierFlowingEvents) {
  open();
  commit_events(1, 1);
  caller_->append_flowing(unit_of("s", 2));
  caller_->append_flowing(unit_of("s", 3));
  const core::Result<EventPage> page = caller_->read(after(1));
  ASSERT_TRUE(page);
  EXPECT_THAT(seqs_of(*page), ElementsAre(2, 3));
  EXPECT_TRUE(caller_->commit(unit_of("s", 4)));
}

TEST_P(SessionStoreTest, FlowingEvents_AreStoredWithoutOtherCalls) {
  open();
  commit_events(1, 1);
  caller_->append_flowing(unit_of("s", 2));
  ASSERT_TRUE(caller_->run_until([&] { return store_->stats().units == 2; }));
  EXPECT_EQ(caller_->session("s")->last_seq, 2U);
}

TEST_P(SessionStoreTest, LostFlowingEvent_IsToldInAnswerAndNextCommit) {
  open();
  commit_events(1, 1);
  caller_->append_flowing(unit_of("s", 3));
  const core::Result<Revision> next = caller_->commit(unit_of("s", 4));
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, core::Code::failed_precondition);
  ASSERT_EQ(caller_->flowing_answers().size(), 1U);
  EXPECT_FALSE(caller_->flowing_answers()[0]);
  EXPECT_EQ(store_->stats().flowing_failed, 1U);
}

TEST_P(SessionStoreTest, FlowingEventWithoutRoom_IsRefused) {
  StoreOptions options;
  options.group.max_queue = 1'000;
  open(options);
  // A large flowing unit waits up to kFlowingDelay, and the next one finds the queue full; retried,
  // because the writer may be faster.
  std::size_t given = 0;
  const auto refused = [&] {
    caller_->append_flowing(unit_of("s" + std::to_string(++given), 1, std::string(5'000, 'x')));
    caller_->scheduler().run_ready();
    const auto& answers = caller_->flowing_answers();
    return std::any_of(answers.begin(), answers.end(), [](const auto& answer) {
      return !answer && answer.error().code == core::Code::resource_exhausted;
    });
  };
  ASSERT_TRUE(caller_->run_until(refused));
  EXPECT_TRUE(caller_->run_until([&] { return caller_->flowing_answers().size() == given; }));
}

TEST_P(SessionStoreTest, Answers_ComeInCallOrder) {
  open();
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) {
    store_->commit(owned_unit("s", static_cast<std::uint64_t>(i) + 1), caller_->scheduler(),
                   [&order, i](const core::Result<Revision>& done) {
                     EXPECT_TRUE(done);
                     order.push_back(i);
                   });
  }
  ASSERT_TRUE(caller_->run_until([&] { return order.size() == 100; }));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_LT(store_->stats().groups, 100U);
}

TEST_P(SessionStoreTest, FullQueue_RefusesInOrder) {
  StoreOptions options;
  options.group.max_queue = 4'096;
  open(options);
  std::size_t answered = 0;
  std::size_t refused = 0;
  const std::string large(3'000, 'x');
  for (std::uint64_t i = 1; i <= 50; ++i) {
    store_->commit(owned_unit("s" + std::to_string(i), 1, large), caller_->scheduler(),
                   [&](const core::Result<Revision>& done) {
                     ++answered;
                     if (done) return;
                     EXPECT_EQ(done.error().code, core::Code::resource_exhausted);
                     ++refused;
                   });
  }
  ASSERT_TRUE(caller_->run_until([&] { return answered == 50; }));
  EXPECT_GT(refused, 0U);
  EXPECT_LT(refused, 50U);
  EXPECT_TRUE(caller_->commit(unit_of("later", 1)));
}

TEST_P(SessionStoreTest, Close_CommitsWaiting_RefusesNew) {
  open();
  std::size_t stored = 0;
  for (std::uint64_t seq = 1; seq <= 20; ++seq) {
    store_->commit(owned_unit("s", seq), caller_->scheduler(),
                   [&stored](const core::Result<Revision>& done) { stored += done ? 1 : 0; });
  }
  caller_->append_flowing(unit_of("s", 21));
  store_->close();
  caller_->scheduler().run_ready();
  EXPECT_EQ(stored, 20U);
  EXPECT_EQ(caller_->commit(unit_of("s", 22)).error().code, core::Code::unavailable);
  EXPECT_EQ(caller_->read(after(0)).error().code, core::Code::unavailable);
  store_.reset();
  open();
  EXPECT_EQ(caller_->session("s")->last_seq, 21U);
}

TEST_P(SessionFileTest, Epoch_StaysWithDataDirectory) {
  open();
  const std::string epoch = store_->epoch();
  EXPECT_EQ(epoch.size(), 32U);
  open();
  EXPECT_EQ(store_->epoch(), epoch);
  store_->close();
  store_.reset();
  std::filesystem::remove_all(data_dir());
  open();
  EXPECT_NE(store_->epoch(), epoch);
}

TEST_P(SessionStoreTest, SecondInstance_IsRefusedWithHolder) {
  open();
  const auto second = try_open();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, core::Code::failed_precondition);
  EXPECT_THAT(second.error().message, HasSubstr("pid " + std::to_string(::getpid())));
  store_->close();
  EXPECT_TRUE(try_open());
}

TEST_P(SessionFileTest, DataDirectory_IsPrivate) {
  open();
  struct stat status {};
  ASSERT_EQ(::stat(data_dir().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  ASSERT_EQ(::stat(store_path(data_dir()).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_P(SessionFileTest, RunningStore_CheckpointsLog) {
  StoreOptions options;
  options.checkpoint_pages = 8;
  options.restart_pages = 64;
  open(options);
  commit_events(1, 200);
  ASSERT_TRUE(caller_->run_until([&] { return store_->stats().checkpoints > 0; }));
  EXPECT_LT(store_->stats().wal_pages, 200);
}

TEST_P(SessionFileTest, FullDisk_IsAnswered_StoreLivesOn) {
  FaultVfs disk;
  StoreOptions options;
  options.vfs = disk.name();
  open(options);
  commit_events(1, 3);
  disk.fail_writes_after(0, DiskFault::no_space);
  EXPECT_EQ(caller_->commit(unit_of("s", 4)).error().code, core::Code::resource_exhausted);
  EXPECT_EQ(caller_->commit(unit_of("s", 5)).error().code, core::Code::failed_precondition);
  EXPECT_THAT(seqs_of(*caller_->read(after(0))), ElementsAre(1, 2, 3));
  disk.heal();
  commit_events(4, 5);
  store_->close();  // before the disk is destroyed
}

TEST_P(SessionFileTest, DiskFault_IsToldUntilWriteSucceeds) {
  for (const DiskFault fault : {DiskFault::no_space, DiskFault::io_error}) {
    const std::string session = fault == DiskFault::no_space ? "full" : "broken";
    FaultVfs disk;
    StoreOptions options;
    options.vfs = disk.name();
    open(options);
    ASSERT_TRUE(caller_->commit(unit_of(session, 1)));
    EXPECT_TRUE(store_->writable());
    disk.fail_writes_after(0, fault);
    EXPECT_FALSE(caller_->commit(unit_of(session, 2)));
    ASSERT_FALSE(store_->writable());
    EXPECT_THAT(store_->writable().error().message, HasSubstr("cannot store anything"));
    EXPECT_EQ(caller_->commit(unit_of(session, 9)).error().code, core::Code::failed_precondition);
    EXPECT_FALSE(store_->writable()) << "a unit that does not fit says nothing about the disk";
    disk.heal();
    ASSERT_TRUE(caller_->commit(unit_of(session, 2)));
    EXPECT_TRUE(store_->writable());
    store_->close();  // before the disk is destroyed
  }
}

TEST_P(SessionFileTest, DiskFault_EndsWithoutCallers) {
  FaultVfs disk;
  StoreOptions options;
  options.vfs = disk.name();
  open(options);
  commit_events(1, 1);
  disk.fail_writes_after(0, DiskFault::no_space);
  EXPECT_FALSE(caller_->commit(unit_of("s", 2)));
  const std::uint64_t tried = disk.writes();
  EXPECT_TRUE(caller_->run_until([&] { return disk.writes() > tried; })) << "the store tries";
  EXPECT_FALSE(store_->writable());
  disk.heal();
  EXPECT_TRUE(caller_->run_until([this] { return store_->writable().has_value(); }));
  commit_events(2, 2);
  store_->close();  // before the disk is destroyed
}

TEST_P(SessionFileTest, PowerLoss_WithManyThreads_LosesNoAcknowledged) {
  FaultVfs disk;
  StoreOptions options;
  options.vfs = disk.name();
  options.checkpoint_pages = 10;
  open(options);
  std::array<std::atomic<std::uint64_t>, 4> acknowledged{};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < acknowledged.size(); ++i) {
    threads.emplace_back([&, i] {
      StoreCaller caller(*store_);
      for (std::uint64_t seq = 1; caller.commit(unit_of("t" + std::to_string(i), seq)); ++seq) {
        acknowledged.at(i) = seq;
      }
    });
  }
  EXPECT_TRUE(caller_->run_until([&] {
    return store_->stats().checkpoints > 2 && std::all_of(acknowledged.begin(), acknowledged.end(),
                                                          [](const auto& seq) { return seq > 0; });
  }));
  disk.power_off();
  for (std::thread& thread : threads) thread.join();
  store_.reset();
  disk.power_on(&entropy_);
  open();
  for (std::size_t i = 0; i < acknowledged.size(); ++i) {
    EXPECT_GT(acknowledged.at(i).load(), 0U);
    EXPECT_GE(caller_->session("t" + std::to_string(i))->last_seq, acknowledged.at(i).load());
  }
}

Unit drop_of(const std::string& session, std::uint64_t before) {
  Unit unit;
  unit.drop = HistoryDrop{session, before};
  return unit;
}

TEST_P(SessionStoreTest, DroppedHistory_KeepsNumbering) {
  open();
  commit_events(1, 5);
  ASSERT_TRUE(caller_->commit(unit_of("other", 1)));
  ASSERT_TRUE(caller_->commit(drop_of("s", 4)));
  EXPECT_EQ(*caller_->count("s", "message"), 2U);
  EXPECT_EQ(caller_->session("s")->first_seq, 4U);
  ASSERT_TRUE(caller_->commit(drop_of("s", 100)));
  ASSERT_TRUE(caller_->commit(drop_of("s", 2))) << "what is gone is gone";
  EXPECT_EQ(*caller_->count("s", "message"), 0U);
  EXPECT_EQ(caller_->session("s")->first_seq, 6U);
  EXPECT_EQ(caller_->session("s")->last_seq, 5U);
  EXPECT_TRUE(caller_->commit(unit_of("s", 6)));
  EXPECT_EQ(*caller_->count("other", "message"), 1U);
  EXPECT_EQ(*caller_->count("other", "note"), 0U);
  EXPECT_EQ(caller_->commit(drop_of("none", 9)).error().code, core::Code::not_found);
}

TEST_P(SessionStoreTest, HistoryWithPendingInteraction_Stays) {
  open();
  ASSERT_TRUE(caller_->commit(asking_unit("s", "k", 1)));
  commit_events(2, 2);
  EXPECT_EQ(caller_->commit(drop_of("s", 3)).error().code, core::Code::failed_precondition);
  EXPECT_EQ(*caller_->count("s", "interaction.opened"), 1U);
  EXPECT_EQ(*caller_->count("s", "message"), 1U);
}

TEST_P(SessionStoreTest, RunningStore_DropsOldEvents) {
  StoreOptions options;
  options.retention.max_events_per_session = 3;
  options.retention.interval = core::Millis(1);
  open(options);
  commit_events(1, 10);
  ASSERT_TRUE(caller_->run_until([&] { return store_->stats().events_dropped == 7; }));
  const core::Result<EventPage> page = caller_->read(after(0));
  ASSERT_TRUE(page);
  EXPECT_THAT(seqs_of(*page), ElementsAre(8, 9, 10));
  EXPECT_EQ(page->first_seq, 8U);
  EXPECT_TRUE(caller_->commit(unit_of("s", 11)));
}

}  // namespace
}  // namespace parley::event
