// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/sql/opening.h"
#include "model/event/postgres_unit_writer.h"
#include "model/event/schema.h"
#include "model/event/sql_session_reader.h"
#include "model/event/sqlite_unit_writer.h"
#include "model/placement/postgres_home_store.h"
#include "tests/support/event/store_fixture.h"
#include "tests/support/sql/store_test.h"

namespace parley::event {
namespace {

using testing::ElementsAre;

class RetentionTest : public sql::StoreTest {
 protected:
  void SetUp() override {
    if (GetParam() == sql::Engine::sqlite) {
      writer_ = std::move(*SqliteUnitWriter::make(connect(), 10));
    } else {
      sql::Database database = connect();
      ASSERT_TRUE(placement::make_cluster(place_));
      const core::Result<placement::EveryHome> taken = placement::take_every_home(database);
      ASSERT_TRUE(taken) << taken.error().message;
      for (const placement::TakenSlot& home : taken->slots) {
        homes_.set_epoch(home.slot, home.epoch);
        epoch_ = home.epoch;
      }
      writer_ = std::move(*PostgresUnitWriter::make(std::move(database), 10, shared_));
    }
    reader_ = std::move(*SqlSessionReader::make(connect()));
    clock_.set_wall(core::from_unix_ms(1'700'000'000'000));
  }
  sql::Database connect() {
    core::SeededEntropy entropy(1);
    core::Result<sql::Database> database =
        sql::open_store(place_, "events", schema(), {.durability = sql::Durability::process},
                        [&](sql::Database& fresh) { return make_epoch(fresh, entropy); });
    EXPECT_TRUE(database) << database.error().message;
    return std::move(*database);
  }
  void write(Unit unit) {
    unit.home_epoch = epoch_;
    const Unit* const units[] = {&unit};
    std::vector<core::Result<Revision>> results;
    writer_->write(units, results);
    ASSERT_TRUE(results[0]) << results[0].error().message;
  }
  // Events 1..count of a session, one millisecond apart from 1'700'000'000'001 on.
  void fill(const std::string& session, std::uint64_t count) {
    Unit unit;
    unit.session = session_row(session);
    for (std::uint64_t seq = 1; seq <= count; ++seq) unit.events.push_back(event_of(session, seq));
    write(std::move(unit));
  }
  // A whole sweep; the number of events that it drops.
  std::uint64_t sweep(Retention retention) {
    RetentionSweep sweep(retention, clock_);
    std::uint64_t dropped = 0;
    for (int i = 0; i < 1'000; ++i) {
      const core::Result<RetentionSweep::Slice> slice = writer_->sweep(sweep);
      EXPECT_TRUE(slice);
      if (!slice) break;
      EXPECT_LE(slice->dropped, RetentionSweep::kSliceEvents);
      dropped += slice->dropped;
      if (slice->finished) return dropped;
    }
    ADD_FAILURE() << "the sweep has no end";
    return dropped;
  }
  EventPage all(const std::string& session) {
    ReadQuery query;
    query.session = session;
    query.limit = 1'000;
    return *reader_->read(query);
  }

