// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/search/search_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/temp_folder.h"
#include "base/sql/opening.h"
#include "tests/support/sql/store_test.h"

namespace parley::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SearchIndexTest : public sql::StoreTest {
 protected:
  void SetUp() override {
    auto opened = SearchIndex::open(place_, "epoch");
    ASSERT_TRUE(opened) << opened.error().message;
    index_ = std::move(*opened);
  }

  static Entry question(std::uint64_t seq, std::string text) {
    Entry entry;
    entry.owner = "anna";
    entry.session = "s";
    entry.seq = seq;
    entry.key = entry.ref = "q" + std::to_string(seq);
    entry.text = std::move(text);
    entry.project = "/srv/till/";
    entry.agent = "Claude";
    entry.at = core::from_unix_ms(static_cast<std::int64_t>(seq) * 1'000);
    return entry;
  }
  void take(std::vector<Change> changes, std::uint64_t first_seq = 1,
            const std::string& session = "s") {
    const auto taken = index_->take({session, first_seq, 100, std::move(changes)});
    ASSERT_TRUE(taken) << taken.error().message;
  }
  std::vector<std::string> keys(Query query) {
    if (query.owner.empty()) query.owner = "anna";
    const auto page = index_->search(query);
    EXPECT_TRUE(page) << page.error().message;
    std::vector<std::string> out;
    for (const Entry& entry : page ? page->entries : std::vector<Entry>()) out.push_back(entry.key);
    return out;
  }
  static Query for_words(std::string words) {
    Query query;
    query.words = std::move(words);
    return query;
  }

  std::unique_ptr<SearchIndex> index_;
};
INSTANTIATE_TEST_SUITE_P(Engines, SearchIndexTest, sql::each_engine(), sql::engine_name);

TEST_P(SearchIndexTest, AllWords_AreNeeded_NewestFirst) {
  take({question(1, "Shall the shop open on Sunday?"), question(2, "Open the door?"),
        question(3, "Which colour has the shop?")});
  EXPECT_THAT(keys(for_words("shop")), ElementsAre("q3", "q1"));
  EXPECT_THAT(keys(for_words("shop open")), ElementsAre("q1"));
  EXPECT_THAT(keys(for_words("SUND")), ElementsAre("q1")) << "the last word may go on";
  EXPECT_THAT(keys(for_words("")), ElementsAre("q3", "q2", "q1"));
  EXPECT_THAT(keys(for_words("?!")), IsEmpty());
  EXPECT_THAT(keys(for_words("\" OR * NEAR(")), IsEmpty());
}

TEST_P(SearchIndexTest, Chinese_IsFoundByAnyPart) {
  take({question(1, "周日开店吗？"), question(2, "门是什么颜色？")});
  EXPECT_THAT(keys(for_words("开店")), ElementsAre("q1"));
  EXPECT_THAT(keys(for_words("颜色")), ElementsAre("q2"));
  EXPECT_THAT(keys(for_words("色颜")), IsEmpty());
}

TEST_P(SearchIndexTest, Answer_ClosesEntryAndIsFound) {
  take({question(1, "Which colour?"),
        EntryEnd{"q1", State::answered, "a warm green", "Ben", core::from_unix_ms(9'000)}});
  Query query = for_words("green");
  const auto page = index_->search([&] {
    query.owner = "anna";
    return query;
  }());
  ASSERT_EQ(page->entries.size(), 1U);
  const Entry& found = page->entries.front();
  EXPECT_EQ(found.state, State::answered);
  EXPECT_EQ(found.person, "Ben");
  EXPECT_EQ(found.closed_at, core::from_unix_ms(9'000));
  EXPECT_EQ(*index_->count_pending("anna"), 0U);
}

TEST_P(SearchIndexTest, EndWithoutReference_IsOfLatestRun) {
  Entry run = question(2, "Tidy up");
  run.kind = Kind::run;
  run.key = run.ref = "run-1";
  take({question(1, "Pending?"), run, question(3, "In between?"),
        EntryEnd{"", State::answered, "All is tidy", "", core::from_unix_ms(9'000)}});
  EXPECT_THAT(keys(for_words("tidy")), ElementsAre("run-1"));
  EXPECT_EQ(*index_->count_pending("anna"), 2U);
}

TEST_P(SearchIndexTest, Filters_NarrowResults) {
  Entry chat = question(4, "make a picture of the shop");
  chat.kind = Kind::chat;
  chat.key = "session_1";
  Entry other = question(5, "shop of ben");
  other.owner = "ben";
  take({question(1, "shop"), question(2, "shop"), chat, other,
        EntryEnd{"q2", State::expired, "Request timed out", "", core::from_unix_ms(8'000)}});
  Query query = for_words("shop");
  query.kinds = 1U << static_cast<unsigned>(Kind::chat);
  EXPECT_THAT(keys(query), ElementsAre("session_1"));
  query = for_words("shop");
  query.states = 1U << static_cast<unsigned>(State::expired);
  EXPECT_THAT(keys(query), ElementsAre("q2"));
  query = for_words("shop");
  query.project = "till";
  EXPECT_THAT(keys(query), ElementsAre("session_1", "q2", "q1"));
  query.project = "/srv/till/";
  EXPECT_THAT(keys(query), ElementsAre("session_1", "q2", "q1"));
  query.project = "srv";
  EXPECT_THAT(keys(query), IsEmpty());
  query = for_words("shop");
  query.from = core::from_unix_ms(2'000);
  query.to = core::from_unix_ms(4'000);
  EXPECT_THAT(keys(query), ElementsAre("q2"));
  query = for_words("shop");
  query.agent = "Codex";
  EXPECT_THAT(keys(query), IsEmpty());
  query = for_words("shop");
  query.owner = "ben";
  EXPECT_THAT(keys(query), ElementsAre("q5"));
}

TEST_P(SearchIndexTest, Pages_FollowEachOther) {
  std::vector<Change> changes;
  for (std::uint64_t seq = 1; seq <= 5; ++seq) {
    Entry entry = question(seq, "again");
    entry.at = core::from_unix_ms(1'000);  // all at once: the id decides
    changes.emplace_back(entry);
  }
  take(std::move(changes));
  Query query = for_words("again");
  query.owner = "anna";
  query.limit = 2;
  std::vector<std::string> seen;
  while (true) {
    const auto page = index_->search(query);
    ASSERT_TRUE(page);
    for (const Entry& entry : page->entries) seen.push_back(entry.key);
    if (!page->more) break;
    query.before = Place{page->entries.back().at, page->entries.back().id};
  }
  EXPECT_THAT(seen, ElementsAre("q5", "q4", "q3", "q2", "q1"));
}

TEST_P(SearchIndexTest, DroppedEvents_AreNotFound) {
  take({question(1, "old"), question(2, "old too")});
  take({}, 2);
  EXPECT_THAT(keys(for_words("old")), ElementsAre("q2"));
  EXPECT_THAT(keys(for_words("")), ElementsAre("q2"));
}

TEST_P(SearchIndexTest, IndexOfOtherHistory_IsEmptied) {
  take({question(1, "old")});
  index_.reset();
  index_ = std::move(*SearchIndex::open(place_, "epoch"));
  EXPECT_THAT(keys(for_words("old")), ElementsAre("q1"));
  index_.reset();
  index_ = std::move(*SearchIndex::open(place_, "another"));
  EXPECT_THAT(keys(for_words("old")), IsEmpty());
  EXPECT_EQ(*index_->position("s"), 0U);
}

TEST_P(SearchIndexTest, ForgottenSession_LeavesOthers) {
  take({question(1, "shared words")});
  Entry other = question(1, "shared words");
  other.session = "t";
  other.key = "other";
  take({other}, 1, "t");
  ASSERT_TRUE(index_->forget("s"));
  EXPECT_THAT(keys(for_words("shared")), ElementsAre("other"));
  EXPECT_EQ(*index_->position("s"), 0U);
  EXPECT_EQ(*index_->position("t"), 100U);
}

TEST_P(SearchIndexTest, FailedBatch_ChangesNothing) {
  take({question(1, "one")});
  const auto refused = index_->take({"s", 1, 200, {question(2, "two"), question(1, "again")}});
  EXPECT_FALSE(refused);
  EXPECT_THAT(keys(for_words("")), ElementsAre("q1"));
  EXPECT_EQ(*index_->position("s"), 100U);
  EXPECT_EQ(*index_->position("unknown"), 0U);
}

constexpr const char* kWithoutVerdicts[] = {R"(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE sessions (session TEXT PRIMARY KEY, seq INTEGER NOT NULL);
CREATE TABLE entries (
  id INTEGER PRIMARY KEY, owner TEXT NOT NULL, session TEXT NOT NULL, seq INTEGER NOT NULL,
  kind INTEGER NOT NULL, state INTEGER NOT NULL, key TEXT NOT NULL, ref TEXT NOT NULL,
  text TEXT NOT NULL, answer TEXT NOT NULL, project TEXT NOT NULL, project_name TEXT NOT NULL,
  agent TEXT NOT NULL, person TEXT NOT NULL, at INTEGER NOT NULL, closed_at INTEGER);
INSERT INTO meta VALUES ('epoch', 'epoch');
INSERT INTO sessions VALUES ('s', 7);
)"};

TEST(SearchIndexUpgrade, IndexWithoutVerdicts_IsMadeAgain) {
  const core::TempFolder folder;
  const std::string path = folder.file("search.db");
  ASSERT_TRUE(sql::open_file(path, sql::Schema{.steps = kWithoutVerdicts}));
  const auto index = SearchIndex::open(folder.path(), "epoch");
  ASSERT_TRUE(index) << index.error().message;
  EXPECT_EQ(*(*index)->position("s"), 0U) << "its events are read again";
}

}  // namespace
}  // namespace parley::search
