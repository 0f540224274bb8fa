// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/booking/sample_data.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "services/booking/seat_names.h"

namespace parley::booking {
namespace {

std::vector<SampleShowing> sample(std::uint32_t seed, const char* from, int day_count) {
  std::vector<SampleShowing> out;
  std::uint32_t number = 1;
  for (int i = 0; i < day_count; ++i) {
    append_sample_day(seed, *parse_day(from) + std::chrono::days(i), number, out);
  }
  return out;
}

// A whole sample as text, one line per showing.
std::string dump(const std::vector<SampleShowing>& showings) {
  std::string out;
  for (const auto& [one, taken] : showings) {
    out += showing_id(one.number) + " " + std::to_string(one.movie) + " " +
           std::to_string(one.theater) + " " + std::to_string(one.screen) + " " +
           format_day(one.day) + " " + format_time(one.minute) + " " + taken.to_string() + "\n";
  }
  return out;
}

// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return hash;
}

TEST(SampleData, SameSeed_GivesSameDataOnEveryMachine) {
  // A change of this hash breaks studies that name their data by a seed.
  EXPECT_EQ(hash_of(dump(sample(7, "2026-11-22", 14))), 5411160789933337620U);
  EXPECT_EQ(dump(sample(7, "2026-11-22", 14)), dump(sample(7, "2026-11-22", 14)));
}

TEST(SampleData, OtherSeed_GivesOtherData) {
  EXPECT_NE(dump(sample(7, "2026-11-22", 14)), dump(sample(8, "2026-11-22", 14)));
}

TEST(SampleData, Day_DoesNotDependOnFirstDay) {
  std::vector<SampleShowing> all = sample(7, "2026-11-22", 3);
  std::vector<SampleShowing> later = sample(7, "2026-11-24", 1);
  std::erase_if(
      all, [](const SampleShowing& one) { return one.showing.day != *parse_day("2026-11-24"); });
  for (SampleShowing& one : all) one.showing.number = 0;
  for (SampleShowing& one : later) one.showing.number = 0;
  EXPECT_EQ(dump(all), dump(later));
}

TEST(SampleData, EachTheater_ShowsTwoMoviesSeveralTimesDaily) {
  std::map<std::tuple<int, int, std::string>, std::set<int>> times;
  std::map<int, std::set<int>> movies;
  for (const auto& [one, taken] : sample(3, "2026-11-22", 30)) {
    auto& minutes = times[{one.theater, one.movie, format_day(one.day)}];
    EXPECT_TRUE(minutes.insert(one.minute).second);
    movies[one.theater].insert(one.movie);
    EXPECT_EQ((one.minute - 600) % 180, 0);
    EXPECT_GE(one.minute, 600);
    EXPECT_LE(one.minute, 22 * 60);
  }
  EXPECT_EQ(times.size(), 30U * 6U);
  for (const auto& [key, minutes] : times) {
    EXPECT_GE(minutes.size(), 2U);
    EXPECT_LE(minutes.size(), 3U);
  }
  ASSERT_EQ(movies.size(), 3U);
  for (const auto& [theater, shown] : movies) EXPECT_EQ(shown.size(), 2U);
}

TEST(SampleData, InitialOccupancy_IsAboutFifteenPercent) {
  std::size_t taken = 0;
  const std::vector<SampleShowing> all = sample(1, "2026-11-22", 14);
  for (const SampleShowing& one : all) taken += one.taken.count();
  EXPECT_GT(all.size(), 168U);
  EXPECT_LT(all.size(), 252U);
  EXPECT_GT(taken, all.size() * 14);
  EXPECT_LT(taken, all.size() * 16);
}

TEST(SampleData, Catalogue_MatchesContract) {
  const Catalogue catalogue = sample_catalogue();
  ASSERT_EQ(catalogue.movies.size(), 3U);
  ASSERT_EQ(catalogue.theaters.size(), 3U);
  ASSERT_EQ(catalogue.ticket_types.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(catalogue.movies[i].id, "m" + std::to_string(i + 1));
    EXPECT_EQ(catalogue.theaters[i].id, "t" + std::to_string(i + 1));
    EXPECT_EQ(catalogue.ticket_types[i].id, "tt" + std::to_string(i + 1));
    EXPECT_TRUE(parse_day(catalogue.movies[i].release_date).has_value());
  }
  EXPECT_EQ(catalogue.ticket_types[0].name, "Adult");
  EXPECT_EQ(catalogue.ticket_types[0].price, 14);
  EXPECT_EQ(catalogue.ticket_types[1].name, "Child");
  EXPECT_EQ(catalogue.ticket_types[1].price, 9);
  EXPECT_EQ(catalogue.ticket_types[2].name, "Senior");
  EXPECT_EQ(catalogue.ticket_types[2].price, 10);
}

TEST(SampleData, Name_ContainsSeedAndDays) {
  const auto spec = parse_sample_name("seed-4294967295-60");
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(spec->seed, 4294967295U);
  EXPECT_EQ(spec->days, 60U);
  EXPECT_EQ(sample_name(*spec), "seed-4294967295-60");
  EXPECT_TRUE(parse_sample_name("seed-0-1").has_value());
  for (const char* name :
       {"", "seed-", "seed-1", "seed-1-", "seed--1", "seed-1-0", "seed-1-61", "seed-01-2",
        "seed-1-02", "seed-4294967296-1", "seed-x-1", "seed-1-2-3", "Seed-1-2", "seed-1-2 "}) {
    EXPECT_FALSE(parse_sample_name(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace parley::booking
