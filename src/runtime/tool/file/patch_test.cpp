// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/patch.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/core/entropy.h"
#include "base/core/json_writer.h"
#include "runtime/tool/file/file_changes.h"
#include "runtime/tool/file/workspace.h"
#include "tests/support/tool/file_tool_world.h"

namespace parley::tool {
namespace {

constexpr std::size_t kRoom = 1U << 20U;

// Result of a patch of one file, or the error.
std::string patched(const std::string& text, const std::string& hunks) {
  const auto patches =
      parse_patch("*** Begin Patch\n*** Update File: a\n" + hunks + "*** End Patch\n");
  if (!patches) return "error: " + patches.error().message;
  const auto after = apply_hunks(text, patches->front().hunks, kRoom);
  return after ? *after : "error: " + after.error().message;
}

TEST(Patch, TooManyLinesOrHunks_AreRefused) {
  EXPECT_NE(patched(std::string(kMaxPatchedLines + 1, '\n'), "@@\n-a\n+b\n").find("lines"),
            std::string::npos);
  EXPECT_NE(patched("a\n", std::string(kMaxPatchLines, '\n')).find("The patch has more than"),
            std::string::npos);
  std::string hunks;
  for (std::size_t i = 0; i <= kMaxPatchHunks; ++i) hunks += "@@\n+a\n";
  EXPECT_NE(patched("a\n", hunks).find("hunks"), std::string::npos);
}

TEST(Patch, OversizedResult_IsRefused) {
  const std::string line(kRoom, 'x');
  EXPECT_NE(patched("a\n", "@@\n a\n+" + line + "\n").find("would be larger"), std::string::npos);
}

TEST(Patch, IdenticalLines_EndInWords) {
  std::string hunk = "@@\n";
  for (int i = 0; i < 4'000; ++i) hunk += "-a\n+b\n";
  const std::string text(8'000, 'a');
  EXPECT_NE(patched("a\n" + text, hunk).find("error"), std::string::npos);
}

TEST(Patch, Lines_AreReplacedInContext) {
  EXPECT_EQ(patched("a\nb\nc\nb\n", "@@\n c\n-b\n+B\n"), "a\nb\nc\nB\n");
  EXPECT_EQ(patched("a\nb\nc\n", "@@\n a\n-b\n c\n"), "a\nc\n");
  EXPECT_EQ(patched("a\nc\n", " a\n+b\n c\n"), "a\nb\nc\n");
}

TEST(Patch, Hunks_FollowInOrder) {
  EXPECT_EQ(patched("x\nx\nx\n", "@@\n-x\n+1\n@@\n-x\n+2\n"), "1\n2\nx\n");
  EXPECT_NE(patched("a\nb\n", "@@\n-b\n+B\n@@\n-a\n+A\n").find("Hunk 2 does not fit below line 2"),
            std::string::npos);
}

TEST(Patch, Header_SelectsLineAbove) {
  const std::string text = "f() {\n  return 1;\n}\ng() {\n  return 1;\n}\n";
  EXPECT_EQ(patched(text, "@@ g() {\n-  return 1;\n+  return 2;\n"),
            "f() {\n  return 1;\n}\ng() {\n  return 2;\n}\n");
  EXPECT_EQ(patched(text, "@@ g()\n-  return 1;\n+  return 2;\n"),
            "f() {\n  return 1;\n}\ng() {\n  return 2;\n}\n");
  EXPECT_EQ(patched(text, "@@ h() {\n-x\n"),
            "error: Hunk 1 does not fit: there is no line \"h() {\".");
  EXPECT_EQ(patched("a\nb\n", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n"), "A\nb\n");
}

TEST(Patch, LinesWithoutContext_GoBelowHeaderOrToEnd) {
  EXPECT_EQ(patched("a\nb\n", "@@\n+c\n"), "a\nb\nc\n");
  EXPECT_EQ(patched("a\nb\n", "@@ a\n+c\n"), "a\nc\nb\n");
  EXPECT_EQ(patched("", "@@\n+c\n"), "c\n");
}

TEST(Patch, EndOfFile_MatchesLastLines) {
  EXPECT_EQ(patched("x\ny\nx\n", "@@\n-x\n+z\n*** End of File\n"), "x\ny\nz\n");
  EXPECT_NE(patched("x\ny\n", "@@\n-x\n+z\n*** End of File\n").find("not the end of the file"),
            std::string::npos);
}

TEST(Patch, WhiteSpace_MayDiffer_FileKeepsItsOwn) {
  EXPECT_EQ(patched("\ta  \nb\n", "@@\n a\n-b\n+c\n"), "\ta  \nc\n");
  EXPECT_EQ(patched("if (x) {  \n  y\n}\n", "@@\n if (x) {\n-  y\n+  z\n }\n"),
            "if (x) {  \n  z\n}\n");
}

TEST(Patch, LineEndsOfFile_AreKept) {
  EXPECT_EQ(patched("a\r\nb\r\n", "@@\n a\n-b\n+c\n+d\n"), "a\r\nc\r\nd\r\n");
  EXPECT_EQ(patched("a\nb", "@@\n-a\n+A\n b\n"), "A\nb");
  EXPECT_EQ(patched("a\nb\xff\n", "@@\n-a\n+A\n"), "A\nb\xff\n");
}

TEST(Patch, FirstUnfittingLine_IsNamed) {
  EXPECT_EQ(patched("a\nb\nc\n", "@@\n a\n b\n-x\n+y\n"),
            "error: Hunk 1 does not fit: the line \"x\" is not there (the 2 before it are, from "
            "line 1).");
  EXPECT_EQ(patched("", "@@\n-x\n"), "error: Hunk 1 does not fit: the line \"x\" is not there.");
}

TEST(Patch, RepetitiveText_IsGivenUp) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "x\n";
  std::string hunk = "@@\n";
  for (int i = 0; i < 2000; ++i) hunk += "-x\n";
  EXPECT_NE(patched(text, hunk + "-y\n").find("too many lines that are alike"), std::string::npos);
}

// A patch made from two texts turns the first into the second.
TEST(Patch, AnyText_TurnsIntoAnyOther) {
  core::SeededEntropy random(20);
  const auto pick = [&random](std::uint64_t below) { return random.next_u64() % below; };
  for (int round = 0; round < 300; ++round) {
    std::string before;
    std::string after;
    std::string hunk = "@@\n";
    const std::uint64_t lines = 1 + pick(12);
    for (std::uint64_t i = 0; i < lines; ++i) {
      const std::string line = std::string(pick(3), ' ') + static_cast<char>('a' + pick(4)) + "\n";
      const std::uint64_t what = pick(3);
      if (what != 1) before += line;
      if (what != 2) after += line;
      hunk += std::string(1, what == 0 ? ' ' : what == 1 ? '+' : '-') + line;
    }
    EXPECT_EQ(patched(before, hunk), after) << hunk;
  }
}

TEST(Patch, Rubbish_EndsInWords) {
  core::SeededEntropy random(7);
  const std::vector<std::string> pieces = {"*** Begin Patch\n", "*** End Patch",   "\n", "@@", "+a",
                                           "*** Update File: ", "*** Add File: ",  "-b", " c", "\r",
                                           "*** Move to: ",     "*** End of File", "x",  "\0"};
  for (int round = 0; round < 3000; ++round) {
    std::string text = "*** Begin Patch\n";
    for (int i = 0; i < 12; ++i) text += pieces[random.next_u64() % pieces.size()];
    const auto patches = parse_patch(text);
    if (!patches) {
      EXPECT_FALSE(patches.error().message.empty());
      continue;
    }
    for (const FilePatch& patch : *patches) apply_hunks("a\nb\nc\n", patch.hunks, kRoom);
  }
}

TEST(Patch, BadEnvelopes_AreAnsweredWithLine) {
  const auto told = [](const std::string& text) {
    const auto patches = parse_patch(text);
    return patches ? std::string("fine") : patches.error().message;
  };
  EXPECT_EQ(told(""), "The patch must begin with the line \"*** Begin Patch\".");
  EXPECT_EQ(told("*** Begin Patch\n*** End Patch"), "Line 2 of the patch: it changes no file.");
  EXPECT_NE(told("*** Begin Patch\n*** Add File: a\n+x\n").find("is not ended"), std::string::npos);
  EXPECT_NE(told("*** Begin Patch\n*** Add File: a\nx\n*** End Patch").find("begin with +"),
            std::string::npos);
  EXPECT_NE(told("*** Begin Patch\n*** Add File: \n+x\n*** End Patch").find("no path"),
            std::string::npos);
  EXPECT_NE(told("*** Begin Patch\nhello\n*** End Patch").find("Line 2 of the patch"),
            std::string::npos);
  EXPECT_NE(told("*** Begin Patch\n*** Update File: a\n*** End Patch").find("no hunk"),
            std::string::npos);
  EXPECT_NE(told("*** Begin Patch\n*** Update File: a\n@@\n?x\n*** End Patch")
                .find("Line 4 of the patch: it should begin with a space, - or +"),
            std::string::npos);
  EXPECT_EQ(told("here:\n```\n*** Begin Patch\r\n*** Delete File: a\r\n\n*** End Patch\n```"),
            "fine");
}

class ApplyPatch : public testing::Test {
 protected:
  std::string arguments(const std::string& body) {
    std::string out;
    core::JsonWriter json(out);
    json.begin_object();
    json.key("patchText").string("*** Begin Patch\n" + body + "*** End Patch");
    json.end_object();
    return out;
  }
  std::string apply(const std::string& body) { return world_.ok("apply_patch", arguments(body)); }
  std::string refused(const std::string& body) {
    return world_.refused("apply_patch", arguments(body));
  }
  FileToolWorld world_;
};

TEST_F(ApplyPatch, Patch_AddsUpdatesMovesAndDeletes) {
  world_.folder.write("old.txt", "a\nb\n");
  world_.folder.write("move.sh", "x\n");
  world_.folder.write("gone.txt", "");
  ::chmod(world_.folder.at("move.sh").c_str(), 0755);
  EXPECT_EQ(apply("*** Add File: new/a.txt\n+one\n+two\n"
                  "*** Update File: old.txt\n@@\n a\n-b\n+B\n"
                  "*** Update File: move.sh\n*** Move to: bin/moved.sh\n@@\n-x\n+y\n"
                  "*** Delete File: gone.txt\n"),
            "added new/a.txt\nupdated old.txt\nmoved move.sh to bin/moved.sh\ndeleted gone.txt\n");
  EXPECT_EQ(world_.folder.read("new/a.txt"), "one\ntwo\n");
  EXPECT_EQ(world_.folder.read("old.txt"), "a\nB\n");
  EXPECT_EQ(world_.folder.read("bin/moved.sh"), "y\n");
  struct stat status = {};
  ::stat(world_.folder.at("bin/moved.sh").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777U, 0755U);
  EXPECT_FALSE(world_.folder.exists("move.sh"));
  EXPECT_FALSE(world_.folder.exists("gone.txt"));
  EXPECT_EQ(world_.folder.entries(), 3U);
}

TEST_F(ApplyPatch, UnfittingFile_ChangesNothing) {
  world_.folder.write("a.txt", "a\n");
  world_.folder.write("b.txt", "b\n");
  const std::string told = refused(
      "*** Add File: new/c.txt\n+c\n*** Update File: a.txt\n@@\n-a\n+A\n"
      "*** Delete File: a2.txt\n");
  EXPECT_NE(told.find("a2.txt: There is no such file"), std::string::npos) << told;
  EXPECT_NE(told.find("Nothing was changed"), std::string::npos) << told;
  EXPECT_EQ(world_.folder.read("a.txt"), "a\n");
  EXPECT_FALSE(world_.folder.exists("new"));
  EXPECT_EQ(world_.folder.entries(), 2U);
}

TEST_F(ApplyPatch, LaterFailure_UndoesEarlierChanges) {
  world_.folder.write("a.txt", "a\n");
  world_.folder.write("b.txt", "b\n");
  const Workspace workspace = std::move(*Workspace::open(world_.folder.path()));
  FileChanges changes(world_.entropy);
  const Place a = std::move(*workspace.locate("a.txt"));
  const Place b = std::move(*workspace.locate("b.txt"));
  const Place fresh = std::move(*workspace.locate("new/c.txt"));
  FileChanges::PutOptions as_read;
  as_read.read = stamp_of(b.status);
  ASSERT_TRUE(changes.put(a, "A", {}).has_value());
  ASSERT_TRUE(changes.put(fresh, "C", {}).has_value());
  ASSERT_TRUE(changes.put(b, "B", as_read).has_value());
  world_.folder.write("b.txt", "somebody else was here");
  const auto done = changes.commit();
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, core::Code::aborted);
  EXPECT_EQ(world_.folder.read("a.txt"), "a\n");
  EXPECT_EQ(world_.folder.read("b.txt"), "somebody else was here");
  EXPECT_FALSE(world_.folder.exists("new/c.txt"));
}

TEST_F(ApplyPatch, OverwriteAndDoubleChange_AreRefused) {
  world_.folder.write("a.txt", "a\n");
  world_.folder.write("b.txt", "b\n");
  world_.folder.link("a.txt", "alias");
  EXPECT_NE(refused("*** Add File: a.txt\n+x\n").find("there already"), std::string::npos);
  EXPECT_NE(
      refused("*** Update File: a.txt\n*** Move to: b.txt\n@@\n-a\n+x\n").find("already exists"),
      std::string::npos);
  EXPECT_NE(refused("*** Update File: a.txt\n@@\n-a\n+x\n*** Update File: alias\n@@\n-a\n+y\n")
                .find("twice"),
            std::string::npos);
  EXPECT_EQ(world_.folder.read("a.txt"), "a\n");
}

TEST_F(ApplyPatch, Patch_StaysInWorkingFolder) {
  TestFolder outside;
  outside.write("a", "a\n");
  world_.folder.link(outside.path(), "out");
  world_.folder.write("in.txt", "a\n");
  for (const std::string body : {"*** Add File: ../x\n+x\n", "*** Delete File: out/a\n",
                                 "*** Update File: out/a\n@@\n-a\n+b\n",
                                 "*** Update File: in.txt\n*** Move to: out/b\n@@\n-a\n+b\n"}) {
    EXPECT_NE(refused(body).find("path is outside working folder"), std::string::npos) << body;
  }
  EXPECT_EQ(outside.read("a"), "a\n");
  EXPECT_EQ(outside.entries(), 1U);
}

TEST_F(ApplyPatch, FullDisk_ChangesNoFile) {
  world_.folder.write("a.txt", "a\n");
  rlimit before = {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit limit = before;
  limit.rlim_cur = 1000;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const std::string told = refused("*** Update File: a.txt\n@@\n-a\n+b\n*** Add File: b.txt\n+" +
                                   std::string(5000, 'x') + "\n");
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NE(told.find("disk is full"), std::string::npos) << told;
  EXPECT_EQ(world_.folder.read("a.txt"), "a\n");
  EXPECT_EQ(world_.folder.entries(), 1U);
}

}  // namespace
}  // namespace parley::tool
