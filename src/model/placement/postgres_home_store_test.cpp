// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The homes in a real database, and commits on a second connection that hold a slot's lock.
#include "model/placement/postgres_home_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "base/core/temp_folder.h"
#include "base/sql/opening.h"
#include "tests/support/sql/private_postgres.h"

namespace parley::placement {
namespace {

using core::Code;
using testing::IsEmpty;
using testing::SizeIs;

NodeDescription described(const std::string& name, const std::string& instance) {
  return {name, instance, name + ":9000", "0.1.0"};
}

class PostgresHomeStoreTest : public testing::Test {
 protected:
  PostgresHomeStoreTest() {
    place_.url = sql::PrivatePostgres::shared().new_database();
    a_ = open();
    b_ = open();
  }

  std::unique_ptr<PostgresHomeStore> open() {
    auto store = PostgresHomeStore::open(place_);
    EXPECT_TRUE(store) << store.error().message;
    return std::move(*store);
  }
  sql::Database connect() {
    return std::move(*sql::connect_store(place_, kClusterStore, cluster_schema()));
  }
  void end_lease(NodeId node) { set_lease_end(node, "- interval '1 second'"); }
  void set_lease_end(NodeId node, const std::string& from_now) {
    ASSERT_TRUE(connect().run(
        "UPDATE nodes SET expires = clock_timestamp() " + from_now + " WHERE id = ?1", node));
  }
  // A transaction that commits something of `slot`, held open.
  sql::Database commit_in_flight(Slot slot) {
    sql::Database database = connect();
    EXPECT_TRUE(database.execute("BEGIN"));
    EXPECT_TRUE(database.run(
        "SELECT pg_advisory_xact_lock_shared(" + std::string(kSlotLockClass) + ", ?1::int)",
        static_cast<std::int64_t>(slot)));
    return database;
  }