  core::FakeClock clock_;
  placement::HomeMap homes_;
  PostgresUnitWriter::Shared shared_{homes_};
  HomeEpoch epoch_ = 0;
  std::unique_ptr<UnitWriter> writer_;
  std::unique_ptr<SqlSessionReader> reader_;
};
INSTANTIATE_TEST_SUITE_P(Engines, RetentionTest, sql::each_engine(), sql::engine_name);

Retention at_most(std::uint64_t events) {
  Retention retention;
  retention.max_events_per_session = events;
  return retention;
}

Retention younger_than(core::Millis age) {
  Retention retention;
  retention.max_age = age;
  return retention;
}

TEST_P(RetentionTest, NewestEvents_AreKeptPerSession) {
  fill("long", 700);  // more than one slice
  fill("short", 2);
  EXPECT_EQ(sweep(at_most(3)), 697U);
  EXPECT_THAT(seqs_of(all("long")), ElementsAre(698, 699, 700));
  EXPECT_EQ(all("long").first_seq, 698U);
  EXPECT_EQ(all("long").last_seq, 700U);
  EXPECT_THAT(seqs_of(all("short")), ElementsAre(1, 2));
  EXPECT_EQ(all("short").first_seq, 1U);
  write(unit_of("long", 701));
}

TEST_P(RetentionTest, SkippedNumbers_DoNotCount) {
  fill("s", 10);
  Unit skip = unit_of("s", 1'000);
  skip.events.front().type = kNumbersSkipped;
  write(skip);
  write(unit_of("s", 1'001));
  EXPECT_EQ(sweep(at_most(12)), 0U);
  EXPECT_EQ(sweep(at_most(5)), 7U);
  EXPECT_THAT(seqs_of(all("s")), ElementsAre(8, 9, 10, 1'000, 1'001));
  EXPECT_EQ(all("s").first_seq, 8U);
  EXPECT_EQ(sweep(at_most(1)), 4U);
  EXPECT_THAT(seqs_of(all("s")), ElementsAre(1'001));
  EXPECT_EQ(all("s").first_seq, 1'001U);
}

TEST_P(RetentionTest, DropUpToSkip_BeginsBehindSkip) {
  fill("s", 3);
  Unit skip = unit_of("s", 1'000);
  skip.events.front().type = kNumbersSkipped;
  write(skip);
  Unit drop;
  drop.drop = HistoryDrop{"s", 500};
  write(drop);
  EXPECT_EQ(all("s").first_seq, 1'000U);
}

TEST_P(RetentionTest, TooOldEvents_AreDropped) {
  fill("s", 10);
  clock_.advance(core::Millis(106));  // the events 1..5 are now older than 100 ms
  EXPECT_EQ(sweep(younger_than(core::Millis(100))), 5U);
  EXPECT_THAT(seqs_of(all("s")), ElementsAre(6, 7, 8, 9, 10));
}

TEST_P(RetentionTest, EmptiedSession_ContinuesNumbering) {
  fill("s", 10);
  clock_.advance(core::Millis(10'000));
  EXPECT_EQ(sweep(younger_than(core::Millis(100))), 10U);
  EXPECT_EQ(all("s").first_seq, 11U);
  EXPECT_EQ(all("s").last_seq, 10U);
  write(unit_of("s", 11));
  EXPECT_THAT(seqs_of(all("s")), ElementsAre(11));
}

TEST_P(RetentionTest, PendingQuestionAndLaterEvents_AreKept) {
  fill("s", 3);
  write(asking_unit("s", "k", 4));
  write(unit_of("s", 5));
  EXPECT_EQ(sweep(at_most(1)), 3U);
  EXPECT_THAT(seqs_of(all("s")), ElementsAre(4, 5));
  write(ending_unit("s", "k", 6, "answered"));
  EXPECT_EQ(sweep(at_most(1)), 2U);
  EXPECT_FALSE(reader_->interaction("s", "k")->has_value());
}

TEST_P(RetentionTest, Default_KeepsEverything) {
  EXPECT_TRUE(Retention().keeps_everything());
  EXPECT_FALSE(at_most(1).keeps_everything());
  EXPECT_FALSE(younger_than(core::Millis(1)).keeps_everything());
}

TEST_P(RetentionTest, Sweep_AfterTakeover_DropsNothing) {
  fill("s", 10);
  Retention retention;
  retention.max_events_per_session = 2;
  RetentionSweep sweep(retention, clock_);
  sql::Database database = connect();
  const auto slice =
      sweep.run_slice(database, [](sql::Database&) { return core::fail(owned_elsewhere()); });
  ASSERT_FALSE(slice);
  EXPECT_EQ(slice.error().code, core::Code::owned_elsewhere);
  const auto stands = [](sql::Database&) { return core::Result<void>(); };
  EXPECT_EQ(sweep.run_slice(database, stands)->dropped, 8U);
}

}  // namespace
}  // namespace parley::event
