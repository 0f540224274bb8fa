// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/core/utf8.h"
#include "tests/support/tool/file_tool_world.h"

namespace parley::tool {
namespace {

class ReadTool : public testing::Test {
 protected:
  std::string read(const std::string& more = "") {
    return world_.ok("read", R"({"path":"a.txt")" + more + "}");
  }
  FileToolWorld world_;
};

TEST_F(ReadTool, Lines_AreNumbered) {
  world_.folder.write("a.txt", "one\ntwo\n\nfour");
  EXPECT_EQ(read(), "  1\tone\n  2\ttwo\n  3\t\n  4\tfour\n");
}

TEST_F(ReadTool, Offset_CountsFromZero) {
  world_.folder.write("a.txt", "one\ntwo\nthree\nfour\n");
  EXPECT_EQ(read(R"(,"offset":0,"limit":1)"),
            "  1\tone\n(The file continues: read it with offset 1.)\n");
  EXPECT_EQ(read(R"(,"offset":1,"limit":2)"),
            "  2\ttwo\n  3\tthree\n(The file continues: read it with offset 3.)\n");
  EXPECT_EQ(read(R"(,"offset":3)"), "  4\tfour\n");
  EXPECT_EQ(read(R"(,"offset":9)"), "(The file has only 4 lines; offset was 9.)\n");
}

TEST_F(ReadTool, Read_GivesAtMostTwoThousandLines) {
  std::string text;
  for (int i = 0; i < 2001; ++i) text += "x\n";
  world_.folder.write("a.txt", text);
  const std::string shown = read();
  EXPECT_NE(shown.find("  2000\tx\n(The file continues: read it with offset 2000.)"),
            std::string::npos);
  EXPECT_EQ(shown.find("  2001\t"), std::string::npos);
}

TEST_F(ReadTool, LongLines_AreCutBetweenCharacters) {
  std::string line;
  for (int i = 0; i < 1000; ++i) line += "中";
  world_.folder.write("a.txt", line + "\nshort\n");
  const std::string shown = read();
  EXPECT_TRUE(core::is_utf8(shown));
  // 666 characters of three bytes fit in 2000.
  EXPECT_EQ(shown.find("\n  2\tshort"), 4U + 666U * 3U) << shown.substr(0, 40);
  EXPECT_NE(shown.find("(Cut at 2000 bytes: line 1.)"), std::string::npos);
}

TEST_F(ReadTool, EndlessLine_IsReadWithoutKeeping) {
  world_.folder.write("a.txt", std::string(3U << 20U, 'x'));
  const std::string shown = read();
  EXPECT_LT(shown.size(), 2100U);
  EXPECT_NE(shown.find("(Cut at 2000 bytes: line 1.)"), std::string::npos);
}

TEST_F(ReadTool, HugeResult_StopsAtLine) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::string(1900, 'x') + "\n";
  world_.folder.write("a.txt", text);
  const std::string shown = read();
  EXPECT_LT(shown.size(), 270U << 10U);
  EXPECT_NE(shown.find("(The file continues: read it with offset "), std::string::npos);
}

TEST_F(ReadTool, CarriageReturns_AreLeftOut_Utf8IsRepaired) {
  world_.folder.write("a.txt", "one\r\ntw\xffo\r\n");
  EXPECT_EQ(read(), "  1\tone\n  2\ttw\xef\xbf\xbdo\n");
}

TEST_F(ReadTool, LinesReadInPieces_AreJoined) {
  std::string text;
  std::string shown;
  for (int i = 1; i <= 1500; ++i) {
    const std::string line = "中" + std::string(static_cast<std::size_t>(i % 200), 'x');
    text += line + "\n";
    shown += "  " + std::to_string(i) + "\t" + line + "\n";
  }
  ASSERT_GT(text.size(), 128U << 10U);
  world_.folder.write("a.txt", text);
  EXPECT_EQ(read(), shown);
}

TEST_F(ReadTool, EmptyFile_IsTold) {
  world_.folder.write("a.txt", "");
  EXPECT_EQ(read(), "(The file is empty.)\n");
}

TEST_F(ReadTool, BinaryFilesAndImages_AreToldApart) {
  world_.folder.write("a.bin", std::string("ab\0cd", 5));
  world_.folder.write("a.png", "\x89PNG\r\n\x1a\nxyz");
  EXPECT_EQ(world_.refused("read", R"({"path":"a.bin"})"),
            "This is a binary file (5 bytes): it has no text to read: a.bin");
  EXPECT_EQ(world_.refused("read", R"({"path":"a.png"})"),
            "This is an image (PNG, 11 bytes): it has no text to read: a.png");
}

TEST_F(ReadTool, MissingFile_IsAnsweredWithSuggestion) {
  world_.folder.write("README.md", "");
  EXPECT_EQ(world_.refused("read", R"({"path":"readme"})"),
            "There is no such file or folder: readme. Did you mean README.md?");
  EXPECT_NE(world_.refused("read", R"({"path":"x/y"})").find("no such file"), std::string::npos);
}

TEST_F(ReadTool, FoldersPipesAndOutside_AreRefused) {
  world_.folder.write("src/a", "");
  ASSERT_EQ(::mkfifo(world_.folder.at("pipe").c_str(), 0600), 0);
  EXPECT_NE(world_.refused("read", R"({"path":"src"})").find("list it with ls"), std::string::npos);
  EXPECT_NE(world_.refused("read", R"({"path":"pipe"})").find("not a regular file"),
            std::string::npos);
  EXPECT_TRUE(
      world_.refused("read", R"({"path":"../x"})").starts_with("path is outside working folder"));
  EXPECT_TRUE(world_.refused("read", R"({"path":"/proc/self/environ"})")
                  .starts_with("path is outside working folder"));
}

TEST_F(ReadTool, LostWorkingFolder_IsError) {
  std::filesystem::remove_all(world_.folder.path());
  EXPECT_NE(world_.refused("read", R"({"path":"a"})").find("no such file"), std::string::npos);
}

TEST_F(ReadTool, EndlessFile_IsLeftAtLimit) {
  world_.folder.write("a.txt", std::string(100'000, 'x') + "\n");
  std::filesystem::resize_file(world_.folder.at("a.txt"), std::uintmax_t{1} << 40U);
  EXPECT_NE(
      world_.ok("read", R"({"path":"a.txt","offset":1})").find("only its first 268435456 bytes"),
      std::string::npos);
}

}  // namespace
}  // namespace parley::tool
