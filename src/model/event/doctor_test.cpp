// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/core/temp_folder.h"
#include "base/sql/database.h"
#include "model/event/offline_store.h"
#include "model/event/schema.h"
#include "model/event/sqlite_session_store.h"
#include "tests/support/event/store_fixture.h"

namespace parley::event {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

core::Result<StoreReport> examine_store(const std::string& data_dir) {
  const auto store = open_offline_store(data_dir);
  return store ? (*store)->examine() : core::fail(store.error());
}

class DoctorTest : public testing::Test {
 protected:
  void SetUp() override {
    StoreOptions options;
    options.data_dir = directory_.path();
    core::Result<std::unique_ptr<SqliteSessionStore>> opened =
        SqliteSessionStore::open(options, clock_, entropy_);
    ASSERT_TRUE(opened);
    store_ = std::move(*opened);
    StoreCaller caller(*store_);
    ASSERT_TRUE(caller.commit(asking_unit("s", "k", 1)));
    ASSERT_TRUE(caller.commit(unit_of("s", 2)));
    ASSERT_TRUE(caller.commit(unit_of("s", 3)));
  }
  void damage(const char* sql) {
    store_->close();
    core::Result<sql::Database> database =
        sql::Database::open(store_path(directory_.path()), sql::OpenMode::read_write);
    ASSERT_TRUE(database);
    const core::Result<void> done = database->execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }
  StoreReport examine() {
    core::Result<StoreReport> report = examine_store(directory_.path());
    EXPECT_TRUE(report) << report.error().message;
    return report ? std::move(*report) : StoreReport();
  }

  core::TempFolder directory_;
  core::FakeClock clock_;
  core::SeededEntropy entropy_{1};
  std::unique_ptr<SqliteSessionStore> store_;
};

TEST_F(DoctorTest, SoundStoreInUse_HasNoFindings) {
  const StoreReport report = examine();
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_EQ(report.schema_version, kSchemaVersion);
  EXPECT_EQ(report.epoch, store_->epoch());
  EXPECT_EQ(report.sessions, 1U);
  EXPECT_EQ(report.events, 3U);
  EXPECT_EQ(report.pending, 1U);
}

TEST_F(DoctorTest, Gap_IsFound) {
  damage("DELETE FROM events WHERE seq = 2");
  EXPECT_THAT(examine().findings,
              Contains(HasSubstr("Session s has a gap in its sequence numbers")));
}

TEST_F(DoctorTest, AnnouncedGap_IsNoFinding) {
  StoreCaller caller(*store_);
  Unit skip = unit_of("s", 90);
  skip.events.front().type = kNumbersSkipped;
  ASSERT_TRUE(caller.commit(skip));
  ASSERT_TRUE(caller.commit(unit_of("s", 91)));
  EXPECT_THAT(examine().findings, IsEmpty());
  damage("DELETE FROM events WHERE seq = 90");
  EXPECT_THAT(examine().findings,
              Contains(HasSubstr(
                  "Session s has a gap in its sequence numbers: first_seq 1, event 91 follows 3")));
}

TEST_F(DoctorTest, LostBeginning_IsFound) {
  damage("UPDATE sessions SET first_seq = 2");
  EXPECT_THAT(examine().findings,
              Contains(HasSubstr("Session s has a gap in its sequence numbers: first_seq 2")));
}

TEST_F(DoctorTest, EventsWithoutSession_AreFound) {
  damage("DELETE FROM sessions");
  EXPECT_THAT(examine().findings,
              Contains(HasSubstr("has events, but is missing in the table of sessions: 3 events")));
  EXPECT_THAT(
      examine().findings,
      Contains(HasSubstr("has an interaction, but is missing in the table of sessions: k")));
}

TEST_F(DoctorTest, PendingInteractionWithoutQuestion_IsFound) {
  damage("UPDATE interactions SET opened_seq = 9");
  EXPECT_THAT(examine().findings, Contains(HasSubstr("opening event is missing: k (seq 9)")));
}

TEST_F(DoctorTest, MissingAnswer_IsFound) {
  damage("UPDATE interactions SET closed_seq = 9, state = 'answered'");
  EXPECT_THAT(examine().findings, Contains(HasSubstr("closing event is missing: k (seq 9)")));
}

TEST_F(DoctorTest, StateContradictingEvents_IsFound) {
  damage("UPDATE interactions SET state = 'answered'");
  EXPECT_THAT(examine().findings, Contains(HasSubstr("do not agree: k (answered, closed_seq 0)")));
}

TEST_F(DoctorTest, MissingEpoch_IsFound) {
  damage("DELETE FROM meta");
  EXPECT_THAT(examine().findings, Contains(HasSubstr("no epoch")));
}

TEST_F(DoctorTest, FileOfNewerVersion_IsFound) {
  damage("PRAGMA user_version = 99");
  EXPECT_THAT(examine().findings, Contains(HasSubstr("A newer Parley wrote the file events.db")));
}

TEST_F(DoctorTest, DamagedPages_AreFound) {
  store_->close();
  std::fstream file(store_path(directory_.path()), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4'096 * 2);
  file << std::string(4'096 * 2, '\xff');
  file.close();
  EXPECT_FALSE(examine().findings.empty());
}

TEST_F(DoctorTest, MissingStore_CannotBeExamined) {
  const auto nowhere = examine_store(directory_.path() + "/nowhere");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, core::Code::not_found);
}

TEST(DoctorOfAnOldStore, OldStore_IsExaminedOnlyAsFile) {
  core::TempFolder directory;
  make_old_store(directory.path(), 2);
  const auto report = examine_store(directory.path());
  ASSERT_TRUE(report);
  EXPECT_THAT(report->findings, IsEmpty());
  EXPECT_THAT(report->notes, Contains(HasSubstr("The store has schema 2")));
}

}  // namespace
}  // namespace parley::event
