// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/support/tool/file_tool_world.h"

namespace parley::tool {
namespace {

mode_t mode_of(const std::string& path) {
  struct stat status = {};
  ::stat(path.c_str(), &status);
  return status.st_mode & 07777U;
}

// Limits the size of files to `bytes` during its lifetime, like a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_ = {};
};

// A fixture whose only worker has no special rights, even if root runs the test.
class Unprivileged : public testing::Test {
 protected:
  Unprivileged() : world_(1) {
    constexpr uid_t kNobody = 65534;
    std::promise<void> done;
    world_.pool.post([&done] {
      ::setfsuid(kNobody);
      done.set_value();
    });
    done.get_future().wait();
  }
  FileToolWorld world_;
};

class WriteTools : public testing::Test {
 protected:
  // Nothing is left beside the test's own file.
  void expect_clean() { EXPECT_EQ(world_.folder.entries(), 1U); }
  FileToolWorld world_;
};

TEST_F(WriteTools, Write_CreatesFileWithFolders) {
  EXPECT_EQ(world_.ok("write_file", R"({"path":"x/y/a.txt","content":"hello"})"),
            "ok: wrote 5 bytes to x/y/a.txt (a new file)");
  EXPECT_EQ(world_.folder.read("x/y/a.txt"), "hello");
  expect_clean();
}

TEST_F(WriteTools, Write_ReplacesFile_KeepsMode) {
  world_.folder.write("run.sh", "old");
  ::chmod(world_.folder.at("run.sh").c_str(), 0750);
  EXPECT_EQ(world_.ok("write_file", R"({"path":"run.sh","content":"new"})"),
            "ok: wrote 3 bytes to run.sh");
  EXPECT_EQ(world_.folder.read("run.sh"), "new");
  EXPECT_EQ(mode_of(world_.folder.at("run.sh")), 0750U);
  expect_clean();
}

TEST_F(WriteTools, Append_AddsAtEnd) {
  EXPECT_NE(world_.ok("write_file", R"({"path":"log","content":"a","append":true})").find("wrote"),
            std::string::npos);
  EXPECT_EQ(world_.ok("write_file", R"({"path":"log","content":"bc","append":true})"),
            "ok: appended 2 bytes to log");
  EXPECT_EQ(world_.folder.read("log"), "abc");
}

TEST_F(WriteTools, Write_FollowsLinkInside_KeepsLink) {
  world_.folder.write("real.txt", "old");
  world_.folder.link("real.txt", "link.txt");
  world_.ok("write_file", R"({"path":"link.txt","content":"new"})");
  EXPECT_EQ(world_.folder.read("real.txt"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(world_.folder.at("link.txt")));
}

TEST_F(WriteTools, Write_Outside_IsRefused) {
  TestFolder outside;
  outside.write("a", "safe");
  world_.folder.link(outside.path(), "out");
  for (const char* path : {"../x", "out/a", "out/new", "/tmp/x", "a/../../x"}) {
    const std::string arguments = std::string(R"({"path":")") + path + R"(","content":"bad"})";
    EXPECT_TRUE(
        world_.refused("write_file", arguments).starts_with("path is outside working folder"))
        << path;
  }
  EXPECT_EQ(outside.read("a"), "safe");
  EXPECT_EQ(outside.entries(), 1U);
}

TEST_F(WriteTools, FoldersPipesAndNulBytes_AreRefused) {
  world_.folder.write("src/a", "");
  ASSERT_EQ(::mkfifo(world_.folder.at("pipe").c_str(), 0600), 0);
  for (const char* append : {"true", "false"}) {
    const std::string end = std::string(R"(","content":"x","append":)") + append + "}";
    EXPECT_NE(world_.refused("write_file", R"({"path":"src)" + end).find("is a folder"),
              std::string::npos);
    EXPECT_NE(world_.refused("write_file", R"({"path":"pipe)" + end).find("not a regular file"),
              std::string::npos);
    EXPECT_NE(world_.refused("write_file", R"({"path":"a\u0000b)" + end).find("NUL"),
              std::string::npos);
  }
}

TEST_F(WriteTools, FullDisk_SpoilsNothing) {
  world_.folder.write("a.txt", "old");
  const FullDisk full(1000);
  const std::string large(5000, 'x');
  for (const char* append : {"true", "false"}) {
    const std::string told = world_.refused(
        "write_file", R"({"path":"a.txt","content":")" + large + R"(","append":)" + append + "}");
    EXPECT_NE(told.find("disk is full"), std::string::npos) << told;
  }
  EXPECT_NE(
      world_.refused("edit", R"({"path":"a.txt","oldString":"old","newString":")" + large + R"("})")
          .find("disk is full"),
      std::string::npos);
  EXPECT_EQ(world_.folder.read("a.txt"), "old");
  expect_clean();
}

TEST_F(WriteTools, FolderOfUnwrittenFile_IsRemoved) {
  world_.folder.write("a.txt", "");
  const FullDisk full(1000);
  world_.refused("write_file", R"({"path":"x/y/b","content":")" + std::string(5000, 'x') + R"("})");
  expect_clean();
}

TEST_F(Unprivileged, UnreadableAndReadOnlyFiles_AreAnsweredInWords) {
  world_.folder.write("hidden.txt", "x");
  ::chmod(world_.folder.at("hidden.txt").c_str(), 0000);
  ::chmod(world_.folder.path().c_str(), 0777);
  const char* kRefusal = "The system does not permit this";
  EXPECT_TRUE(world_.refused("read", R"({"path":"hidden.txt"})").starts_with(kRefusal));
  EXPECT_TRUE(
      world_.refused("write_file", R"({"path":"hidden.txt","content":"y"})").starts_with(kRefusal));
  EXPECT_EQ(world_.ok("grep", R"({"pattern":"x"})"),
            "(No match.)\n(1 files or folders could not be opened.)\n");
  ::chmod(world_.folder.path().c_str(), 0555);
  EXPECT_TRUE(
      world_.refused("write_file", R"({"path":"new.txt","content":"y"})").starts_with(kRefusal));
  EXPECT_TRUE(world_.refused("delete_file", R"({"path":"hidden.txt"})").starts_with(kRefusal));
}

TEST_F(WriteTools, Edit_ReplacesOnlyOccurrence) {
  world_.folder.write("a.txt", "one\ntwo\nthree\n");
  EXPECT_EQ(world_.ok("edit", R"({"path":"a.txt","oldString":"two","newString":"2"})"),
            "Replaced 1 occurrence in a.txt (line 2).");
  EXPECT_EQ(world_.folder.read("a.txt"), "one\n2\nthree\n");
  expect_clean();
}

TEST_F(WriteTools, Edit_NeedsUniqueText) {
  world_.folder.write("a.txt", "x\ny\nx\nx x\n");
  EXPECT_EQ(world_.refused("edit", R"({"path":"a.txt","oldString":"x","newString":"z"})"),
            "oldString occurs 4 times (lines 1, 3, 4, 4): add text around it until it is unique, "
            "or set replaceAll.");
  EXPECT_EQ(world_.folder.read("a.txt"), "x\ny\nx\nx x\n");
  EXPECT_EQ(
      world_.ok("edit", R"({"path":"a.txt","oldString":"x","newString":"z","replaceAll":true})"),
      "Replaced 4 occurrences in a.txt (line 1 and on).");
  EXPECT_EQ(world_.folder.read("a.txt"), "z\ny\nz\nz z\n");
}

TEST_F(WriteTools, Edit_WithoutMatch_SaysWhy) {
  world_.folder.write("a.txt", "int main() {\n  return 0;\n}\n");
  EXPECT_EQ(world_.refused("edit", R"({"path":"a.txt","oldString":"exit","newString":"z"})"),
            "oldString does not occur in the file.");
  EXPECT_EQ(world_.refused("edit", R"({"path":"a.txt","oldString":"{ return 0;","newString":"z"})"),
            "oldString does not occur in the file; it occurs at line 1 with different "
            "white space: copy that exactly.");
  EXPECT_EQ(world_.refused("edit", R"({"path":"a.txt","oldString":"int","newString":"int"})"),
            "oldString and newString are the same.");
  EXPECT_NE(world_.refused("edit", R"({"path":"none","oldString":"a","newString":"b"})")
                .find("no such file"),
            std::string::npos);
}

TEST_F(WriteTools, Edit_KeepsLineEndsAndNonUtf8Bytes) {
  world_.folder.write("a.txt", "one\r\ntwo\r\n\xff\xfe\r\n");
  world_.ok("edit", R"({"path":"a.txt","oldString":"one\ntwo","newString":"1\n2"})");
  EXPECT_EQ(world_.folder.read("a.txt"), "1\r\n2\r\n\xff\xfe\r\n");
}

TEST_F(WriteTools, Edit_OfBinaryOrHugeFile_IsRefused) {
  world_.folder.write("a.bin", std::string("a\0b", 3));
  EXPECT_NE(
      world_.refused("edit", R"({"path":"a.bin","oldString":"a","newString":"b"})").find("binary"),
      std::string::npos);
  std::filesystem::resize_file(world_.folder.at("a.bin"), 17U << 20U);
  EXPECT_NE(world_.refused("edit", R"({"path":"a.bin","oldString":"a","newString":"b"})")
                .find("larger than"),
            std::string::npos);
}

TEST_F(WriteTools, ConcurrentEditsOfSameFile_AllCount) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "<" + std::to_string(i) + ">\n";
  world_.folder.write("a.txt", text);
  std::vector<std::optional<ToolResult>> results(40);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string number = std::to_string(i);
    world_.begin("edit", R"({"path":"a.txt","oldString":"<)" + number + R"(>","newString":"done"})",
                 results[i]);
  }
  ASSERT_TRUE(run_until(world_.scheduler, [&results] {
    return std::all_of(results.begin(), results.end(),
                       [](const auto& result) { return result.has_value(); });
  }));
  EXPECT_EQ(world_.folder.read("a.txt").find('<'), std::string::npos);
  expect_clean();
}

TEST_F(WriteTools, Multiedit_MakesAllEditsInOrder) {
  world_.folder.write("a.txt", "a b\n");
  EXPECT_EQ(world_.ok("multiedit", R"({"path":"a.txt","edits":[
                {"oldString":"a","newString":"b"},
                {"oldString":"b","newString":"c","replaceAll":true}]})"),
            "Made 2 edits (3 replacements) in a.txt.");
  EXPECT_EQ(world_.folder.read("a.txt"), "c c\n");
}

