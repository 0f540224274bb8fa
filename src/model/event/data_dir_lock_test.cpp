// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/data_dir_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/core/temp_folder.h"
#include "tests/support/event/store_fixture.h"

namespace parley::event {
namespace {

using testing::HasSubstr;

TEST(DataDirLock, Lock_IsHeldBySingleProcess) {
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

TEST(DataDirLock, Lock_OfDeadHolder_IsFree) {
  core::TempFolder directory;
  std::ofstream(directory.path() + "/lock") << "12345678901234567890\n";
  EXPECT_TRUE(DataDirLock::acquire(directory.path()));
}

// A child that a killed server was starting holds the lock a little longer than the server.
TEST(DataDirLock, LockHeldByOrphanChild_IsWaitedFor) {
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

TEST(DataDirLock, Look_SeesHolderAndWritesNothing) {
  core::TempFolder directory;
  EXPECT_FALSE(DataDirLock::is_held(directory.path()).value());
  EXPECT_FALSE(DataDirLock::is_held(directory.path() + "/none").value());
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  core::Result<DataDirLock> lock = DataDirLock::acquire(directory.path());
  ASSERT_TRUE(lock);
  EXPECT_TRUE(DataDirLock::is_held(directory.path()).value());
  lock->release();
  std::ofstream(directory.path() + "/lock") << "77\n";
  EXPECT_FALSE(DataDirLock::is_held(directory.path()).value());
  std::string pid;
  std::ifstream(directory.path() + "/lock") >> pid;
  EXPECT_EQ(pid, "77");
}

TEST(DataDirLock, LookOfAnotherProcess_IsWaitedFor) {
  core::TempFolder directory;
  const std::string path = directory.path() + "/lock";
  std::ofstream(path) << ::getpid() << "\n";
  const int look = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(look, LOCK_SH), 0);
  EXPECT_FALSE(DataDirLock::is_held(directory.path()).value());
  std::thread ends([look] {
    ::poll(nullptr, 0, 100);
    ::close(look);
  });
  EXPECT_TRUE(DataDirLock::acquire(directory.path()));
  ends.join();
}

// Root can read every directory, so its test goes on as another user.
TEST(DataDirLock, UnreadableDirectory_IsReported) {
  constexpr uid_t kNobody = 65534;
  core::TempFolder directory;
  std::ofstream(directory.path() + "/lock") << "77\n";
  ASSERT_EQ(::chmod((directory.path() + "/lock").c_str(), 0), 0);
  const bool is_root = ::geteuid() == 0;
  ASSERT_TRUE(!is_root || ::seteuid(kNobody) == 0);
  const auto refused = DataDirLock::is_held(directory.path());
  ASSERT_TRUE(!is_root || ::seteuid(0) == 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, directory.path() + " cannot be read by this user.");
}

TEST(DataDirLock, MissingDirectory_IsReported) {
  core::TempFolder directory;
  const auto refused = DataDirLock::acquire(directory.path() + "/nowhere");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace parley::event
