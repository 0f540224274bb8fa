// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/booking/booking_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/core/temp_folder.h"
#include "model/event/session_store.h"
#include "services/booking/booking_schema.h"
#include "tests/support/event/store_fixture.h"
#include "tests/support/sql/store_test.h"

namespace parley::booking {
namespace {

using testing::ElementsAre;

class BookingStoreTest : public sql::StoreTest {
 protected:
  std::unique_ptr<BookingStore> open() {
    auto store = BookingStore::open(place_);
    EXPECT_TRUE(store.has_value()) << store.error().message;
    return store ? std::move(*store) : nullptr;
  }

  // Adds a data set of two days and returns its key.
  std::int64_t add(BookingStore& store, const std::string& name) {
    DatasetInfo info;
    info.name = name;
    info.kind = DatasetKind::copy;
    info.spec = {7, 2};
    info.from = *parse_day("2026-11-22");
    info.created_at = core::from_unix_ms(1'700'000'000'123);
    EXPECT_TRUE(store.begin().has_value());
    const auto key = store.add_dataset(info, sample_catalogue());
    std::uint32_t number = 1;
    std::vector<SampleShowing> showings;
    append_sample_day(7, info.from, number, showings);
    append_sample_day(7, info.from + std::chrono::days(1), number, showings);
    EXPECT_TRUE(store.add_showings(key.value_or(0), showings).has_value());
    EXPECT_TRUE(store.commit().has_value());
    return key.value_or(0);
  }

