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
#include "tests/support/event/opened_store.h"

namespace parley::event {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class DoctorTest : public OpenedStoreTest {
 protected:
  void SetUp() override {
    open();
    ASSERT_TRUE(caller_->commit(asking_unit("s", "k", 1)));
    ASSERT_TRUE(caller_->commit(unit_of("s", 2)));
    ASSERT_TRUE(caller_->commit(unit_of("s", 3)));
  }
  void damage(const char* sql) {
    store_->close();
    const core::Result<void> done = connect().execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }
  StoreReport examine() {
    const auto store = open_offline_store(place());
    core::Result<StoreReport> report = store ? (*store)->examine() : core::fail(store.error());
    EXPECT_TRUE(report) << report.error().message;
    return report ? std::move(*report) : StoreReport();
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, DoctorTest, sql::each_engine(), sql::engine_name);

class DoctorOfFile : public DoctorTest {};
INSTANTIATE_TEST_SUITE_P(Files, DoctorOfFile, sql::only_sqlite(), sql::engine_name);

TEST_P(DoctorTest, SoundStoreInUse_HasNoFindings) {
  const StoreReport report = examine();
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_EQ(report.schema_version, kSchemaVersion);
  EXPECT_EQ(report.epoch, store_->epoch());
  EXPECT_EQ(report.sessions, 1U);
  EXPECT_EQ(report.events, 3U);
  EXPECT_EQ(report.pending, 1U);
}

TEST_P(DoctorTest, Gap_IsFound) {
  damage("DELETE FROM events WHERE key & 68719476735 = 2");
  EXPECT_THAT(examine().findings,
              Contains(HasSubstr("Session s has a gap in its sequence numbers")));
}

TEST_P(DoctorTest, AnnouncedGap_IsNoFinding) {
  Unit skip = unit_of("s", 90);
  skip.events.front().type = kNumbersSkipped;
  ASSERT_TRUE(caller_->commit(skip));
  ASSERT_TRUE(caller_->commit(unit_of("s", 91)));
  EXPECT_THAT(examine().findings, IsEmpty());
  damage("DELETE FROM events WHERE key & 68719476735 = 90");
  EXPECT_THAT(examine().findings,
              Contains(HasSubstr(
                  "Session s has a gap in its sequence numbers: first_seq 1, event 91 follows 3")));
}

TEST_P(DoctorTest, LostBeginning_IsFound) {
  damage("UPDATE sessions SET first_seq = 2");
  EXPECT_THAT(examine().findings,
              Contains(HasSubstr("Session s has a gap in its sequence numbers: first_seq 2")));
}

TEST_P(DoctorTest, EventsWithoutSession_AreFound) {
  damage("DELETE FROM sessions");
  EXPECT_THAT(examine().findings,
              Contains(HasSubstr("has events, but is missing in the table of sessions: 3 events")));
  EXPECT_THAT(
      examine().findings,
      Contains(HasSubstr("has an interaction, but is missing in the table of sessions: k")));
}

TEST_P(DoctorTest, PendingInteractionWithoutQuestion_IsFound) {
  damage("UPDATE interactions SET opened_seq = 9");
  EXPECT_THAT(examine().findings, Contains(HasSubstr("opening event is missing: k (seq 9)")));
}

TEST_P(DoctorTest, MissingAnswer_IsFound) {
  damage("UPDATE interactions SET closed_seq = 9, state = 'answered'");
  EXPECT_THAT(examine().findings, Contains(HasSubstr("closing event is missing: k (seq 9)")));
}

TEST_P(DoctorTest, StateContradictingEvents_IsFound) {
  damage("UPDATE interactions SET state = 'answered'");
  EXPECT_THAT(examine().findings, Contains(HasSubstr("do not agree: k (answered, closed_seq 0)")));
}

TEST_P(DoctorTest, MissingEpoch_IsFound) {
  damage("DELETE FROM meta");
  EXPECT_THAT(examine().findings, Contains(HasSubstr("no epoch")));
}

TEST_P(DoctorOfFile, FileOfNewerVersion_IsFound) {
  damage("PRAGMA user_version = 99");
  EXPECT_THAT(examine().findings, Contains(HasSubstr("A newer Parley wrote the file events.db")));
}

TEST_P(DoctorOfFile, DamagedPages_AreFound) {
  store_->close();
  std::fstream file(store_path(data_dir()), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4'096 * 2);
  file << std::string(4'096 * 2, '\xff');
  file.close();
  EXPECT_FALSE(examine().findings.empty());
}

TEST_P(DoctorOfFile, MissingStore_CannotBeExamined) {
  const auto nowhere = open_offline_store(data_dir() + "/nowhere");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, core::Code::not_found);
}

TEST(DoctorOfAnOldStore, OldStore_IsExaminedOnlyAsFile) {
  core::TempFolder directory;
  make_old_store(directory.path(), 2);
  const auto store = open_offline_store(directory.path());
  ASSERT_TRUE(store);
  const auto report = (*store)->examine();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->findings, IsEmpty());
  EXPECT_THAT(report->notes, Contains(HasSubstr("The store has schema 2")));
}

}  // namespace
}  // namespace parley::event
