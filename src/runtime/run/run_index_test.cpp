// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>

#include "base/sql/database.h"
#include "model/placement/postgres_home_store.h"
#include "tests/support/run/run_world.h"
#include "tests/support/sql/store_test.h"

namespace parley::run {
namespace {

class RunIndexTest : public sql::StoreTest {
 protected:
  RunIndexTest() {
    if (GetParam() == sql::Engine::postgres) home_ = move_home();
  }
  // Another node becomes the home of the owner "a"; the epoch.
  event::HomeEpoch move_home() {
    const placement::Slot slot = placement::slot_of("a");
    if (homes_ == nullptr) homes_ = std::move(*placement::PostgresHomeStore::open(place_));
    if (node_ != placement::kNobody) EXPECT_TRUE(homes_->give_back(node_, std::span(&slot, 1)));
    const std::string name = "n" + std::to_string(node_);
    node_ = *homes_->join({name, name, "127.0.0.1:1", "1"});
    return homes_->take(node_, std::span(&slot, 1))->at(0).epoch;
  }
  std::unique_ptr<RunIndex> open() { return std::move(*RunIndex::open(place_)); }
  static run::Run run_of(const std::string& id, const std::string& owner,
                         const std::string& session) {
    run::Run run;
    run.id = id;
    run.owner = owner;
    run.session = session;
    return run;
  }

