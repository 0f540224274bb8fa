// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/postgres_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/sql/database.h"
#include "base/sql/opening.h"
#include "base/sql/text_index.h"
#include "base/sql/transaction.h"
#include "tests/support/sql/private_postgres.h"

namespace parley::sql {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* const kSteps[] = {
    "CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, at INTEGER,"
    " hash BLOB UNIQUE, name TEXT COLLATE NOCASE) STRICT",
    "ALTER TABLE notes ADD COLUMN flag INTEGER NOT NULL DEFAULT 0"};
constexpr Schema kSchema{.application_id = 7, .steps = kSteps, .watched = true};

class PostgresTest : public testing::Test {
 protected:
  PostgresTest() { place_.url = PrivatePostgres::shared().new_database(); }
  Database open() {
    auto opened = open_store(place_, "notes", kSchema);
    if (!opened) throw std::runtime_error(opened.error().message);
    return *std::move(opened);
  }

  StorePlace place_;
};

TEST_F(PostgresTest, Row_IsReadAsItWasWritten) {
  Database database = open();
  const std::string bytes("a\0\xff", 3);
  ASSERT_TRUE(database.run("INSERT INTO notes (owner, at, hash) VALUES (?1, ?2, ?3)",
                           std::string_view("Jürgen ''"), std::int64_t{-5'000'000'000},
                           Blob{bytes}));
  EXPECT_EQ(database.changes(), 1);
  ASSERT_TRUE(database.run("INSERT INTO notes (owner, at, hash) VALUES (?1, ?2, ?3)",
                           std::string_view(), std::optional<std::int64_t>(), Blob{""}));
  Statement rows = *database.prepare("SELECT id, owner, at, hash, at > 0 FROM notes ORDER BY id");
  ASSERT_TRUE(*rows.step());
  EXPECT_EQ(rows.integer(0), 1);
  EXPECT_EQ(rows.text(1), "Jürgen ''");
  EXPECT_EQ(rows.integer(2), -5'000'000'000);
  EXPECT_EQ(rows.text(3), bytes);
  EXPECT_FALSE(rows.flag(4));
  ASSERT_TRUE(*rows.step());
  EXPECT_EQ(rows.text(1), "");
  EXPECT_TRUE(rows.is_null(2));
  EXPECT_EQ(rows.integer(2), 0);
  EXPECT_FALSE(rows.is_null(3));
  EXPECT_FALSE(*rows.step());
  EXPECT_EQ(*database.integer("SELECT sum(at) FROM notes"), -5'000'000'000);
  EXPECT_EQ(
      *database.integer("SELECT count(*) FROM notes WHERE owner LIKE ?1", std::string_view("jür%")),
      1);
}

TEST_F(PostgresTest, TextWithNul_IsReadAsItWasWritten) {
  Database database = open();
  const std::string mark = "\xf4\x8f\xbf\xbf";
  const std::string nul(1, '\0');
  const std::vector<std::string> texts = {"a" + nul + "b",  nul,    mark, mark + "0",
                                          mark + nul + "1", "plain"};
  Array array(Array::Of::texts);
  for (const std::string& text : texts) {
    ASSERT_TRUE(database.run("INSERT INTO notes (owner) VALUES (?1)", std::string_view(text)));
    array.add(std::string_view(text));
  }
  ASSERT_TRUE(database.run("INSERT INTO notes (owner) SELECT unnest(?1)", array));
  for (const std::string& text : texts) {
    EXPECT_EQ(
        *database.integer("SELECT count(*) FROM notes WHERE owner = ?1", std::string_view(text)), 2)
        << text;
  }
  std::vector<std::string> read;
  ASSERT_TRUE(database.each("SELECT owner FROM notes ORDER BY id LIMIT 6",
                            [&read](const Statement& row) -> core::Result<void> {
                              read.emplace_back(row.text(0));
                              return {};
                            }));
  EXPECT_EQ(read, texts);
}

TEST_F(PostgresTest, Migration_RunsOnce_StepsInOrder_NewerIsRefused) {
  open();
  Database again = open();
  EXPECT_EQ(*again.integer("SELECT count(*) FROM notes"), 0);
  const auto older =
      open_store(place_, "notes", {.application_id = 7, .steps = std::span(kSteps).first(1)});
  ASSERT_FALSE(older);
  EXPECT_EQ(older.error().code, core::Code::failed_precondition);
  EXPECT_THAT(older.error().message,
              testing::HasSubstr("A newer Parley wrote the schema parley_notes"));
  const auto other = open_store(place_, "notes", {.application_id = 8, .steps = kSteps});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, testing::HasSubstr("belongs to another program"));
}

TEST_F(PostgresTest, Transaction_IsRolledBack_Constraint_IsNamed) {
  Database database = open();
  {
    auto transaction = *Transaction::begin(database);
    ASSERT_TRUE(database.run("INSERT INTO notes (owner) VALUES ('a')"));
    EXPECT_TRUE(database.in_transaction());
  }
  EXPECT_FALSE(database.in_transaction());
  EXPECT_EQ(*database.integer("SELECT count(*) FROM notes"), 0);
  ASSERT_TRUE(database.run("INSERT INTO notes (owner, hash) VALUES ('a', x'00')"));
  const auto twice = database.run("INSERT INTO notes (owner, hash) VALUES ('a', x'00')");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, core::Code::failed_precondition);
}

TEST_F(PostgresTest, CommitAfterFailedStatement_IsError) {
  Database database = open();
  auto transaction = *Transaction::begin(database);
  ASSERT_TRUE(database.run("INSERT INTO notes (owner) VALUES ('a')"));
  EXPECT_FALSE(database.run("INSERT INTO notes (owner) VALUES (NULL)"));
  const auto committed = transaction.commit();
  ASSERT_FALSE(committed);
  EXPECT_THAT(committed.error().message, testing::HasSubstr("nothing of it was stored"));
  EXPECT_EQ(*database.integer("SELECT count(*) FROM notes"), 0);
}

TEST_F(PostgresTest, DataVersion_ChangesWithEachChange) {
  Database database = open();
  Database other = open();
  const auto before = *database.data_version();
  EXPECT_EQ(*database.data_version(), before);
  ASSERT_TRUE(other.run("INSERT INTO notes (owner) VALUES ('a')"));
  EXPECT_NE(*database.data_version(), before);
}

TEST_F(PostgresTest, NamesWithoutCase_AreEqual) {
  Database database = open();
  ASSERT_TRUE(database.run("INSERT INTO notes (owner, name) VALUES ('a', 'Ann')"));
  EXPECT_EQ(
      *database.integer("SELECT count(*) FROM notes WHERE name = ?1", std::string_view("aNN")), 1);
}

// Ends all connections to the database but this one.
void end_others(Database& database) {
  (void)database.integer(
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
      " WHERE pid <> pg_backend_pid() AND datname = current_database()");
}

TEST_F(PostgresTest, ConnectionLostAtEndOfTransaction_NextOneBegins) {
  Database database = open();
  Database other = open();
  for (const char* const end : {"COMMIT", "ROLLBACK"}) {
    for (const bool fails_before : {false, true}) {
      ASSERT_TRUE(database.begin_reading());
      end_others(other);
      if (fails_before) EXPECT_FALSE(database.integer("SELECT count(*) FROM notes"));
      const auto ended = database.execute(end);
      if (!fails_before || end == std::string_view("COMMIT")) EXPECT_FALSE(ended) << end;
      EXPECT_FALSE(database.in_transaction()) << end;
      EXPECT_TRUE(database.integer("SELECT count(*) FROM notes")) << end;
    }
  }
}

TEST_F(PostgresTest, LostConnection_FailsOnce_IsMadeAgain) {
  Database database = open();
  Database other = open();
  Statement insert = *database.prepare("INSERT INTO notes (owner) VALUES ('a')");
  ASSERT_TRUE(insert.run());
  const auto cut = [&other] { end_others(other); };
  cut();
  const auto lost = insert.run();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, core::Code::unavailable);
  EXPECT_TRUE(insert.run());
  EXPECT_EQ(*database.integer("SELECT count(*) FROM notes"), 2);
  {
    auto transaction = *Transaction::begin(database);
    ASSERT_TRUE(insert.run());
    cut();
    EXPECT_FALSE(insert.run());
    EXPECT_FALSE(insert.run()) << "a transaction does not go on in another connection";
    EXPECT_FALSE(transaction.commit());
  }
  EXPECT_TRUE(insert.run());
  EXPECT_EQ(*database.integer("SELECT count(*) FROM notes"), 3);
}

// A statement that inserts three rows at once.
Statement inserting(Database& database, Array& owners, Array& ats) {
  Statement insert =
      *database.prepare("INSERT INTO notes (owner, at) SELECT * FROM unnest(?1, ?2)");
  owners.add("a");
  owners.add("b");
  owners.add("");
  ats.add(std::int64_t{-7});
  ats.add_null();
  ats.add(std::int64_t{1} << 40);
  insert.bind_all(owners, ats);
  return insert;
}

TEST_F(PostgresTest, Group_IsStoredWhole_ArraysBecomeRows) {
  Database database = open();
  Array owners(Array::Of::texts);
  Array ats(Array::Of::integers);
  Statement insert = inserting(database, owners, ats);
  Statement flag = *database.prepare("UPDATE notes SET flag = 1 WHERE at IS NULL");
  for (int i = 0; i < 2; ++i) {
    const auto done = database.commit_all(std::vector<Statement*>{&insert, &flag});
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_FALSE(database.in_transaction());
  }
  const auto rows = database.rows(
      "SELECT owner, at, flag FROM notes ORDER BY id LIMIT 3", [](const Statement& row) {
        return row.string(0) + " " + (row.is_null(1) ? "null" : std::to_string(row.integer(1))) +
               " " + std::to_string(row.integer(2));
      });
  EXPECT_THAT(*rows, ElementsAre("a -7 0", "b null 1", " 1099511627776 0"));
  EXPECT_EQ(*database.integer("SELECT count(*) FROM notes"), 6);
}

TEST_F(PostgresTest, GroupWithFault_StoresNothing_NextOneDoes) {
  Database database = open();
  Array owners(Array::Of::texts);
  Array ats(Array::Of::integers);
  Statement insert = inserting(database, owners, ats);
  Statement faulty = *database.prepare("INSERT INTO notes (owner) VALUES (NULL)");
  const auto failed = database.commit_all(std::vector<Statement*>{&insert, &faulty, &insert});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, core::Code::failed_precondition);
  EXPECT_FALSE(database.in_transaction());
  EXPECT_EQ(*database.integer("SELECT count(*) FROM notes"), 0);
  ASSERT_TRUE(database.commit_all(std::vector<Statement*>{&insert}));
  EXPECT_EQ(*database.integer("SELECT count(*) FROM notes"), 3);
}

