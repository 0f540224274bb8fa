// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "services/booking/model.h"
#include "services/booking/sample_data.h"

namespace parley::booking {

enum class DatasetKind : std::uint8_t {
  standard,  // "default"
  named,     // "seed-N-D": the same for every client that names it
  copy,      // made for one participant
};

struct DatasetInfo {
  std::int64_t key = 0;  // ascending: the oldest data set has the smallest key
  std::string name;
  DatasetKind kind = DatasetKind::standard;
  SampleSpec spec;
  Day from;
  core::WallTime created_at;

  // True if days are added as time passes; a copy is never changed.
  bool rolls() const { return kind != DatasetKind::copy; }
};

// Filter of showings; an empty text matches all.
struct ShowingFilter {
  std::string movie;    // id
  std::string theater;  // id
  std::string date;     // "2026-11-22"
};

// A booking that has been checked against a data set, with its price.
struct PlannedBooking {
  std::uint32_t showing = 0;
  std::vector<std::uint8_t> seats;
  std::vector<TicketCount> tickets;
  std::int64_t total_price = 0;
  std::string customer_name;
  std::string customer_email;
};

// One data set at one moment. Immutable once it is shared; copying it copies the taken seats only.
class Dataset {
 public:
  Dataset(DatasetInfo info, std::shared_ptr<const Catalogue> catalogue)
      : info_(std::move(info)), catalogue_(std::move(catalogue)) {}

  const DatasetInfo& info() const { return info_; }
  const Catalogue& catalogue() const { return *catalogue_; }
  // In order of number, which is the order of days.
  const std::vector<Showing>& showings() const { return *showings_; }

  const Movie* movie(std::string_view id) const;
  const Theater* theater(std::string_view id) const;
  // nullptr: no such showing. The pointer is valid as long as the data set.
  const Showing* showing(std::string_view id) const;
  const Showing* showing(std::uint32_t number) const;
  const SeatSet& taken(const Showing& showing) const;
  std::size_t available_seats(const Showing& showing) const;

  std::vector<const Showing*> find_showings(const ShowingFilter& filter) const;
  // Days with a matching showing, ascending.
  std::vector<Day> find_days(const ShowingFilter& filter) const;
  // Theaters that show this movie.
  std::vector<const Theater*> theaters_of(std::string_view movie_id) const;

  // Checks a request against the data set, in the order of the contract: showing, seats, occupied
  // seats, ticket types, count.
  Outcome<PlannedBooking> plan(const BookingRequest& request) const;

  // The day after the last day with showings; `from` if there is none.
  Day end_day() const;
  std::uint32_t next_number() const;

  // Changes; only before the data set is shared.
  void append(const std::vector<SampleShowing>& showings);
  void remove_before(Day day);
  void set_taken(std::uint32_t showing, std::size_t seat, bool taken);

 private:
  std::size_t position(const Showing& showing) const;

  DatasetInfo info_;
  std::shared_ptr<const Catalogue> catalogue_;
  std::shared_ptr<const std::vector<Showing>> showings_ =
      std::make_shared<const std::vector<Showing>>();
  std::vector<SeatSet> taken_;  // one for each element of showings_
};

}  // namespace parley::booking
