// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "booking/dataset.h"
#include "booking/model.h"
#include "core/result.h"
#include "sql/database.h"
#include "sql/transaction.h"

namespace parley::booking {

// "DATA/booking.db".
std::string store_path(const std::string& data_dir);

// A booking and its data set.
struct StoredBooking {
  std::int64_t dataset = 0;  // DatasetInfo::key
  Booking booking;
};

// DATA/booking.db: data sets, showings and bookings; docs/booking.md describes its format. One
// connection, one thread at a time. Make every change between begin() and commit(). The schema
// guarantees that at most one confirmed booking holds a seat of a showing.
class BookingStore {
 public:
  // Limit of cancelled bookings per data set. Older ones are removed periodically.
  static constexpr std::int64_t kMaxCancelled = 10'000;

  // Creates the directory and the file if they are missing. Errors: `failed_precondition` (a newer
  // Parley or another program wrote it), as sql::Database::open(). `vfs` empty: the default one.
  static core::Result<std::unique_ptr<BookingStore>> open(const std::string& data_dir,
                                                          const std::string& vfs = {});
  // Opens the file for reading only. Errors: `not_found`.
  static core::Result<std::unique_ptr<BookingStore>> open_read_only(const std::string& data_dir);

  core::Result<void> begin() { return database_.execute(sql::kBeginWriting); }
  core::Result<void> commit() { return database_.execute("COMMIT"); }
  void roll_back();

  // All data sets with their taken seats, in order of creation.
  core::Result<std::vector<Dataset>> load();
  // Adds an empty data set and returns its key.
  core::Result<std::int64_t> add_dataset(const DatasetInfo& info, const Catalogue& catalogue);
  core::Result<void> add_showings(std::int64_t dataset, const std::vector<SampleShowing>& showings);
  // Removes showings before `day`, with their bookings.
  core::Result<void> remove_before(std::int64_t dataset, Day day);
  // Removes a data set with all its rows.
  core::Result<void> remove_dataset(std::int64_t dataset);

  core::Result<void> add_booking(const StoredBooking& stored);
  core::Result<std::optional<StoredBooking>> find_booking(std::string_view id);
  // Marks the booking as cancelled and frees its seats.
  core::Result<void> cancel_booking(const StoredBooking& stored);
  // Number of bookings of a data set that hold seats.
  core::Result<std::int64_t> count_confirmed(std::int64_t dataset);

 private:
  explicit BookingStore(sql::Database database) : database_(std::move(database)) {}

  core::Result<void> prepare();
  core::Result<Catalogue> load_catalogue(std::int64_t dataset);
  core::Result<void> load_showings(Dataset& dataset);
  core::Result<void> load_seats(Dataset& dataset);
  core::Result<void> add_catalogue(std::int64_t dataset, const Catalogue& catalogue);

  sql::Database database_;
  sql::Statement add_booking_;
  sql::Statement add_seat_;
  sql::Statement find_booking_;
  sql::Statement cancel_;
  sql::Statement free_seat_;
  sql::Statement trim_;
  std::uint64_t cancels_ = 0;
};

}  // namespace parley::booking
