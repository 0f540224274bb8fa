// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/workspace.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/tool/file/file_access.h"
#include "tests/support/tool/file_tool_world.h"

namespace parley::tool {
namespace {

class WorkspaceTest : public testing::Test {
 protected:
  WorkspaceTest() {
    outside_.write("secret.txt", "secret");
    folder_.write("a.txt", "a");
    folder_.write("src/b.txt", "b");
    workspace_ = std::move(*Workspace::open(folder_.path()));
  }

  // Path of the place, or the error's message.
  std::string where(const std::string& path, LastLink last = LastLink::follow) const {
    const core::Result<Place> place = workspace_.locate(path, last);
    return place ? place->path + (place->exists ? "" : " (new)") : place.error().message;
  }
  bool outside(const std::string& path) const {
    return where(path).starts_with("path is outside working folder");
  }

  TestFolder outside_;
  TestFolder folder_;
  Workspace workspace_;
};

TEST_F(WorkspaceTest, PathsInside_AreFound) {
  EXPECT_EQ(where("a.txt"), "a.txt");
  EXPECT_EQ(where("./src//b.txt"), "src/b.txt");
  EXPECT_EQ(where("src/"), "src");
  EXPECT_EQ(where("src/../a.txt"), "a.txt");
  EXPECT_EQ(where("."), ".");
  EXPECT_EQ(where("new.txt"), "new.txt (new)");
  EXPECT_EQ(where("x/y/new.txt"), "x/y/new.txt (new)");
}

TEST_F(WorkspaceTest, AbsolutePathsInside_AreAccepted) {
  EXPECT_EQ(where(folder_.at("a.txt")), "a.txt");
  EXPECT_EQ(where(folder_.path()), ".");
  EXPECT_EQ(where(folder_.path() + "/new/../a.txt"), "a.txt");
}

TEST_F(WorkspaceTest, PathsLeadingOutside_AreRefused) {
  EXPECT_TRUE(outside("..")) << where("..");
  EXPECT_TRUE(outside("../" + std::filesystem::path(outside_.path()).filename().string()));
  EXPECT_TRUE(outside("src/../../a.txt"));
  EXPECT_TRUE(outside("missing/../../x"));
  EXPECT_TRUE(outside("/etc/passwd"));
  EXPECT_TRUE(outside("/"));
  EXPECT_TRUE(outside(outside_.at("secret.txt")));
  EXPECT_TRUE(outside(folder_.path() + "/../" +
                      std::filesystem::path(outside_.path()).filename().string()));
  EXPECT_TRUE(outside(folder_.path() + "-sibling"));
}

TEST_F(WorkspaceTest, SymlinksLeadingOutside_AreRefused) {
  folder_.link(outside_.path(), "out");
  folder_.link(outside_.at("secret.txt"), "secret");
  folder_.link("../", "up");
  folder_.link("/etc", "src/etc");
  EXPECT_TRUE(outside("out"));
  EXPECT_TRUE(outside("out/new.txt"));
  EXPECT_TRUE(outside("out/new/deep.txt"));
  EXPECT_TRUE(outside("secret"));
  EXPECT_TRUE(outside("up"));
  EXPECT_TRUE(outside("src/etc/passwd"));
  EXPECT_EQ(where("out", LastLink::keep), "out");
  EXPECT_TRUE(workspace_.locate("out/secret.txt", LastLink::keep)
                  .error()
                  .message.starts_with("path is outside"));
}

TEST_F(WorkspaceTest, SymlinksInside_AreFollowed) {
  folder_.link("src", "relative");
  folder_.link(folder_.at("src"), "absolute");
  folder_.link("../a.txt", "src/a");
  folder_.link("not-yet.txt", "dangling");
  EXPECT_EQ(where("relative/b.txt"), "src/b.txt");
  EXPECT_EQ(where("absolute/b.txt"), "src/b.txt");
  EXPECT_EQ(where("src/a"), "a.txt");
  EXPECT_EQ(where("dangling"), "not-yet.txt (new)");
  EXPECT_EQ(where("dangling", LastLink::keep), "dangling");
}

TEST_F(WorkspaceTest, SymlinkAboveFolder_IsNoWayOut) {
  TestFolder other;
  other.link(folder_.path(), "alias");
  EXPECT_EQ(where(other.at("alias") + "/a.txt"), "a.txt");
  EXPECT_TRUE(outside(other.at("alias") + "/../x"));
}

TEST_F(WorkspaceTest, LoopsOfSymlinks_EndInWords) {
  folder_.link("two", "one");
  folder_.link("one", "two");
  folder_.link("self/self", "self");
  EXPECT_NE(where("one").find("too many symlinks"), std::string::npos);
  EXPECT_NE(where("self").find("too many symlinks"), std::string::npos);
  folder_.link(".", "here");
  EXPECT_EQ(where("here/here/here/a.txt"), "a.txt");
}

TEST_F(WorkspaceTest, StrangePaths_AreRefusedInWords) {
  EXPECT_NE(where("").find("empty"), std::string::npos);
  EXPECT_NE(where(std::string("a\0b", 3)).find("NUL"), std::string::npos);
  EXPECT_NE(where(std::string(300, 'x')).find("too long"), std::string::npos);
  EXPECT_NE(where(std::string(10'000, 'x')).find("too long"), std::string::npos);
  EXPECT_NE(where("a.txt/b").find("file has the name of a folder"), std::string::npos);
  EXPECT_EQ(where("\xff\xfe").find("outside"), std::string::npos);
}

TEST_F(WorkspaceTest, OnlyOrdinaryFiles_AreOpened) {
  ASSERT_EQ(::mkfifo(folder_.at("pipe").c_str(), 0600), 0);
  const core::Result<Place> pipe = workspace_.locate("pipe");
  ASSERT_TRUE(pipe.has_value());
  EXPECT_NE(open_to_read(*pipe).error().message.find("not a regular file"), std::string::npos);
  EXPECT_NE(open_to_read(*workspace_.locate("src")).error().message.find("folder"),
            std::string::npos);
  EXPECT_EQ(open_to_read(*workspace_.locate("none")).error().code, core::Code::not_found);

  const core::Result<Workspace> devices = Workspace::open("/dev");
  ASSERT_TRUE(devices.has_value());
  EXPECT_NE(open_to_read(*devices->locate("zero")).error().message.find("not a regular file"),
            std::string::npos);
}

TEST_F(WorkspaceTest, LinkPlacedAfterCheck_IsNotFollowed) {
  const core::Result<Place> place = workspace_.locate("a.txt");
  ASSERT_TRUE(place.has_value());
  std::filesystem::remove(folder_.at("a.txt"));
  folder_.link(outside_.at("secret.txt"), "a.txt");
  EXPECT_FALSE(open_to_read(*place).has_value());
}

TEST_F(WorkspaceTest, FolderSwappedForLink_GivesNothingAway) {
  folder_.write("race/secret.txt", "harmless");
  std::atomic<bool> stop = false;
  std::thread attacker([&] {
    const std::string real = folder_.at("race");
    const std::string aside = folder_.at("aside");
    while (!stop) {
      std::error_code error;
      std::filesystem::rename(real, aside, error);
      std::filesystem::create_directory_symlink(outside_.path(), real, error);
      std::filesystem::remove(real, error);
      std::filesystem::rename(aside, real, error);
    }
  });
  const StopFlag never;
  std::size_t read = 0;
  // For any order of the two threads: runs until the harmless file was seen at all.
  const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  for (int i = 0; i < 3000 || (read == 0 && std::chrono::steady_clock::now() < patience); ++i) {
    const core::Result<Place> place = workspace_.locate("race/secret.txt");
    if (!place) continue;
    const core::Result<FileBytes> bytes = read_whole(*place, 100, never);
    if (!bytes) continue;
    ++read;
    ASSERT_EQ(bytes->bytes, "harmless");
  }
  stop = true;
  attacker.join();
  EXPECT_GT(read, 0U);
}

TEST_F(WorkspaceTest, DataOfProgram_CountsAsOutside) {
  folder_.write("data/parley.db", "x");
  folder_.link("data", "alias");
  workspace_ = std::move(*Workspace::open(folder_.path(), folder_.at("data")));
  EXPECT_TRUE(outside("data/parley.db"));
  EXPECT_TRUE(outside("data"));
  EXPECT_TRUE(outside("alias/new"));
  EXPECT_EQ(where("data2"), "data2 (new)");
  EXPECT_EQ(where("a.txt"), "a.txt");
}

TEST(WorkspaceFolder, Folder_MustExist) {
  TestFolder folder;
  folder.write("file", "");
  EXPECT_EQ(Workspace::open(folder.at("none")).error().code, core::Code::not_found);
  EXPECT_EQ(Workspace::open(folder.at("file")).error().code, core::Code::invalid_argument);
  EXPECT_EQ(Workspace::open("").error().code, core::Code::invalid_argument);
  EXPECT_EQ(Workspace::open(folder.at("none")).error().field, "working_folder");
}

}  // namespace
}  // namespace parley::tool