  std::string path_ = folder_.file("runs.db");
  event::HomeEpoch home_ = 1;  // of the owner "a"
  std::unique_ptr<placement::PostgresHomeStore> homes_;
  placement::NodeId node_ = placement::kNobody;
};
INSTANTIATE_TEST_SUITE_P(Engines, RunIndexTest, sql::each_engine(), sql::engine_name);

class RunIndexFileTest : public RunIndexTest {};
INSTANTIATE_TEST_SUITE_P(Files, RunIndexFileTest, sql::only_sqlite(), sql::engine_name);

class RunIndexClusterTest : public RunIndexTest {};
INSTANTIATE_TEST_SUITE_P(Clusters, RunIndexClusterTest, testing::Values(sql::Engine::postgres),
                         sql::engine_name);

TEST_P(RunIndexTest, ModelChoice_IsPerOwner) {
  const auto index = open();
  ASSERT_TRUE(index->set_session_model("a", "s", "fake/one"));
  EXPECT_EQ(*index->session_model("a", "s"), "fake/one");
  EXPECT_EQ(*index->session_model("b", "s"), "");
  ASSERT_TRUE(index->set_session_model("b", "s", "fake/two"));
  ASSERT_TRUE(index->set_session_model("a", "s", "fake/three"));
  EXPECT_EQ(*index->session_model("a", "s"), "fake/three");
  EXPECT_EQ(*index->session_model("b", "s"), "fake/two");
  ASSERT_TRUE(index->remove_session("a", "s"));
  EXPECT_EQ(*index->session_model("a", "s"), "");
  EXPECT_EQ(*index->session_model("b", "s"), "fake/two");
}

TEST_P(RunIndexTest, KeptTools_AreOfLastRunUntilFinished) {
  const auto index = open();
  run::Run one = run_of("r1", "a", "s");
  run::Run two = run_of("r2", "a", "s");
  ASSERT_TRUE(index->insert(one, home_));
  ASSERT_TRUE(index->keep_tools(one, "{}", home_));
  ASSERT_TRUE(index->keep_tools(one, "[1]", home_));
  EXPECT_EQ(*index->recorded_tools("r1"), "[1]");
  one.state = RunState::cancelled;
  ASSERT_TRUE(index->update(one, home_));
  EXPECT_EQ(*index->recorded_tools("r1"), "[1]") << "it may be resumed";
  ASSERT_TRUE(index->insert(two, home_));
  EXPECT_EQ(*index->recorded_tools("r1"), "");
  ASSERT_TRUE(index->keep_tools(two, "[2]", home_));
  two.state = RunState::finished;
  ASSERT_TRUE(index->update(two, home_));
  EXPECT_EQ(*index->recorded_tools("r2"), "");
  ASSERT_TRUE(index->keep_tools(two, "[2]", home_));
  ASSERT_TRUE(index->remove_session("a", "s"));
  EXPECT_EQ(*index->recorded_tools("r2"), "");
}

TEST_P(RunIndexTest, WithoutAHome_NothingIsChanged) {
  const auto index = open();
  const run::Run one = run_of("r1", "a", "s");
  EXPECT_EQ(index->insert(one, event::kNoHome).error().code, core::Code::owned_elsewhere);
  EXPECT_FALSE(*index->find("r1"));
  ASSERT_TRUE(index->insert(one, home_));
  EXPECT_EQ(index->update(one, event::kNoHome).error().field, event::kHomeField);
}

// A node that was stopped for longer than its lease goes on where it was.
TEST_P(RunIndexClusterTest, LateWriteOfAnEarlierHome_ChangesNothing) {
  const auto index = open();
  run::Run one = run_of("r1", "a", "s");
  one.state = RunState::running;
  ASSERT_TRUE(index->insert(one, home_));
  const event::HomeEpoch next = move_home();
  EXPECT_GT(next, home_);
  run::Run late = one;
  late.state = RunState::interrupted;
  EXPECT_EQ(index->update(late, home_).error().code, core::Code::owned_elsewhere);
  EXPECT_EQ(index->keep_tools(late, "[1]", home_).error().code, core::Code::owned_elsewhere);
  EXPECT_EQ(index->insert(run_of("r2", "a", "s"), home_).error().code, core::Code::owned_elsewhere);
  EXPECT_EQ((*index->find("r1"))->state, RunState::running);
  EXPECT_EQ(*index->recorded_tools("r1"), "");
  EXPECT_FALSE(*index->find("r2"));
  ASSERT_TRUE(index->update(late, next));
  EXPECT_EQ((*index->find("r1"))->state, RunState::interrupted);
}

TEST_P(RunIndexFileTest, OldestChoice_IsDroppedOverLimit) {
  const auto index = open();
  {
    auto database = sql::Database::open(path_, sql::OpenMode::read_write);
    ASSERT_TRUE(database);
    const std::string fill =
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < " +
        std::to_string(kMaxChosenModels - 1) +
        ") INSERT INTO chosen_models (owner, session, model) SELECT 'a', 's' || i, 'fake/one' FROM "
        "n";
    ASSERT_TRUE(database->execute(fill.c_str()));
  }
  EXPECT_EQ(*index->session_model("a", "s0"), "fake/one");
  ASSERT_TRUE(index->set_session_model("a", "one more", "fake/one"));
  EXPECT_EQ(*index->session_model("a", "s0"), "");
  EXPECT_EQ(*index->session_model("a", "s1"), "fake/one");
}

TEST_P(RunIndexFileTest, ChoicesOfThirdVersion_BelongToOwnerOfSession) {
  {
    const auto index = open();
    ASSERT_TRUE(index->insert(run_of("r1", "a", "s"), home_));
    ASSERT_TRUE(index->insert(run_of("r2", "a", "s"), home_));
  }
  {
    auto database = sql::Database::open(path_, sql::OpenMode::create);
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->execute(
        "DROP TABLE chosen_models; DROP TABLE kept_tools;"
        "CREATE TABLE session_models (session TEXT PRIMARY KEY, model TEXT NOT NULL) STRICT;"
        "INSERT INTO session_models VALUES ('s', 'fake/one'), ('of nobody', 'fake/two');"
        "PRAGMA user_version = 3"));
  }
  const auto index = open();
  EXPECT_EQ(*index->session_model("a", "s"), "fake/one");
  EXPECT_EQ(*index->session_model("a", "of nobody"), "");
}

}  // namespace
}  // namespace parley::run
