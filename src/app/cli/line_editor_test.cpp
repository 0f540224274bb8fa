// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/line_editor.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "base/core/temp_folder.h"

namespace parley::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LineHistoryTest : public testing::Test {
 protected:
  const core::TempFolder dir_;
  const std::string path_ = dir_.file("state/parley/history");
  const LineHistory history_{path_};
};

TEST_F(LineHistoryTest, Lines_AreKeptInPrivateFile) {
  EXPECT_THAT(history_.load(), IsEmpty());
  EXPECT_TRUE(history_.add("read a.txt"));
  EXPECT_TRUE(history_.add("two\nlines \"中文\" \x01"));
  EXPECT_THAT(LineHistory(path_).load(), ElementsAre("read a.txt", "two\nlines \"中文\" \x01"));
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(LineHistoryTest, BlankLongAndRepeatedLines_AreNotKept) {
  EXPECT_FALSE(history_.add(" \t"));
  EXPECT_FALSE(history_.add(std::string(LineHistory::kMaxLineBytes + 1, 'x')));
  EXPECT_TRUE(history_.add("a"));
  EXPECT_FALSE(history_.add("a"));
  EXPECT_TRUE(history_.add(std::string(LineHistory::kMaxLineBytes, '\x01')));
  EXPECT_EQ(history_.load().size(), 2U);
}

TEST_F(LineHistoryTest, OldestLine_IsDroppedOverLimit) {
  ASSERT_TRUE(history_.add("first"));
  {
    std::ofstream out(path_, std::ios::app);
    for (std::size_t i = 1; i < LineHistory::kMaxLines; ++i) out << '"' << i << "\"\n";
  }
  EXPECT_EQ(history_.load().front(), "first");
  EXPECT_TRUE(history_.add("last"));
  const std::vector<std::string> lines = history_.load();
  EXPECT_EQ(lines.size(), LineHistory::kMaxLines);
  EXPECT_EQ(lines.front(), "1");
  EXPECT_EQ(lines.back(), "last");
}

TEST_F(LineHistoryTest, DamagedLines_AreLeftOut) {
  ASSERT_TRUE(history_.add("good"));
  std::ofstream(path_, std::ios::app)
      << "plain\n\"open\n\"bad \\x\"\n42\n\"two\" \"three\"\n\"fine\"\n";
  EXPECT_THAT(history_.load(), ElementsAre("good", "fine"));
}

TEST_F(LineHistoryTest, NoPath_NothingIsKept) {
  EXPECT_FALSE(LineHistory("").add("a"));
  EXPECT_THAT(LineHistory("").load(), IsEmpty());
}

}  // namespace
}  // namespace parley::app
