// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "base/core/temp_folder.h"
#include "base/sql/database.h"
#include "program.h"

namespace parley::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> seed(const core::TempFolder& dir, std::vector<std::string> more) {
  std::vector<std::string> out = {"booking", "seed", "--data", dir.file("data")};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

// All showings of a data directory, read from its file.
std::string showings_of(const core::TempFolder& dir) {
  auto database = sql::Database::open(dir.file("data/booking.db"), sql::OpenMode::read_only);
  if (!database) return database.error().message;
  auto query = database->prepare(
      "SELECT group_concat(number || movie || theater || screen || day || time || taken)"
      " FROM showings");
  if (!query || !query->step().value_or(false)) return {};
  return std::string(query->text(0));
}

TEST(BookingCommand, Help_BeginsWithExample) {
  const core::TempFolder dir;
  const Ran help = run(dir, {"booking", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, StartsWith("Example:"));
}

TEST(BookingCommand, SameSeed_GivesSameData) {
  const core::TempFolder one;
  const core::TempFolder two;
  const std::vector<std::string> words = {"--seed", "7", "--days", "2", "--from", "2026-11-22"};
  const Ran first = run(one, seed(one, words));
  EXPECT_EQ(first.status, 0) << first.errors;
  EXPECT_THAT(first.out, StartsWith("default: seed 7, 2 days from 2026-11-22, "));
  EXPECT_EQ(run(two, seed(two, words)).out, first.out);
  EXPECT_GT(showings_of(one).size(), 2'400U);
  EXPECT_EQ(showings_of(one), showings_of(two));
  EXPECT_EQ(run(two, seed(two, {"--seed", "8", "--days", "2", "--from", "2026-11-22"})).status, 0);
  EXPECT_NE(showings_of(one), showings_of(two));
}

TEST(BookingCommand, Bookings_AreKeptUnlessForced) {
  const core::TempFolder dir;
  ASSERT_EQ(run(dir, seed(dir, {"--days", "2"})).status, 0);
  {
    auto database = sql::Database::open(dir.file("data/booking.db"), sql::OpenMode::read_write);
    ASSERT_TRUE(database.has_value());
    ASSERT_TRUE(database
                    ->execute("INSERT INTO bookings SELECT 1, 'id', key, 1, 'Guest',"
                              " 'guest@example.com', 14, 'confirmed', 0, 'A1', 'tt1:1'"
                              " FROM datasets")
                    .has_value());
  }
  const Ran refused = run(dir, seed(dir, {"--days", "3"}));
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.errors, HasSubstr("lost: 1."));
  EXPECT_THAT(refused.errors, HasSubstr("--force"));
  EXPECT_EQ(run(dir, seed(dir, {"--days", "3", "--force"})).status, 0);
  const Ran shown = run(dir, {"booking", "show", "--json", "--data", dir.file("data")});
  const auto list = boost::json::parse(shown.out).as_array();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].at("days"), 3);
  EXPECT_EQ(list[0].at("bookings"), 0);
}

TEST(BookingCommand, InvalidValues_AreRefused) {
  const core::TempFolder dir;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--from", "2026-02-30"}, {"--days", "0"}, {"--days", "367"}, {"--seed", "-1"}}) {
    EXPECT_EQ(run(dir, seed(dir, words)).status, 2) << words[1];
  }
  EXPECT_EQ(run(dir, {"booking"}).status, 2);
  const Ran nothing = run(dir, {"booking", "show", "--data", dir.file("none")});
  EXPECT_EQ(nothing.status, 8);
  EXPECT_THAT(nothing.errors, HasSubstr("booking"));
}

TEST(BookingCommand, RunningServer_IsLeftAlone) {
  const core::TempFolder dir;
  const Server server(dir, {"--listen", "127.0.0.1:0", "--data", dir.file("data")});
  EXPECT_EQ(run(dir, seed(dir, {})).status, 6);
}

}  // namespace
}  // namespace parley::tests
