// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Studies over the real event store, with the service's own threads.
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/core/entropy.h"
#include "base/core/temp_folder.h"
#include "model/event/sqlite_session_store.h"
#include "services/study/sqlite_study_service.h"
#include "services/study/study_index.h"
#include "tests/support/event/fault_vfs.h"
#include "tests/support/event/store_fixture.h"
#include "tests/support/sql/store_test.h"

namespace parley::study {
namespace {

using ::testing::SizeIs;

// A server without a network: one shard on the test's thread, with the real stores and study
// service.
class RealStudies {
 public:
  explicit RealStudies(std::string data_dir, std::string studies_vfs = {},
                       LogFiles log_files = LogFiles::whole) {
    event::StoreOptions options;
    options.place = std::move(data_dir);
    store_ = std::move(*event::SqliteSessionStore::open(options, clock_, entropy_));
    std::vector<std::unique_ptr<session::Shard>> shards;
    shards.push_back(
        std::make_unique<session::Shard>(scheduler_, entropy_, *store_, session::SessionLimits{}));
    hub_ = std::make_unique<session::Hub>(std::move(shards));
    StudyOptions studies;
    studies.data_dir = options.place.data_dir;
    studies.vfs = std::move(studies_vfs);
    studies.log_files = log_files;
    auto service = SqliteStudyService::open(studies, *hub_, *store_, clock_);
    EXPECT_TRUE(service.has_value()) << service.error().message;
    service_ = std::move(*service);
  }
  ~RealStudies() {
    store_->close();
    scheduler_.run_ready();
    service_.reset();
  }

  core::Result<std::unique_ptr<Recorder>> open(const std::string& relay_session) {
    StudyStart start;
    start.owner = "owner";
    start.relay_session = relay_session;
    start.study_id = "pilot-01";
    start.participant_id = "P07";
    start.condition = "full";
    return wait<std::unique_ptr<Recorder>>(
        [&](auto done) { service_->open(std::move(start), scheduler_, std::move(done)); });
  }
  core::Result<Study> close(std::unique_ptr<Recorder> recorder) {
    return wait<Study>([&](auto done) {
      service_->close(std::move(recorder), {"done", true}, std::move(done));
    });
  }
  core::Result<void> flush(Recorder& recorder) {
    return wait<void>([&](auto done) { recorder.flush(std::move(done)); });
  }
  core::Result<std::vector<Study>> list() {
    StudyQuery query;
    query.owner = "owner";
    return wait<StudyPage>([&](auto done) { service_->search(query, scheduler_, std::move(done)); })
        .map([](StudyPage page) { return std::move(page.studies); });
  }
  // The log, read in pieces.
  std::string log(const std::string& id) {
    std::string out;
    for (LogPosition at;;) {
      const auto part = wait<LogPart>(
          [&](auto done) { service_->read_log("owner", id, at, scheduler_, std::move(done)); });
      EXPECT_TRUE(part) << part.error().message;
      if (!part) return out;
      out += part->text;
      if (!part->more) return out;
      at = part->next;
    }
  }
  core::Result<VerifyReport> verify(const std::string& id) {
    return wait<VerifyReport>(
        [&](auto done) { service_->verify("owner", id, scheduler_, std::move(done)); });
  }

 private:
  template <typename T, typename Start>
  core::Result<T> wait(Start begin) {
    std::optional<core::Result<T>> answer;
    begin(StudyService::Done<T>([&answer](core::Result<T> result) { answer = std::move(result); }));
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!answer && std::chrono::steady_clock::now() < end) {
      if (scheduler_.run_ready() == 0) std::this_thread::yield();
    }
    if (answer) return std::move(*answer);
    ADD_FAILURE() << "nothing was answered";
    return core::fail(core::Code::deadline_exceeded, "Nothing was answered.");
  }

