// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/booking/sample_data.h"

#include <array>

#include "base/core/number_text.h"

namespace parley::booking {
namespace {

// The SplitMix64 generator: eight bytes of state, whole numbers only.
class Numbers {
 public:
  Numbers(std::uint32_t seed, Day day)
      : state_((static_cast<std::uint64_t>(seed) << 32U) ^
               static_cast<std::uint64_t>(day.time_since_epoch().count())) {
    static_cast<void>(next());
  }

  // From 0 to `limit` - 1.
  std::uint32_t below(std::uint32_t limit) {
    return static_cast<std::uint32_t>(((next() >> 32U) * limit) >> 32U);
  }

 private:
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
};

constexpr std::size_t kTheaters = 3;
constexpr std::size_t kMoviesPerTheater = 2;
// Positions of the movies that each theater shows, each on a screen of its own.
constexpr std::array<std::array<std::uint16_t, kMoviesPerTheater>, kTheaters> kProgramme = {
    {{0, 1}, {1, 2}, {0, 2}}};

constexpr std::uint32_t kSlots = 5;  // 10:00, 13:00, 16:00, 19:00, 22:00
constexpr std::uint32_t kFirstMinute = 10 * 60;
constexpr std::uint32_t kSlotMinutes = 3 * 60;
constexpr std::uint32_t kOccupiedPercent = 15;

// Two or three different slots.
std::array<bool, kSlots> choose_slots(Numbers& numbers) {
  std::array<bool, kSlots> chosen{};
  std::uint32_t wanted = 2 + numbers.below(2);
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    const std::uint32_t left = kSlots - slot;
    if (numbers.below(left) >= wanted) continue;
    chosen.at(slot) = true;
    --wanted;
  }
  return chosen;
}

SeatSet choose_taken(Numbers& numbers) {
  SeatSet taken;
  for (std::size_t seat = 0; seat < kSeatsPerShowing; ++seat) {
    taken.set(seat, numbers.below(100) < kOccupiedPercent);
  }
  return taken;
}

std::optional<std::uint32_t> read_number(std::string_view text) {
  const bool leading_zero = text.size() > 1 && text.front() == '0';
  return leading_zero ? std::nullopt : core::parse_number<std::uint32_t>(text);
}

}  // namespace

Catalogue sample_catalogue() {
  return {{{"m1",
            "The Paper Boat Regatta",
            "/posters/m1.svg",
            {"Family", "Adventure"},
            104,
            "PG",
            "2026-10-09"},
           {"m2",
            "Orbit of the Clockmaker",
            "/posters/m2.svg",
            {"Sci-Fi", "Drama"},
            131,
            "PG-13",
            "2026-09-18"},
           {"m3",
            "Midnight at Pinecone Halt",
            "/posters/m3.svg",
            {"Mystery", "Comedy"},
            97,
            "R",
            "2026-11-06"}},
          {{"t1", "Riverside Cinema", "12 Quay Street", 6},
           {"t2", "Old Town Picture House", "3 Market Square", 3},
           {"t3", "Hilltop Screens", "48 Summit Road", 8}},
          {{"tt1", "Adult", 14, "Ages 13 to 64"},
           {"tt2", "Child", 9, "Ages 12 and under"},
           {"tt3", "Senior", 10, "Ages 65 and over"}}};
}

void append_sample_day(std::uint32_t seed, Day day, std::uint32_t& next_number,
                       std::vector<SampleShowing>& out) {
  Numbers numbers(seed, day);
  for (std::size_t theater = 0; theater < kTheaters; ++theater) {
    for (std::size_t screen = 0; screen < kMoviesPerTheater; ++screen) {
      const std::array<bool, kSlots> slots = choose_slots(numbers);
      for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
        if (!slots.at(slot)) continue;
        SampleShowing& one = out.emplace_back();
        one.showing.number = next_number++;
        one.showing.movie = kProgramme.at(theater).at(screen);
        one.showing.theater = static_cast<std::uint16_t>(theater);
        one.showing.screen = static_cast<std::uint16_t>(screen + 1);
        one.showing.minute = static_cast<std::uint16_t>(kFirstMinute + slot * kSlotMinutes);
        one.showing.day = day;
        one.taken = choose_taken(numbers);
      }
    }
  }
}

std::string sample_name(const SampleSpec& spec) {
  return "seed-" + std::to_string(spec.seed) + "-" + std::to_string(spec.days);
}

std::optional<SampleSpec> parse_sample_name(std::string_view name) {
  constexpr std::string_view kPrefix = "seed-";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto seed = read_number(name.substr(0, dash));
  const auto days = read_number(name.substr(dash + 1));
  if (!seed || !days || *days == 0 || *days > kMaxRequestedDays) return std::nullopt;
  return SampleSpec{*seed, *days};
}

}  // namespace parley::booking
