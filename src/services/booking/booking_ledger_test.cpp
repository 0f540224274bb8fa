// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/booking/booking_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/temp_folder.h"
#include "services/booking/seat_names.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/store_fixture.h"

namespace parley::booking {
namespace {

using std::chrono::days;
using testing::ElementsAre;

class BookingLedgerTest : public testing::Test {
 protected:
  BookingLedgerTest() { open(); }

  // Opens the file again, as after a restart.
  void open() {
    ledger_.reset();
    auto store = BookingStore::open(directory_.path());
    ASSERT_TRUE(store.has_value()) << store.error().message;
    ledger_ = std::make_unique<BookingLedger>(std::move(*store), clock_, entropy_);
    ASSERT_TRUE(ledger_->load().has_value());
  }

  // Runs `work` in a transaction of its own.
  template <typename Work>
  auto commit(Work work) {
    EXPECT_TRUE(ledger_->begin().has_value());
    auto done = work(*ledger_);
    EXPECT_TRUE(done.has_value()) << done.error().message;
    EXPECT_TRUE(ledger_->commit().has_value());
    return *std::move(done);
  }
  void seed(std::uint32_t day_count = 2) {
    EXPECT_TRUE(ledger_->begin().has_value());
    EXPECT_TRUE(ledger_->reset_default({7, day_count}, today_).has_value());
    EXPECT_TRUE(ledger_->commit().has_value());
  }
  void roll(Day today) {
    EXPECT_TRUE(ledger_->begin().has_value());
    EXPECT_TRUE(ledger_->roll(kDefaultDataset, today).has_value());
    EXPECT_TRUE(ledger_->commit().has_value());
  }

  const Dataset& data(std::string_view name = kDefaultDataset) {
    return *ledger_->datasets().find(name)->second;
  }
  // Free seats of the first showing.
  std::vector<std::uint8_t> free_seats() {
    std::vector<std::uint8_t> out;
    for (std::uint8_t seat = 0; seat < kSeatsPerShowing; ++seat) {
      if (!data().taken(data().showings().front()).test(seat)) out.push_back(seat);
    }
    return out;
  }
  PlannedBooking plan(std::vector<std::uint8_t> seats) {
    PlannedBooking out;
    out.showing = data().showings().front().number;
    out.tickets = {{"tt1", static_cast<std::int64_t>(seats.size())}};
    out.seats = std::move(seats);
    out.customer_name = "Guest";
    out.customer_email = "guest@example.com";
    return out;
  }

  const Day today_ = *parse_day("2026-11-22");
  core::TempFolder directory_;
  core::FakeClock clock_;
  core::SeededEntropy entropy_{5};
  std::unique_ptr<BookingLedger> ledger_;
};

TEST_F(BookingLedgerTest, Seat_IsGivenOnce) {
  seed();
  const auto seats = free_seats();
  const auto first =
      commit([&](BookingLedger& d) { return d.book(kDefaultDataset, plan({seats[0]})); });
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->id.size(), 36U);
  EXPECT_TRUE(data().taken(data().showings().front()).test(seats[0]));
  const auto second = commit([&](BookingLedger& d) {
    return d.book(kDefaultDataset, plan({seats[1], seats[0]}));
  });
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, core::Code::aborted);
  EXPECT_EQ(second.error().message, "A selected seat was just booked by someone else");
  EXPECT_THAT(second.error().occupied_seats, ElementsAre(seat_id(1, seats[0])));
  EXPECT_FALSE(data().taken(data().showings().front()).test(seats[1]));
}

TEST_F(BookingLedgerTest, SameSeatTwiceInTransaction_IsRefused) {
  seed();
  const auto seats = free_seats();
  ASSERT_TRUE(ledger_->begin().has_value());
  const auto first = ledger_->book(kDefaultDataset, plan({seats[0]}));
  const auto second = ledger_->book(kDefaultDataset, plan({seats[0]}));
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_TRUE(first->has_value());
  EXPECT_FALSE(second->has_value());
  EXPECT_FALSE(data().taken(data().showings().front()).test(seats[0])) << "seen before its commit";
  ASSERT_TRUE(ledger_->commit().has_value());
  EXPECT_TRUE(data().taken(data().showings().front()).test(seats[0]));
}

