// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/booking/booking_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <set>

#include "base/core/temp_folder.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/fault_vfs.h"
#include "tests/support/event/store_fixture.h"

namespace parley::booking {
namespace {

using std::chrono::days;

constexpr std::chrono::seconds kPatience{20};

class BookingServiceTest : public testing::Test {
 protected:
  BookingServiceTest() { open(); }

  void open(std::size_t max_waiting = 1'024) {
    service_.reset();
    service_ = open_one(max_waiting, nullptr);
  }
  std::unique_ptr<BookingService> open_one(std::size_t max_waiting, std::function<bool()> is_home,
                                           BookingStore::Fence fence = nullptr) {
    BookingOptions options;
    options.place = directory_.path();
    options.is_home = std::move(is_home);
    options.fence = std::move(fence);
    options.sample = {7, 2};
    options.max_waiting = max_waiting;
    options.today = [this](core::WallTime) { return today_.load(); };
    options.vfs = disk_.name();
    auto opened = BookingService::open(std::move(options), clock_, entropy_);
    EXPECT_TRUE(opened.has_value()) << opened.error().message;
    return opened ? std::move(*opened) : nullptr;
  }

  // Runs posted tasks until `slot` is filled.
  template <typename T>
  T wait(std::optional<T>& slot) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!slot && std::chrono::steady_clock::now() < end) {
      if (scheduler_.run_ready() == 0) std::this_thread::yield();
    }
    EXPECT_TRUE(slot.has_value()) << "not answered";
    return slot ? std::move(*slot) : T(refuse(core::Code::unknown, "not answered"));
  }

  Outcome<BookingService::DatasetRef> use(std::string_view name) {
    std::optional<Outcome<BookingService::DatasetRef>> slot;
    service_->use_dataset(name, scheduler_, [&slot](auto found) { slot = std::move(found); });
    return wait(slot);
  }
  const Dataset& data(std::string_view name = "") {
    kept_ = *use(name);
    return *kept_;
  }
  Outcome<std::string> copy(CopySpec spec) {
    std::optional<Outcome<std::string>> slot;
    service_->add_copy(spec, scheduler_, [&slot](auto name) { slot = std::move(name); });
    return wait(slot);
  }
  Outcome<Booking> book(std::uint8_t seat, const std::string& dataset = "",
                        std::uint32_t showing = 1) {
    std::optional<Outcome<Booking>> slot;
    PlannedBooking planned = plan(seat);
    planned.showing = showing;
    service_->book(dataset, std::move(planned), scheduler_,
                   [&slot](auto created) { slot = std::move(created); });
    return wait(slot);
  }
  Outcome<Booking> cancel(const std::string& id) {
    std::optional<Outcome<Booking>> slot;
    service_->cancel(id, scheduler_, [&slot](auto created) { slot = std::move(created); });
    return wait(slot);
  }
  Outcome<Booking> find(const std::string& id) {
    std::optional<Outcome<Booking>> slot;
    service_->find(id, scheduler_, [&slot](auto created) { slot = std::move(created); });
    return wait(slot);
  }

  PlannedBooking plan(std::uint8_t seat) {
    PlannedBooking out;
    out.showing = 1;
    out.seats = {seat};
    out.tickets = {{"tt1", 1}};
    out.total_price = 14;
    out.customer_name = "Guest";
    out.customer_email = "guest@example.com";
    return out;
  }
  bool taken(std::uint8_t seat) {
    const Dataset& now = data();
    return now.taken(*now.showing(std::uint32_t{1})).test(seat);
  }
  std::uint8_t free_seat(int nth = 0) {
    for (std::uint8_t seat = 0; seat < kSeatsPerShowing; ++seat) {
      if (!taken(seat) && nth-- == 0) return seat;
    }
    ADD_FAILURE() << "no seat is free";
    return 0;
  }

