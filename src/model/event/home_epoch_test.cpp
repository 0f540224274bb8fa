// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Two servers on one store: a second connection that raises the home epoch stands in for the other.
#include <gtest/gtest.h>

#include <thread>

#include "base/sql/transaction.h"
#include "model/event/schema.h"
#include "model/placement/postgres_home_store.h"
#include "tests/support/event/opened_store.h"

namespace parley::event {
namespace {

class HomeEpochTest : public OpenedStoreTest {
 protected:
  HomeEpochTest() { open(); }
  HomeEpoch take_over() {
    sql::Database other = connect();
    const core::Result<HomeEpoch> epoch = is_file() ? take_home(other) : take_every(other);
    EXPECT_TRUE(epoch) << epoch.error().message;
    return epoch ? *epoch : 0;
  }
  bool is_file() const { return place_.url.empty(); }

 private:
  static core::Result<HomeEpoch> take_every(sql::Database& database) {
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database));
    PARLEY_TRY(const placement::EveryHome taken, placement::take_every_home(database));
    PARLEY_TRY_VOID(transaction.commit());
    return taken.slots.front().epoch;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, HomeEpochTest, sql::each_engine(), sql::engine_name);

TEST_P(HomeEpochTest, EachOpening_HasNextEpoch) {
  const HomeEpoch first = store_->home_epoch("s");
  EXPECT_GT(first, 0U);
  open();
  EXPECT_EQ(store_->home_epoch("s"), first + 1);
}

TEST_P(HomeEpochTest, Takeover_StopsFormerOwner) {
  ASSERT_TRUE(caller_->commit(unit_of("s", 1)));
  EXPECT_EQ(take_over(), store_->home_epoch("s") + 1);
  const core::Result<Revision> refused = caller_->commit(unit_of("s", 2));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::owned_elsewhere);
  EXPECT_EQ(refused.error().field, kHomeField);
  caller_->append_flowing(unit_of("s", 2));
  EXPECT_EQ(caller_->session("s")->last_seq, 1U);
  ASSERT_TRUE(caller_->run_until([&] { return caller_->flowing_answers().size() == 1; }));
  EXPECT_EQ(caller_->flowing_answers().at(0).error().code, core::Code::owned_elsewhere);
}

TEST_P(HomeEpochTest, SweepAfterTakeover_FailsOnce_IsNotRepeated) {
  Retention retention;
  retention.max_events_per_session = 1;
  retention.interval = core::Millis(1);
  StoreOptions options;
  options.retention = retention;
  open(options);
  take_over();
  ASSERT_TRUE(caller_->run_until([&] { return store_->stats().sweeps_failed > 0; }));
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(2 * retention.interval);
    ASSERT_FALSE(caller_->commit(unit_of("s", 1)));
  }
  EXPECT_EQ(store_->stats().sweeps_failed, 1U);
}

TEST_P(HomeEpochTest, UnitOfEarlierEpoch_IsRefusedAlone) {
  const HomeEpoch before = store_->home_epoch("s");
  open();
  Unit late = unit_of("late", 1);
  late.home_epoch = before;
  std::optional<core::Result<Revision>> refused;
  store_->commit(std::move(late), caller_->scheduler(),
                 [&](core::Result<Revision> done) { refused = std::move(done); });
  EXPECT_TRUE(caller_->commit(unit_of("s", 1)));
  // Sessions have several threads in a database.
  ASSERT_TRUE(caller_->run_until([&] { return refused.has_value(); }));
  EXPECT_EQ(refused->error().code, core::Code::owned_elsewhere);
  EXPECT_EQ(caller_->session("late").error().code, core::Code::not_found);
}

TEST_P(HomeEpochTest, NextOwner_ContinuesNumbering) {
  ASSERT_TRUE(caller_->commit(unit_of("s", 1)));
  take_over();
  ASSERT_FALSE(caller_->commit(unit_of("s", 2)));
  open();
  EXPECT_TRUE(caller_->commit(unit_of("s", 2)));
}

TEST_P(HomeEpochTest, FileOfEarlierVersion_GetsEpoch) {
  if (!is_file()) return;  // such tables never had one
  close();
  sql::Database other = connect();
  ASSERT_TRUE(other.execute("DELETE FROM meta WHERE key = 'home_epoch'"));
  EXPECT_EQ(*read_home_epoch(other), 0U);
  open();
  EXPECT_EQ(store_->home_epoch("s"), 1U);
  EXPECT_TRUE(caller_->commit(unit_of("s", 1)));
}

TEST_P(HomeEpochTest, RevisionsGrow_OverUnitsAndRestarts) {
  const Revision first = *caller_->commit(unit_of("a", 1));
  const Revision second = *caller_->commit(unit_of("a", 2));
  EXPECT_GT(second, first);
  open();
  EXPECT_GT(*caller_->commit(unit_of("a", 3)), second);
}

}  // namespace
}  // namespace parley::event
