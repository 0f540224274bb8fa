// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/booking/model.h"

// Sample data: three movies, three theaters, showings and their taken seats. Computed from a seed
// and the days with integers only, so it is the same on every machine.
namespace parley::booking {

Catalogue sample_catalogue();

struct SampleShowing {
  Showing showing;
  SeatSet taken;
};

// Adds the showings of one day, numbered from `next_number` on. Showings and taken seats of a day
// depend on seed and day alone; only the numbers depend on the days before.
void append_sample_day(std::uint32_t seed, Day day, std::uint32_t& next_number,
                       std::vector<SampleShowing>& out);

// Largest number of days of showings that a client may request for a data set.
// Limit (Booking): days of a data set that a client asks for. Reached: 400.
inline constexpr std::uint32_t kMaxRequestedDays = 60;

struct SampleSpec {
  std::uint32_t seed = 1;
  std::uint32_t days = 14;
};

// "seed-7-14".
std::string sample_name(const SampleSpec& spec);
// Parses the form that sample_name() writes; days from 1 to kMaxRequestedDays.
std::optional<SampleSpec> parse_sample_name(std::string_view name);

}  // namespace parley::booking