  std::atomic<Day> today_{*parse_day("2026-11-22")};
  core::TempFolder directory_;
  event::FaultVfs disk_;
  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{5};
  std::unique_ptr<BookingService> service_;
  BookingService::DatasetRef kept_;
};

TEST_F(BookingServiceTest, NextHome_ReadsWhatTheFormerOneHasStored) {
  bool is_home = false;
  auto next = open_one(1'024, [&is_home] { return is_home; });
  ASSERT_NE(next, nullptr);
  const std::uint8_t seat = free_seat();
  ASSERT_TRUE(book(seat).has_value());
  is_home = true;
  std::optional<Outcome<bool>> slot;
  next->take_up(scheduler_, [&slot] { slot = true; });
  ASSERT_TRUE(*wait(slot));
  service_ = std::move(next);
  EXPECT_TRUE(taken(seat));
}

// The slots that came with that of the bookings are served when this is done.
TEST_F(BookingServiceTest, TakingUp_WaitsForTheStore_EndsWithTheHome) {
  std::atomic<core::Code> fault = core::Code::unavailable;
  std::atomic<int> attempts = 0;
  const auto fence = [&](sql::Database&) -> core::Result<void> {
    ++attempts;
    return core::fail(fault, "Not now.");
  };
  const auto next = open_one(
      1'024, [] { return false; }, fence);
  ASSERT_NE(next, nullptr);
  std::optional<Outcome<bool>> slot;
  next->take_up(scheduler_, [&slot] { slot = true; });
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (attempts < 2 && std::chrono::steady_clock::now() < end) {
    scheduler_.run_ready();
    clock_.advance(kTakeUpPause);
    std::this_thread::yield();
  }
  EXPECT_GE(attempts, 2);
  EXPECT_FALSE(slot);
  fault = core::Code::owned_elsewhere;
  while (!slot && std::chrono::steady_clock::now() < end) {
    scheduler_.run_ready();
    clock_.advance(kTakeUpPause);
    std::this_thread::yield();
  }
  EXPECT_TRUE(slot);
}

TEST_F(BookingServiceTest, EmptyDirectory_IsFilledWithSample) {
  EXPECT_EQ(data().info().name, "default");
  EXPECT_EQ(data().info().spec.seed, 7U);
  EXPECT_EQ(data().showings().front().day, today_.load());
  EXPECT_EQ(data().end_day(), today_.load() + days(2));
}

TEST_F(BookingServiceTest, Reads_AreAnsweredSynchronously) {
  bool answered = false;
  service_->use_dataset("default", scheduler_,
                        [&answered](auto found) { answered = found.has_value(); });
  EXPECT_TRUE(answered);
}

TEST_F(BookingServiceTest, Booking_IsVisibleOnceAnswered) {
  const std::uint8_t seat = free_seat();
  const auto created = book(seat);
  ASSERT_TRUE(created.has_value());
  EXPECT_TRUE(taken(seat));
  EXPECT_EQ(find(created->id)->total_price, 14);
  EXPECT_FALSE(book(seat).has_value());
  ASSERT_TRUE(cancel(created->id).has_value());
  EXPECT_FALSE(taken(seat));
  EXPECT_EQ(cancel(created->id).error().message, "Booking already cancelled");
  EXPECT_EQ(find("none").error().message, "Booking not found");
}

TEST_F(BookingServiceTest, RunningServer_FollowsCalendar) {
  ASSERT_EQ(data().end_day(), today_.load() + days(2));
  today_ = today_.load() + days(5);
  EXPECT_EQ(data().end_day(), today_.load() + days(2));
  EXPECT_EQ(data().showings().back().day, today_.load() + days(1));
}

TEST_F(BookingServiceTest, DefaultDataSetWithoutShowings_IsRolledAtStart) {
  today_ = today_.load() + days(30);
  open();
  bool answered = false;
  service_->use_dataset("", scheduler_, [&](auto found) {
    answered = true;
    EXPECT_EQ((*found)->end_day(), today_.load() + days(2));
  });
  EXPECT_TRUE(answered);
}

TEST_F(BookingServiceTest, LookingAtNamedDataSet_StoresNothing) {
  EXPECT_EQ(data("seed-9-5").end_day(), today_.load() + days(5));
  EXPECT_EQ(data("seed-9-5").info().spec.seed, 9U);
  disk_.fail_writes_after(0, event::DiskFault::no_space);
  for (int seed = 0; seed < 100; ++seed) {
    EXPECT_TRUE(use("seed-" + std::to_string(seed) + "-1").has_value());
  }
  today_ = today_.load() + days(3);
  EXPECT_EQ(data("seed-9-5").end_day(), today_.load() + days(5));
  EXPECT_EQ(data("").end_day(), today_.load() + days(2));
  disk_.heal();
}

TEST_F(BookingServiceTest, LookingAtManyDataSets_TakesNoBookingAway) {
  const auto created = book(free_seat(), "seed-9-5");
  ASSERT_TRUE(created.has_value());
  for (int seed = 100; seed < 200; ++seed) {
    EXPECT_TRUE(use("seed-" + std::to_string(seed) + "-1").has_value());
  }
  EXPECT_EQ(find(created->id)->id, created->id);
  EXPECT_TRUE(cancel(created->id).has_value());
}

TEST_F(BookingServiceTest, BookingInNamedDataSet_StoresDataSet) {
  const Dataset& shown = data("seed-9-5");
  std::uint8_t seat = 0;
  while (shown.taken(*shown.showing(std::uint32_t{1})).test(seat)) ++seat;
  ASSERT_TRUE(book(seat, "seed-9-5").has_value());
  open();
  bool taken = false;
  service_->use_dataset("seed-9-5", scheduler_, [&](auto found) {
    taken = (*found)->taken(*(*found)->showing(std::uint32_t{1})).test(seat);
  });
  EXPECT_TRUE(taken) << "it was not kept";
}

TEST_F(BookingServiceTest, RefusedBooking_StoresNoDataSet) {
  const auto created = book(free_seat(), "seed-9-5");
  ASSERT_TRUE(created.has_value());
  const std::size_t before = service_->stored_datasets();
  for (int seed = 100; seed < 140; ++seed) {
    const auto refused = book(0, "seed-" + std::to_string(seed) + "-1", 4'000'000);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, core::Code::not_found);
  }
  EXPECT_FALSE(book(0, "unknown").has_value());
  EXPECT_EQ(service_->stored_datasets(), before);
  EXPECT_EQ(find(created->id)->id, created->id);
}

TEST_F(BookingServiceTest, ViewedShowing_KeepsIdOverMidnight) {
  const std::uint32_t last = data("seed-9-5").showings().back().number;
  const Day day = data("seed-9-5").showings().back().day;
  today_ = today_.load() + days(1);
  ASSERT_NE(data("seed-9-5").showing(last), nullptr);
  EXPECT_EQ(data("seed-9-5").showing(last)->day, day);
  ASSERT_TRUE(book(free_seat(), "seed-9-5").has_value());
  EXPECT_EQ(data("seed-9-5").showing(last)->day, day);
}

TEST_F(BookingServiceTest, UnknownDataSet_IsRefused) {
  EXPECT_EQ(use("copy-none").error().message, "Dataset not found");
  EXPECT_EQ(use("nonsense").error().code, core::Code::not_found);
  EXPECT_EQ(use("seed-1-61").error().code, core::Code::invalid_argument);
  EXPECT_EQ(use("seed-x").error().code, core::Code::invalid_argument);
}

TEST_F(BookingServiceTest, Copy_BeginsOnNamedDay) {
  const auto name = copy({{3, 4}, *parse_day("2030-01-31")});
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(data(*name).showings().front().day, *parse_day("2030-01-31"));
  EXPECT_EQ(data(*name).end_day(), *parse_day("2030-02-04"));
  const auto other = copy({{3, 4}, std::nullopt});
  EXPECT_EQ(data(*other).showings().front().day, today_.load());
}

TEST_F(BookingServiceTest, FullQueue_RefusesAtOnce) {
  open(0);
  const auto refused = book(free_seat());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, core::Code::unavailable);
  EXPECT_TRUE(use("").has_value()) << "reading needs no queue";
}

