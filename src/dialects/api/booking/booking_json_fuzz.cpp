// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Bodies of POST /bookings and POST /datasets.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <set>
#include <string_view>

#include "dialects/api/booking/booking_json.h"
#include "dialects/api/booking/booking_request.h"
#include "services/booking/dataset.h"

namespace {

namespace booking = parley::booking;

// One day of showings.
const booking::Dataset& sample() {
  static const booking::Dataset data = [] {
    booking::DatasetInfo info;
    info.from = *booking::parse_day("2026-11-22");
    booking::Dataset created(
        info, std::make_shared<const booking::Catalogue>(booking::sample_catalogue()));
    std::uint32_t number = 1;
    std::vector<booking::SampleShowing> showings;
    booking::append_sample_day(1, info.from, number, showings);
    created.append(showings);
    return created;
  }();
  return data;
}

// A plan must have distinct seats, all free, and one ticket for each seat.
void check_plan(const booking::PlannedBooking& plan) {
  const booking::Showing* showing = sample().showing(plan.showing);
  if (showing == nullptr || plan.seats.empty()) std::abort();
  std::set<int> seats;
  for (const std::uint8_t seat : plan.seats) {
    if (sample().taken(*showing).test(seat) || !seats.insert(seat).second) std::abort();
  }
  std::int64_t tickets = 0;
  for (const booking::TicketCount& ticket : plan.tickets) tickets += ticket.quantity;
  if (tickets != static_cast<std::int64_t>(seats.size())) std::abort();
  if (plan.total_price < 9 * tickets || plan.total_price > 14 * tickets) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  if (const auto request = parley::booking_rest::read_booking_request(body)) {
    const auto plan = sample().plan(*request);
    if (plan) {
      check_plan(*plan);
    } else if (parley::booking_rest::refusal_json(plan.error()).empty()) {
      std::abort();
    }
  }
  const auto spec = parley::booking_rest::read_copy_spec(body);
  if (spec && (spec->spec.days == 0 || spec->spec.days > booking::kMaxRequestedDays)) std::abort();
  return 0;
}
