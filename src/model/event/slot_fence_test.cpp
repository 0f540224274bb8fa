// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes of a cluster on one database: each has a writer, and the homes of its slots. The owner of a
// session has the session's name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "base/core/temp_folder.h"
#include "base/sql/opening.h"
#include "model/event/postgres_session_store.h"
#include "model/event/postgres_unit_writer.h"
#include "model/event/schema.h"
#include "model/event/sql_session_reader.h"
#include "model/placement/postgres_home_store.h"
#include "tests/support/event/store_fixture.h"
#include "tests/support/sql/private_postgres.h"

namespace parley::event {
namespace {

using core::Code;
using testing::ElementsAre;

class SlotFenceTest : public testing::Test {
 protected:
  // One node, by itself.
  class Node {
   public:
    Node(const sql::StorePlace& place, const std::string& name)
        : store_(std::move(*placement::PostgresHomeStore::open(place))),
          id_(*store_->join({name, name + "-data", name + ":9000", "1"})) {
      writer_ = std::move(*PostgresUnitWriter::make(
          std::move(*sql::connect_store(place, "events", schema())), 10, shared_));
    }

    void take(const std::string& session) {
      const placement::Slot slot = placement::slot_of(session);
      const auto taken = store_->take(id_, std::span(&slot, 1));
      ASSERT_TRUE(taken) << taken.error().message;
      ASSERT_EQ(taken->size(), 1U) << session;
      homes_.set_epoch(slot, taken->front().epoch);
    }
    // The node does not notice: it is stopped.
    void lose(const std::string& session) {
      const placement::Slot slot = placement::slot_of(session);
      ASSERT_TRUE(store_->give_back(id_, std::span(&slot, 1)));
    }
    Unit unit(const std::string& session, std::uint64_t seq) const {
      Unit unit = unit_of(session, seq);
      if (unit.session) unit.session->owner = session;
      unit.home_epoch = homes_.epoch(placement::slot_of(session));
      return unit;
    }
    std::vector<core::Result<Revision>> write(const std::vector<Unit>& units) {
      std::vector<const Unit*> all;
      for (const Unit& each : units) all.push_back(&each);
      std::vector<core::Result<Revision>> results;
      writer_->write(all, results);
      return results;
    }
    core::Result<Revision> write(const std::string& session, std::uint64_t seq) {
      return write({unit(session, seq)}).front();
    }
    PostgresUnitWriter& writer() { return *writer_; }
    placement::HomeMap& homes() { return homes_; }

   private:
    std::unique_ptr<placement::PostgresHomeStore> store_;
    placement::NodeId id_;
    placement::HomeMap homes_;
    PostgresUnitWriter::Shared shared_{homes_, false};
    std::unique_ptr<PostgresUnitWriter> writer_;
  };

  SlotFenceTest() {
    place_.url = sql::PrivatePostgres::shared().new_database();
    core::SeededEntropy entropy(1);
    auto made = sql::open_store(place_, "events", schema(), {},
                                [&](sql::Database& fresh) { return make_epoch(fresh, entropy); });
    EXPECT_TRUE(made) << made.error().message;
    a_ = std::make_unique<Node>(place_, "a");
    b_ = std::make_unique<Node>(place_, "b");
  }

  sql::Database connect() { return std::move(*sql::connect_store(place_, "events", schema())); }
  std::vector<std::uint64_t> seqs(const std::string& session) {
    auto reader = SqlSessionReader::make(connect());
    ReadQuery query;
    query.session = session;
    std::vector<std::uint64_t> seqs;
    const core::Result<EventPage> page = (*reader)->read(query);
    for (const Event& each : page->events) seqs.push_back(each.seq);
    return seqs;
  }

  core::TempFolder folder_;
  core::FakeClock clock_;
  sql::StorePlace place_{folder_.path()};
  std::unique_ptr<Node> a_;
  std::unique_ptr<Node> b_;
};

void expect_elsewhere(const core::Result<Revision>& result) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::owned_elsewhere);
  EXPECT_EQ(result.error().field, kHomeField);
}

TEST_F(SlotFenceTest, HomeOfASlot_StoresItsSessions_NobodyElse) {
  a_->take("s");
  b_->take("t");
  EXPECT_TRUE(a_->write("s", 1));
  EXPECT_TRUE(b_->write("t", 1));
  expect_elsewhere(b_->write("s", 2));
  b_->homes().set_epoch(placement::slot_of("s"), 2);  // wrong: the store knows better
  expect_elsewhere(b_->write("s", 2));
  EXPECT_TRUE(a_->write("s", 2));
  EXPECT_THAT(seqs("s"), ElementsAre(1, 2));
}

