// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "services/booking/booking_ledger.h"
#include "services/booking/model.h"

namespace parley::booking_rest {

// Limit (Booking): body of a request. Reached: 400.
inline constexpr std::size_t kMaxBodyBytes = 64U << 10U;
// Limit (Booking): nesting of a request's body. Reached: 400.
inline constexpr std::size_t kMaxBodyDepth = 32;
// Limit (Booking): ticket entries of a booking. Reached: 400.
inline constexpr std::size_t kMaxTicketEntries = 100;
// Limit (Booking): name and address of a customer, each. Reached: 400.
inline constexpr std::size_t kMaxCustomerBytes = 256;  // limit of a name, and of an address

// Parses the body of POST /bookings and checks its form, in the order and words of the contract;
// Dataset::plan() checks it against the data set. Unknown members are ignored. Refuses with
// `invalid_argument`.
booking::Outcome<booking::BookingRequest> read_booking_request(std::string_view body);

// Parses the body of POST /datasets: {seed, days, from?}. Unknown members are refused.
booking::Outcome<booking::CopySpec> read_copy_spec(std::string_view body);

}  // namespace parley::booking_rest
