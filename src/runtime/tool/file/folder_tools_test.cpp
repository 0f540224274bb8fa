// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/tool/file_tool_world.h"

namespace parley::tool {
namespace {

class FolderTools : public testing::Test {
 protected:
  FileToolWorld world_;
};

TEST_F(FolderTools, Ls_ListsEntriesInOrder) {
  world_.folder.write("b.txt", "");
  world_.folder.write("src/x", "");
  world_.folder.write(".hidden", "");
  world_.folder.link("b.txt", "link");
  EXPECT_EQ(world_.ok("ls", "{}"), ".hidden\nb.txt\nlink -> b.txt\nsrc/\n");
  EXPECT_EQ(world_.ok("ls", R"({"path":"src"})"), "x\n");
}

TEST_F(FolderTools, Ls_ShowsHundredEntries_TellsOfMore) {
  for (int i = 100; i < 203; ++i) world_.folder.write(std::to_string(i), "");
  const std::string shown = world_.ok("ls", "{}");
  EXPECT_NE(shown.find("\n199\n(3 more of 103 entries"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("\n200\n"), std::string::npos);
}

TEST_F(FolderTools, Ls_AnswersEmptyFoldersFilesAndOutside) {
  EXPECT_EQ(world_.ok("ls", "{}"), "(The folder is empty.)");
  world_.folder.write("a", "");
  EXPECT_NE(world_.refused("ls", R"({"path":"a"})").find("not a folder"), std::string::npos);
  EXPECT_NE(world_.refused("ls", R"({"path":"none"})").find("no such"), std::string::npos);
  EXPECT_TRUE(world_.refused("ls", R"({"path":".."})").starts_with("path is outside"));
}

TEST_F(FolderTools, Ls_ShowsNonUtf8Names) {
  world_.folder.write("a\xff", "");
  EXPECT_EQ(world_.ok("ls", "{}"), "a\xef\xbf\xbd\n");
}

TEST_F(FolderTools, CreateDir_MakesMissingParents) {
  EXPECT_EQ(world_.ok("create_dir", R"({"path":"a/b/c"})"), "ok: made the folder a/b/c");
  EXPECT_TRUE(std::filesystem::is_directory(world_.folder.at("a/b/c")));
  EXPECT_EQ(world_.ok("create_dir", R"({"path":"a/b"})"), "ok: the folder already exists: a/b");
  world_.folder.write("file", "");
  EXPECT_NE(world_.refused("create_dir", R"({"path":"file"})")
                .find("A file with this name already exists"),
            std::string::npos);
  EXPECT_TRUE(world_.refused("create_dir", R"({"path":"../x"})").starts_with("path is outside"));
}

TEST_F(FolderTools, Move_RenamesFilesAndFolders) {
  world_.folder.write("a.txt", "a");
  world_.folder.write("src/b.txt", "b");
  EXPECT_EQ(world_.ok("move_file", R"({"source":"a.txt","destination":"x/y.txt"})"),
            "ok: moved a.txt to x/y.txt");
  EXPECT_EQ(world_.ok("move_file", R"({"source":"src","destination":"lib"})"),
            "ok: moved src to lib");
  EXPECT_EQ(world_.ok("move_file", R"({"source":"x/y.txt","destination":"lib"})"),
            "ok: moved x/y.txt to lib/y.txt");
  EXPECT_EQ(world_.folder.read("lib/y.txt"), "a");
  EXPECT_EQ(world_.folder.read("lib/b.txt"), "b");
}

TEST_F(FolderTools, Move_ReplacesOnlyWithFlag) {
  world_.folder.write("a", "a");
  world_.folder.write("b", "b");
  EXPECT_NE(world_.refused("move_file", R"({"source":"a","destination":"b"})").find("overwrite"),
            std::string::npos);
  EXPECT_EQ(world_.folder.read("b"), "b");
  world_.ok("move_file", R"({"source":"a","destination":"b","overwrite":true})");
  EXPECT_EQ(world_.folder.read("b"), "a");
  EXPECT_FALSE(world_.folder.exists("a"));
}

TEST_F(FolderTools, Move_OfImpossibleTargets_IsRefused) {
  world_.folder.write("src/a", "");
  EXPECT_NE(world_.refused("move_file", R"({"source":"none","destination":"b"})").find("no such"),
            std::string::npos);
  EXPECT_NE(
      world_.refused("move_file", R"({"source":"src","destination":"src/in"})").find("into itself"),
      std::string::npos);
  EXPECT_NE(world_.refused("move_file", R"({"source":".","destination":"b"})").find("cannot be"),
            std::string::npos);
  EXPECT_TRUE(world_.refused("move_file", R"({"source":"src","destination":"../b"})")
                  .starts_with("path is outside"));
  EXPECT_TRUE(world_.refused("move_file", R"({"source":"/etc/hosts","destination":"b"})")
                  .starts_with("path is outside"));
}

TEST_F(FolderTools, Link_IsMovedAndDeleted_TargetIsNot) {
  TestFolder outside;
  outside.write("a", "safe");
  world_.folder.link(outside.path(), "out");
  world_.ok("move_file", R"({"source":"out","destination":"out2"})");
  world_.ok("delete_file", R"({"path":"out2"})");
  EXPECT_FALSE(world_.folder.exists("out2"));
  EXPECT_EQ(outside.read("a"), "safe");
}

TEST_F(FolderTools, Delete_TakesFolderOnlyWithFlag) {
  TestFolder outside;
  outside.write("a", "safe");
  world_.folder.write("a", "");
  world_.folder.write("src/x/y", "");
  world_.folder.link(outside.path(), "src/out");
  EXPECT_EQ(world_.ok("delete_file", R"({"path":"a"})"), "ok: deleted a");
  EXPECT_NE(world_.refused("delete_file", R"({"path":"src"})").find("recursive"),
            std::string::npos);
  EXPECT_EQ(world_.ok("delete_file", R"({"path":"src","recursive":true})"),
            "ok: deleted src with 3 entries in it");
  EXPECT_EQ(world_.folder.entries(), 0U);
  EXPECT_EQ(outside.read("a"), "safe");
}

TEST_F(FolderTools, Delete_OfWorkingFolderOrOutside_IsRefused) {
  EXPECT_NE(world_.refused("delete_file", R"({"path":".","recursive":true})").find("cannot be"),
            std::string::npos);
  EXPECT_NE(world_.refused("delete_file", R"({"path":"none"})").find("no such"), std::string::npos);
  EXPECT_TRUE(world_.refused("delete_file", R"({"path":"..","recursive":true})")
                  .starts_with("path is outside"));
}

TEST(ToolsOverTheDataFolder, DataFolder_IsNeitherReadNorDeleted) {
  FileToolWorld world;
  world.folder.write("home/parley/parley.db", "secret");
  world.tools = builtin_file_tools({world.pool, world.folder.at("home/parley"), world.entropy});
  EXPECT_TRUE(
      world.refused("read", R"({"path":"home/parley/parley.db"})").starts_with("path is outside"));
  EXPECT_EQ(world.ok("grep", R"({"pattern":"secret"})"), "(No match.)\n");
  EXPECT_EQ(world.ok("glob", R"({"pattern":"*.db"})"), "(No file fits.)\n");
  EXPECT_NE(world.refused("delete_file", R"({"path":"home","recursive":true})").find("cannot"),
            std::string::npos);
  EXPECT_NE(world.refused("move_file", R"({"source":"home","destination":"x"})").find("cannot"),
            std::string::npos);
}

}  // namespace
}  // namespace parley::tool
