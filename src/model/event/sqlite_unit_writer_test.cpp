// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/sqlite_unit_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/core/temp_folder.h"
#include "model/event/schema.h"
#include "model/event/sql_session_reader.h"
#include "tests/support/event/fault_vfs.h"
#include "tests/support/event/store_fixture.h"

namespace parley::event {
namespace {

sql::Database connect(const std::string& path, const std::string& vfs) {
  core::Result<sql::Database> database = sql::Database::open(path, sql::OpenMode::create, vfs);
  EXPECT_TRUE(database) << database.error().message;
  const core::Result<void> done = database->execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0");
  EXPECT_TRUE(done) << done.error().message;
  return std::move(*database);
}

std::unique_ptr<SqliteUnitWriter> make_writer(const std::string& path,
                                              const std::string& vfs = {}) {
  sql::Database database = connect(path, vfs);
  core::SeededEntropy entropy(1);
  const core::Result<void> migrated = migrate(database, entropy);
  EXPECT_TRUE(migrated) << migrated.error().message;
  core::Result<std::unique_ptr<SqliteUnitWriter>> writer =
      SqliteUnitWriter::make(std::move(database), 4);
  EXPECT_TRUE(writer) << writer.error().message;
  return std::move(*writer);
}

std::vector<core::Result<Revision>> write(SqliteUnitWriter& writer,
                                          const std::vector<Unit>& units) {
  std::vector<const Unit*> pointers;
  for (const Unit& unit : units) pointers.push_back(&unit);
  std::vector<core::Result<Revision>> results;
  writer.write(pointers, results);
  return results;
}

class SqliteUnitWriterTest : public testing::Test {
 protected:
  std::uint64_t last_seq(const std::string& session) {
    core::Result<std::unique_ptr<SqlSessionReader>> reader =
        SqlSessionReader::make(connect(path_, ""));
    EXPECT_TRUE(reader);
    const core::Result<SessionRow> row = (*reader)->session(session);
    return row ? row->last_seq : 0;
  }

