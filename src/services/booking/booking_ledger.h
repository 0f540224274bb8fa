// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "services/booking/booking_store.h"
#include "services/booking/dataset.h"

namespace parley::booking {

inline constexpr std::string_view kDefaultDataset = "default";

// Limits of stored data sets, by kind. Beyond a limit the oldest data set is removed with its
// bookings.
// Limit (Booking): stored data sets by seed. Reached: the oldest is deleted.
inline constexpr std::size_t kMaxNamedDatasets = 32;
// Limit (Booking): stored copies of data sets. Reached: the oldest is deleted.
inline constexpr std::size_t kMaxDatasetCopies = 256;
// Limit of the days of a rolling data set. Beyond it the oldest days are removed with their
// bookings.
// Limit (Booking): kept days of a data set that is extended daily. Reached: the oldest are deleted,
// with their bookings.
inline constexpr int kMaxKeptDays = 400;
// Limit of the days of the default data set in the settings.
inline constexpr std::uint32_t kMaxDefaultDays = 366;

using Datasets = std::map<std::string, std::shared_ptr<const Dataset>, std::less<>>;

// Parameters of a new copy.
struct CopySpec {
  SampleSpec spec;
  std::optional<Day> from;  // std::nullopt: today
};

// The booking logic: owns the store and the state of all data sets. One thread at a time. Make
// changes only between begin() and commit(). Later calls see a change at once; a failed commit() or
// roll_back() undoes it. The outer Result fails if the store fails, the Outcome if the request is
// refused (then nothing was changed).
class BookingLedger {
 public:
  template <typename T>
  using Answer = core::Result<Outcome<T>>;

  // `clock` and `entropy` outlive this object. No other object may use the store's directory.
  BookingLedger(std::unique_ptr<BookingStore> store, const core::Clock& clock,
                core::Entropy& entropy);

  // Loads the stored state. Call before anything else, and again if another server may have changed
  // it.
  core::Result<void> load();

  core::Result<void> begin();
  // Makes the changes durable, then visible in datasets().
  core::Result<void> commit();
  void roll_back();

  // The state as of the last commit.
  const Datasets& datasets() const { return committed_; }

  // Makes the default data set, with `from` as its first day, and replaces the existing one.
  core::Result<void> reset_default(const SampleSpec& spec, Day from);
  // Makes the named data set if it does not exist.
  core::Result<void> add_named(const SampleSpec& spec, Day today);
  // Makes a copy with a name that cannot be guessed, and returns the name.
  Answer<std::string> add_copy(const CopySpec& copy, Day today);
  // Adds the missing days to a rolling data set, so that it has its specified number of days from
  // `today` on.
  core::Result<void> roll(std::string_view name, Day today);
  // The named data set of `spec` with `from` as its first day; stores nothing.
  static Dataset sample_of(const SampleSpec& spec, Day from);
  // The data set as roll() would make it at `today`; stores nothing.
  static Dataset rolled(const Dataset& dataset, Day today);
  // True if roll() would change anything.
  static bool needs_roll(const Dataset& dataset, Day today);

  // Books the seats. Refuses with `aborted` if a seat was taken since the plan was made, and with
  // `not_found` if the data set or the showing no longer exists.
  Answer<Booking> book(std::string_view dataset, const PlannedBooking& plan);
  // Like book(), for a data set that may be shown but not stored: stores the named data set if it
  // does not exist, with `from` as its first day, and rolls it. A refused booking stores no data
  // set.
  Answer<Booking> book_shown(std::string_view dataset, Day from, Day today,
                             const PlannedBooking& plan);
  Answer<Booking> find(std::string_view id);
  // Frees the seats.
  Answer<Booking> cancel(std::string_view id);

 private:
  // The state after the calls since begin(); nullptr if there is no such data set.
  const Dataset* current(std::string_view name) const;
  Dataset* change(std::string_view name);
  const DatasetInfo* info_of(std::int64_t key) const;
  core::Result<void> add(DatasetInfo info, Day from, std::uint32_t days);
  core::Result<void> remove(const std::string& name);
  core::Result<void> make_room(DatasetKind kind, std::size_t limit);
  core::Result<void> append_days(Dataset& dataset, Day from, Day end);

  std::unique_ptr<BookingStore> store_;
  const core::Clock& clock_;
  core::Entropy& entropy_;
  Datasets committed_;
  // Changes since begin(); nullptr: removed.
  std::map<std::string, std::unique_ptr<Dataset>, std::less<>> changed_;
};

}  // namespace parley::booking
