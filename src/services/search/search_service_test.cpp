// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/search/search_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/core/temp_folder.h"
#include "model/session/interaction.h"
#include "model/session/notice_key.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/memory_session_store.h"
#include "tests/support/event/store_fixture.h"

namespace parley::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SearchServiceTest : public testing::Test {
 protected:
  SearchServiceTest() { open(); }
  ~SearchServiceTest() override { close(); }

  void open() {
    service_.emplace(folder_.path(), disk_);
    service_->start(store_);
    run();
  }
  void close() {
    service_->stop();
    run();
    service_.reset();
    disk_.drop_all();
  }
  void run() {
    while (disk_.run_ready() + home_.run_ready() > 0) {
    }
  }

  static session::Interaction question(const std::string& key, const std::string& text) {
    session::Interaction out;
    out.id = "id-" + key;
    out.key = key;
    out.session = "s";
    out.prompt.text = text;
    out.prompt.project_directory = "/shop";
    out.prompt.agent_name = "Claude";
    out.opened_at = out.deadline = core::from_unix_ms(1'700'000'000'000);
    return out;
  }
  event::Unit opening(const session::Interaction& asked, std::uint64_t seq) {
    event::Unit unit = event::unit_of(asked.session, seq, session::opened_payload(asked));
    unit.events.front().type = "interaction.opened";
    unit.changes.push_back(session::opening_of(asked, "fingerprint"));
    return unit;
  }
  event::Unit closing(session::Interaction asked, std::uint64_t seq, const std::string& answer) {
    asked.state = session::InteractionState::answered;
    asked.outcome.nickname = "Ben";
    asked.outcome.answer.contents.push_back({session::Content::Type::text, answer, {}, {}, {}});
    event::Unit unit = event::unit_of(asked.session, seq, session::closed_payload(asked));
    unit.events.front().type = "interaction.closed";
    unit.changes.push_back(session::ending_of(asked));
    return unit;
  }
  // Stores a question without telling the service.
  void store_unnoticed(const std::string& session, const std::string& key,
                       const std::string& text) {
    session::Interaction asked = question(key, text);
    asked.session = session;
    event::Unit unit = opening(asked, 1);
    unit.home_epoch = store_.home_epoch(session);
    store_.commit(std::move(unit), home_,
                  [](const core::Result<event::Revision>& done) { EXPECT_TRUE(done); });
    run();
  }
  static event::Unit record(std::uint64_t seq, const std::string& type,
                            const std::string& payload) {
    event::Unit unit = event::unit_of("s", seq, payload);
    unit.events.front().type = type;
    return unit;
  }
  // Stores a unit, and passes it to the service as the store does.
  void commit(event::Unit unit) {
    unit.home_epoch = store_.home_epoch("s");
    const auto kept = std::make_shared<const event::Unit>(std::move(unit));
    bool stored = false;
    store_.commit(kept, home_, [&](const core::Result<event::Revision>& done) {
      ASSERT_TRUE(done) << done.error().message;
      stored = true;
    });
    run();
    ASSERT_TRUE(stored);
    service_->note(*kept);
    run();
    clock_.advance(kIndexDelay);
    run();
  }
  core::Result<Hits> search(const std::string& words, const std::string& owner = "owner") {
    Query query;
    query.owner = owner;
    query.words = words;
    std::optional<core::Result<Hits>> out;
    service_->search(query, home_, [&](core::Result<Hits> hits) { out = std::move(hits); });
    run();
    return out ? std::move(*out) : core::Result<Hits>(core::fail(core::Code::internal, "none"));
  }
  std::vector<std::string> keys(const std::string& words, const std::string& owner = "owner") {
    std::vector<std::string> out;
    const auto hits = search(words, owner);
    EXPECT_TRUE(hits) << hits.error().message;
    for (const Hit& hit : hits ? hits->hits : std::vector<Hit>()) out.push_back(hit.entry.key);
    return out;
  }

  core::TempFolder folder_;
  core::FakeClock clock_;
  core::FakeScheduler disk_{clock_};
  core::FakeScheduler home_{clock_};
  event::MemorySessionStore store_;
  std::optional<SearchService> service_;
};

