// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "sql/migration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <span>

#include "core/temp_folder.h"

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

TEST_F(FileKindTest, AnEmptyFile_HasVersion0) {
  Database database = open();
  EXPECT_EQ(file_version(database, {7, 2}), 0);
}

TEST_F(FileKindTest, AFileOfThisKind_TellsItsVersion) {
  Database database = open();
  ASSERT_TRUE(database.execute("PRAGMA application_id = 7; PRAGMA user_version = 1"));
  EXPECT_EQ(file_version(database, {7, 2}), 1);
}

TEST_F(FileKindTest, ANewerFile_IsRefusedByItsName) {
  Database database = open();
  ASSERT_TRUE(database.execute("PRAGMA application_id = 7; PRAGMA user_version = 3"));
  const auto refused = file_version(database, {7, 2});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr("A newer Parley wrote the file runs.db (schema 3"));
  EXPECT_THAT(refused.error().message, HasSubstr("Start that version"));
}

TEST_F(FileKindTest, AnotherProgramsFile_IsRefusedByItsName) {
  Database database = open();
  ASSERT_TRUE(database.execute("CREATE TABLE recipes (title TEXT)"));
  for (const FileKind kind : {FileKind{7, 2}, FileKind{0, 2}}) {
    const auto refused = file_version(database, kind);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("The file runs.db is another program's"));
  }
}

TEST_F(FileKindTest, Garbage_IsRefusedByItsName) {
  std::ofstream(folder_.path() + "/runs.db") << std::string(4096, 'x');
  Database database = open();
  const auto refused = file_version(database, {0, 2});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::data_loss);
  EXPECT_THAT(refused.error().message,
              HasSubstr("The file runs.db failed: file is not a database"));
}

TEST_F(FileKindTest, OpenFile_MakesIt_AndBringsAnOlderOneUpToDate) {
  const std::string path = folder_.file("list.db");
  const std::array<const char*, 2> steps = {"CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (7)",
                                            "ALTER TABLE a ADD COLUMN y INTEGER DEFAULT 9"};
  ASSERT_TRUE(open_file(path, {0, 1}, std::span(steps).first(1)));
  auto database = open_file(path, {0, 2}, steps);
  ASSERT_TRUE(database) << database.error().message;
  EXPECT_EQ(database->query_integer("SELECT x + y FROM a"), 16);
  EXPECT_EQ(database->query_integer("PRAGMA user_version"), 2);
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(open_file(path, {0, 1}, std::span(steps).first(1)).error().code,
            core::Code::failed_precondition);
}

TEST_F(FileKindTest, OpenFile_WhoseStepFails_KeepsItsVersion) {
  const std::string path = folder_.file("list.db");
  const std::array<const char*, 2> broken = {"CREATE TABLE a (x INTEGER)",
                                             "CREATE TABLE b (x INTEGER); SELECT nothing FROM c"};
  EXPECT_FALSE(open_file(path, {0, 2}, broken));
  const std::array<const char*, 2> mended = {broken[0], "CREATE TABLE b (x INTEGER)"};
  auto database = open_file(path, {0, 2}, mended);
  ASSERT_TRUE(database) << database.error().message;
  EXPECT_EQ(database->query_integer("PRAGMA user_version"), 2);
}

}  // namespace
}  // namespace parley::sql
