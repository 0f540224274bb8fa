// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/file_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/core/file_descriptor.h"
#include "base/core/temp_folder.h"

namespace parley::core {
namespace {

TEST(FileLock, Holder_IsSeenAndNothingIsWritten) {
  TempFolder folder;
  const std::string path = folder.file("lock");
  EXPECT_FALSE(is_file_locked(path).value());
  EXPECT_FALSE(is_file_locked(path + "/lock").value());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  std::ofstream(path) << "77\n";
  EXPECT_FALSE(is_file_locked(path + "/lock").value());
  FileDescriptor holder(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::flock(holder.get(), LOCK_EX), 0);
  EXPECT_TRUE(is_file_locked(path).value());
  holder.reset();
  EXPECT_FALSE(is_file_locked(path).value());
  std::string text;
  std::ifstream(path) >> text;
  EXPECT_EQ(text, "77");
}

TEST(FileLock, SharedLockOfAnotherLook_IsNoHolder) {
  TempFolder folder;
  const std::string path = folder.file("lock");
  const FileDescriptor look(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(look.get(), LOCK_SH), 0);
  EXPECT_FALSE(is_file_locked(path).value());
}

TEST(FileLock, Fifo_DoesNotBlock) {
  TempFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("lock").c_str(), 0600), 0);
  EXPECT_FALSE(is_file_locked(folder.file("lock")).value());
}

// Root can read every file, so its test goes on as another user.
TEST(FileLock, UnreadableFile_IsReported) {
  constexpr uid_t kNobody = 65534;
  TempFolder folder;
  std::ofstream(folder.file("lock")) << "77\n";
  ASSERT_EQ(::chmod(folder.file("lock").c_str(), 0), 0);
  const bool is_root = ::geteuid() == 0;
  ASSERT_TRUE(!is_root || ::seteuid(kNobody) == 0);
  const auto refused = is_file_locked(folder.file("lock"));
  ASSERT_TRUE(!is_root || ::seteuid(0) == 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::permission_denied);
}

}  // namespace
}  // namespace parley::core