TEST_F(BookingServiceTest, Request_AfterStop_IsRefused) {
  const std::uint8_t seat = free_seat();
  service_->close();
  EXPECT_EQ(book(seat).error().code, core::Code::unavailable);
}

TEST_F(BookingServiceTest, WaitingRequests_AreAnsweredAtStop) {
  const std::uint8_t seat = free_seat();
  std::optional<Outcome<Booking>> slot;
  service_->book("", plan(seat), scheduler_, [&slot](auto created) { slot = std::move(created); });
  service_->close();
  EXPECT_TRUE(wait(slot).has_value());
}

TEST_F(BookingServiceTest, DiskFailure_FailsOnlyBooking) {
  spdlog::set_level(spdlog::level::off);
  const std::uint8_t seat = free_seat();
  disk_.fail_writes_after(0, event::DiskFault::no_space);
  const auto refused = book(seat);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, core::Code::internal);
  EXPECT_EQ(refused.error().message, "Failed to create booking");
  EXPECT_FALSE(taken(seat));
  disk_.heal();
  EXPECT_TRUE(book(seat).has_value());
  spdlog::set_level(spdlog::level::info);
}

TEST_F(BookingServiceTest, AnsweredBooking_SurvivesPowerLoss) {
  spdlog::set_level(spdlog::level::off);
  std::set<std::string> answered;
  for (int round = 0; round < 12; ++round) {
    const std::uint8_t seat = free_seat();
    disk_.fail_writes_after(static_cast<std::uint64_t>(round), event::DiskFault::io_error);
    if (const auto created = book(seat)) answered.insert(created->id);
    disk_.heal();
    if (const auto created = book(free_seat())) answered.insert(created->id);
    disk_.power_off();
    service_.reset();
    disk_.power_on(&entropy_);
    open();
    for (const std::string& id : answered) EXPECT_TRUE(find(id).has_value()) << id;
  }
  EXPECT_GE(answered.size(), 12U);
  spdlog::set_level(spdlog::level::info);
}

