// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The log file of a study on a disk whose syncs fail.
#include "services/study/study_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "tests/support/study/study_world.h"

namespace parley::study {
namespace {

using testing::StudyWorld;

std::uint64_t size_of_file(int fd) {
  struct stat info {};
  EXPECT_EQ(::fstat(fd, &info), 0);
  return static_cast<std::uint64_t>(info.st_size);
}

// A disk that loses at a failed sync the bytes written since the last successful sync: reads return
// other bytes, and the next sync succeeds.
class ForgetfulDisk {
 public:
  SyncFile sync() {
    return [this](int fd) {
      const std::uint64_t size = size_of_file(fd);
      if (failures_left == 0) {
        durable_ = size;
        return 0;
      }
      --failures_left;
      for (std::uint64_t at = durable_; at < size; ++at) replace(fd, at);
      errno = EIO;
      return -1;
    };
  }

  int failures_left = 0;

 private:
  // Changes a byte so that the line still looks whole.
  static void replace(int fd, std::uint64_t at) {
    char byte = 0;
    const auto offset = static_cast<off_t>(at);
    EXPECT_EQ(::pread(fd, &byte, 1, offset), 1);
    if (byte != 'z') return;
    byte = '?';
    EXPECT_EQ(::pwrite(fd, &byte, 1, offset), 1);
  }

  std::uint64_t durable_ = 0;
};

std::size_t set_aside(const StudyWorld& world, const std::string& ending) {
  std::size_t kept = 0;
  for (const auto& entry : std::filesystem::directory_iterator(world.path("logs/study"))) {
    kept += entry.path().string().find("." + ending + "-") != std::string::npos ? 1U : 0U;
  }
  return kept;
}

Record call_of(const char* payload) { return {"in", "tool.call", payload}; }

// A study that is recorded on such a disk.
class StudyLogTest : public ::testing::Test {
 protected:
  void begin() {
    world_.start();
    recorder_ = world_.open();
    id_ = recorder_->study().id;
  }
  void kill_and_start() {
    world_.kill(std::move(recorder_));
    world_.start();
    world_.settle();
  }
  bool flush() { return world_.flush(*recorder_).has_value(); }
  // True if the line with this index is unchanged.
  bool is_whole(std::size_t index) {
    const auto lines = world_.lines(id_);
    return lines.size() > index && lines[index].find("zzz") != std::string::npos;
  }

  StudyWorld world_;
  ForgetfulDisk disk_;
  std::unique_ptr<Recorder> recorder_;
  std::string id_;
};

TEST_F(StudyLogTest, LinesOfFailedSync_AreRewrittenFromStore) {
  world_.options().sync_file = disk_.sync();
  begin();
  recorder_->record(call_of(R"({"a":"zzz"})"));
  ASSERT_TRUE(flush());
  recorder_->record(call_of(R"({"b":"zzz"})"));
  disk_.failures_left = 1;
  EXPECT_FALSE(flush());
  EXPECT_TRUE(flush());
  EXPECT_EQ(world_.lines(id_).size(), 3U);
  EXPECT_TRUE(is_whole(1));
  EXPECT_TRUE(is_whole(2));
  EXPECT_EQ(set_aside(world_, "unsynced"), 0U);
}

TEST_F(StudyLogTest, LinesOfFailedSync_AfterRestart_AreNotTrusted) {
  world_.options().sync_file = disk_.sync();
  begin();
  recorder_->record(call_of(R"({"b":"zzz"})"));
  disk_.failures_left = 1;
  EXPECT_FALSE(flush());
  kill_and_start();
  EXPECT_EQ(world_.lines(id_).size(), 2U);
  EXPECT_TRUE(is_whole(1));
}

TEST_F(StudyLogTest, UnsyncedFile_IsKeptAsideAndRewritten) {
  begin();
  recorder_->record(call_of(R"({"b":"zzz"})"));
  ASSERT_TRUE(flush());
  disk_.failures_left = 2;
  world_.options().sync_file = disk_.sync();
  kill_and_start();
  world_.advance(StudyLog::kSyncInterval * 4);
  EXPECT_EQ(world_.lines(id_).size(), 2U);
  EXPECT_TRUE(is_whole(1));
  EXPECT_EQ(set_aside(world_, "unsynced"), 1U);
}

TEST_F(StudyLogTest, FailingSyncs_NothingIsCalledDurable) {
  world_.options().sync_file = disk_.sync();
  begin();
  recorder_->record(call_of("{}"));
  disk_.failures_left = 5;
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(flush());
  EXPECT_TRUE(flush());
  EXPECT_EQ(set_aside(world_, "unsynced"), 0U);
}

TEST_F(StudyLogTest, UnsyncableFile_IsRetriedWithGrowingWaits) {
  constexpr int kMany = 1'000'000;
  world_.options().sync_file = disk_.sync();
  begin();
  recorder_->record(call_of("{}"));
  disk_.failures_left = kMany;
  world_.advance(std::chrono::minutes(20));
  const int tries = kMany - disk_.failures_left;
  EXPECT_GT(tries, 10);
  EXPECT_LT(tries, 40);
  EXPECT_LT(set_aside(world_, "unsynced"), 40U);
  disk_.failures_left = 0;
  world_.advance(std::chrono::minutes(1));
  EXPECT_EQ(world_.lines(id_).size(), 2U);
}

TEST(LogFileDeathTest, LinesGoingBackOrWithoutEnd_EndProcess) {
  const StudyWorld world;
  auto file = LogFile::open(world.path("logs/study/S20260213-0001.jsonl"), "S20260213-0001");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(file->append("one\ntwo\n", 1));
  EXPECT_DEATH(static_cast<void>(file->append("two\n", 1)),
               "lines up to 1 are appended after 2 lines");
  EXPECT_DEATH(static_cast<void>(file->append("three", 2)), "or the last has no end");
}

}  // namespace
}  // namespace parley::study
