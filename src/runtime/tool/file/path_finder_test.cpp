// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/path_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/core/fake_scheduler.h"
#include "tests/support/tool/file_tool_world.h"

namespace parley::tool {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class PathFinderTest : public ::testing::Test {
 protected:
  core::Result<std::vector<FoundPath>> find(
      const std::string& query, const std::string& folder = {},
      std::optional<std::vector<std::string>> within = std::nullopt) {
    std::optional<core::Result<std::vector<FoundPath>>> out;
    finder_.find(folder.empty() ? folder_.path() : folder, query, std::move(within), home_,
                 [&](auto found) { out = std::move(found); });
    disk_.run_ready();
    home_.run_ready();
    return std::move(*out);
  }
  std::vector<std::string> paths(const std::string& query) {
    std::vector<std::string> out;
    const auto found = find(query);
    for (const FoundPath& each : *found) {
      out.push_back(each.path + (each.folder ? "/" : ""));
    }
    return out;
  }

  TestFolder folder_;
  TestFolder data_;
  TestFolder home_folder_;
  core::FakeClock clock_;
  core::FakeScheduler disk_{clock_};
  core::FakeScheduler home_{clock_};
  PathFinder finder_{data_.path(), home_folder_.path(), disk_};
};

TEST_F(PathFinderTest, Query_IsSubsequence_BestFirst) {
  for (const char* name : {"src/inbox/answer_form.ts", "src/answer.ts", "docs/answers.md",
                           "src/a_new_swift_error.txt", "README.md"}) {
    folder_.write(name, "x");
  }
  EXPECT_THAT(paths("answer"),
              ElementsAre("src/answer.ts", "docs/answers.md", "src/inbox/answer_form.ts",
                          "src/a_new_swift_error.txt"));
  EXPECT_THAT(paths("sib"), ElementsAre("src/inbox/", "src/inbox/answer_form.ts"));
  EXPECT_THAT(paths("READ"), ElementsAre("README.md"));
  EXPECT_THAT(paths(""), UnorderedElementsAre("src/", "docs/", "README.md"));
  EXPECT_THAT(paths("zzz"), IsEmpty());
}

TEST_F(PathFinderTest, IgnoredFilesAndLinks_AreNotFound) {
  folder_.write(".gitignore", "build/\n*.log\n");
  folder_.write("build/out.bin", "x");
  folder_.write("run.log", "x");
  folder_.write("kept.txt", "x");
  std::filesystem::create_symlink("/etc", folder_.at("outside"));
  EXPECT_THAT(paths("passwd"), IsEmpty());
  EXPECT_THAT(paths("out"), ElementsAre("outside")) << "the link itself, not its content";
  EXPECT_THAT(paths("log"), IsEmpty());
  EXPECT_THAT(paths("kept"), ElementsAre("kept.txt"));
}

TEST_F(PathFinderTest, List_IsReadAgainAfterItsLife) {
  folder_.write("one.txt", "x");
  EXPECT_THAT(paths("txt"), ElementsAre("one.txt"));
  folder_.write("two.txt", "x");
  EXPECT_THAT(paths("txt"), ElementsAre("one.txt"));
  clock_.advance(kListLife + core::Millis(1));
  EXPECT_THAT(paths("txt"), UnorderedElementsAre("one.txt", "two.txt"));
}

TEST_F(PathFinderTest, FolderOutsideAllowedOnes_IsRefused) {
  folder_.write("a/b.txt", "x");
  EXPECT_TRUE(find("b", folder_.at("a"), {{folder_.path()}}));
  const auto refused = find("b", folder_.path(), {{folder_.at("a")}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::permission_denied);
  EXPECT_EQ(find("b", folder_.path(), std::vector<std::string>()).error().code,
            core::Code::permission_denied);
  EXPECT_EQ(find("b", folder_.path() + "x", {{folder_.path()}}).error().field, "folder");
}

TEST_F(PathFinderTest, QueryOverLimit_IsRefused) {
  std::size_t refused = 0;
  for (std::size_t i = 0; i <= kMaxWaitingPathQueries; ++i) {
    finder_.find(folder_.path(), "x", std::nullopt, home_, [&](const auto& found) {
      if (!found && found.error().code == core::Code::resource_exhausted) ++refused;
    });
  }
  disk_.run_ready();
  home_.run_ready();
  EXPECT_EQ(refused, 1U);
  EXPECT_TRUE(find("x"));
}

TEST_F(PathFinderTest, OwnDataAndMissingFolder_AreErrors) {
  EXPECT_EQ(find("x", data_.path()).error().code, core::Code::permission_denied);
  EXPECT_EQ(find("x", "/no/such/folder").error().code, core::Code::not_found);
  EXPECT_EQ(find("x", "relative").error().field, "folder");
}

}  // namespace
}  // namespace parley::tool
