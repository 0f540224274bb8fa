// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/migration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <span>

#include "base/core/temp_folder.h"
#include "base/sql/opening.h"

namespace parley::sql {
namespace {

using testing::HasSubstr;

class FileKindTest : public testing::Test {
 protected:
  Database open() {
    core::Result<Database> database = Database::open(folder_.path() + "/runs.db", OpenMode::create);
    EXPECT_TRUE(database);
    return std::move(*database);
  }

  core::TempFolder folder_;
};

TEST_F(FileKindTest, EmptyFile_HasVersion0) {
  Database database = open();
  EXPECT_EQ(file_version(database, {7, 2}), 0);
}

TEST_F(FileKindTest, FileOfThisKind_HasVersion) {
  Database database = open();
  ASSERT_TRUE(database.execute("PRAGMA application_id = 7; PRAGMA user_version = 1"));
  EXPECT_EQ(file_version(database, {7, 2}), 1);
}

TEST_F(FileKindTest, NewerFile_IsRefusedByName) {
  Database database = open();
  ASSERT_TRUE(database.execute("PRAGMA application_id = 7; PRAGMA user_version = 3"));
  const auto refused = file_version(database, {7, 2});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr("A newer Parley wrote the file runs.db (schema 3"));
  EXPECT_THAT(refused.error().message, HasSubstr("Start that version"));
}

TEST_F(FileKindTest, FileOfOtherProgram_IsRefusedByName) {
  Database database = open();
  ASSERT_TRUE(database.execute("CREATE TABLE recipes (title TEXT)"));
  for (const FileKind kind : {FileKind{7, 2}, FileKind{0, 2}}) {
    const auto refused = file_version(database, kind);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("The file runs.db belongs to another program"));
  }
}

TEST_F(FileKindTest, Garbage_IsRefusedByName) {
  std::ofstream(folder_.path() + "/runs.db") << std::string(4096, 'x');
  Database database = open();
  const auto refused = file_version(database, {0, 2});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::data_loss);
  EXPECT_THAT(refused.error().message,
              HasSubstr("The file runs.db failed: file is not a database"));
}

constexpr const char* kTwoSteps[] = {"CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (7)",
                                     "ALTER TABLE a ADD COLUMN y INTEGER DEFAULT 9"};
constexpr Schema kOld{.application_id = 7, .steps = std::span(kTwoSteps).first(1)};
constexpr Schema kNew{.application_id = 7, .steps = kTwoSteps};

using OpeningTest = FileKindTest;

TEST_F(OpeningTest, MissingFile_IsCreatedPrivate) {
  const std::string path = folder_.file("list.db");
  auto database = open_file(path, kNew);
  ASSERT_TRUE(database) << database.error().message;
  EXPECT_EQ(file_version(*database, {7, 2}), 2);
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(OpeningTest, OlderFile_IsMigrated_NewerIsRefused) {
  const std::string path = folder_.file("list.db");
  ASSERT_TRUE(open_file(path, kOld));
  {
    auto database = open_file(path, kNew);
    ASSERT_TRUE(database) << database.error().message;
    EXPECT_EQ(database->integer("SELECT x + y FROM a"), 16);
    EXPECT_EQ(file_version(*database, {7, 2}), 2);
  }
  EXPECT_EQ(open_file(path, kOld).error().code, core::Code::failed_precondition);
}

TEST_F(OpeningTest, FailedStep_LeavesPreviousVersion) {
  const std::string path = folder_.file("list.db");
  const char* const broken[] = {"CREATE TABLE a (x INTEGER)",
                                "CREATE TABLE b (x INTEGER); SELECT nothing FROM c"};
  EXPECT_FALSE(open_file(path, {.steps = broken}));
  const char* const mended[] = {broken[0], "CREATE TABLE b (x INTEGER)"};
  auto database = open_file(path, {.steps = mended});
  ASSERT_TRUE(database) << database.error().message;
  EXPECT_EQ(file_version(*database, {0, 2}), 2);
}

TEST_F(OpeningTest, EmptyFile_GetsNewestVersionAndIsFilled) {
  const char* const steps[] = {nullptr, "ALTER TABLE a ADD COLUMN y INTEGER DEFAULT 9"};
  const Schema schema{.steps = steps, .newest = "CREATE TABLE a (x INTEGER, y INTEGER)"};
  const auto fill = [](Database& fresh) { return fresh.execute("INSERT INTO a VALUES (3, 4)"); };
  const std::string path = folder_.file("list.db");
  for (int opening = 0; opening < 2; ++opening) {
    auto database = open_file(path, schema, {}, fill);
    ASSERT_TRUE(database) << database.error().message;
    EXPECT_EQ(file_version(*database, {0, 2}), 2);
    EXPECT_EQ(database->integer("SELECT sum(x * y) FROM a"), 12);
  }
}

TEST_F(OpeningTest, UnfillableDatabase_StaysEmpty) {
  const std::string path = folder_.file("list.db");
  const auto fill = [](Database&) -> core::Result<void> {
    return core::fail(core::Code::unavailable, "Not now.");
  };
  EXPECT_EQ(open_file(path, kNew, {}, fill).error().code, core::Code::unavailable);
  Database database = std::move(*Database::open(path, OpenMode::read_only));
  EXPECT_EQ(file_version(database, {7, 2}), 0);
}

TEST_F(OpeningTest, FileWithoutVersion_RunsStepAtEachOpening) {
  const char* const steps[] = {"CREATE TABLE IF NOT EXISTS a (x); INSERT INTO a VALUES (1)"};
  const Schema schema{.steps = steps, .versioned = false};
  const std::string path = folder_.file("list.db");
  ASSERT_TRUE(open_file(path, schema));
  auto database = open_file(path, schema);
  ASSERT_TRUE(database) << database.error().message;
  EXPECT_EQ(database->integer("SELECT count(*) FROM a"), 2);
  EXPECT_EQ(file_version(*database, {0, 0}), 0);
}

TEST_F(OpeningTest, RefusedFile_IsNotChanged) {
  {
    Database other = open();
    ASSERT_TRUE(other.execute("CREATE TABLE recipes (title TEXT)"));
  }
  EXPECT_EQ(open_file(folder_.path() + "/runs.db", kNew).error().code,
            core::Code::failed_precondition);
  Database other = open();
  EXPECT_EQ(other.integer("SELECT count(*) FROM pragma_journal_mode WHERE journal_mode ="
                          " 'delete'"),
            1);
}

TEST_F(OpeningTest, Options_SetConnection) {
  const std::string path = folder_.file("list.db");
  auto database = open_file(
      path, kNew, {.durability = Durability::process, .checkpoints = false, .page_cache_kib = 128});
  ASSERT_TRUE(database) << database.error().message;
  EXPECT_EQ(database->integer("PRAGMA synchronous"), 1);
  EXPECT_EQ(database->integer("PRAGMA wal_autocheckpoint"), 0);
  EXPECT_EQ(database->integer("PRAGMA cache_size"), -128);
  auto reader = connect(path, OpenMode::read_write, {.queries_only = true});
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->integer("PRAGMA synchronous"), 2);
  EXPECT_FALSE(reader->execute("DELETE FROM a"));
}

}  // namespace
}  // namespace parley::sql
