// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The store in PostgreSQL alone: a database that ends and comes back, commits of unknown outcome,
// several connections at once.
#include "model/event/postgres_session_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "base/core/hex.h"
#include "base/sql/opening.h"
#include "model/event/decision.h"
#include "model/event/postgres_unit_writer.h"
#include "tests/support/event/store_fixture.h"
#include "tests/support/sql/private_postgres.h"

namespace parley::event {
namespace {

using testing::HasSubstr;

class PostgresSessionStoreTest : public testing::Test {
 protected:
  PostgresSessionStoreTest() : PostgresSessionStoreTest(sql::PrivatePostgres::shared()) {}
  explicit PostgresSessionStoreTest(sql::PrivatePostgres& server) {
    options_.place = folder_.path() + "/data";
    options_.place.url = server.new_database();
  }
  void open() {
    caller_.reset();
    store_.reset();
    auto opened = PostgresSessionStore::open(options_, clock_, entropy_);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
    caller_ = std::make_unique<StoreCaller>(*store_);
  }
  sql::Database connect() {
    auto database = sql::connect_store(options_.place, "events", schema());
    EXPECT_TRUE(database) << database.error().message;
    return std::move(*database);
  }
  Unit owned(Unit unit) {
    unit.home_epoch = store_->home_epoch("");
    return unit;
  }

  core::TempFolder folder_;
  StoreOptions options_;
  core::FakeClock clock_;
  core::SeededEntropy entropy_{1};
  std::unique_ptr<PostgresSessionStore> store_;
  std::unique_ptr<StoreCaller> caller_;
};

// With a server of its own, which ends.
class EndingDatabaseTest : public PostgresSessionStoreTest {
 protected:
  EndingDatabaseTest() : EndingDatabaseTest(std::make_unique<sql::PrivatePostgres>()) {}
  explicit EndingDatabaseTest(std::unique_ptr<sql::PrivatePostgres> server)
      : PostgresSessionStoreTest(*server), server_(std::move(server)) {}

  std::unique_ptr<sql::PrivatePostgres> server_;
};

TEST_F(EndingDatabaseTest, UnitsWaitForDatabase_AreStoredOnce_ReadsGoOn) {
  open();
  ASSERT_TRUE(caller_->commit(unit_of("s", 1)));
  ASSERT_TRUE(caller_->session("s"));
  server_->kill();
  std::vector<std::uint64_t> stored;
  for (std::uint64_t seq = 2; seq <= 40; ++seq) {
    store_->commit(owned(unit_of("s", seq)), caller_->scheduler(),
                   [&stored, seq](const core::Result<Revision>& done) {
                     if (done) stored.push_back(seq);
                   });
  }
  ASSERT_TRUE(caller_->run_until([&] { return !store_->writable(); }));
  EXPECT_THAT(store_->writable().error().message, HasSubstr("The database does not answer"));
  EXPECT_EQ(caller_->session("s").error().code, core::Code::unavailable);
  EXPECT_TRUE(stored.empty());
  server_->start();
  ASSERT_TRUE(caller_->run_until([&] { return stored.size() == 39; }));
  EXPECT_TRUE(std::is_sorted(stored.begin(), stored.end()));
  EXPECT_TRUE(store_->writable());
  EXPECT_EQ(caller_->session("s")->last_seq, 40U);
  EXPECT_EQ(*caller_->count("s", "message"), 40U);
}

// A server that ends at any moment leaves commits of which nobody knows whether they were done.
TEST_F(EndingDatabaseTest, DatabaseEndsOftenUnderLoad_NothingIsLostOrDoubled) {
  constexpr int kThreads = 6;
  constexpr int kKills = 8;
  open();
  std::atomic<bool> ends{false};
  std::array<std::atomic<std::uint64_t>, kThreads> acknowledged{};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      StoreCaller caller(*store_);
      const std::string session = "t" + std::to_string(i);
      for (std::uint64_t seq = 1; !ends; ++seq) {
        const core::Result<Revision> done = caller.commit(unit_of(session, seq));
        EXPECT_TRUE(done) << done.error().message;
        if (!done) return;
        acknowledged.at(i) = seq;
      }
    });
  }
  for (int i = 0; i < kKills; ++i) {
    const std::uint64_t before = acknowledged.at(0);
    EXPECT_TRUE(caller_->run_until([&] { return acknowledged.at(0) > before + 20; }));
    server_->kill();
    server_->start();
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
  open();
  for (std::size_t i = 0; i < kThreads; ++i) {
    const std::string session = "t" + std::to_string(i);
    EXPECT_EQ(caller_->session(session)->last_seq, acknowledged.at(i).load());
    EXPECT_EQ(*caller_->count(session, "message"), acknowledged.at(i).load());
  }
}

TEST_F(PostgresSessionStoreTest, TransactionOfEndedRegistration_IsRefused) {
  open();
  sql::Database database = connect();
  StagedGroup group;
  ASSERT_TRUE(group.prepare(database));
  const HomeEpoch own = store_->home_epoch("");
  const auto commit = [&](std::int64_t writer, HomeEpoch epoch) {
    group.clear();
    group.add_session(1'000, session_row("late"));
    return group.commit(database, epoch, writer);
  };
  const core::Result<void> late = commit(1'000'000, own);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().field, StagedGroup::kWriterField);
  const std::int64_t writer = *database.integer("SELECT min(id) FROM parley_writers");
  const core::Result<void> earlier = commit(writer, own - 1);
  ASSERT_FALSE(earlier);
  EXPECT_EQ(earlier.error().field, kHomeField);
  EXPECT_EQ(caller_->session("late").error().code, core::Code::not_found);
  EXPECT_TRUE(commit(writer, own));
  EXPECT_TRUE(caller_->session("late"));
}