TEST_F(SearchServiceTest, QuestionAndAnswer_AreFound_ByOwnerAlone) {
  const session::Interaction asked = question("q1", "Shall the shop open?");
  commit(opening(asked, 1));
  EXPECT_THAT(keys("shop"), ElementsAre("q1"));
  EXPECT_EQ(search("shop")->hits.front().entry.state, State::pending);
  commit(closing(asked, 2, "Yes, at noon."));
  const auto hits = search("noon");
  ASSERT_TRUE(hits && hits->hits.size() == 1);
  EXPECT_EQ(hits->hits.front().entry.person, "Ben");
  EXPECT_EQ(hits->hits.front().entry.state, State::answered);
  EXPECT_TRUE(hits->hits.front().snippet.at(1).match);
  EXPECT_THAT(keys("shop", "another"), IsEmpty());
}

TEST_F(SearchServiceTest, RunAndReply_AreOneEntry) {
  commit(record(1, "run_start", R"({"run_id":"r1","message":"Count the chairs","agent":"react"})"));
  commit(record(2, "message_chunk", R"({"content":"chairs"})"));
  commit(record(3, "reply", R"({"reply":"There are twelve."})"));
  EXPECT_THAT(keys("chairs twelve"), ElementsAre("r1"));
  EXPECT_EQ(search("twelve")->hits.front().entry.kind, Kind::run);
}

TEST_F(SearchServiceTest, MirrorsToolCallsNotices_AreLeftOut) {
  session::Interaction mirror = question("m", "chair");
  auto shown = opening(mirror, 1);
  shown.events.front().payload.insert(1, R"("mirror_of":"other",)");
  commit(std::move(shown));
  session::Interaction call = question("c", "chair");
  call.kind = session::InteractionKind::ui_tool_call;
  commit(opening(call, 2));
  commit(opening(question(session::notice_key("done", "1", ""), "chair"), 3));
  EXPECT_THAT(keys("chair"), IsEmpty());
}

TEST_F(SearchServiceTest, UnreadablePayload_IsPassedOver) {
  commit(record(1, "run_start", "{"));
  commit(record(2, "reply", "[]"));
  commit(record(3, "run_start", R"({"run_id":"r1","message":"after it"})"));
  EXPECT_THAT(keys("after"), ElementsAre("r1"));
}

TEST_F(SearchServiceTest, Restart_ReadsWhatWasNotIndexed) {
  const session::Interaction asked = question("q1", "Before?");
  commit(opening(asked, 1));
  close();
  event::Unit unit = closing(asked, 2, "Meanwhile");
  unit.home_epoch = store_.home_epoch("s");
  store_.commit(std::move(unit), home_,
                [](const core::Result<event::Revision>& done) { EXPECT_TRUE(done); });
  run();
  open();
  EXPECT_THAT(keys("before meanwhile"), ElementsAre("q1"));
}

TEST_F(SearchServiceTest, OlderCopyOfEvents_IsReadFromItsBeginning) {
  commit(opening(question("q1", "Kept?"), 1));
  close();
  {
    auto index = SearchIndex::open(folder_.path(), store_.epoch());
    ASSERT_TRUE(index) << index.error().message;
    Entry lost;
    lost.owner = "owner";
    lost.session = "s";
    lost.seq = 7;
    lost.key = "lost";
    lost.text = "Of events that are gone";
    ASSERT_TRUE((*index)->take({"s", 1, 9, {lost}}));
  }
  open();
  EXPECT_THAT(keys("gone"), IsEmpty());
  EXPECT_THAT(keys("kept"), ElementsAre("q1"));
}

TEST_F(SearchServiceTest, DamagedFile_IsMadeAgain) {
  commit(opening(question("q1", "Lasting?"), 1));
  close();
  std::ofstream(folder_.file("search.db"), std::ios::trunc) << std::string(8192, 'x');
  std::filesystem::remove(folder_.file("search.db-wal"));
  open();
  EXPECT_THAT(keys("lasting"), ElementsAre("q1"));
}