TEST_F(WriteTools, Multiedit_WithUnfittingEdit_ChangesNothing) {
  world_.folder.write("a.txt", "a b\n");
  EXPECT_EQ(world_.refused("multiedit", R"({"path":"a.txt","edits":[
                {"oldString":"a","newString":"x"},{"oldString":"zzz","newString":"y"}]})"),
            "edits[1]: oldString does not occur in the file. Nothing was changed.");
  EXPECT_EQ(world_.folder.read("a.txt"), "a b\n");
}

TEST_F(WriteTools, OversizedEdit_IsRefusedBeforeBuilding) {
  const std::string many(1U << 20U, 'x');
  world_.folder.write("a.txt", many);
  const std::string edit =
      R"({"oldString":"x","newString":")" + std::string(1U << 20U, 'y') + R"(","replaceAll":true})";
  const std::string own = R"({"path":"a.txt",)" + edit.substr(1);
  EXPECT_NE(world_.refused("edit", own).find("would be larger than"), std::string::npos);
  const std::string several = R"({"path":"a.txt","edits":[)" + edit + "]}";
  EXPECT_NE(world_.refused("multiedit", several).find("would be larger than"), std::string::npos);
  EXPECT_EQ(world_.folder.read("a.txt"), many);
  expect_clean();
}