TEST_F(SlotFenceTest, SlotIsTaken_ItsUnitsAreRefused_RestOfTheGroupIsStored) {
  for (const char* const session : {"s", "t", "u"}) a_->take(session);
  ASSERT_TRUE(a_->write("s", 1));
  a_->lose("s");
  b_->take("s");
  const auto results =
      a_->write({a_->unit("t", 1), a_->unit("s", 2), a_->unit("u", 1), a_->unit("t", 2)});
  EXPECT_TRUE(results[0]);
  expect_elsewhere(results[1]);
  EXPECT_TRUE(results[2]);
  EXPECT_TRUE(results[3]) << results[3].error().message;
  EXPECT_THAT(seqs("s"), ElementsAre(1));
  EXPECT_THAT(seqs("t"), ElementsAre(1, 2));
  EXPECT_TRUE(b_->write("s", 2));
}

TEST_F(SlotFenceTest, TwoEpochsOfOneSlotInAGroup_TheStandingOneIsStored) {
  a_->take("s");
  Unit late = a_->unit("s", 1);
  a_->lose("s");
  a_->take("s");
  const auto results = a_->write({std::move(late), a_->unit("s", 1)});
  expect_elsewhere(results[0]);
  EXPECT_TRUE(results[1]);
}

TEST_F(SlotFenceTest, SlotComesBack_NumberingGoesOnFromTheOthersEvents) {
  a_->take("s");
  ASSERT_TRUE(a_->write("s", 1));
  a_->lose("s");
  b_->take("s");
  ASSERT_TRUE(b_->write("s", 2));
  b_->lose("s");
  a_->take("s");
  EXPECT_TRUE(a_->write("s", 3));
  EXPECT_THAT(seqs("s"), ElementsAre(1, 2, 3));
}

TEST_F(SlotFenceTest, RevisionsGrow_OverMoves) {
  a_->take("s");
  for (std::uint64_t seq = 1; seq <= 3; ++seq) ASSERT_TRUE(a_->write("s", seq));
  const Revision before = *a_->write("s", 4);
  a_->lose("s");
  b_->take("s");
  EXPECT_GT(*b_->write("s", 5), before);
}

