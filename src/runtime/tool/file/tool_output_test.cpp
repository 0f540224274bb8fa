// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/tool_output.h"

#include <gtest/gtest.h>

#include "base/core/utf8.h"
#include "runtime/tool/plain_text.h"
#include "tests/support/tool/file_tool_world.h"

namespace parley::tool {
namespace {

namespace fs = std::filesystem;

class ToolOutputTest : public testing::Test {
 protected:
  FittedOutput fit(const std::string& tool, ToolResult result,
                   std::size_t limit = kInlineCharacters) {
    std::optional<FittedOutput> out;
    fit_output(world_.context(), tool, std::move(result), limit,
               [&out](FittedOutput fitted) { out = std::move(fitted); });
    EXPECT_FALSE(out.has_value()) << "done() must not be called inside fit_output()";
    EXPECT_TRUE(run_until(world_.scheduler, [&out] { return out.has_value(); }));
    return out.value_or(FittedOutput{});
  }
  static std::string many(std::size_t characters) {
    std::string out;
    for (std::size_t i = 0; i < characters; ++i) out += "中";
    return out;
  }
  FileToolWorld world_;
};

TEST_F(ToolOutputTest, ShortResult_StaysUnchanged) {
  const FittedOutput out = fit("ls", ToolResult::ok("a\nb\n"));
  EXPECT_EQ(out.content, "a\nb\n");
  EXPECT_EQ(out.display, "a\nb\n");
  EXPECT_FALSE(out.raw.has_value());
  EXPECT_TRUE(out.file.empty());
  EXPECT_FALSE(out.is_error);
}

TEST_F(ToolOutputTest, LongResult_ShowsThousandCharacters) {
  EXPECT_EQ(fit("ls", ToolResult::ok(many(1000))).display, many(1000));
  const FittedOutput out = fit("ls", ToolResult::ok(many(1001)));
  EXPECT_EQ(out.display, many(1000) + "...");
  EXPECT_EQ(out.content, many(1001));
  EXPECT_EQ(out.raw, many(1001));
  const FittedOutput error = fit("ls", ToolResult::error(many(1001)));
  EXPECT_TRUE(error.is_error);
  EXPECT_FALSE(error.raw.has_value());
}

TEST_F(ToolOutputTest, LongerResult_IsKeptInFile_ModelIsToldPath) {
  EXPECT_TRUE(fit("bash", ToolResult::ok(many(4000))).file.empty());
  const std::string whole = "begin " + many(9000) + " end";
  const FittedOutput out = fit("bash", ToolResult::ok(whole));
  EXPECT_LE(count_characters(out.content), kInlineCharacters);
  EXPECT_TRUE(out.content.starts_with("begin "));
  EXPECT_NE(out.content.find(" end\n["), std::string::npos);
  EXPECT_NE(out.content.find("characters left out"), std::string::npos);
  EXPECT_NE(out.content.find("The whole result (9010 characters) is in the file " + out.file),
            std::string::npos);
  std::ifstream file(out.file, std::ios::binary);
  const std::string kept((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(kept, whole);
  EXPECT_TRUE(out.file.starts_with(world_.data.path() + "/tool-output/session-1-"));
}

TEST_F(ToolOutputTest, KeptResult_IsReadableButOnlyOwn) {
  std::string whole;
  for (int i = 0; i < 2000; ++i) whole += "line " + std::to_string(i) + "\n";
  const FittedOutput out = fit("bash", ToolResult::ok(whole));
  const std::string path = R"({"path":")" + out.file + "\"";
  EXPECT_EQ(world_.ok("read", path + R"(,"offset":1500,"limit":1})").substr(0, 17),
            "  1501\tline 1500\n");
  EXPECT_EQ(world_.ok("grep", path + R"(,"pattern":"line 1999"})"),
            std::filesystem::path(out.file).filename().string() + ":2000:line 1999\n");
  EXPECT_TRUE(world_.refused("edit", path + R"(,"oldString":"line 7\n","newString":"x"})")
                  .starts_with("path is outside"));
  world_.session = "another";
  EXPECT_TRUE(world_.refused("read", path + "}").starts_with("path is outside"));
}

// --- limits ----------------------------------------------------------------------------------

class StoredResultsTest : public testing::Test {
 protected:
  // Stores a result and makes its file `minutes` old; returns its path.
  std::string keep(OutputStore& store, const std::string& session, std::size_t bytes, int minutes) {
    const auto path = store.keep(world_.owner, session, "bash", std::string(bytes, 'x'));
    EXPECT_TRUE(path) << (path ? "" : path.error().message);
    if (!path) return {};
    fs::last_write_time(*path, fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
    return *path;
  }
  OutputStore store(const ResultLimits& limits) {
    return {world_.pool, world_.data.path(), world_.entropy, limits};
  }
  FileToolWorld world_;
};

TEST_F(StoredResultsTest, TooManyResultsOfSession_DropOldest) {
  OutputStore some = store({.session_files = 3});
  const std::string second = keep(some, "a", 10, 20);
  const std::string oldest = keep(some, "a", 10, 30);
  const std::string newest = keep(some, "a", 10, 10);
  const std::string other = keep(some, "b", 10, 60);
  keep(some, "a", 10, 0);
  EXPECT_FALSE(fs::exists(oldest));
  EXPECT_TRUE(fs::exists(second));
  EXPECT_TRUE(fs::exists(newest));
  EXPECT_TRUE(fs::exists(other)) << "each session has a limit of its own";
}

TEST_F(StoredResultsTest, TooManyBytesOfSession_DropOldest) {
  OutputStore some = store({.session_bytes = 100});
  const std::string oldest = keep(some, "a", 40, 30);
  const std::string second = keep(some, "a", 40, 20);
  const std::string newest = keep(some, "a", 20, 10);
  keep(some, "a", 80, 0);
  EXPECT_FALSE(fs::exists(oldest));
  EXPECT_FALSE(fs::exists(second));
  EXPECT_TRUE(fs::exists(newest));
}

TEST_F(StoredResultsTest, LimitOfAllSessions_DropsOldestFirst) {
  std::string oldest;
  {
    OutputStore before = store({.all_bytes = 1'000});
    oldest = keep(before, "a", 400, 30);
  }
  // Files from before the start of the program count.
  OutputStore some = store({.all_bytes = 1'000});
  const std::string second = keep(some, "b", 400, 20);
  EXPECT_TRUE(fs::exists(oldest));
  const std::string newest = keep(some, "c", 400, 10);
  EXPECT_FALSE(fs::exists(oldest));
  EXPECT_TRUE(fs::exists(second));
  EXPECT_TRUE(fs::exists(newest));
  // Files of a deleted session no longer count.
  fs::remove(second);
  keep(some, "d", 400, 0);
  EXPECT_TRUE(fs::exists(newest));
}

TEST_F(StoredResultsTest, DroppedResult_IsTold) {
  OutputStore one = store({.session_files = 1});
  const std::string first = keep(one, world_.session, 10, 10);
  const std::string arguments = R"({"path":")" + first + "\"";
  EXPECT_NE(world_.ok("read", arguments + "}").find("xxx"), std::string::npos);
  keep(one, world_.session, 10, 0);
  EXPECT_NE(world_.refused("read", arguments + "}").find("no longer stored"), std::string::npos);
  EXPECT_NE(
      world_.refused("grep", arguments + R"(,"pattern":"x"})").find("newest long results are kept"),
      std::string::npos);
  fs::remove_all(fs::path(first).parent_path());
  EXPECT_NE(world_.refused("read", arguments + "}").find("no longer stored"), std::string::npos);
}

TEST_F(StoredResultsTest, ForeignFilesBesideResults_AreLeftAlone) {
  world_.data.write("precious.txt", "mine");
  OutputStore one = store({.session_files = 1, .all_bytes = 10});
  const fs::path folder = fs::path(keep(one, "a", 10, 30)).parent_path();
  fs::create_symlink(world_.data.at("precious.txt"), folder / "link.txt");
  fs::create_directory(folder / "folder");
  keep(one, "a", 10, 0);
  EXPECT_EQ(world_.data.read("precious.txt"), "mine");
  EXPECT_TRUE(fs::is_symlink(folder / "link.txt"));
  EXPECT_TRUE(fs::exists(folder / "folder"));
}

TEST_F(ToolOutputTest, NonUtf8Bytes_AreRepaired) {
  const FittedOutput out = fit("bash", ToolResult::ok("a\xff z\x80"));
  EXPECT_EQ(out.content, "a\xef\xbf\xbd z\xef\xbf\xbd");
  EXPECT_TRUE(core::is_utf8(fit("bash", ToolResult::ok(std::string(9000, '\xe4'))).content));
}

TEST_F(ToolOutputTest, NoStore_MiddleIsLost_ModelIsTold) {
  ToolContext context = world_.context();
  context.outputs = nullptr;
  std::optional<FittedOutput> out;
  fit_output(context, "bash", ToolResult::ok(many(9000)), kInlineCharacters,
             [&out](FittedOutput fitted) { out = std::move(fitted); });
  world_.scheduler.run_ready();
  ASSERT_TRUE(out.has_value());
  EXPECT_NE(out->content.find("was not kept"), std::string::npos);
  EXPECT_LE(count_characters(out->content), kInlineCharacters);
  EXPECT_TRUE(out->file.empty());
}

TEST_F(ToolOutputTest, FullDisk_IsTold) {
  world_.data.write("tool-output", "a file where the folder should be");
  const FittedOutput out = fit("bash", ToolResult::ok(many(9000)));
  EXPECT_NE(out.content.find("was not kept"), std::string::npos);
  EXPECT_FALSE(out.is_error);
}

TEST_F(ToolOutputTest, Read_IsCutAtLineWithNextOffset) {
  std::string text;
  for (int i = 0; i < 900; ++i) text += "this is a line of some length\n";
  world_.folder.write("a.txt", text);
  const FittedOutput out =
      fit("read", world_.call("read", R"({"path":"a.txt"})"), inline_limit_of("read"));
  EXPECT_LE(count_characters(out.content), kReadInlineCharacters);
  EXPECT_TRUE(out.file.empty());
  const std::size_t told = out.content.rfind("read on with offset ");
  ASSERT_NE(told, std::string::npos);
  const std::string offset = out.content.substr(told + 20, 3);
  EXPECT_NE(
      out.content.find("  " + offset + "\tthis is a line of some length\n(The result is cut here"),
      std::string::npos)
      << out.content.substr(told - 100);
}

TEST_F(ToolOutputTest, Cancel_StillGivesResult) {
  const BusyPool busy(world_.pool, WorkerPool::kDefaultThreads);
  std::optional<FittedOutput> out;
  fit_output(world_.context(), "bash", ToolResult::ok(many(9000)), kInlineCharacters,
             [&out](FittedOutput fitted) { out = std::move(fitted); });
  world_.scheduler.run_ready();
  world_.cancel.cancel("enough");
  world_.scheduler.run_ready();
  ASSERT_TRUE(out.has_value());
  EXPECT_NE(out->content.find("was not kept"), std::string::npos);
}

TEST(PlainText, PlainText_IsCutAndCountedByCharacters) {
  EXPECT_EQ(count_characters("a中b"), 3U);
  EXPECT_EQ(first_characters("a中b", 2), "a中");
  EXPECT_EQ(last_characters("a中b", 2), "中b");
  EXPECT_EQ(first_characters("ab", 9), "ab");
  EXPECT_EQ(last_characters("", 3), "");
  EXPECT_EQ(cut_bytes("a中b", 3), "a");
  EXPECT_EQ(cut_bytes("a中b", 4), "a中");
  EXPECT_EQ(cut_bytes(std::string(8, '\x80'), 4).size(), 4U);
}

}  // namespace
}  // namespace parley::tool
