// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "event/data_dir_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "core/temp_folder.h"
#include "event/testing/store_fixture.h"

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

TEST(DataDirLock, MissingDirectory_IsReported) {
  core::TempFolder directory;
  const auto refused = DataDirLock::acquire(directory.path() + "/nowhere");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace parley::event