TEST_F(WriteTools, MultieditGrowingStepwise_IsRefused) {
  const std::string part(64U << 10U, 'x');
  world_.folder.write("a.txt", part);
  std::string edits;
  for (int i = 0; i < 10; ++i) {
    edits += std::string(i == 0 ? "" : ",") + R"({"oldString":")" + part + R"(","newString":")" +
             part + part + R"(","replaceAll":true})";
  }
  EXPECT_NE(world_.refused("multiedit", R"({"path":"a.txt","edits":[)" + edits + "]}")
                .find("would be larger than"),
            std::string::npos);
  EXPECT_EQ(world_.folder.read("a.txt"), part);
}

TEST_F(WriteTools, EditAtLimit_IsMade) {
  world_.folder.write("a.txt", std::string(1U << 20U, 'x'));
  world_.ok("edit",
            R"({"path":"a.txt","oldString":"x","newString":"0123456789abcdef","replaceAll":true})");
  EXPECT_EQ(world_.folder.read("a.txt").size(), kMaxWholeFileBytes);
  world_.ok("edit",
            R"({"path":"a.txt","oldString":"0123456789abcdef","newString":"x","replaceAll":true})");
  EXPECT_EQ(world_.folder.read("a.txt"), std::string(1U << 20U, 'x'));
}

}  // namespace
}  // namespace parley::tool
