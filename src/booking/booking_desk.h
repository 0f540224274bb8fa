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

#include "booking/booking_store.h"
#include "booking/dataset.h"
#include "core/clock.h"
#include "core/entropy.h"
#include "core/result.h"

namespace parley::booking {

inline constexpr std::string_view kDefaultDataset = "default";

// Data sets that are kept; over it the oldest of its kind goes, with its bookings.
inline constexpr std::size_t kMaxNamedDatasets = 32;
inline constexpr std::size_t kMaxDatasetCopies = 256;
// Days of showings of a data set that rolls; over it the oldest go, with their bookings.
inline constexpr int kMaxKeptDays = 400;
// Of the default data set, as in the settings.
inline constexpr std::uint32_t kMaxDefaultDays = 366;

using Datasets = std::map<std::string, std::shared_ptr<const Dataset>, std::less<>>;

// A copy that is to be made.
struct CopySpec {
  SampleSpec spec;
  std::optional<Day> from;  // today, if it is not said
};

// The one who books: owns the store and the state of all data sets. One thread at a time. Whatever
// changes something is called between begin() and commit(); what is done in between is seen by the
// calls that follow, and after a failure or roll_back() it has never been. The outer Result fails
// when the store does, the Outcome when the request is refused (then nothing was changed).
class BookingDesk {
 public:
  template <typename T>
  using Answer = core::Result<Outcome<T>>;

  // Outlives: the store's directory is used by this object alone.
  BookingDesk(std::unique_ptr<BookingStore> store, const core::Clock& clock,
              core::Entropy& entropy);

  // Takes up what is stored.
  core::Result<void> load();

  core::Result<void> begin();
  // Makes it durable, then visible in datasets().
  core::Result<void> commit();
  void roll_back();

  // As of the last commit.
  const Datasets& datasets() const { return committed_; }

  // Makes the default data set, from `from` on, in the place of the one that is there.
  core::Result<void> reset_default(const SampleSpec& spec, Day from);
  // Makes the named data set if it is not there.
  core::Result<void> add_named(const SampleSpec& spec, Day today);
  // Makes a copy with a name that nobody can guess, and returns the name.
  Answer<std::string> add_copy(const CopySpec& copy, Day today);
  // Gives a data set that rolls the days that it lacks from `today` on, for as many as it has been
  // made with.
  core::Result<void> roll(std::string_view name, Day today);
  // The named data set of `spec` with `from` as its first day; stores nothing.
  static Dataset sample_of(const SampleSpec& spec, Day from);
  // The data set as roll() would leave it at `today`; stores nothing.
  static Dataset rolled(const Dataset& dataset, Day today);
  // Whether roll() would change anything.
  static bool needs_roll(const Dataset& dataset, Day today);

  // Takes the seats. Refuses with `aborted` if one was taken since the plan was made, and with
  // `not_found` if data set or showing have gone.
  Answer<Booking> book(std::string_view dataset, const PlannedBooking& plan);
  // The same in a data set as it has been shown: stores the named one if it is not there, from
  // `from` on, and rolls it. A booking that is refused stores no data set.
  Answer<Booking> book_shown(std::string_view dataset, Day from, Day today,
                             const PlannedBooking& plan);
  Answer<Booking> find(std::string_view id);
  // Frees the seats.
  Answer<Booking> cancel(std::string_view id);

 private:
  // The state as the calls since begin() have made it; nullptr if there is none.
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
  // Changed since begin(): nullptr is removed.
  std::map<std::string, std::unique_ptr<Dataset>, std::less<>> changed_;
};

}  // namespace parley::booking