// The connection breaks during a commit. Before it is made again, the slot moves, and its next home
// stores another event with the same number.
TEST_F(SlotFenceTest, UnknownOutcome_SlotMovesMeanwhile_EventOfTheNextHomeIsNotTakenForIt) {
  a_->take("s");
  ASSERT_TRUE(a_->write("s", 1));
  sql::Database psql = connect();
  ASSERT_TRUE(psql.execute("BEGIN"));
  ASSERT_TRUE(psql.execute("LOCK TABLE parley_events.sessions IN SHARE ROW EXCLUSIVE MODE"));
  bool has_moved = false;
  a_->writer().watch_waits([&](const core::Error& /*error*/) {
    if (std::exchange(has_moved, true)) return;
    ASSERT_TRUE(psql.execute("ROLLBACK"));
    a_->lose("s");
    b_->take("s");
    Unit other = b_->unit("s", 2);
    other.events[0].payload = R"({"by":"b"})";
    EXPECT_TRUE(b_->write({std::move(other)}).front());
  });
  std::thread end([this] {
    sql::Database watch = connect();
    while (*watch.integer("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                          " WHERE wait_event_type = 'Lock' AND datname = current_database()") ==
           0) {
      std::this_thread::sleep_for(core::Millis(5));
    }
  });
  Unit unit = a_->unit("s", 2);
  unit.events[0].at = clock_.wall() + std::chrono::hours(1);  // writes the row of the session too
  expect_elsewhere(a_->write({std::move(unit)}).front());
  end.join();
  EXPECT_TRUE(has_moved);
  EXPECT_EQ(*connect().integer("SELECT count(*) FROM events WHERE payload LIKE '%\"by\"%'"), 1);
  EXPECT_THAT(seqs("s"), ElementsAre(1, 2));
}

TEST_F(SlotFenceTest, HistoryIsDropped_ByTheHomeAlone) {
  a_->take("s");
  for (std::uint64_t seq = 1; seq <= 3; ++seq) ASSERT_TRUE(a_->write("s", seq));
  Unit drop;
  drop.drop = HistoryDrop{"s", 3};
  drop.home_epoch = a_->homes().epoch(placement::slot_of("s"));
  a_->lose("s");
  b_->take("s");
  expect_elsewhere(a_->write({drop}).front());
  drop.home_epoch = b_->homes().epoch(placement::slot_of("s"));
  expect_elsewhere(a_->write({drop}).front());
  EXPECT_THAT(seqs("s"), ElementsAre(1, 2, 3));
  EXPECT_TRUE(b_->write({drop}).front());
  EXPECT_THAT(seqs("s"), ElementsAre(3));
}

TEST_F(SlotFenceTest, OneNodeSweeps_TheHomeOfSlotZero) {
  a_->take("s");
  for (std::uint64_t seq = 1; seq <= 3; ++seq) ASSERT_TRUE(a_->write("s", seq));
  Retention retention;
  retention.max_events_per_session = 1;
  RetentionSweep sweep(retention, clock_);
  const placement::Slot zero = 0;
  a_->homes().set_epoch(zero, 0);
  const auto none = a_->writer().sweep(sweep);
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_EQ(none->dropped, 0U);
  EXPECT_TRUE(none->finished);
  // The node believes that it is the home, and is not.
  a_->homes().set_epoch(zero, 7);
  EXPECT_EQ(a_->writer().sweep(sweep)->dropped, 0U);
  ASSERT_TRUE(connect().execute("UPDATE parley_cluster.homes SET epoch = 7 WHERE slot = 0"));
  EXPECT_EQ(a_->writer().sweep(sweep)->dropped, 2U);
  EXPECT_THAT(seqs("s"), ElementsAre(3));
}

TEST_F(SlotFenceTest, LostHomes_AreNoFaultOfTheStoreOfANode) {
  a_->take("s");
  EXPECT_TRUE(a_->writer().check());
  a_->lose("s");
  b_->take("s");
  EXPECT_TRUE(a_->writer().check());
  EXPECT_TRUE(a_->writer().probe());
}

// A store is opened for a node: it takes nothing by itself.
TEST_F(SlotFenceTest, StoreOfANode_FollowsItsHomes) {
  core::SeededEntropy entropy(2);
  StoreOptions options;
  options.place = sql::StorePlace(folder_.path() + "/c");
  options.place.url = place_.url;
  options.homes = &a_->homes();
  auto store = PostgresSessionStore::open(options, clock_, entropy);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ((*store)->home_epoch("s"), kNoHome);
  a_->take("s");
  EXPECT_EQ((*store)->home_epoch("s"), 1U);
  StoreCaller caller(**store);
  EXPECT_TRUE(caller.commit(a_->unit("s", 1)));
  a_->lose("s");
  b_->take("s");
  expect_elsewhere(caller.commit(a_->unit("s", 2)));
  EXPECT_TRUE((*store)->writable());
  EXPECT_EQ(*connect().integer("SELECT count(*) FROM parley_cluster.nodes"), 2);
}

TEST_F(SlotFenceTest, ServerThatIsAlone_IsRefusedBesideLiveNodes_AndKeepsThemAway) {
  core::SeededEntropy entropy(2);
  StoreOptions options;
  options.place = sql::StorePlace(folder_.path() + "/alone");
  options.place.url = place_.url;
  const auto refused = PostgresSessionStore::open(options, clock_, entropy);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::failed_precondition);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("\"a\""));
  ASSERT_TRUE(connect().execute(
      "UPDATE parley_cluster.nodes SET expires = clock_timestamp() - interval '1 second'"));
  auto alone = PostgresSessionStore::open(options, clock_, entropy);
  ASSERT_TRUE(alone) << alone.error().message;
  auto homes = std::move(*placement::PostgresHomeStore::open(place_));
  const auto joined = homes->join({"c", "c-data", "c:9000", "1"});
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code, Code::failed_precondition);
  (*alone)->close();
  EXPECT_TRUE(homes->join({"c", "c-data", "c:9000", "1"}));
}

// The data directory of a server that was killed is lost with its machine.
TEST_F(SlotFenceTest, ServerThatIsAlone_ReplacesAnother_WhichFindsOut) {
  core::SeededEntropy entropy(2);
  ASSERT_TRUE(connect().execute("DELETE FROM parley_cluster.nodes"));
  StoreOptions options;
  options.place.url = place_.url;
  std::map<std::string, std::unique_ptr<PostgresSessionStore>> servers;
  for (const char* const name : {"first", "second"}) {
    options.place.data_dir = folder_.path() + "/" + name;
    auto opened = PostgresSessionStore::open(options, clock_, entropy);
    ASSERT_TRUE(opened) << opened.error().message;
    servers[name] = std::move(*opened);
  }
  StoreCaller caller(*servers["first"]);
  ASSERT_TRUE(caller.run_until([&] { return !servers["first"]->writable(); }));
  EXPECT_EQ(servers["first"]->writable().error().code, Code::owned_elsewhere);
  EXPECT_TRUE(servers["second"]->writable());
  servers["first"]->close();
  EXPECT_EQ(*connect().integer("SELECT count(*) FROM parley_cluster.nodes"), 1)
      << "it does not sign its successor off";
}

}  // namespace
}  // namespace parley::event