// Sends many concurrent requests for the same seat on one scheduler: a confirmed booking must hold
// the seat until it is cancelled.
TEST_F(BookingServiceTest, ConcurrentBookAndCancel_NeverDoubleBook) {
  constexpr int kRounds = 400;
  const std::uint8_t seat = free_seat();
  int held = 0;
  int most = 0;
  int won = 0;
  int waiting = 0;
  for (int i = 0; i < kRounds; ++i) {
    ++waiting;
    service_->book("", plan(seat), scheduler_, [&](const Outcome<Booking>& created) {
      --waiting;
      if (!created) {
        EXPECT_EQ(created.error().code, core::Code::aborted);
        return;
      }
      ++won;
      most = std::max(most, ++held);
      ++waiting;
      --held;
      service_->cancel(created->id, scheduler_, [&](const Outcome<Booking>& cancelled) {
        EXPECT_TRUE(cancelled.has_value());
        --waiting;
      });
    });
    if (i % 7 == 0) scheduler_.run_ready();
  }
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (waiting > 0 && std::chrono::steady_clock::now() < end) {
    if (scheduler_.run_ready() == 0) std::this_thread::yield();
  }
  EXPECT_EQ(waiting, 0);
  EXPECT_GE(won, 1);
  EXPECT_EQ(most, 1);
  EXPECT_FALSE(taken(seat));
}

}  // namespace
}  // namespace parley::booking