TEST_F(BookingLedgerTest, RolledBackBooking_LeavesNoTrace) {
  seed();
  const auto seats = free_seats();
  ASSERT_TRUE(ledger_->begin().has_value());
  const auto lost = ledger_->book(kDefaultDataset, plan({seats[0]}));
  ledger_->roll_back();
  ASSERT_TRUE(lost.has_value() && lost->has_value());
  EXPECT_FALSE(ledger_->find((*lost)->id)->has_value());
  EXPECT_TRUE(commit([&](BookingLedger& d) {
                return d.book(kDefaultDataset, plan({seats[0]}));
              }).has_value());
}

TEST_F(BookingLedgerTest, Bookings_SurviveRestart) {
  seed();
  const auto seats = free_seats();
  const auto created =
      commit([&](BookingLedger& d) { return d.book(kDefaultDataset, plan({seats[0]})); });
  open();
  EXPECT_TRUE(data().taken(data().showings().front()).test(seats[0]));
  const auto found = ledger_->find(created->id);
  ASSERT_TRUE(found.has_value() && found->has_value());
  EXPECT_THAT((*found)->seats, ElementsAre(seats[0]));
}

TEST_F(BookingLedgerTest, Cancelling_FreesSeatsOnce) {
  seed();
  const auto seats = free_seats();
  const auto created =
      commit([&](BookingLedger& d) { return d.book(kDefaultDataset, plan({seats[0]})); });
  const auto cancelled = commit([&](BookingLedger& d) { return d.cancel(created->id); });
  ASSERT_TRUE(cancelled.has_value());
  EXPECT_EQ(cancelled->state, BookingState::cancelled);
  EXPECT_FALSE(data().taken(data().showings().front()).test(seats[0]));
  const auto next =
      commit([&](BookingLedger& d) { return d.book(kDefaultDataset, plan({seats[0]})); });
  EXPECT_TRUE(next.has_value());
  const auto again = commit([&](BookingLedger& d) { return d.cancel(created->id); });
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().message, "Booking already cancelled");
  EXPECT_TRUE(data().taken(data().showings().front()).test(seats[0]))
      << "the second cancellation freed somebody else's seat";
  const auto unknown = commit([&](BookingLedger& d) { return d.cancel("none"); });
  EXPECT_EQ(unknown.error().message, "Booking not found");
}

TEST_F(BookingLedgerTest, BookAndCancelInTransaction_SeeEachOther) {
  seed();
  const auto seats = free_seats();
  ASSERT_TRUE(ledger_->begin().has_value());
  const auto created = ledger_->book(kDefaultDataset, plan({seats[0]}));
  ASSERT_TRUE(created.has_value() && created->has_value());
  EXPECT_TRUE(ledger_->cancel((*created)->id)->has_value());
  EXPECT_TRUE(ledger_->book(kDefaultDataset, plan({seats[0]}))->has_value());
  ASSERT_TRUE(ledger_->commit().has_value());
  EXPECT_TRUE(data().taken(data().showings().front()).test(seats[0]));
}

TEST_F(BookingLedgerTest, ExpiredShowing_IsNotFound) {
  seed();
  PlannedBooking gone = plan({1});
  gone.showing = 9'999;
  EXPECT_EQ(ledger_->book(kDefaultDataset, gone)->error().message, "Showing not found");
  EXPECT_EQ(ledger_->book("copy-none", plan({1}))->error().message, "Showing not found");
}

TEST_F(BookingLedgerTest, NextDay_WindowOfDaysIsRefilled) {
  seed(14);
  const auto before = data().showings();
  EXPECT_FALSE(BookingLedger::needs_roll(data(), today_));
  EXPECT_TRUE(BookingLedger::needs_roll(data(), today_ + days(1)));
  roll(today_ + days(1));
  EXPECT_EQ(data().end_day(), today_ + days(15));
  ASSERT_GT(data().showings().size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(data().showings()[i].number, before[i].number);
    EXPECT_EQ(data().showings()[i].day, before[i].day);
  }
  EXPECT_EQ(data().showings()[before.size()].number, before.back().number + 1);
}

