// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/temp_folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

namespace parley::core {
namespace {

namespace fs = std::filesystem;

TEST(TempFolderTest, Folder_IsUnique_RemovedWithContents) {
  std::string path;
  {
    const TempFolder folder("parley-folder");
    const TempFolder other("parley-folder");
    path = folder.path();
    EXPECT_NE(path, other.path());
    EXPECT_TRUE(fs::is_empty(path));
    EXPECT_EQ(fs::canonical(path), path);
    fs::create_directories(folder.file("a/b"));
    std::ofstream(folder.file("a/b/c")) << "text";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TempFolderTest, FolderStillWritten_IsRemovedAfterwards) {
  std::optional<TempFolder> folder(std::in_place);
  const std::string path = folder->path();
  std::atomic<int> written = 0;
  std::thread writer([&] {
    for (int i = 0; i < 2'000; ++i) {
      std::ofstream(path + "/" + std::to_string(i)) << "text";
      written.fetch_add(1);
    }
  });
  while (written.load() < 10) std::this_thread::yield();
  folder.reset();
  writer.join();
  EXPECT_FALSE(fs::exists(path) && !fs::is_empty(path));
}

}  // namespace
}  // namespace parley::core