TEST_F(PostgresTest, GroupOnLostConnection_IsUnavailable_NextOneIsStored) {
  Database database = open();
  Database other = open();
  Array owners(Array::Of::texts);
  Array ats(Array::Of::integers);
  Statement insert = inserting(database, owners, ats);
  ASSERT_TRUE(database.commit_all(std::vector<Statement*>{&insert}));
  (void)other.integer(
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
      " WHERE pid <> pg_backend_pid() AND datname = current_database()");
  const auto lost = database.commit_all(std::vector<Statement*>{&insert});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, core::Code::unavailable);
  EXPECT_TRUE(database.commit_all(std::vector<Statement*>{&insert}));
  EXPECT_EQ(*database.integer("SELECT count(*) FROM notes"), 6);
}

TEST_F(PostgresTest, StatementsThatRanOnce_LeaveNothingOnTheServer) {
  Database database = open();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(database.run("INSERT INTO notes (owner) VALUES (?1)", std::string_view("a")));
    Statement twice = *database.prepare("SELECT count(*) FROM notes");
    for (int run = 0; run < 2; ++run) ASSERT_TRUE(twice.first_integer());
  }
  EXPECT_LE(*database.integer("SELECT count(*) FROM pg_prepared_statements"), 2);
}

TEST_F(PostgresTest, SharingTransactions_WaitForAWriterAlone) {
  Database one = open();
  Database two = open();
  {
    const auto first = *Transaction::begin_sharing(one);
    const auto second = Transaction::begin_sharing(two);
    EXPECT_TRUE(second) << "they do not wait for each other";
  }
  ASSERT_TRUE(two.execute("SET lock_timeout = '50ms'"));
  const auto first = *Transaction::begin_sharing(one);
  const auto writing = Transaction::begin(two);
  ASSERT_FALSE(writing);
  EXPECT_EQ(writing.error().code, core::Code::unavailable);
}

