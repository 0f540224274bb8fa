// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/text_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/temp_folder.h"

namespace parley::sql {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TextIndexTest : public testing::Test {
 protected:
  TextIndexTest() : database_(*Database::open(folder_.path() + "/a.db", OpenMode::create)) {
    EXPECT_TRUE(database_.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, owner TEXT)"));
    EXPECT_TRUE(index_.make(database_));
    EXPECT_TRUE(index_.make(database_));
  }
  void add(std::int64_t id, const char* owner, const char* text) {
    ASSERT_TRUE(database_.run("INSERT INTO notes (id, owner) VALUES (?1, ?2)", id, owner));
    ASSERT_TRUE(index_.put(database_, id, text));
  }
  std::vector<std::int64_t> found(const char* words, const char* owner = "a") {
    return *database_.rows(
        index_.query(database_, "id", "notes", "owner = ?2"),
        [](const Statement& row) { return row.integer(0); },
        TextIndex::expression(Engine::sqlite, words), std::string_view(owner));
  }

  core::TempFolder folder_;
  Database database_;
  TextIndex index_{"note_words"};
};

TEST_F(TextIndexTest, Words_MatchByStemAndPairs_BestFirst) {
  add(1, "a", "The till opens at nine.");
  add(2, "a", "opening hours, opened late, opens early");
  add(3, "a", "收银台九点开门");
  add(4, "b", "It opens for others.");
  EXPECT_THAT(found("open"), ElementsAre(2, 1));
  EXPECT_THAT(found("九点"), ElementsAre(3));
  EXPECT_THAT(found("点九"), IsEmpty());
  EXPECT_THAT(found("open", "b"), ElementsAre(4));
}

TEST_F(TextIndexTest, RemovedText_IsNotFound) {
  add(1, "a", "till");
  ASSERT_TRUE(index_.remove(database_, 1));
  EXPECT_THAT(found("till"), IsEmpty());
}

TEST_F(TextIndexTest, Expression_IsQuoted_Deduplicated_Limited) {
  EXPECT_EQ(TextIndex::expression(Engine::sqlite, "?! -"), "");
  EXPECT_EQ(TextIndex::expression(Engine::sqlite, "a NOT a \"b*\""), R"("a" OR "NOT" OR "b")");
  std::string many;
  for (std::size_t i = 0; i < 2 * TextIndex::kMaxQueryWords; ++i)
    many += "w" + std::to_string(i) + " ";
  const std::string expression = TextIndex::expression(Engine::sqlite, many);
  EXPECT_NE(expression.find("\"w63\""), std::string::npos);
  EXPECT_EQ(expression.find("\"w64\""), std::string::npos);
}

}  // namespace
}  // namespace parley::sql