TEST_F(PostgresSessionStoreTest, Registrations_AreThoseOfTheOpenStore) {
  open();
  open();
  const std::int64_t registered = *connect().integer("SELECT count(*) FROM parley_writers");
  EXPECT_GT(registered, 0);
  store_->close();
  EXPECT_EQ(*connect().integer("SELECT count(*) FROM parley_writers"), 0);
}

TEST_F(EndingDatabaseTest, StoreThatEndsWithoutDatabase_RefusesWhatWaits) {
  open();
  ASSERT_TRUE(caller_->commit(unit_of("s", 1)));
  server_->kill();
  std::optional<core::Result<Revision>> waiting;
  store_->commit(owned(unit_of("s", 2)), caller_->scheduler(),
                 [&](core::Result<Revision> done) { waiting = std::move(done); });
  store_->close();
  caller_->scheduler().run_ready();
  ASSERT_TRUE(waiting.has_value());
  ASSERT_FALSE(*waiting);
  EXPECT_EQ(waiting->error().code, core::Code::unavailable);
}

TEST_F(PostgresSessionStoreTest, TextWithNul_IsRefusedAlone) {
  open();
  std::size_t stored = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 30; ++i) {
    Unit unit = unit_of("s" + std::to_string(i), 1);
    if (i % 3 == 0) unit.events[0].payload = std::string("{\0}", 3);
    store_->commit(owned(std::move(unit)), caller_->scheduler(),
                   [&](const core::Result<Revision>& done) {
                     ++(done ? stored : refused);
                     if (!done) {
                       EXPECT_EQ(done.error().code, core::Code::invalid_argument);
                     }
                   });
  }
  ASSERT_TRUE(caller_->run_until([&] { return stored + refused == 30; }));
  EXPECT_EQ(refused, 10U);
}

// The places of one inbox are given by several connections.
TEST_F(PostgresSessionStoreTest, InboxOfManySessions_HasEachPlaceOnce) {
  constexpr std::size_t kSessions = 60;
  open();
  std::size_t answered = 0;
  for (std::size_t i = 0; i < kSessions; ++i) {
    Unit unit = asking_unit("s" + std::to_string(i), "k", 1);
    unit.session = session_row("s" + std::to_string(i));
    unit.changes[0].in_inbox = true;
    store_->commit(owned(std::move(unit)), caller_->scheduler(),
                   [&](const core::Result<Revision>& done) { answered += done ? 1 : 0; });
    store_->commit(owned(ending_unit("s" + std::to_string(i), "k", 2, "answered")),
                   caller_->scheduler(),
                   [&](const core::Result<Revision>& done) { answered += done ? 1 : 0; });
  }
  ASSERT_TRUE(caller_->run_until([&] { return answered == 2 * kSessions; }));
  const auto page = caller_->inbox({"owner"});
  ASSERT_TRUE(page);
  std::set<std::uint64_t> places;
  for (const StoredInteraction& each : page->interactions) places.insert(each.row.change);
  EXPECT_EQ(places.size(), kSessions);
  EXPECT_EQ(*places.rbegin(), 2 * kSessions) << "each opening and each end has a place";
}

// The database computes the hashes: they are those that `parley verify` expects.
TEST_F(PostgresSessionStoreTest, Decisions_AreOneChain) {
  open();
  for (const char* const session : {"one", "two", "ü"}) {
    ASSERT_TRUE(caller_->commit(asking_unit(session, "k", 1)));
    ASSERT_TRUE(caller_->commit(ending_unit(session, "k", 2, "answered", R"({"a":"é"})")));
  }
  sql::Database database = connect();
  const auto decisions = database.rows(
      "SELECT d.workspace, d.number, s.id, d.seq, d.at, d.closed, d.hash FROM decisions d JOIN"
      " sessions s ON s.number = d.session ORDER BY d.number",
      [](const sql::Statement& row) {
        return Decision{row.string(0),
                        row.number(1),
                        row.string(2),
                        row.number(3),
                        row.time(4),
                        core::hex_text(row.text(5)),
                        core::hex_text(row.text(6))};
      });
  ASSERT_TRUE(decisions);
  ASSERT_EQ(decisions->size(), 3U);
  std::string previous(kNoDecision);
  for (const Decision& each : *decisions) {
    EXPECT_EQ(each.hash, core::hex_text(decision_hash(each, previous)));
    previous = each.hash;
  }
}

TEST_F(PostgresSessionStoreTest, PooledConnections_StoreAndRead) {
  options_.place.pooled = true;
  open();
  for (std::uint64_t seq = 1; seq <= 5; ++seq) ASSERT_TRUE(caller_->commit(unit_of("s", seq)));
  ReadQuery query;
  query.session = "s";
  EXPECT_EQ(caller_->read(query)->events.size(), 5U);
}

TEST_F(PostgresSessionStoreTest, LargePage_EndsAtItsBytes) {
  open();
  const std::string large(600'000, 'x');
  for (std::uint64_t seq = 1; seq <= 40; ++seq) {
    ASSERT_TRUE(caller_->commit(unit_of("s", seq, "\"" + large + "\"")));
  }
  ReadQuery query;
  query.session = "s";
  query.limit = 1'000;
  const auto page = caller_->read(query);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->events.size(), kMaxPageBytes / large.size() + 1);
  EXPECT_TRUE(page->more);
  query.before = 41;
  const auto newest = caller_->read(query);
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->events.size(), page->events.size());
  EXPECT_EQ(newest->events.back().seq, 40U);
  query.before.reset();
  query.after = 30;
  EXPECT_FALSE(caller_->read(query)->more);
}

}  // namespace
}  // namespace parley::event