  core::FakeClock clock_;
  core::SeededEntropy entropy_{7};
  core::FakeScheduler scheduler_{clock_};
  std::unique_ptr<event::SqliteSessionStore> store_;
  std::unique_ptr<session::Hub> hub_;
  std::unique_ptr<SqliteStudyService> service_;
};

void remove_list(const std::string& data_dir) {
  for (const char* name : {"/studies.db", "/studies.db-wal", "/studies.db-shm"}) {
    std::filesystem::remove(data_dir + name);
  }
}

TEST(StudyStore, Study_IsWholeInFileAndStore) {
  const core::TempFolder directory;
  RealStudies studies(directory.path());
  auto recorder = studies.open("default");
  ASSERT_TRUE(recorder.has_value());
  for (int i = 0; i < 2'000; ++i) (*recorder)->record({"in", "tool.call", "{}", "\"r\""});
  const auto ended = studies.close(std::move(*recorder));
  ASSERT_TRUE(ended.has_value()) << ended.error().message;
  const auto report = studies.verify(ended->id);
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(report->sound());
  EXPECT_TRUE(report->compared);
  EXPECT_EQ(report->records, 2'002U);
}

// Another node went on with a study, and this one has the beginning of its file.
TEST(StudyStore, FileThatMayBeOld_IsReadFromTheStore) {
  const core::TempFolder directory;
  std::string id;
  std::string whole;
  const auto path = [&] { return directory.path() + "/" + log_name(id); };
  {
    RealStudies studies(directory.path());
    auto recorder = studies.open("default");
    ASSERT_TRUE(recorder.has_value());
    for (int i = 0; i < 300; ++i) (*recorder)->record({"in", "tool.call", "{}", "\"r\""});
    const auto ended = studies.close(std::move(*recorder));
    ASSERT_TRUE(ended.has_value()) << ended.error().message;
    id = ended->id;
    whole = studies.log(id);
    EXPECT_EQ(whole.size(), std::filesystem::file_size(path()));
    std::filesystem::resize_file(path(), whole.size() / 2);
    EXPECT_FALSE(studies.verify(id)->sound());
  }
  RealStudies studies(directory.path(), {}, LogFiles::may_be_old);
  EXPECT_EQ(studies.log(id), whole);
  EXPECT_TRUE(studies.verify(id)->sound());
}

TEST(StudyStore, FlushedRecords_SurviveServer) {
  const core::TempFolder directory;
  std::string id;
  {
    RealStudies studies(directory.path());
    auto recorder = studies.open("default");
    id = (*recorder)->study().id;
    (*recorder)->record({"in", "tool.call", "{}"});
    ASSERT_TRUE(studies.flush(**recorder).has_value());
  }
  RealStudies studies(directory.path());
  const auto report = studies.verify(id);
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(report->sound());
  EXPECT_EQ(report->records, 2U);
  EXPECT_FALSE(report->ended);
}

TEST(StudyStore, LostList_IsRebuiltFromEvents) {
  const core::TempFolder directory;
  std::string ended;
  std::string open;
  {
    RealStudies studies(directory.path());
    ended = studies.close(std::move(*studies.open("a")))->id;
    auto recorder = studies.open("b");
    open = (*recorder)->study().id;
    ASSERT_TRUE(studies.flush(**recorder).has_value());
  }
  remove_list(directory.path());
  RealStudies studies(directory.path());
  auto third = studies.open("c");
  ASSERT_TRUE(third.has_value());
  EXPECT_EQ(parse_study_id((*third)->study().id)->number, 3U);
  const auto list = studies.list();
  ASSERT_THAT(*list, SizeIs(3));
  const Study& first = list->at(2);
  EXPECT_EQ(first.id, ended);
  EXPECT_EQ(first.state, StudyState::ended);
  EXPECT_EQ(first.end_reason, "done");
  EXPECT_EQ(first.record_count, 2U);
  EXPECT_EQ(first.start.participant_id, "P07");
  EXPECT_EQ(first.start.relay_session, "a");
  EXPECT_EQ(list->at(1).id, open);
  EXPECT_EQ(list->at(1).state, StudyState::open);
}

TEST(StudyStore, NumbersOfUnknownFiles_AreTaken) {
  const core::TempFolder directory;
  std::filesystem::create_directories(directory.path() + "/logs/study");
  std::ofstream(directory.path() + "/logs/study/s-20231114-041.jsonl") << "{}\n";
  RealStudies studies(directory.path());
  EXPECT_EQ((*studies.open("a"))->study().id, "s-20231114-042");
}

TEST(StudyStore, FullDiskForList_IsError_NoStudyBegins) {
  const core::TempFolder directory;
  event::FaultVfs disk;
  RealStudies studies(directory.path(), disk.name());
  disk.fail_writes_after(0, event::DiskFault::no_space);
  const auto refused = studies.open("default");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, core::Code::resource_exhausted);
  disk.heal();
  EXPECT_TRUE(studies.open("default").has_value());
}

TEST(StudyStore, ListOfNewerVersion_IsRefused) {
  const core::TempFolder directory;
  ASSERT_TRUE(StudyIndex::open(directory.path(), StudyIndex::Access::write).has_value());
  auto database = sql::Database::open(directory.path() + "/studies.db", sql::OpenMode::read_write);
  ASSERT_TRUE(database->execute("PRAGMA user_version = 99").has_value());
  EXPECT_EQ(StudyIndex::open(directory.path(), StudyIndex::Access::write).error().code,
            core::Code::failed_precondition);
}

class StudyIndexTest : public sql::StoreTest {};
INSTANTIATE_TEST_SUITE_P(Engines, StudyIndexTest, sql::each_engine(), sql::engine_name);

TEST_P(StudyIndexTest, Number_IsNeverReused) {
  auto index = StudyIndex::open(place_, StudyIndex::Access::write);
  EXPECT_EQ(*(*index)->next_number("20260213"), 1U);
  EXPECT_EQ(*(*index)->next_number("20260213"), 2U);
  EXPECT_EQ(*(*index)->next_number("20260214"), 1U);
  ASSERT_TRUE((*index)->take_number({"20260213", 9}).has_value());
  ASSERT_TRUE((*index)->take_number({"20260213", 5}).has_value());
  EXPECT_EQ(*(*index)->next_number("20260213"), 10U);
}

}  // namespace
}  // namespace parley::study
