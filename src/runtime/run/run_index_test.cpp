// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sql/database.h"
#include "tests/support/run/run_world.h"
#include "tests/support/sql/store_test.h"

namespace parley::run {
namespace {

class RunIndexTest : public sql::StoreTest {
 protected:
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
};
INSTANTIATE_TEST_SUITE_P(Engines, RunIndexTest, sql::each_engine(), sql::engine_name);

class RunIndexFileTest : public RunIndexTest {};
INSTANTIATE_TEST_SUITE_P(Files, RunIndexFileTest, sql::only_sqlite(), sql::engine_name);

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
  ASSERT_TRUE(index->insert(one));
  ASSERT_TRUE(index->keep_tools(one, "{}"));
  ASSERT_TRUE(index->keep_tools(one, "[1]"));
  EXPECT_EQ(*index->recorded_tools("r1"), "[1]");
  one.state = RunState::cancelled;
  ASSERT_TRUE(index->update(one));
  EXPECT_EQ(*index->recorded_tools("r1"), "[1]") << "it may be resumed";
  ASSERT_TRUE(index->insert(two));
  EXPECT_EQ(*index->recorded_tools("r1"), "");
  ASSERT_TRUE(index->keep_tools(two, "[2]"));
  two.state = RunState::finished;
  ASSERT_TRUE(index->update(two));
  EXPECT_EQ(*index->recorded_tools("r2"), "");
  ASSERT_TRUE(index->keep_tools(two, "[2]"));
  ASSERT_TRUE(index->remove_session("a", "s"));
  EXPECT_EQ(*index->recorded_tools("r2"), "");
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
    ASSERT_TRUE(index->insert(run_of("r1", "a", "s")));
    ASSERT_TRUE(index->insert(run_of("r2", "a", "s")));
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

// A list on a disk that takes no further run.
class FullRunIndex : public RunIndex {
 public:
  MOCK_METHOD(core::Result<void>, insert, (const Run&), (override));
  MOCK_METHOD(core::Result<void>, update, (const Run&), (override));
  MOCK_METHOD(core::Result<std::optional<Run>>, find, (std::string_view), (override));
  MOCK_METHOD(core::Result<RunPage>, search, (const RunQuery&), (override));
  MOCK_METHOD(core::Result<std::vector<Run>>, unfinished, (), (override));
  MOCK_METHOD(core::Result<RunSessionPage>, sessions, (const RunSessionQuery&), (override));
  MOCK_METHOD(core::Result<std::optional<RunSession>>, session,
              (std::string_view, std::string_view), (override));
  MOCK_METHOD(core::Result<void>, remove_session, (std::string_view, std::string_view), (override));
  MOCK_METHOD(core::Result<std::optional<Run>>, last_of, (std::string_view), (override));
  MOCK_METHOD(core::Result<std::string>, session_model, (std::string_view, std::string_view),
              (override));
  MOCK_METHOD(core::Result<std::string>, recorded_tools, (std::string_view), (override));
  MOCK_METHOD(core::Result<void>, keep_tools, (const Run&, std::string_view), (override));
  MOCK_METHOD(core::Result<void>, set_session_model,
              (std::string_view, std::string_view, std::string_view), (override));
};

TEST(LocalRunService, FullDisk_RefusesRun_NextOneStarts) {
  RunWorld world;
  const auto index = std::make_shared<testing::NiceMock<FullRunIndex>>();
  EXPECT_CALL(*index, insert)
      .WillOnce(testing::Return(core::fail(core::Code::resource_exhausted, "The disk is full.")))
      .WillRepeatedly(testing::Return(core::Result<void>()));
  world.options.index = index;
  world.restart();
  const auto refused = world.start("Go");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::resource_exhausted);
  EXPECT_EQ(world.service->counts().live, 0U);
  EXPECT_TRUE(world.start("Go"));
}

}  // namespace
}  // namespace parley::run
