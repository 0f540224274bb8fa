// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/store_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/sql/opening.h"
#include "tests/support/sql/store_test.h"

namespace parley::sql {
namespace {

constexpr const char* kCopySteps[] = {
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, at INTEGER, hash BLOB,"
    " user TEXT);"
    "CREATE TABLE marks (name TEXT PRIMARY KEY) WITHOUT ROWID;"};
constexpr Schema kCopySchema{.application_id = 7, .steps = kCopySteps};
constexpr const char* kOtherSteps[] = {"CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);"};
constexpr Schema kOtherSchema{.application_id = 7, .steps = kOtherSteps};

core::Result<void> nothing(Database& /*database*/) { return {}; }

// From each engine to the other one.
class StoreCopyTest : public StoreTest {
 protected:
  StoreCopyTest() : from_(*open_store(place_, "notes", kCopySchema)) {
    other_.data_dir = folder_.path() + "/other";
    std::filesystem::create_directories(other_.data_dir);
    if (GetParam() == Engine::sqlite) other_.url = PrivatePostgres::shared().new_database();
  }
  static std::vector<std::string> rows_of(Database& database) {
    return *database.rows("SELECT id, owner, at, hash, user FROM notes ORDER BY id",
                          [](const Statement& row) {
                            std::string out;
                            for (int i = 0; i < 5; ++i) {
                              const bool number = i == 0 || i == 2;
                              out += row.is_null(i) ? "null"
                                     : number       ? std::to_string(row.integer(i))
                                                    : row.string(i);
                              out += "|";
                            }
                            return out;
                          });
  }

  StorePlace other_;
  Database from_;
};
INSTANTIATE_TEST_SUITE_P(Engines, StoreCopyTest, each_engine(), engine_name);

TEST_P(StoreCopyTest, Rows_AreTheSame_NumbersGoOn) {
  ASSERT_TRUE(
      from_.run("INSERT INTO notes (owner, at, hash, user) VALUES ('jürgen', -5, x'00ff',"
                " NULL), ('', NULL, NULL, 'a''b')"));
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(from_.run("INSERT INTO notes (owner, at) VALUES (?1, ?2)",
                          std::string(i == 7 ? 100'000 : 3, 'x'), i));
  }
  ASSERT_TRUE(from_.run("INSERT INTO marks VALUES ('m')"));
  Database to = *open_store(other_, "notes", kCopySchema);
  ASSERT_TRUE(to.run("INSERT INTO notes (owner) VALUES ('of a new store')"));
  const auto copied = copy_store(from_, to, nothing);
  ASSERT_TRUE(copied) << copied.error().message;
  ASSERT_EQ(copied->size(), 2U);
  EXPECT_EQ((*copied)[0].name, "marks");
  EXPECT_EQ((*copied)[1].rows, 502U);
  EXPECT_EQ(rows_of(to), rows_of(from_));
  EXPECT_EQ(*to.integer("INSERT INTO notes (owner) VALUES ('next') RETURNING id"), 503);
}

TEST_P(StoreCopyTest, EmptyStore_IsCopied) {
  Database to = *open_store(other_, "notes", kCopySchema);
  const auto copied = copy_store(from_, to, nothing);
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ((*copied)[1].rows, 0U);
  EXPECT_EQ(*to.integer("INSERT INTO notes (owner) VALUES ('first') RETURNING id"), 1);
}

TEST_P(StoreCopyTest, FailureAfterRows_StoresNothing) {
  ASSERT_TRUE(from_.run("INSERT INTO notes (owner) VALUES ('a')"));
  Database to = *open_store(other_, "notes", kCopySchema);
  const auto copied = copy_store(from_, to, [](Database& /*database*/) -> core::Result<void> {
    return core::fail(core::Code::internal, "no");
  });
  EXPECT_FALSE(copied);
  EXPECT_EQ(*to.integer("SELECT count(*) FROM notes"), 0);
}

TEST_P(StoreCopyTest, OtherTables_AreRefused) {
  Database to = *open_store(other_, "others", kOtherSchema);
  const auto copied = copy_store(from_, to, nothing);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, core::Code::failed_precondition);
  EXPECT_THAT(copied.error().message, testing::HasSubstr("notes"));
}

}  // namespace
}  // namespace parley::sql
