// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The store in PostgreSQL alone: a database that ends and comes back, a standby that is promoted,
// what operators do, commits of unknown outcome, several connections at once.
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
  // Every thread of the store writes again, also one without units, which looks at its database now
  // and then.
  bool writes_again() {
    return caller_->run_until([this] { return store_->writable().has_value(); });
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

// Threads that each commit the events of a session of their own, one after the other.
class Writers {
 public:
  explicit Writers(SessionStore& store, HomeEpoch epoch) {
    for (std::size_t i = 0; i < acknowledged_.size(); ++i) {
      threads_.emplace_back([this, &store, epoch, i] { write(store, epoch, i); });
    }
  }
  ~Writers() { stop(); }
  Writers(const Writers&) = delete;
  Writers& operator=(const Writers&) = delete;

  void stop() {
    ends_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  // Waits until each of them has stored 20 more events.
  bool store_more(StoreCaller& caller) const {
    std::array<std::uint64_t, kWriters> before{};
    for (std::size_t i = 0; i < kWriters; ++i) before.at(i) = acknowledged_.at(i);
    return caller.run_until([&] {
      for (std::size_t i = 0; i < kWriters; ++i) {
        if (acknowledged_.at(i) < before.at(i) + 20) return false;
      }
      return true;
    });
  }
  // Checks that what was acknowledged is stored, once.
  void check(StoreCaller& caller) const {
    for (std::size_t i = 0; i < kWriters; ++i) {
      EXPECT_EQ(caller.session(session(i))->last_seq, acknowledged_.at(i).load());
      EXPECT_EQ(*caller.count(session(i), "message"), acknowledged_.at(i).load());
    }
  }

 private:
  static constexpr std::size_t kWriters = 6;

  static std::string session(std::size_t writer) { return "t" + std::to_string(writer); }
  void write(SessionStore& store, HomeEpoch epoch, std::size_t writer) {
    StoreCaller caller(store);
    for (std::uint64_t seq = 1; !ends_; ++seq) {
      Unit unit = unit_of(session(writer), seq);
      unit.home_epoch = epoch;
      const core::Result<Revision> done = caller.commit(std::move(unit));
      EXPECT_TRUE(done) << done.error().message;
      if (!done) return;
      acknowledged_.at(writer) = seq;
    }
  }

  std::atomic<bool> ends_{false};
  std::array<std::atomic<std::uint64_t>, kWriters> acknowledged_{};
  std::vector<std::thread> threads_;
};

// The server of this test alone ends and starts.
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
  EXPECT_TRUE(writes_again());
  EXPECT_EQ(caller_->session("s")->last_seq, 40U);
  EXPECT_EQ(*caller_->count("s", "message"), 40U);
}

// A server that ends at any moment leaves commits of which nobody knows whether they were done.
TEST_F(EndingDatabaseTest, DatabaseEndsOftenUnderLoad_NothingIsLostOrDoubled) {
  constexpr int kKills = 8;
  open();
  Writers writers(*store_, store_->home_epoch(""));
  for (int i = 0; i < kKills; ++i) {
    EXPECT_TRUE(writers.store_more(*caller_));
    server_->kill();
    server_->start();
  }
  writers.stop();
  open();
  writers.check(*caller_);
}

// The address has both servers: the first one ends, the second one is promoted.
TEST_F(EndingDatabaseTest, StandbyIsPromotedUnderLoad_NothingIsLostOrDoubled) {
  sql::PrivatePostgres standby(sql::PrivatePostgres::StandbyOf{*server_});
  const std::string database = options_.place.url.substr(options_.place.url.rfind('/'));
  options_.place.url = "postgresql://parley@" + standby.host() + "," + server_->host() + database +
                       "?target_session_attrs=read-write";
  open();
  Writers writers(*store_, store_->home_epoch(""));
  EXPECT_TRUE(writers.store_more(*caller_));
  server_->kill();
  EXPECT_TRUE(caller_->run_until([&] { return !store_->writable(); }));
  standby.promote();
  EXPECT_TRUE(writers.store_more(*caller_));
  writers.stop();
  EXPECT_TRUE(writes_again());
  open();
  writers.check(*caller_);
}

TEST_F(PostgresSessionStoreTest, TransactionOfEndedRegistration_IsRefused) {
  open();
  sql::Database database = connect();
  StagedGroup group;
  ASSERT_TRUE(group.prepare(database));
  const HomeEpoch own = store_->home_epoch("");
  const auto commit = [&](std::int64_t writer, HomeEpoch epoch) {
    group.clear();
    group.add_home({placement::slot_of("owner"), epoch});
    group.add_session(1'000, session_row("late"));
    return group.commit(database, writer);
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

// A server of a version that knows no slots compares the epoch in `meta`.
TEST_F(PostgresSessionStoreTest, EachOpening_RefusesServersWithoutSlots) {
  open();
  sql::Database database = connect();
  const HomeEpoch before = *read_home_epoch(database);
  EXPECT_GT(before, 0U);
  open();
  EXPECT_EQ(*read_home_epoch(database), before + 1);
}

TEST_F(PostgresSessionStoreTest, RegistrationsThatNobodyEnded_AreDropped) {
  open();
  ASSERT_TRUE(connect().execute("INSERT INTO parley_writers SELECT FROM generate_series(1, 1100)"));
  open();
  EXPECT_LE(*connect().integer("SELECT count(*) FROM parley_writers"), 1'004);
  EXPECT_TRUE(caller_->commit(unit_of("s", 1)));
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

// An operator with a connection of its own changes the database under the store.
class OperatedDatabaseTest : public PostgresSessionStoreTest {
 protected:
  OperatedDatabaseTest() {
    open();
    EXPECT_TRUE(caller_->commit(unit_of("s", 1)));
    psql_.emplace(connect());
  }
  void run(const char* sql) {
    const core::Result<void> done = psql_->execute(sql);
    EXPECT_TRUE(done) << done.error().message;
  }
  // Ends every connection of the store.
  void end_connections() {
    run("DO $$ BEGIN PERFORM pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid(); END $$");
  }
  // A commit that waits, until the store gives this reason for it.
  void commit_late(std::string_view reason) {
    store_->commit(owned(unit_of("s", 2)), caller_->scheduler(),
                   [this](core::Result<Revision> done) { late_ = std::move(done); });
    EXPECT_TRUE(caller_->run_until([&] {
      const core::Result<void> writable = store_->writable();
      return !writable && writable.error().message.find(reason) != std::string::npos;
    })) << reason;
    EXPECT_FALSE(late_.has_value());
  }
  void expect_late_stored() {
    ASSERT_TRUE(caller_->run_until([&] { return late_.has_value(); }));
    EXPECT_TRUE(*late_) << late_->error().message;
    EXPECT_TRUE(writes_again());
    EXPECT_EQ(*caller_->count("s", "message"), 2U);
  }

  std::optional<sql::Database> psql_;
  std::optional<core::Result<Revision>> late_;
};

TEST_F(OperatedDatabaseTest, TableIsLockedForLong_UnitsWait) {
  run("BEGIN");
  run("LOCK TABLE parley_events.events IN ACCESS EXCLUSIVE MODE");
  commit_late("lock timeout");
  run("ROLLBACK");
  expect_late_stored();
}

TEST_F(OperatedDatabaseTest, EveryConnectionIsTaken_UnitsWait) {
  // The owner of the tests' databases is a superuser, whose connections have no limit.
  run("CREATE ROLE limited LOGIN IN ROLE parley");
  options_.place.url.replace(options_.place.url.find("parley@"), 6, "limited");
  open();
  run("ALTER ROLE limited CONNECTION LIMIT 0");
  end_connections();
  commit_late("too many connections");
  run("ALTER ROLE limited CONNECTION LIMIT -1");
  expect_late_stored();
  run("DROP ROLE limited");
}

// A standby refuses writes with the same error. A connection stays read-only when the database is
// no longer, so the store opens another one.
TEST_F(OperatedDatabaseTest, DatabaseIsReadOnlyForAWhile_UnitsWait) {
  run("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on',"
      " current_database()); END $$");
  end_connections();
  commit_late("Is the database a standby?");
  run("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET default_transaction_read_only',"
      " current_database()); END $$");
  expect_late_stored();
}

TEST_F(OperatedDatabaseTest, DiskIsFull_UnitsAreRefused_NoneIsLost) {
  run("CREATE FUNCTION parley_events.fill() RETURNS trigger LANGUAGE plpgsql AS"
      " $$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$");
  run("CREATE TRIGGER full_disk BEFORE INSERT ON parley_events.events EXECUTE FUNCTION"
      " parley_events.fill()");
  const core::Result<Revision> refused = caller_->commit(owned(unit_of("s", 2)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::resource_exhausted);
  EXPECT_THAT(refused.error().message, HasSubstr("could not extend file"));
  EXPECT_EQ(caller_->session("s")->last_seq, 1U);
  run("DROP TRIGGER full_disk ON parley_events.events");
  EXPECT_TRUE(caller_->commit(owned(unit_of("s", 2))));
}

TEST_F(PostgresSessionStoreTest, TextThatIsNoUtf8_IsRefusedAlone) {
  open();
  std::size_t stored = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 30; ++i) {
    Unit unit = unit_of("s" + std::to_string(i), 1);
    if (i % 3 == 0) unit.events[0].payload = "{\xff}";
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