  core::TempFolder directory_;
  std::string path_ = directory_.path() + "/events.db";
};

TEST_F(SqliteUnitWriterTest, FailedUnit_HarmsNoOtherInGroup) {
  const auto writer = make_writer(path_);
  Unit stolen = unit_of("a", 2);
  stolen.session = session_row("a", "thief");  // detected only after the transaction has begun
  Unit mixed = unit_of("m", 1);
  mixed.events.push_back(event_of("other", 2));
  const auto results = write(*writer, {unit_of("a", 1), stolen, unit_of("b", 2), unit_of("c", 1),
                                       unit_of("a", 2), mixed, Unit()});
  ASSERT_EQ(results.size(), 7U);
  EXPECT_TRUE(results[0]);
  EXPECT_EQ(results[1].error().code, core::Code::failed_precondition);
  EXPECT_EQ(results[2].error().code, core::Code::failed_precondition);
  EXPECT_TRUE(results[3]);
  EXPECT_TRUE(results[4]);
  EXPECT_EQ(results[5].error().code, core::Code::invalid_argument);
  EXPECT_EQ(results[6].error().code, core::Code::invalid_argument);
  EXPECT_EQ(last_seq("a"), 2U);
  EXPECT_EQ(last_seq("b"), 0U);
  EXPECT_EQ(last_seq("c"), 1U);
}

TEST_F(SqliteUnitWriterTest, ForgottenSession_IsReadAgain) {
  const auto writer = make_writer(path_);
  for (std::uint64_t seq = 1; seq <= 3; ++seq) {
    for (int i = 0; i < 10; ++i) {  // more sessions than it caches
      EXPECT_TRUE(write(*writer, {unit_of("s" + std::to_string(i), seq)})[0]);
    }
  }
  EXPECT_EQ(last_seq("s9"), 3U);
}

TEST_F(SqliteUnitWriterTest, FullDisk_FailsUnit_LaterUnitsWork) {
  FaultVfs disk;
  const auto writer = make_writer(path_, disk.name());
  ASSERT_TRUE(write(*writer, {unit_of("a", 1)})[0]);
  disk.fail_writes_after(0, DiskFault::no_space);
  const auto full = write(*writer, {unit_of("a", 2), unit_of("b", 1)});
  EXPECT_EQ(full[0].error().code, core::Code::resource_exhausted);
  EXPECT_EQ(full[1].error().code, core::Code::resource_exhausted);
  disk.heal();
  const auto healed = write(*writer, {unit_of("a", 2), unit_of("b", 1)});
  EXPECT_TRUE(healed[0]);
  EXPECT_TRUE(healed[1]);
}

TEST_F(SqliteUnitWriterTest, FailedSync_IsDataLoss_NotAcknowledged) {
  FaultVfs disk;
  const auto writer = make_writer(path_, disk.name());
  ASSERT_TRUE(write(*writer, {unit_of("a", 1)})[0]);
  disk.fail_syncs_after(0, DiskFault::io_error);
  EXPECT_EQ(write(*writer, {unit_of("a", 2)})[0].error().code, core::Code::data_loss);
  disk.heal();
  EXPECT_TRUE(write(*writer, {unit_of("a", 2)})[0]);
}

TEST_F(SqliteUnitWriterTest, GroupFailedByDisk_IsStoredUnitByUnit) {
  FaultVfs disk;
  const auto writer = make_writer(path_, disk.name());
  ASSERT_TRUE(write(*writer, {unit_of("a", 1)})[0]);
  // Room for the first unit alone, but not for the group.
  const std::string large(40'000, 'x');
  disk.fail_writes_after(8, DiskFault::no_space);
  const auto results = write(*writer, {unit_of("a", 2), unit_of("b", 1, large)});
  EXPECT_FALSE(results[1]);
  disk.heal();
  EXPECT_TRUE(write(*writer, {unit_of("b", 1, large)})[0]);
}

TEST_F(SqliteUnitWriterTest, AcknowledgedUnits_SurvivePowerLoss) {
  FaultVfs disk;
  {
    const auto writer = make_writer(path_, disk.name());
    ASSERT_TRUE(write(*writer, {unit_of("a", 1)})[0]);
    disk.power_off();
    EXPECT_FALSE(write(*writer, {unit_of("a", 2)})[0]);
  }
  disk.power_on();
  EXPECT_EQ(last_seq("a"), 1U);
}

// A random simulation of a disk and a writer, reproducible by its seed: groups, faults,
// checkpoints, losses of power. Acknowledged events must always be stored, and sessions gapless.
class Simulation {
 public:
  explicit Simulation(std::uint64_t seed) : random_(seed) {}

  void run() {
    for (int life = 0; life < 6 && !testing::Test::HasFailure(); ++life) {
      live();
      disk_.power_on(below(2) == 0 ? &random_ : nullptr);
      audit();
    }
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_.next_u64() % limit; }

  void live() {
    const auto writer = make_writer(path_, disk_.name());
    const std::uint64_t steps = 5 + below(30);
    for (std::uint64_t step = 0; step < steps; ++step) {
      disturb();
      const bool checkpoint = below(5) == 0;
      // A checkpoint may fail on a faulty disk; the log then keeps its pages.
      if (checkpoint) static_cast<void>(writer->checkpoint());
      write_group(*writer);
    }
    if (below(2) == 0) recover(*writer);
    disk_.power_off();
  }

  // Heals the disk; then every session accepts events again.
  void recover(SqliteUnitWriter& writer) {
    disk_.heal();
    for (auto& [session, payloads] : acknowledged_) {
      payloads.push_back("healed " + std::to_string(++written_));
      const auto results = write(writer, {unit_of(session, payloads.size(), payloads.back())});
      ASSERT_TRUE(results[0]) << results[0].error().message;
    }
  }

  void disturb() {
    const DiskFault fault = below(2) == 0 ? DiskFault::no_space : DiskFault::io_error;
    switch (below(8)) {
      case 0:
        disk_.fail_writes_after(below(20), fault);
        break;
      case 1:
        disk_.fail_syncs_after(below(4), fault);
        break;
      case 2:
      case 3:
      case 4:
        disk_.heal();
        break;
      default:
        break;
    }
  }

  void write_group(SqliteUnitWriter& writer) {
    std::map<std::string, std::uint64_t> next;
    std::vector<Unit> units;
    const std::uint64_t count = 1 + below(8);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string session = "s" + std::to_string(below(5));
      if (!next.contains(session)) next[session] = acknowledged_[session].size() + 1;
      const std::string payload = std::to_string(++written_) + std::string(below(6'000), 'p');
      units.push_back(unit_of(session, next[session]++, payload));
    }
    const auto results = write(writer, units);
    for (std::size_t i = 0; i < units.size(); ++i) {
      const Event& event = units[i].events[0];
      tried_[event.session].push_back(event.payload);
      if (results[i]) {
        ASSERT_EQ(event.seq, acknowledged_[event.session].size() + 1);
        acknowledged_[event.session].push_back(event.payload);
      }
    }
  }

  void audit() {
    const auto writer = make_writer(path_, disk_.name());
    core::Result<std::unique_ptr<SqlSessionReader>> reader =
        SqlSessionReader::make(connect(path_, disk_.name()));
    ASSERT_TRUE(reader) << reader.error().message;
    for (auto& [session, payloads] : acknowledged_) {
      ReadQuery query;
      query.session = session;
      query.limit = 1'000;
      const core::Result<EventPage> page = (*reader)->read(query);
      ASSERT_TRUE(page) << page.error().message;
      check(session, *page, payloads);
    }
  }

  void check(const std::string& session, const EventPage& page,
             std::vector<std::string>& payloads) {
    ASSERT_GE(page.events.size(), payloads.size()) << session << " lost an acknowledged event";
    for (std::size_t i = 0; i < page.events.size(); ++i) {
      ASSERT_EQ(page.events[i].seq, i + 1) << session << " has a gap";
      const std::string& stored = page.events[i].payload;
      if (i < payloads.size()) {
        ASSERT_EQ(stored, payloads[i]);
      } else {
        ASSERT_THAT(tried_[session], testing::Contains(stored));
        payloads.push_back(stored);
      }
    }
  }

  core::SeededEntropy random_;
  FaultVfs disk_;
  core::TempFolder directory_;
  std::string path_ = directory_.path() + "/events.db";
  std::map<std::string, std::vector<std::string>> acknowledged_;
  std::map<std::string, std::vector<std::string>> tried_;
  std::uint64_t written_ = 0;
};

TEST(UnitWriterSimulation, BadDisk_LosesNothingAcknowledged) {
  for (std::uint64_t seed = 1; seed <= 15 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation(seed).run();
  }
}

TEST_F(SqliteUnitWriterTest, Gap_NeedsSkipEvent) {
  const auto writer = make_writer(path_);
  ASSERT_TRUE(write(*writer, {unit_of("a", 1)})[0]);
  EXPECT_EQ(write(*writer, {unit_of("a", 5)})[0].error().code, core::Code::failed_precondition);
  Unit skip = unit_of("a", 7);
  skip.events.front().type = kNumbersSkipped;
  EXPECT_TRUE(write(*writer, {skip})[0]);
  EXPECT_TRUE(write(*writer, {unit_of("a", 8)})[0]);
  skip.events.front().seq = 4;
  EXPECT_EQ(write(*writer, {skip})[0].error().code, core::Code::failed_precondition);
  EXPECT_EQ(last_seq("a"), 8U);
}

}  // namespace
}  // namespace parley::event
