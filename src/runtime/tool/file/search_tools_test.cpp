// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "runtime/tool/file/path_pattern.h"
#include "tests/support/tool/file_tool_world.h"

namespace parley::tool {
namespace {

bool fits(const std::string& pattern, const std::string& path) {
  const auto compiled = PathPattern::compile(pattern);
  EXPECT_TRUE(compiled.has_value()) << pattern;
  return compiled && compiled->matches(path);
}

TEST(PathPatterns, PatternWithoutSlash_FitsNamesAnywhere) {
  EXPECT_TRUE(fits("*.h", "a.h"));
  EXPECT_TRUE(fits("*.h", "src/core/a.h"));
  EXPECT_FALSE(fits("*.h", "a.hpp"));
  EXPECT_TRUE(fits("a?.txt", "a中.txt"));
  EXPECT_FALSE(fits("a?.txt", "a/.txt"));
}

TEST(PathPatterns, PatternWithSlash_FitsPathsFromTop) {
  EXPECT_TRUE(fits("src/*.h", "src/a.h"));
  EXPECT_FALSE(fits("src/*.h", "src/core/a.h"));
  EXPECT_FALSE(fits("src/*.h", "x/src/a.h"));
  EXPECT_TRUE(fits("./*.h", "a.h"));
  EXPECT_FALSE(fits("./*.h", "src/a.h"));
  EXPECT_TRUE(fits("src/**/*.h", "src/a.h"));
  EXPECT_TRUE(fits("src/**/*.h", "src/x/y/a.h"));
  EXPECT_TRUE(fits("**/test/**", "a/test/b/c"));
  EXPECT_TRUE(fits("src/", "src/x/y"));
  EXPECT_TRUE(fits("**", "x/y"));
}

TEST(PathPatterns, Patterns_HaveSetsAlternativesAndPlainCharacters) {
  EXPECT_TRUE(fits("*.{h,cpp}", "a.cpp"));
  EXPECT_FALSE(fits("*.{h,cpp}", "a.c"));
  EXPECT_TRUE(fits("[a-c]x", "bx"));
  EXPECT_FALSE(fits("[!a-c]x", "bx"));
  EXPECT_TRUE(fits("a+(1).txt", "a+(1).txt"));
  EXPECT_TRUE(fits("a[", "a["));
  EXPECT_TRUE(fits("\\*", "*"));
  EXPECT_FALSE(fits("\\*", "x"));
  EXPECT_TRUE(fits("中*", "中文.md"));
  EXPECT_FALSE(PathPattern::compile("").has_value());
  EXPECT_FALSE(PathPattern::compile(std::string(2000, '*')).has_value());
  EXPECT_TRUE(fits("{a,b", "a"));
}

TEST(IgnoreFiles, Rules_AreReadLikeGit) {
  using Verdict = IgnoreRules::Verdict;
  const IgnoreRules rules =
      IgnoreRules::parse("# no\n*.o\n!keep.o\nbuild/\n/top\ndoc/*.txt\n  \nspace\\ \r\n");
  EXPECT_EQ(rules.judge("x/a.o", false), Verdict::ignored);
  EXPECT_EQ(rules.judge("x/keep.o", false), Verdict::kept);
  EXPECT_EQ(rules.judge("x/build", true), Verdict::ignored);
  EXPECT_EQ(rules.judge("x/build", false), Verdict::none);
  EXPECT_EQ(rules.judge("top", false), Verdict::ignored);
  EXPECT_EQ(rules.judge("x/top", false), Verdict::none);
  EXPECT_EQ(rules.judge("doc/a.txt", false), Verdict::ignored);
  EXPECT_EQ(rules.judge("x/doc/a.txt", false), Verdict::none);
  EXPECT_EQ(rules.judge("# no", false), Verdict::none);
}

class SearchTools : public testing::Test {
 protected:
  FileToolWorld world_;
};

TEST_F(SearchTools, Glob_ListsInOrder_HonoursGitignore) {
  for (const char* name : {"b.h", "src/a.h", "src/a.cpp", "out/x.h", "src/gen/y.h", ".git/z.h"}) {
    world_.folder.write(name, "");
  }
  world_.folder.write(".gitignore", "out/\n");
  world_.folder.write("src/.gitignore", "gen\n");
  EXPECT_EQ(world_.ok("glob", R"({"pattern":"*.h"})"), "b.h\nsrc/a.h\n");
  EXPECT_EQ(world_.ok("glob", R"({"pattern":"*.h","includeIgnored":true})"),
            ".git/z.h\nb.h\nout/x.h\nsrc/a.h\nsrc/gen/y.h\n");
  EXPECT_EQ(world_.ok("glob", R"({"pattern":"**","path":"src","include":["*.cpp","*.hpp"]})"),
            "src/a.cpp\n");
  EXPECT_EQ(world_.ok("glob", R"({"pattern":"*.h","path":"src/gen"})"), "src/gen/y.h\n");
  EXPECT_EQ(world_.ok("glob", R"({"pattern":")" + world_.folder.at("src/*.h") + R"("})"),
            "src/a.h\n");
  EXPECT_EQ(world_.ok("glob", R"({"pattern":"*.py"})"), "(No file fits.)\n");
}

TEST_F(SearchTools, Glob_OverLimit_TellsOfMore) {
  for (int i = 0; i < 501; ++i) world_.folder.write("f" + std::to_string(1000 + i), "");
  const std::string shown = world_.ok("glob", R"({"pattern":"f*"})");
  EXPECT_NE(shown.find("f1499\n(There are more than these 500"), std::string::npos);
}

TEST_F(SearchTools, Searches_SkipOutsideLinksAndLoops) {
  TestFolder outside;
  outside.write("a.txt", "needle");
  world_.folder.link(outside.path(), "out");
  world_.folder.link(".", "loop");
  world_.folder.link(outside.at("a.txt"), "file.txt");
  world_.folder.write("in.txt", "needle");
  EXPECT_EQ(world_.ok("grep", R"({"pattern":"needle"})"), "in.txt:1:needle\n");
  EXPECT_EQ(world_.ok("glob", R"({"pattern":"a.txt"})"), "(No file fits.)\n");
  EXPECT_TRUE(
      world_.refused("grep", R"({"pattern":"x","path":"out"})").starts_with("path is outside"));
  EXPECT_TRUE(
      world_.refused("glob", R"({"pattern":"x","path":"/etc"})").starts_with("path is outside"));
}

TEST_F(SearchTools, Grep_ShowsPathLineAndText) {
  world_.folder.write("a.txt", "one\nTwo\r\nthree\n");
  world_.folder.write("src/b.md", "two\n");
  EXPECT_EQ(world_.ok("grep", R"({"pattern":"t[wh]"})"), "a.txt:3:three\nsrc/b.md:1:two\n");
  EXPECT_EQ(world_.ok("grep", R"({"pattern":"TWO","ignoreCase":true})"),
            "a.txt:2:Two\nsrc/b.md:1:two\n");
  EXPECT_EQ(world_.ok("grep", R"({"pattern":"two","ignoreCase":true,"include":"*.md"})"),
            "src/b.md:1:two\n");
  EXPECT_EQ(world_.ok("grep", R"({"pattern":"^three$","path":"a.txt"})"), "a.txt:3:three\n");
  EXPECT_EQ(world_.ok("grep", R"({"pattern":"zzz"})"), "(No match.)\n");
}

TEST_F(SearchTools, Grep_ShowsContextLinesOnce) {
  world_.folder.write("a.txt", "1\n2\nx\n4\nx\n6\n7\n8\nx\n");
  EXPECT_EQ(world_.ok("grep", R"({"pattern":"x","context":1})"),
            "a.txt-2-2\na.txt:3:x\na.txt-4-4\na.txt:5:x\na.txt-6-6\n--\na.txt-8-8\na.txt:9:x\n");
}

TEST_F(SearchTools, Grep_StopsAtLimit_SaysSo) {
  world_.folder.write("a.txt", "x\nx\nx\n");
  EXPECT_EQ(world_.ok("grep", R"({"pattern":"x","maxMatches":2})"),
            "a.txt:1:x\na.txt:2:x\n(There are more than these 2 matches; narrow the pattern, the "
            "path or `include`.)\n");
  EXPECT_EQ(world_.ok("grep", R"({"pattern":"x","maxMatches":3})"),
            "a.txt:1:x\na.txt:2:x\na.txt:3:x\n");
}

TEST_F(SearchTools, Grep_SkipsBinaryAndHugeFilesAndPipes) {
  world_.folder.write("a.bin", std::string("needle\0", 7));
  world_.folder.write("huge.txt", "needle");
  std::filesystem::resize_file(world_.folder.at("huge.txt"), 17U << 20U);
  ASSERT_EQ(::mkfifo(world_.folder.at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(world_.ok("grep", R"({"pattern":"needle"})"),
            "(No match.)\n(1 large files were passed over.)\n(1 binary files were passed over.)\n");
}

TEST_F(SearchTools, Grep_AnswersBadPatterns_TakesPlainText) {
  world_.folder.write("a.txt", "f(x\n");
  const std::string told = world_.refused("grep", R"({"pattern":"f(x"})");
  EXPECT_NE(told.find("cannot be read"), std::string::npos) << told;
  EXPECT_NE(world_.refused("grep", R"({"pattern":"(a)\\1"})").find("cannot be read"),
            std::string::npos);
  EXPECT_EQ(world_.ok("grep", R"({"pattern":"f(x","literal":true})"), "a.txt:1:f(x\n");
}

TEST_F(SearchTools, HostilePattern_TakesLinearTime) {
  world_.folder.write("a.txt", std::string(50'000, 'a') + "b\n");
  EXPECT_EQ(world_.ok("grep", R"({"pattern":"(a*)*c"})"), "(No match.)\n");
}

TEST_F(SearchTools, Grep_CutsLongLines_RepairsUtf8) {
  world_.folder.write("a.txt", "x\xff" + std::string(2000, 'y') + "\n");
  const std::string shown = world_.ok("grep", R"({"pattern":"x"})");
  EXPECT_TRUE(shown.starts_with("a.txt:1:x\xef\xbf\xbdyyy"));
  EXPECT_TRUE(shown.ends_with("y...\n"));
  EXPECT_LT(shown.size(), 520U);
}

}  // namespace
}  // namespace parley::tool