  core::TempFolder folder_;
  sql::StorePlace place_{folder_.path()};
  std::unique_ptr<PostgresHomeStore> a_;
  std::unique_ptr<PostgresHomeStore> b_;
};

const std::vector<Slot> kSome{3, 4, 1'023};

TEST_F(PostgresHomeStoreTest, FreeSlots_AreTakenOnce) {
  const NodeId a = *a_->join(described("a", "data-a"));
  const NodeId b = *b_->join(described("b", "data-b"));
  ASSERT_NE(a, b);
  const auto taken = a_->take(a, kSome);
  ASSERT_TRUE(taken) << taken.error().message;
  ASSERT_THAT(*taken, SizeIs(3));
  EXPECT_EQ((*taken)[0].epoch, 1U);
  EXPECT_THAT(*b_->take(b, kSome), IsEmpty());
  const View view = *b_->renew(b);
  ASSERT_TRUE(view.read_at);
  const core::Millis off = *view.read_at - core::SystemClock().wall();
  EXPECT_LT(std::chrono::abs(off), std::chrono::minutes(1)) << "one computer has both clocks";
  ASSERT_THAT(view.nodes, SizeIs(2));
  EXPECT_EQ(view.nodes[0].description.link, "a:9000");
  EXPECT_TRUE(view.nodes[0].is_live);
  EXPECT_EQ(view.homes[4].node, a);
  EXPECT_EQ(view.homes[4].epoch, 1U);
  EXPECT_FALSE(view.is_free(4));
  EXPECT_TRUE(view.is_free(5));
}

TEST_F(PostgresHomeStoreTest, GivenBack_IsTakenUnderTheNextEpoch) {
  const NodeId a = *a_->join(described("a", "data-a"));
  const NodeId b = *b_->join(described("b", "data-b"));
  ASSERT_TRUE(a_->take(a, kSome));
  const std::vector<Slot> one{4};
  ASSERT_TRUE(b_->give_back(b, one)) << "of another: nothing happens";
  EXPECT_THAT(*b_->take(b, one), IsEmpty());
  ASSERT_TRUE(a_->give_back(a, one));
  const std::vector<TakenSlot> taken = *b_->take(b, one);
  ASSERT_THAT(taken, SizeIs(1));
  EXPECT_EQ(taken[0].epoch, 2U);
}

TEST_F(PostgresHomeStoreTest, LeaseThatIsOver_FreesTheSlots_RenewalKeepsThem) {
  const NodeId a = *a_->join(described("a", "data-a"));
  const NodeId b = *b_->join(described("b", "data-b"));
  ASSERT_TRUE(a_->take(a, kSome));
  end_lease(a);
  EXPECT_FALSE(b_->renew(b)->nodes[0].is_live);
  ASSERT_TRUE(a_->renew(a)) << "nobody has taken its slots";
  EXPECT_THAT(*b_->take(b, kSome), IsEmpty());
  end_lease(a);
  EXPECT_THAT(*b_->take(b, kSome), SizeIs(3));
  EXPECT_EQ(a_->renew(a)->homes[4].node, b);
}

TEST_F(PostgresHomeStoreTest, ClockThatWentBack_KeepsNoLostNodeAlive) {
  const NodeId a = *a_->join(described("a", "data-a"));
  const NodeId b = *b_->join(described("b", "data-b"));
  ASSERT_TRUE(a_->take(a, kSome));
  set_lease_end(a, "+ interval '7 seconds'");
  EXPECT_TRUE(b_->renew(b)->nodes[0].is_live) << "a small step, as of a clock that is adjusted";
  EXPECT_THAT(*b_->take(b, kSome), IsEmpty());
  set_lease_end(a, "+ interval '1 hour'");
  EXPECT_FALSE(b_->renew(b)->nodes[0].is_live);
  EXPECT_THAT(*b_->take(b, kSome), SizeIs(3));
}

TEST_F(PostgresHomeStoreTest, NodeWithoutALease_TakesNothing) {
  const NodeId a = *a_->join(described("a", "data-a"));
  end_lease(a);
  EXPECT_THAT(*a_->take(a, kSome), IsEmpty());
}

TEST_F(PostgresHomeStoreTest, CommitInFlight_IsWaitedFor) {
  const NodeId a = *a_->join(described("a", "data-a"));
  sql::Database commit = commit_in_flight(4);
  const std::vector<TakenSlot> others = *a_->take(a, kSome);
  EXPECT_THAT(others, SizeIs(2)) << "the slots without one are taken at once";
  const std::vector<Slot> one{4};
  const auto refused = a_->take(a, one);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unavailable);
  ASSERT_TRUE(commit.execute("COMMIT"));
  EXPECT_THAT(*a_->take(a, one), SizeIs(1));
}

TEST_F(PostgresHomeStoreTest, RenewalDuringATake_WaitsAndShowsTheLoss) {
  const NodeId a = *a_->join(described("a", "data-a"));
  const NodeId b = *b_->join(described("b", "data-b"));
  ASSERT_TRUE(a_->take(a, kSome));
  end_lease(a);
  sql::Database take = connect();
  ASSERT_TRUE(take.execute("BEGIN"));
  ASSERT_TRUE(take.run("SELECT 1 FROM nodes WHERE id = ?1 FOR SHARE", a));
  std::optional<core::Result<View>> view;
  std::thread renewal([&] { view = a_->renew(a); });
  // Waits until the database knows that the renewal waits.
  sql::Database watch = connect();
  while (*watch.integer("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        " AND datname = current_database()") == 0) {
    std::this_thread::sleep_for(core::Millis(5));
  }
  ASSERT_TRUE(take.run("UPDATE homes SET node = ?1, epoch = 2 WHERE slot = 4", b));
  ASSERT_TRUE(take.execute("COMMIT"));
  renewal.join();
  ASSERT_TRUE(*view);
  EXPECT_EQ((*view)->homes[4].node, b);
}

TEST_F(PostgresHomeStoreTest, SecondNodeOfAName_IsRefusedWhileTheFirstIsLive) {
  const NodeId a = *a_->join(described("a", "data-a"));
  const auto refused = b_->join(described("a", "data-b"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::already_exists);
  EXPECT_EQ(refused.error().field, "cluster.node");
  end_lease(a);
  EXPECT_TRUE(b_->join(described("a", "data-b")));
  EXPECT_EQ(a_->renew(a).error().code, Code::already_exists);
}

TEST_F(PostgresHomeStoreTest, NextStartOfANode_TakesItsPlaceAtOnce) {
  const NodeId first = *a_->join(described("a", "data-a"));
  ASSERT_TRUE(a_->take(first, kSome));
  const auto second = b_->join(described("a", "data-a"));
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_THAT(*b_->take(*second, kSome), SizeIs(3));
  const auto refused = a_->renew(first);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::already_exists);
  EXPECT_THAT(*a_->take(first, kSome), IsEmpty());
}

TEST_F(PostgresHomeStoreTest, NodeThatLeft_IsNoMember) {
  const NodeId a = *a_->join(described("a", "data-a"));
  const NodeId b = *b_->join(described("b", "data-b"));
  ASSERT_TRUE(a_->take(a, kSome));
  ASSERT_TRUE(a_->leave(a));
  EXPECT_EQ(a_->renew(a).error().code, Code::not_found);
  EXPECT_TRUE(b_->renew(b)->is_free(4));
}

TEST_F(PostgresHomeStoreTest, Draining_IsSeenByAll) {
  const NodeId a = *a_->join(described("a", "data-a"));
  const NodeId b = *b_->join(described("b", "data-b"));
  ASSERT_TRUE(a_->set_draining(a, true));
  EXPECT_TRUE(b_->renew(b)->find(a)->is_draining);
  ASSERT_TRUE(a_->set_draining(a, false));
  EXPECT_FALSE(b_->renew(b)->find(a)->is_draining);
}

TEST_F(PostgresHomeStoreTest, TableOfHomesThatWasDropped_IsAnError) {
  const NodeId a = *a_->join(described("a", "data-a"));
  ASSERT_TRUE(connect().execute("DROP TABLE parley_cluster.homes"));
  EXPECT_EQ(a_->renew(a).error().code, Code::unavailable) << "the node has not left";
  EXPECT_EQ(a_->take(a, kSome).error().code, Code::unavailable);
}

}  // namespace
}  // namespace parley::placement
