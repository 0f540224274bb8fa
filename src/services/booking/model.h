// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/core/clock.h"
#include "base/core/error.h"

// The models of the External Agent Protocol's booking backend. Prices are whole dollars.

namespace parley::booking {

// A calendar day at the theater. The type has no time zone, so no conversion can shift the day.
using Day = std::chrono::local_days;

// Parses "2026-11-22": four, two and two digits, and an existing day.
std::optional<Day> parse_day(std::string_view text);
std::string format_day(Day day);

// Converts "HH:MM" to and from minutes since midnight, below 24 h.
std::optional<int> parse_time(std::string_view text);
std::string format_time(int minutes);

// The current day in the time zone of this computer, in which the theaters are.
Day local_day(core::WallTime at);

struct Movie {
  std::string id;  // "m1"
  std::string title;
  std::string poster_url;
  std::vector<std::string> genre;
  int duration = 0;  // minutes
  std::string rating;
  std::string release_date;  // "2026-10-09"
};

struct Theater {
  std::string id;  // "t1"
  std::string name;
  std::string location;
  int screen_count = 0;
};

struct TicketType {
  std::string id;  // "tt1"
  std::string name;
  int price = 0;
  std::string description;
};

struct Catalogue {
  std::vector<Movie> movies;
  std::vector<Theater> theaters;
  std::vector<TicketType> ticket_types;
};

// Every room has the same seats: rows A to J of ten seats, the last two rows premium.
inline constexpr std::size_t kRows = 10;
inline constexpr std::size_t kSeatsPerRow = 10;
inline constexpr std::size_t kSeatsPerShowing = kRows * kSeatsPerRow;
inline constexpr std::size_t kFirstPremiumRow = 8;

// The taken seats of a showing. Seat i is number i % 10 + 1 of row i / 10.
using SeatSet = std::bitset<kSeatsPerShowing>;

// `movie` and `theater` are positions in the catalogue.
struct Showing {
  std::uint32_t number = 0;  // its id is "s" and this number
  std::uint16_t movie = 0;
  std::uint16_t theater = 0;
  std::uint16_t screen = 0;
  std::uint16_t minute = 0;  // since midnight, at the theater
  Day day;
};

struct TicketCount {
  std::string ticket_type;  // id
  std::int64_t quantity = 0;
};

// A client's request whose form has been checked.
struct BookingRequest {
  std::string showing;
  std::vector<std::string> seats;  // ids
  std::vector<TicketCount> tickets;
  std::string customer_name;
  std::string customer_email;
};

enum class BookingState : std::uint8_t { confirmed, cancelled };

struct Booking {
  std::string id;  // UUID
  std::uint32_t showing = 0;
  std::string customer_name;
  std::string customer_email;
  std::int64_t total_price = 0;
  BookingState state = BookingState::confirmed;
  core::WallTime created_at;
  std::vector<std::uint8_t> seats;  // in the order of the request
  std::vector<TicketCount> tickets;
};

// The reason of a refusal, in the words of the protocol.
struct Refusal {
  core::Code code = core::Code::internal;
  std::string message;
  std::vector<std::string> occupied_seats = {};  // ids, if they are the reason
};

template <typename T>
using Outcome = tl::expected<T, Refusal>;

inline tl::unexpected<Refusal> refuse(core::Code code, std::string message,
                                      std::vector<std::string> occupied_seats = {}) {
  return tl::unexpected<Refusal>(Refusal{code, std::move(message), std::move(occupied_seats)});
}

}  // namespace parley::booking
