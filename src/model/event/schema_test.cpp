// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/temp_folder.h"
#include "model/event/sql_session_reader.h"
#include "model/event/sqlite_unit_writer.h"
#include "tests/support/event/store_fixture.h"

namespace parley::event {
namespace {

using testing::HasSubstr;

class SchemaTest : public testing::Test {
 protected:
  sql::Database open() {
    core::Result<sql::Database> database =
        sql::Database::open(directory_.path() + "/events.db", sql::OpenMode::create);
    EXPECT_TRUE(database);
    return std::move(*database);
  }

  core::TempFolder directory_;
  core::SeededEntropy entropy_{5};
};

TEST_F(SchemaTest, EmptyFile_GetsCurrentVersionAndEpoch) {
  sql::Database database = open();
  EXPECT_EQ(*schema_version(database), 0);
  ASSERT_TRUE(migrate(database, entropy_));
  EXPECT_EQ(*schema_version(database), kSchemaVersion);
  EXPECT_EQ(read_epoch(database)->size(), 32U);
}

TEST_F(SchemaTest, FileOfVersion1_KeepsHistoryAndEpoch) {
  std::string epoch;
  {
    sql::Database database = open();
    ASSERT_TRUE(migrate_to(database, entropy_, 1));
    ASSERT_EQ(*schema_version(database), 1);
    epoch = *read_epoch(database);
    ASSERT_TRUE(database.execute(
        "INSERT INTO sessions VALUES (1, 's', 'assistant', 'owner', 'Title', 5, 1);"
        "INSERT INTO events VALUES (1, 1, 7, 'in', 'interaction.opened', '{\"q\":1}');"
        "INSERT INTO interactions VALUES (1, 'k', 'i', 'question', 'pending', 'f', 7, 9, 1, 0)"));
  }
  sql::Database database = open();
  ASSERT_TRUE(migrate(database, entropy_));
  EXPECT_EQ(*schema_version(database), kSchemaVersion);
  EXPECT_EQ(*read_epoch(database), epoch);
  EXPECT_EQ(*database.integer("SELECT count(*) FROM sqlite_schema"
                              " WHERE name = 'interactions_pending'"),
            1);
  auto reader = SqlSessionReader::make(std::move(database));
  ASSERT_TRUE(reader) << reader.error().message;
  const auto pending = (*reader)->pending("s");
  ASSERT_TRUE(pending);
  ASSERT_EQ(pending->size(), 1U);
  EXPECT_EQ(pending->front().opened_payload, "{\"q\":1}");
  ReadQuery query;
  query.session = "s";
  const auto page = (*reader)->read(query);
  ASSERT_TRUE(page);
  ASSERT_EQ(page->events.size(), 1U);
  EXPECT_EQ(page->events.front().seq, 1U);
  EXPECT_EQ(page->events.front().type, "interaction.opened");
  EXPECT_EQ(core::to_unix_ms(page->events.front().at), 7);
}

TEST_F(SchemaTest, SecondMigration_ChangesNothing) {
  sql::Database database = open();
  ASSERT_TRUE(migrate(database, entropy_));
  const std::string epoch = *read_epoch(database);
  ASSERT_TRUE(migrate(database, entropy_));
  EXPECT_EQ(*read_epoch(database), epoch);
}

TEST_F(SchemaTest, FailedMigration_LeavesPreviousVersion) {
  sql::Database database = open();
  ASSERT_TRUE(migrate_to(database, entropy_, 1));
  // Conflicts with the second index of the step to version 2.
  ASSERT_TRUE(database.execute("CREATE INDEX sessions_owner ON sessions (title)"));
  EXPECT_FALSE(migrate(database, entropy_));
  EXPECT_EQ(*schema_version(database), 1);
  EXPECT_FALSE(database.in_transaction());
  EXPECT_EQ(*database.integer("SELECT count(*) FROM sqlite_schema"
                              " WHERE name = 'interactions_pending'"),
            0);
}

TEST_F(SchemaTest, FileOfNewerVersion_IsRefusedWithReason) {
  sql::Database database = open();
  ASSERT_TRUE(migrate(database, entropy_));
  ASSERT_TRUE(database.execute("PRAGMA user_version = 99"));
  const core::Result<void> refused = migrate(database, entropy_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::failed_precondition);
  EXPECT_THAT(refused.error().message, HasSubstr("A newer Parley wrote the file"));
}

TEST_F(SchemaTest, FileOfOtherProgram_IsRefused) {
  sql::Database database = open();
  ASSERT_TRUE(database.execute("CREATE TABLE recipes (title TEXT)"));
  const core::Result<void> refused = migrate(database, entropy_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("belongs to another program"));
}

// In version 5 a mirror, an interaction with the same key, showed an approval in the inbox.
TEST_F(SchemaTest, FileOfVersion5_HasInboxes) {
  {
    sql::Database database = open();
    ASSERT_TRUE(migrate_to(database, entropy_, 5));
    ASSERT_TRUE(database.execute(
        "INSERT INTO sessions (number, id, dialect, owner, title, created_at, first_seq) VALUES"
        " (1, 'assistant-o', 'assistant', 'o', '', 5, 1), (2, 'run', 'loom', 'o', '', 5, 1),"
        " (3, 'other', 'loom', 'p', '', 5, 1);"
        "INSERT INTO interactions VALUES"
        " (1, 'asked', 'a', 'question', 'answered', 'f', 7, 9, 1, 5),"
        " (1, 'ended', 'b', 'tool_approval', 'answered', 'f', 7, 9, 2, 6),"
        " (1, 'waits', 'c', 'tool_approval', 'pending', 'f', 7, 9, 3, 0),"
        " (1, 'late', 'i', 'tool_approval', 'pending', 'f', 7, 9, 4, 0),"
        " (1, 'same', 'j', 'question', 'pending', 'f', 7, 9, 7, 0),"
        " (2, 'ended', 'd', 'tool_approval', 'answered', 'f', 7, 9, 1, 3),"
        " (2, 'waits', 'e', 'tool_approval', 'pending', 'f', 7, 9, 2, 0),"
        " (2, 'client', 'g', 'client_tool_call', 'pending', 'f', 7, 9, 4, 0),"
        " (2, 'late', 'k', 'tool_approval', 'answered', 'f', 7, 9, 5, 6),"
        " (2, 'same', 'l', 'client_tool_call', 'pending', 'f', 7, 9, 7, 0),"
        " (3, 'waits', 'h', 'tool_approval', 'pending', 'f', 7, 9, 1, 0)"));
    const auto opened = [&database](std::uint64_t seq, const char* payload) {
      ASSERT_TRUE(
          database.run("INSERT INTO events (key, at, direction, type, payload) VALUES"
                       " (?1, 7, 'in', 'interaction.opened', ?2)",
                       event_key(1, seq), payload));
    };
    opened(3, R"({"id":"c","key":"waits","mirror_of":"run","kind":"tool_approval"})");
    opened(4, R"({"id":"i","key":"late","mirror_of":"run","kind":"tool_approval"})");
    opened(7, R"({"id":"j","key":"same","kind":"question"})");
  }
  sql::Database database = open();
  ASSERT_TRUE(migrate(database, entropy_));
  auto reader = SqlSessionReader::make(std::move(database));
  ASSERT_TRUE(reader) << reader.error().message;
  const core::Result<InboxPage> page = (*reader)->inbox({"o"});
  ASSERT_TRUE(page);
  std::vector<std::string> inbox;
  for (const StoredInteraction& each : page->interactions) {
    inbox.push_back(each.row.session + " " + each.row.key + " " + std::to_string(each.row.change));
  }
  EXPECT_THAT(inbox, testing::ElementsAre("run waits 3", "run late 4", "assistant-o asked 5",
                                          "assistant-o ended 6", "assistant-o same 7"));
  EXPECT_EQ((*reader)->inbox({"o", std::nullopt, true})->interactions.size(), 2U);
  EXPECT_TRUE((*reader)->inbox({"p"})->interactions.empty());
}

}  // namespace
}  // namespace parley::event