TEST_F(PostgresTest, MissingDatabase_IsNamed) {
  const auto missing =
      Database::connect({PrivatePostgres::shared().url("nowhere"), "parley_notes"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, core::Code::not_found);
  const auto away =
      Database::connect({"postgresql://127.0.0.1:1/x?password=secret", "parley_notes"});
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().code, core::Code::unavailable);
  EXPECT_THAT(away.error().message, testing::Not(testing::HasSubstr("secret")));
}

TEST_F(PostgresTest, UnreadableUrl_IsNotRepeated) {
  for (const char* const url : {"postgresql://ann:secret@[::1", "secret", "host = 'secret",
                                "postgresql://ann:secret@h/db?colour=red"}) {
    const auto refused = Database::connect({url, "parley_notes"});
    ASSERT_FALSE(refused) << url;
    EXPECT_EQ(refused.error().code, core::Code::invalid_argument) << url;
    EXPECT_THAT(refused.error().message, testing::Not(testing::HasSubstr("secret")));
  }
}

TEST_F(PostgresTest, Words_MatchByStemAndPairs_BestFirst) {
  Database database = open();
  const TextIndex index("note_words");
  for (int i = 0; i < 2; ++i) {
    const auto created = index.make(database);
    ASSERT_TRUE(created) << created.error().message;
  }
  const auto add = [&](std::int64_t id, std::string_view owner, std::string_view text) {
    ASSERT_TRUE(database.run("INSERT INTO notes (id, owner) VALUES (?1, ?2)", id, owner));
    ASSERT_TRUE(index.put(database, id, text));
  };
  const auto found = [&](std::string_view words, std::string_view owner = "a",
                         TextIndex::Match match = TextIndex::Match::any) {
    return *database.rows(
        index.query(database, "id", "notes", "owner = ?2"),
        [](const Statement& row) { return row.integer(0); },
        TextIndex::expression(database.engine(), words, match), owner);
  };
  add(1, "a", "The till opens at nine.");
  add(2, "a", "opening hours, opened late, opens early");
  add(3, "a", "收银台九点开门");
  add(4, "b", "It opens for others.");
  EXPECT_THAT(found("open"), ElementsAre(2, 1));
  EXPECT_THAT(found("the"), ElementsAre(1));
  EXPECT_THAT(found("九点"), ElementsAre(3));
  EXPECT_THAT(found("点九"), IsEmpty());
  EXPECT_THAT(found("open", "b"), ElementsAre(4));
  EXPECT_THAT(found("till op", "a", TextIndex::Match::all), ElementsAre(1));
  ASSERT_TRUE(index.remove(database, 3));
  EXPECT_THAT(found("九点"), IsEmpty());
}

TEST_F(PostgresTest, WithoutPreparedStatements_RowsAreTheSame) {
  place_.pooled = true;
  Database database = open();
  ASSERT_TRUE(database.run("INSERT INTO notes (owner) VALUES (?1)", std::string_view("a")));
  EXPECT_EQ(*database.integer("SELECT count(*) FROM notes WHERE owner = ?1", std::string_view("a")),
            1);
}

}  // namespace
}  // namespace parley::sql
