// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "event/file_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/temp_folder.h"

namespace parley::event {
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

}  // namespace
}  // namespace parley::event
