// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/durable_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/core/temp_folder.h"

namespace {

// The paths that were synced, in order. One test at a time.
std::vector<std::filesystem::path>& synced() {
  static std::vector<std::filesystem::path> paths;
  return paths;
}

}  // namespace

// Replaces the C library's fsync() in this program.
extern "C" int fsync(int fd) {
  std::error_code error;
  synced().push_back(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error));
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace parley::core {
namespace {

namespace fs = std::filesystem;

class DurableFile : public testing::Test {
 protected:
  DurableFile() {
    fs::create_directory(folder_.path() + "/other");
    std::ofstream(at("a")) << "new";
    std::ofstream(at("b")) << "old";
    synced().clear();
  }
  std::string at(const std::string& name) const { return folder_.file(name); }

  TempFolder folder_{"parley-durable"};
};

TEST_F(DurableFile, Rename_SyncsFolder) {
  ASSERT_TRUE(rename_durably(at("a"), at("b")));
  EXPECT_FALSE(fs::exists(at("a")));
  EXPECT_EQ(synced(), (std::vector<fs::path>{fs::canonical(folder_.path())}));
}

TEST_F(DurableFile, RenameToAnotherFolder_SyncsBoth) {
  ASSERT_TRUE(rename_durably(at("a"), at("other/a")));
  EXPECT_EQ(synced(),
            (std::vector<fs::path>{fs::canonical(at("other")), fs::canonical(folder_.path())}));
}

TEST_F(DurableFile, RenameInOpenFolder_SyncsItOnce) {
  const int folder = ::open(folder_.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(folder, 0);
  EXPECT_TRUE(rename_durably(folder, "a", "c"));
  EXPECT_TRUE(fs::exists(at("c")));
  EXPECT_EQ(synced(), (std::vector<fs::path>{fs::canonical(folder_.path())}));
  EXPECT_FALSE(rename_durably(folder, "none", "c"));
  ::close(folder);
}

TEST_F(DurableFile, FailedRename_ReportsReason_SyncsNothing) {
  EXPECT_FALSE(rename_durably(at("none"), at("b")));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_TRUE(synced().empty());
}

TEST_F(DurableFile, PathDescriptor_IsEnoughToSyncFolder) {
  const int place = ::open(folder_.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(place, 0);
  EXPECT_TRUE(sync_folder(place));
  EXPECT_EQ(synced(), (std::vector<fs::path>{fs::canonical(folder_.path())}));
  ::close(place);
}

}  // namespace
}  // namespace parley::core