TEST_F(BookingLedgerTest, LongPause_DaysBeginToday) {
  seed(14);
  const std::size_t before = data().showings().size();
  const Day later = today_ + days(100);
  roll(later);
  EXPECT_EQ(data().showings()[before].day, later);
  EXPECT_EQ(data().end_day(), later + days(14));
  // Rolling day by day and rolling at once must give a day the same showings.
  std::uint32_t number = data().showings()[before].number;
  std::vector<SampleShowing> expected;
  append_sample_day(7, later, number, expected);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Showing& one = data().showings()[before + i];
    EXPECT_EQ(one.minute, expected[i].showing.minute);
    EXPECT_EQ(data().taken(one), expected[i].taken);
  }
}

TEST_F(BookingLedgerTest, OldDays_AreDroppedOverLimit) {
  seed(14);
  for (int i = 1; i <= kMaxKeptDays; ++i) roll(today_ + days(i));
  EXPECT_EQ(data().end_day() - data().showings().front().day, days(kMaxKeptDays));
  const std::size_t count = data().showings().size();
  open();
  EXPECT_EQ(data().showings().size(), count);
}

TEST_F(BookingLedgerTest, Copy_IsIsolated_AndNeverRolled) {
  seed();
  const auto first = commit([&](BookingLedger& d) { return d.add_copy({{7, 3}, {}}, today_); });
  const auto second = commit([&](BookingLedger& d) { return d.add_copy({{7, 3}, {}}, today_); });
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_NE(*first, *second);
  const auto seats = free_seats();
  ASSERT_TRUE(
      commit([&](BookingLedger& d) { return d.book(*first, plan({seats[0]})); }).has_value());
  EXPECT_TRUE(data(*first).taken(data(*first).showings().front()).test(seats[0]));
  EXPECT_FALSE(data(*second).taken(data(*second).showings().front()).test(seats[0]));
  EXPECT_FALSE(BookingLedger::needs_roll(data(*first), today_ + days(50)));
}

TEST_F(BookingLedgerTest, OldestCopy_IsDroppedOverLimit) {
  std::vector<std::string> names;
  ASSERT_TRUE(ledger_->begin().has_value());
  ASSERT_TRUE(ledger_->reset_default({7, 1}, today_).has_value());
  for (std::size_t i = 0; i < kMaxDatasetCopies + 1; ++i) {
    names.push_back(**ledger_->add_copy({{1, 1}, {}}, today_));
  }
  ASSERT_TRUE(ledger_->commit().has_value());
  EXPECT_EQ(ledger_->datasets().size(), kMaxDatasetCopies + 1);
  EXPECT_FALSE(ledger_->datasets().contains(names[0]));
  EXPECT_TRUE(ledger_->datasets().contains(names[1]));
  EXPECT_TRUE(ledger_->datasets().contains(kDefaultDataset));
  open();
  EXPECT_EQ(ledger_->datasets().size(), kMaxDatasetCopies + 1);
}

TEST_F(BookingLedgerTest, NamedDataSet_IsCreatedOnce_NamesAreBounded) {
  ASSERT_TRUE(ledger_->begin().has_value());
  for (std::uint32_t seed_number = 0; seed_number < kMaxNamedDatasets + 2; ++seed_number) {
    ASSERT_TRUE(ledger_->add_named({seed_number, 1}, today_).has_value());
    ASSERT_TRUE(ledger_->add_named({seed_number, 1}, today_).has_value());
  }
  ASSERT_TRUE(ledger_->commit().has_value());
  EXPECT_EQ(ledger_->datasets().size(), kMaxNamedDatasets);
  EXPECT_FALSE(ledger_->datasets().contains("seed-1-1"));
  EXPECT_TRUE(ledger_->datasets().contains("seed-2-1"));
}

TEST_F(BookingLedgerTest, NewDefaultDataSet_ReplacesOld) {
  seed(2);
  const auto seats = free_seats();
  const auto created =
      commit([&](BookingLedger& d) { return d.book(kDefaultDataset, plan({seats[0]})); });
  seed(3);
  EXPECT_EQ(data().end_day(), today_ + days(3));
  EXPECT_FALSE(data().taken(data().showings().front()).test(seats[0]));
  EXPECT_FALSE(ledger_->find(created->id)->has_value());
}

}  // namespace
}  // namespace parley::booking