  static StoredBooking booking(std::int64_t dataset, std::string id,
                               std::vector<std::uint8_t> seats) {
    StoredBooking out;
    out.dataset = dataset;
    out.booking.id = std::move(id);
    out.booking.showing = 1;
    out.booking.customer_name = "Guest, with a comma";
    out.booking.customer_email = "guest@example.com";
    out.booking.total_price = 23;
    out.booking.created_at = core::from_unix_ms(1'700'000'000'456);
    out.booking.seats = std::move(seats);
    out.booking.tickets = {{"tt1", 1}, {"tt2", 1}};
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, BookingStoreTest, sql::each_engine(), sql::engine_name);

class BookingFileTest : public BookingStoreTest {};
INSTANTIATE_TEST_SUITE_P(Files, BookingFileTest, sql::only_sqlite(), sql::engine_name);

TEST_P(BookingStoreTest, DataSet_IsReadBackUnchanged) {
  const auto store = open();
  add(*store, "copy-1");
  const auto all = store->load();
  ASSERT_TRUE(all.has_value()) << all.error().message;
  ASSERT_EQ(all->size(), 1U);
  const Dataset& data = all->front();
  EXPECT_EQ(data.info().name, "copy-1");
  EXPECT_EQ(data.info().kind, DatasetKind::copy);
  EXPECT_EQ(data.info().spec.seed, 7U);
  EXPECT_EQ(data.info().created_at, core::from_unix_ms(1'700'000'000'123));
  EXPECT_THAT(data.catalogue().movies[0].genre, ElementsAre("Family", "Adventure"));
  std::uint32_t number = 1;
  std::vector<SampleShowing> expected;
  append_sample_day(7, *parse_day("2026-11-22"), number, expected);
  ASSERT_GT(data.showings().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Showing& one = data.showings()[i];
    EXPECT_EQ(one.number, expected[i].showing.number);
    EXPECT_EQ(one.movie, expected[i].showing.movie);
    EXPECT_EQ(one.theater, expected[i].showing.theater);
    EXPECT_EQ(one.minute, expected[i].showing.minute);
    EXPECT_EQ(one.day, expected[i].showing.day);
    EXPECT_EQ(data.taken(one), expected[i].taken);
  }
}

TEST_P(BookingStoreTest, Booking_SurvivesReopen) {
  std::int64_t key = 0;
  {
    const auto store = open();
    key = add(*store, "copy-1");
    ASSERT_TRUE(store->begin().has_value());
    ASSERT_TRUE(store->add_booking(booking(key, "b1", {3, 1})).has_value());
    ASSERT_TRUE(store->commit().has_value());
  }
  const auto store = open();
  const auto found = store->find_booking("b1");
  ASSERT_TRUE(found.has_value() && found->has_value());
  const Booking& one = (*found)->booking;
  EXPECT_EQ(one.customer_name, "Guest, with a comma");
  EXPECT_EQ(one.total_price, 23);
  EXPECT_EQ(one.state, BookingState::confirmed);
  EXPECT_THAT(one.seats, ElementsAre(3, 1));
  ASSERT_EQ(one.tickets.size(), 2U);
  EXPECT_EQ(one.tickets[1].ticket_type, "tt2");
  EXPECT_EQ(one.tickets[1].quantity, 1);
  const auto all = store->load();
  ASSERT_TRUE(all.has_value());
  EXPECT_TRUE(all->front().taken(*all->front().showing("s1")).test(3));
  EXPECT_EQ(store->count_confirmed(key), 1);
  EXPECT_FALSE(store->find_booking("b2").value_or(std::nullopt).has_value());
}

TEST_P(BookingStoreTest, HeldSeat_IsRefusedByDatabase) {
  const auto store = open();
  const std::int64_t key = add(*store, "copy-1");
  const std::int64_t other = add(*store, "copy-2");
  ASSERT_TRUE(store->begin().has_value());
  ASSERT_TRUE(store->add_booking(booking(key, "b1", {3})).has_value());
  EXPECT_FALSE(store->add_booking(booking(key, "b2", {4, 3})).has_value());
  EXPECT_TRUE(store->add_booking(booking(other, "b3", {3})).has_value());
  store->roll_back();
  EXPECT_FALSE(store->find_booking("b1").value_or(std::nullopt).has_value());
}

TEST_P(BookingStoreTest, Cancelling_FreesSeats_KeepsBooking) {
  const auto store = open();
  const std::int64_t key = add(*store, "copy-1");
  ASSERT_TRUE(store->begin().has_value());
  const StoredBooking one = booking(key, "b1", {3, 4});
  ASSERT_TRUE(store->add_booking(one).has_value());
  ASSERT_TRUE(store->cancel_booking(one).has_value());
  ASSERT_TRUE(store->add_booking(booking(key, "b2", {3, 4})).has_value());
  ASSERT_TRUE(store->commit().has_value());
  const auto found = store->find_booking("b1");
  ASSERT_TRUE(found.has_value() && found->has_value());
  EXPECT_EQ((*found)->booking.state, BookingState::cancelled);
  EXPECT_EQ(store->count_confirmed(key), 1);
}

TEST_P(BookingStoreTest, DroppedDataSet_TakesAllRows) {
  const auto store = open();
  const std::int64_t key = add(*store, "copy-1");
  const std::int64_t other = add(*store, "copy-2");
  ASSERT_TRUE(store->begin().has_value());
  ASSERT_TRUE(store->add_booking(booking(key, "b1", {3})).has_value());
  ASSERT_TRUE(store->add_booking(booking(other, "b2", {3})).has_value());
  ASSERT_TRUE(store->remove_dataset(key).has_value());
  ASSERT_TRUE(store->commit().has_value());
  const auto all = store->load();
  ASSERT_TRUE(all.has_value());
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->front().info().key, other);
  EXPECT_FALSE(store->find_booking("b1").value_or(std::nullopt).has_value());
  EXPECT_TRUE(store->find_booking("b2").value_or(std::nullopt).has_value());
}

TEST_P(BookingStoreTest, FenceThatRefuses_LetsNothingBeWritten) {
  bool may = false;
  const auto store =
      *BookingStore::open(place_, {}, [&may](sql::Database& database) -> core::Result<void> {
        EXPECT_TRUE(database.in_transaction());
        if (may) return {};
        return core::fail(event::owned_elsewhere());
      });
  EXPECT_EQ(store->begin().error().code, core::Code::owned_elsewhere);
  may = true;
  const std::int64_t key = add(*store, "copy-1");
  EXPECT_EQ(store->load()->size(), 1U);
  may = false;
  EXPECT_FALSE(store->begin().has_value());
  EXPECT_EQ(*store->count_confirmed(key), 0) << "no transaction is left open";
}

TEST_P(BookingStoreTest, OldDays_TakeTheirBookings) {
  const auto store = open();
  const std::int64_t key = add(*store, "copy-1");
  ASSERT_TRUE(store->begin().has_value());
  ASSERT_TRUE(store->add_booking(booking(key, "b1", {3})).has_value());
  ASSERT_TRUE(store->remove_before(key, *parse_day("2026-11-23")).has_value());
  ASSERT_TRUE(store->commit().has_value());
  const auto all = store->load();
  ASSERT_TRUE(all.has_value());
  ASSERT_FALSE(all->front().showings().empty());
  EXPECT_EQ(all->front().showings().front().day, *parse_day("2026-11-23"));
  EXPECT_FALSE(store->find_booking("b1").value_or(std::nullopt).has_value());
}

TEST_P(BookingFileTest, File_IsPrivate) {
  open();
  struct stat info {};
  ASSERT_EQ(::stat(store_path(folder_.path()).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_P(BookingFileTest, ForeignOrNewerFile_IsRefused) {
  {
    auto other = sql::Database::open(store_path(folder_.path()), sql::OpenMode::create);
    ASSERT_TRUE(other->execute("CREATE TABLE theirs (x); PRAGMA application_id = 7").has_value());
  }
  auto opened = BookingStore::open(folder_.path());
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, core::Code::failed_precondition);

  const core::TempFolder second;
  ASSERT_TRUE(BookingStore::open(second.path()).has_value());
  {
    auto newer = sql::Database::open(store_path(second.path()), sql::OpenMode::read_write);
    ASSERT_TRUE(newer->execute("PRAGMA user_version = 2").has_value());
  }
  opened = BookingStore::open(second.path());
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, core::Code::failed_precondition);
}

TEST_P(BookingFileTest, ReadOnlyOpen_NeedsExistingFile) {
  EXPECT_EQ(BookingStore::open_read_only(folder_.path()).error().code, core::Code::not_found);
  const auto store = open();
  add(*store, "copy-1");
  const auto looking = BookingStore::open_read_only(folder_.path());
  ASSERT_TRUE(looking.has_value());
  EXPECT_EQ((*looking)->load()->size(), 1U);
}

}  // namespace
}  // namespace parley::booking
