// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/data_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/core/private_files.h"
#include "base/core/temp_folder.h"

namespace {

// Every file and folder that this program has synced, by its path.
std::vector<std::string>& synced() {
  static std::vector<std::string> paths;
  return paths;
}

}  // namespace

// Replaces the C library's fsync() in this program.
extern "C" int fsync(int fd) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  if (size > 0) synced().emplace_back(path.data(), static_cast<std::size_t>(size));
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace parley::sql {
namespace {

using testing::Contains;
using testing::HasSubstr;

mode_t mode_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 0777U;
}

void touch(const std::string& path, mode_t mode) {
  std::ofstream(path) << "x";
  ASSERT_EQ(::chmod(path.c_str(), mode), 0);
}

class PrivateFiles : public testing::Test {
 protected:
  PrivateFiles() : data_(folder_.path() + "/data") {}

  void make_open_dir() {
    ASSERT_EQ(::mkdir(data_.c_str(), 0777), 0);
    ASSERT_EQ(::chmod(data_.c_str(), 0755), 0);
  }

  core::TempFolder folder_;
  std::string data_;
};

TEST_F(PrivateFiles, DataDirectory_IsSyncedWithNewParents) {
  synced().clear();
  ASSERT_TRUE(make_data_dir(folder_.path() + "/a/b/c"));
  EXPECT_THAT(synced(), Contains(folder_.path()));
  EXPECT_THAT(synced(), Contains(folder_.path() + "/a"));
  EXPECT_THAT(synced(), Contains(folder_.path() + "/a/b"));
  EXPECT_EQ(mode_of(folder_.path() + "/a/b/c"), 0700U);
}

TEST_F(PrivateFiles, NewFile_IsSyncedWithFolder) {
  synced().clear();
  ASSERT_TRUE(core::make_private_file(folder_.path() + "/runs.db"));
  EXPECT_THAT(synced(), Contains(folder_.path()));
}

TEST_F(PrivateFiles, CreatedFiles_ArePrivateWhateverUmask) {
  const mode_t before = ::umask(0);
  EXPECT_TRUE(core::make_private_folder(data_ + "/tool-output/owner"));
  EXPECT_TRUE(core::make_private_file(data_ + "/runs.db"));
  ::umask(before);
  EXPECT_EQ(mode_of(data_), 0700U);
  EXPECT_EQ(mode_of(data_ + "/tool-output"), 0700U);
  EXPECT_EQ(mode_of(data_ + "/tool-output/owner"), 0700U);
  EXPECT_EQ(mode_of(data_ + "/runs.db"), 0600U);
}

TEST_F(PrivateFiles, OpenDataDirectory_IsClosedToOthers) {
  make_open_dir();
  EXPECT_TRUE(make_data_dir(data_)) << "an empty one";
  EXPECT_EQ(mode_of(data_), 0700U);
  touch(data_ + "/tokens.db", 0600);
  ASSERT_EQ(::chmod(data_.c_str(), 0770), 0);
  EXPECT_TRUE(make_data_dir(data_)) << "one of Parley's";
  EXPECT_EQ(mode_of(data_), 0700U);
}

TEST_F(PrivateFiles, OpenForeignFolder_IsRefusedUnchanged) {
  make_open_dir();
  touch(data_ + "/recipes.txt", 0644);
  const core::Result<void> created = make_data_dir(data_);
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, core::Code::permission_denied);
  EXPECT_THAT(created.error().message, HasSubstr("chmod 700 " + data_));
  EXPECT_EQ(mode_of(data_), 0755U);
}

TEST_F(PrivateFiles, OwnFiles_AreClosedToOthers_ForeignStay) {
  ASSERT_TRUE(core::make_private_folder(data_ + "/logs/study"));
  ASSERT_EQ(::chmod((data_ + "/logs").c_str(), 0755), 0);
  for (const char* name :
       {"/events.db", "/events.db-wal", "/events.db-shm", "/endpoint.json", "/phone-token",
        "/mcp.key", "/tailnet.key", "/logs/study/st1.jsonl", "/recipes.txt"}) {
    touch(data_ + name, 0644);
  }
  std::filesystem::create_symlink("/etc/passwd", data_ + "/logs/link");
  EXPECT_EQ(mend_private_files(data_), 9U);
  EXPECT_EQ(mode_of(data_ + "/events.db-wal"), 0600U);
  EXPECT_EQ(mode_of(data_ + "/logs"), 0700U);
  EXPECT_EQ(mode_of(data_ + "/logs/study/st1.jsonl"), 0600U);
  EXPECT_EQ(mode_of(data_ + "/recipes.txt"), 0644U);
  EXPECT_EQ(mend_private_files(data_), 0U);
}

TEST(MakeDataDir, DataDirectory_IsCreatedPrivate) {
  core::TempFolder directory;
  const std::string path = directory.path() + "/a/b/data";
  ASSERT_TRUE(make_data_dir(path));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  EXPECT_TRUE(make_data_dir(path));
}

TEST(MakeDataDir, FileInPlaceOfFolder_IsReported) {
  core::TempFolder directory;
  const std::string path = directory.path() + "/file";
  std::ofstream(path.c_str()) << "text";
  EXPECT_EQ(make_data_dir(path).error().code, core::Code::failed_precondition);
  EXPECT_EQ(make_data_dir(path + "/data").error().code, core::Code::failed_precondition);
}

TEST(PrivateFile, ExistingFile_IsKept) {
  core::TempFolder directory;
  const std::string path = directory.path() + "/file";
  ASSERT_TRUE(core::make_private_file(path));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  std::ofstream(path.c_str()) << "text";
  ASSERT_TRUE(core::make_private_file(path));
  EXPECT_EQ(std::filesystem::file_size(path), 4U);
}

}  // namespace
}  // namespace parley::sql