TEST_F(SearchServiceTest, FileThatCannotBeOpened_IsErrorOfSearch) {
  close();
  service_.emplace(folder_.path() + "/missing", disk_);
  service_->start(store_);
  run();
  EXPECT_EQ(search("x").error().code, core::Code::unavailable);
}

TEST_F(SearchServiceTest, SessionThatFails_KeepsNoOtherFromIndex) {
  session::Interaction first = question("first", "Common words");
  first.session = "a";
  session::Interaction second = question("second", "Common words");
  second.session = "b";
  store_.fail_reads(1);  // of session "a", which comes first
  for (const session::Interaction* asked : {&first, &second}) {
    event::Unit unit = opening(*asked, 1);
    unit.home_epoch = store_.home_epoch(asked->session);
    service_->note(unit);
    store_.commit(std::move(unit), home_,
                  [](const core::Result<event::Revision>& done) { EXPECT_TRUE(done); });
  }
  run();
  clock_.advance(kIndexDelay);
  run();
  EXPECT_THAT(keys("common"), ElementsAre("second"));
  session::Interaction third = question("third", "Common words");
  third.session = "c";
  event::Unit unit = opening(third, 1);
  unit.home_epoch = store_.home_epoch("c");
  service_->note(unit);
  store_.commit(std::move(unit), home_,
                [](const core::Result<event::Revision>& done) { EXPECT_TRUE(done); });
  run();
  clock_.advance(kIndexDelay);
  run();
  EXPECT_THAT(keys("common"), ::testing::SizeIs(2)) << "later changes do not wait for the retry";
  clock_.advance(kRetryDelay);
  run();
  EXPECT_THAT(keys("common"), ::testing::SizeIs(3));
}

TEST_F(SearchServiceTest, HourlyComparison_LeavesSessionsToTheirHomes) {
  bool is_home = false;
  store_unnoticed("a", "k-a", "stored by the home");
  store_.set_fence([&is_home](std::string_view /*owner*/) { return is_home ? 1 : event::kNoHome; });
  clock_.advance(kCompareInterval);
  run();
  EXPECT_THAT(keys("home"), IsEmpty());
  is_home = true;
  clock_.advance(kCompareInterval);
  run();
  EXPECT_THAT(keys("home"), ElementsAre("k-a"));
  is_home = false;
  store_.set_fence(nullptr);
  store_unnoticed("b", "k-b", "of a lost node");
  store_.set_fence([](std::string_view /*owner*/) { return event::kNoHome; });
  close();
  open();
  EXPECT_THAT(keys("lost"), ElementsAre("k-b")) << "a start compares all";
}

TEST_F(SearchServiceTest, QueryOverLimit_IsRefused_LaterOneIsServed) {
  std::size_t served = 0;
  std::size_t refused = 0;
  for (std::size_t i = 0; i <= kMaxWaitingQueries; ++i) {
    service_->search(Query(), home_, [&](const core::Result<Hits>& hits) {
      if (hits) {
        ++served;
      } else {
        EXPECT_EQ(hits.error().code, core::Code::resource_exhausted);
        ++refused;
      }
    });
  }
  run();
  EXPECT_EQ(served, kMaxWaitingQueries);
  EXPECT_EQ(refused, 1U);
  EXPECT_TRUE(search("x"));
}

TEST_F(SearchServiceTest, ManySessions_AreComparedInParts) {
  close();
  for (int i = 0; i < 450; ++i) {
    store_unnoticed("many-" + std::to_string(i), "k" + std::to_string(i), "one of many");
  }
  run();
  open();
  Query query;
  query.owner = "owner";
  query.words = "many";
  query.limit = kMaxPage;
  std::size_t found = 0;
  bool more = true;
  while (more) {
    service_->search(query, home_, [&](core::Result<Hits> hits) {
      ASSERT_TRUE(hits);
      found += hits->hits.size();
      more = hits->more;
      if (more) query.before = Place{hits->hits.back().entry.at, hits->hits.back().entry.id};
    });
    run();
  }
  EXPECT_EQ(found, 450U);
}

}  // namespace
}  // namespace parley::search
