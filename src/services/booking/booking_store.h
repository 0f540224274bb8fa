// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/sql/database.h"
#include "base/sql/store_place.h"
#include "services/booking/dataset.h"
#include "services/booking/model.h"

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
  // Limit (Booking): cancelled bookings of a data set, about. Reached: the oldest are deleted.
  static constexpr std::int64_t kMaxCancelled = 10'000;

  // Checks inside of a transaction that this server may write. Null: it may.
  using Fence = std::function<core::Result<void>(sql::Database& database)>;

  // Creates the directory and the file if they are missing. Errors: `failed_precondition` (a newer
  // Parley or another program wrote it), as sql::Database::open(). `vfs` empty: the default one.
  static core::Result<std::unique_ptr<BookingStore>> open(const sql::StorePlace& place,
                                                          const std::string& vfs = {},
                                                          Fence fence = nullptr);
  // Opens the file for reading only. Errors: `not_found`.
  static core::Result<std::unique_ptr<BookingStore>> open_read_only(const sql::StorePlace& place);
  virtual ~BookingStore() = default;

  // Errors: those of the fence and of sql::Database.
  virtual core::Result<void> begin() = 0;
  virtual core::Result<void> commit() = 0;
  virtual void roll_back() = 0;

  // All data sets with their taken seats, in order of creation.
  virtual core::Result<std::vector<Dataset>> load() = 0;
  // Adds an empty data set and returns its key.
  virtual core::Result<std::int64_t> add_dataset(const DatasetInfo& info,
                                                 const Catalogue& catalogue) = 0;
  virtual core::Result<void> add_showings(std::int64_t dataset,
                                          const std::vector<SampleShowing>& showings) = 0;
  // Removes showings before `day`, with their bookings.
  virtual core::Result<void> remove_before(std::int64_t dataset, Day day) = 0;
  // Removes a data set with all its rows.
  virtual core::Result<void> remove_dataset(std::int64_t dataset) = 0;

  virtual core::Result<void> add_booking(const StoredBooking& stored) = 0;
  virtual core::Result<std::optional<StoredBooking>> find_booking(std::string_view id) = 0;
  // Marks the booking as cancelled and frees its seats.
  virtual core::Result<void> cancel_booking(const StoredBooking& stored) = 0;
  // Number of bookings of a data set that hold seats.
  virtual core::Result<std::int64_t> count_confirmed(std::int64_t dataset) = 0;
};

}  // namespace parley::booking
