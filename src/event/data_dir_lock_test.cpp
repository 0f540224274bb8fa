// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "event/data_dir_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/temp_folder.h"
#include "event/testing/store_fixture.h"

namespace parley::event {
namespace {

using testing::HasSubstr;

TEST(DataDirLock, IsHeldByOneAtATime) {
  core::TempFolder directory;
  core::Result<DataDirLock> first = DataDirLock::acquire(directory.path());
  ASSERT_TRUE(first);
  const core::Result<DataDirLock> second = DataDirLock::acquire(directory.path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, core::Code::failed_precondition);
  EXPECT_THAT(second.error().message, HasSubstr("(pid " + std::to_string(::getpid()) + ")"));
  EXPECT_THAT(second.error().message, HasSubstr(directory.path()));
  DataDirLock moved = std::move(*first);
  EXPECT_FALSE(DataDirLock::acquire(directory.path()));
  moved.release();
  EXPECT_TRUE(DataDirLock::acquire(directory.path()));
}

TEST(DataDirLock, IsFreeAgainWhenItsHolderIsGoneWhateverTheFileSays) {
  core::TempFolder directory;
  std::ofstream(directory.path() + "/lock") << "12345678901234567890\n";
  EXPECT_TRUE(DataDirLock::acquire(directory.path()));
}

// What a killed server was just starting holds the lock a moment longer than the server.
TEST(DataDirLock, IsWaitedForWhereOnlyAChildOfItsHolderHasItStill) {
  core::TempFolder directory;
  const pid_t holder = ::fork();
  if (holder == 0) {
    const core::Result<DataDirLock> held = DataDirLock::acquire(directory.path());
    if (::fork() == 0) ::poll(nullptr, 0, 100);
    ::_exit(held ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(holder, &status, 0), holder);
  ASSERT_EQ(status, 0);
  EXPECT_TRUE(DataDirLock::acquire(directory.path()));
}

TEST(DataDirLock, SaysWhenTheDirectoryIsMissing) {
  core::TempFolder directory;
  const auto refused = DataDirLock::acquire(directory.path() + "/nowhere");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("nowhere"));
}

TEST(MakeDataDir, MakesItForTheOwnerAlone) {
  core::TempFolder directory;
  const std::string path = directory.path() + "/a/b/data";
  ASSERT_TRUE(make_data_dir(path));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  EXPECT_TRUE(make_data_dir(path));
}

TEST(MakeDataDir, SaysWhenAFileIsInTheWay) {
  core::TempFolder directory;
  const std::string path = directory.path() + "/file";
  std::ofstream(path.c_str()) << "text";
  EXPECT_EQ(make_data_dir(path).error().code, core::Code::failed_precondition);
  EXPECT_EQ(make_data_dir(path + "/data").error().code, core::Code::failed_precondition);
}

TEST(MakePrivateFile, KeepsWhatIsThere) {
  core::TempFolder directory;
  const std::string path = directory.path() + "/file";
  ASSERT_TRUE(make_private_file(path));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  std::ofstream(path.c_str()) << "text";
  ASSERT_TRUE(make_private_file(path));
  EXPECT_EQ(std::filesystem::file_size(path), 4U);
}

}  // namespace
}  // namespace parley::event
