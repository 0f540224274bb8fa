// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run_index.h"

#include <gtest/gtest.h>

#include "core/temp_folder.h"
#include "sql/database.h"

namespace parley::run {
namespace {

class RunIndexTest : public testing::Test {
 protected:
  RunIndex open() { return std::move(*RunIndex::open(path_)); }
  static run::Run run_of(const std::string& id, const std::string& owner,
                         const std::string& session) {
    run::Run run;
    run.id = id;
    run.owner = owner;
    run.session = session;
    return run;
  }

  core::TempFolder folder_;
  std::string path_ = folder_.file("runs.db");
};

TEST_F(RunIndexTest, ModelChoice_IsPerOwner) {
  RunIndex index = open();
  ASSERT_TRUE(index.set_session_model("a", "s", "fake/one"));
  EXPECT_EQ(*index.session_model("a", "s"), "fake/one");
  EXPECT_EQ(*index.session_model("b", "s"), "");
  ASSERT_TRUE(index.set_session_model("b", "s", "fake/two"));
  ASSERT_TRUE(index.set_session_model("a", "s", "fake/three"));
  EXPECT_EQ(*index.session_model("a", "s"), "fake/three");
  EXPECT_EQ(*index.session_model("b", "s"), "fake/two");
  ASSERT_TRUE(index.remove_session("a", "s"));
  EXPECT_EQ(*index.session_model("a", "s"), "");
  EXPECT_EQ(*index.session_model("b", "s"), "fake/two");
}

TEST_F(RunIndexTest, KeptTools_AreOfLastRunUntilFinished) {
  RunIndex index = open();
  run::Run one = run_of("r1", "a", "s");
  run::Run two = run_of("r2", "a", "s");
  ASSERT_TRUE(index.insert(one));
  ASSERT_TRUE(index.keep_tools(one, "{}"));
  ASSERT_TRUE(index.keep_tools(one, "[1]"));
  EXPECT_EQ(*index.kept_tools("r1"), "[1]");
  one.state = RunState::cancelled;
  ASSERT_TRUE(index.update(one));
  EXPECT_EQ(*index.kept_tools("r1"), "[1]") << "it may be resumed";
  ASSERT_TRUE(index.insert(two));
  EXPECT_EQ(*index.kept_tools("r1"), "");
  ASSERT_TRUE(index.keep_tools(two, "[2]"));
  two.state = RunState::finished;
  ASSERT_TRUE(index.update(two));
  EXPECT_EQ(*index.kept_tools("r2"), "");
  ASSERT_TRUE(index.keep_tools(two, "[2]"));
  ASSERT_TRUE(index.remove_session("a", "s"));
  EXPECT_EQ(*index.kept_tools("r2"), "");
}

TEST_F(RunIndexTest, OldestChoice_IsDroppedOverLimit) {
  RunIndex index = open();
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
  EXPECT_EQ(*index.session_model("a", "s0"), "fake/one");
  ASSERT_TRUE(index.set_session_model("a", "one more", "fake/one"));
  EXPECT_EQ(*index.session_model("a", "s0"), "");
  EXPECT_EQ(*index.session_model("a", "s1"), "fake/one");
}

TEST_F(RunIndexTest, ChoicesOfThirdVersion_BelongToOwnerOfSession) {
  {
    RunIndex index = open();
    ASSERT_TRUE(index.insert(run_of("r1", "a", "s")));
    ASSERT_TRUE(index.insert(run_of("r2", "a", "s")));
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
  RunIndex index = open();
  EXPECT_EQ(*index.session_model("a", "s"), "fake/one");
  EXPECT_EQ(*index.session_model("a", "of nobody"), "");
}

}  // namespace
}  // namespace parley::run
