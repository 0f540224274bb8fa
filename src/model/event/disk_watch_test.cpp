// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/disk_watch.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/core/temp_folder.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::event {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMiB = 1U << 20U;

class DiskWatchTest : public ::testing::Test {
 protected:
  void start(std::uint64_t min_free, std::uint64_t max_data) {
    DiskGauges gauges;
    gauges.free_bytes = [this](const std::string&) -> core::Result<std::uint64_t> {
      if (throwing) throw std::bad_alloc();
      if (broken) return core::fail(core::Code::data_loss, "Input/output error.");
      return free;
    };
    gauges.data_bytes = [this](const std::string&) -> core::Result<std::uint64_t> {
      ++sums;
      return data;
    };
    watch = std::make_shared<DiskWatch>(DiskLimits{"/data", min_free, max_data}, gate, worker,
                                        std::move(gauges));
    watch->start();
    worker.run_ready();
  }
  void wait(core::Millis time) { worker.advance(time); }
  bool is_open() const { return gate.state().has_value(); }

  core::FakeClock clock;
  core::FakeScheduler worker{clock};
  core::WorkGate gate;
  std::uint64_t free = 1'000 * kMiB;
  std::uint64_t data = 0;
  bool broken = false;
  bool throwing = false;
  int sums = 0;
  std::shared_ptr<DiskWatch> watch;
};

TEST_F(DiskWatchTest, DiskBelowFloorAtStart_RefusesWork) {
  free = 99 * kMiB;
  start(100 * kMiB, 0);
  EXPECT_THAT(gate.admit().error().message, HasSubstr("has 99 MiB left"));
}

TEST_F(DiskWatchTest, LookThatThrew_IsRepeated) {
  start(100 * kMiB, 0);
  throwing = true;
  EXPECT_THROW(wait(DiskWatch::kInterval), std::bad_alloc);
  throwing = false;
  free = 50 * kMiB;
  wait(DiskWatch::kInterval);
  EXPECT_FALSE(is_open());
}

TEST_F(DiskWatchTest, RunningWatch_ClosesAndReopens) {
  start(100 * kMiB, 0);
  EXPECT_TRUE(is_open());
  free = 50 * kMiB;
  wait(DiskWatch::kInterval);
  EXPECT_FALSE(is_open());
  free = 105 * kMiB;
  wait(DiskWatch::kInterval);
  EXPECT_FALSE(is_open()) << "room for a swing";
  free = 110 * kMiB;
  wait(DiskWatch::kInterval);
  EXPECT_TRUE(is_open());
}

TEST_F(DiskWatchTest, NoFloor_RefusesNothing) {
  free = 0;
  start(0, 0);
  EXPECT_TRUE(is_open());
  EXPECT_EQ(sums, 0);
}

TEST_F(DiskWatchTest, DataDirectoryOverLimit_RefusesWork) {
  start(0, 100 * kMiB);
  data = 101 * kMiB;
  wait(DiskWatch::kDataInterval);
  EXPECT_THAT(gate.admit().error().message, HasSubstr("data directory has 101 MiB"));
  data = 90 * kMiB;
  wait(DiskWatch::kDataInterval);
  EXPECT_TRUE(is_open());
}

TEST_F(DiskWatchTest, DirectorySize_IsSummedSeldom) {
  start(0, 100 * kMiB);
  wait(DiskWatch::kDataInterval * 3);
  EXPECT_EQ(sums, 4);
}

TEST_F(DiskWatchTest, UnreadableDisk_ChangesNothing) {
  free = 50 * kMiB;
  start(100 * kMiB, 0);
  broken = true;
  wait(DiskWatch::kInterval);
  EXPECT_FALSE(is_open());
  broken = false;
  free = 500 * kMiB;
  wait(DiskWatch::kInterval);
  EXPECT_TRUE(is_open());
}

TEST(DiskGaugesTest, RealGauges_SeeDisk) {
  const core::TempFolder folder;
  const DiskGauges gauges = DiskGauges::real();
  const auto before = gauges.data_bytes(folder.path());
  std::ofstream(folder.path() + "/a") << std::string(kMiB, 'x');
  EXPECT_GE(*gauges.data_bytes(folder.path()), *before + kMiB);
  EXPECT_GT(*gauges.free_bytes(folder.path()), 0U);
  EXPECT_FALSE(gauges.free_bytes(folder.path() + "/none").has_value());
}

}  // namespace
}  // namespace parley::event
