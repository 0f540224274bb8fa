// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/booking/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::booking {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Three showings: two of m1 (at t1 and t2), one of m3 (at t1) a day later.
Dataset small() {
  DatasetInfo info;
  info.name = "default";
  info.from = *parse_day("2026-11-22");
  Dataset out(info, std::make_shared<const Catalogue>(sample_catalogue()));
  SampleShowing one;
  one.showing = {1, 0, 0, 1, 600, info.from};
  SampleShowing two;
  two.showing = {2, 0, 1, 1, 780, info.from};
  two.taken.set(5);
  SampleShowing three;
  three.showing = {3, 2, 0, 2, 600, info.from + std::chrono::days(1)};
  out.append({one, two, three});
  return out;
}

std::vector<std::uint32_t> numbers(const std::vector<const Showing*>& showings) {
  std::vector<std::uint32_t> out;
  out.reserve(showings.size());
  for (const Showing* one : showings) out.push_back(one->number);
  return out;
}

BookingRequest request() {
  return {"s2", {"s2-A1", "s2-A2"}, {{"tt1", 1}, {"tt2", 1}}, "Guest", "guest@example.com"};
}

std::string refusal_of(const BookingRequest& in) {
  const auto plan = small().plan(in);
  return plan ? "" : plan.error().message;
}

TEST(Dataset, Filters_AreAllApplied) {
  const Dataset data = small();
  EXPECT_THAT(numbers(data.find_showings({})), ElementsAre(1, 2, 3));
  EXPECT_THAT(numbers(data.find_showings({"m1", "", ""})), ElementsAre(1, 2));
  EXPECT_THAT(numbers(data.find_showings({"m1", "t2", ""})), ElementsAre(2));
  EXPECT_THAT(numbers(data.find_showings({"", "", "2026-11-23"})), ElementsAre(3));
  EXPECT_THAT(numbers(data.find_showings({"m1", "t1", "2026-11-23"})), IsEmpty());
  EXPECT_THAT(numbers(data.find_showings({"m9", "", ""})), IsEmpty());
  EXPECT_THAT(numbers(data.find_showings({"", "", "soon"})), IsEmpty());
}

TEST(Dataset, Days_AreListedOnceInOrder) {
  const Dataset data = small();
  EXPECT_THAT(data.find_days({}), ElementsAre(*parse_day("2026-11-22"), *parse_day("2026-11-23")));
  EXPECT_THAT(data.find_days({"m1", "", ""}), ElementsAre(*parse_day("2026-11-22")));
}

TEST(Dataset, TheatersOfMovie_AreThoseShowingIt) {
  const Dataset data = small();
  ASSERT_EQ(data.theaters_of("m1").size(), 2U);
  EXPECT_EQ(data.theaters_of("m1")[1]->id, "t2");
  EXPECT_THAT(data.theaters_of("m2"), IsEmpty());
  EXPECT_THAT(data.theaters_of("m9"), IsEmpty());
}

TEST(Dataset, AvailableSeats_AreFree) {
  Dataset data = small();
  EXPECT_EQ(data.available_seats(*data.showing("s2")), 99U);
  data.set_taken(2, 6, true);
  EXPECT_EQ(data.available_seats(*data.showing("s2")), 98U);
  data.set_taken(2, 5, false);
  EXPECT_EQ(data.available_seats(*data.showing("s2")), 99U);
  EXPECT_EQ(data.showing("s9"), nullptr);
  EXPECT_EQ(data.showing("2"), nullptr);
}

TEST(Dataset, Copy_ChangesAlone) {
  const Dataset before = small();
  Dataset after = before;
  after.set_taken(1, 0, true);
  EXPECT_EQ(before.available_seats(*before.showing("s1")), 100U);
  EXPECT_EQ(after.available_seats(*after.showing("s1")), 99U);
}

TEST(DatasetPlan, Plan_HasSeatsAndPrice) {
  const auto plan = small().plan(request());
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->showing, 2U);
  EXPECT_THAT(plan->seats, ElementsAre(0, 1));
  EXPECT_EQ(plan->total_price, 23);
}

TEST(DatasetPlan, Checks_RunInContractOrder) {
  BookingRequest in = request();
  in.tickets = {{"tt9", 5}};
  in.seats = {"s2-A6", "s1-A1"};
  in.showing = "s9";
  EXPECT_EQ(refusal_of(in), "Showing not found");
  in.showing = "s2";
  EXPECT_EQ(refusal_of(in), "Some seats are invalid for this showing");
  in.seats = {"s2-A6", "s2-A7"};
  EXPECT_EQ(refusal_of(in), "Some seats are already occupied");
  in.seats = {"s2-A7"};
  EXPECT_EQ(refusal_of(in), "Invalid ticket type included");
  in.tickets = {{"tt1", 5}};
  EXPECT_EQ(refusal_of(in), "Ticket count must match seat count");
  in.tickets = {{"tt1", 1}};
  EXPECT_EQ(refusal_of(in), "");
}

TEST(DatasetPlan, OccupiedSeats_AreNamed) {
  BookingRequest in = request();
  in.seats = {"s2-A7", "s2-A6"};
  const auto plan = small().plan(in);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code, core::Code::aborted);
  EXPECT_THAT(plan.error().occupied_seats, ElementsAre("s2-A6"));
}

TEST(DatasetPlan, HugeQuantities_NeverMatch_NeverOverflow) {
  BookingRequest in = request();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  in.tickets = {{"tt1", kMost}, {"tt2", kMost}, {"tt3", 2}};
  EXPECT_EQ(refusal_of(in), "Ticket count must match seat count");
}

TEST(Dataset, OldDays_CanBeDropped) {
  Dataset data = small();
  EXPECT_EQ(data.next_number(), 4U);
  EXPECT_EQ(data.end_day(), *parse_day("2026-11-24"));
  data.set_taken(3, 7, true);
  data.remove_before(*parse_day("2026-11-23"));
  EXPECT_EQ(data.showings().size(), 1U);
  EXPECT_EQ(data.showing("s1"), nullptr);
  ASSERT_NE(data.showing("s3"), nullptr);
  EXPECT_TRUE(data.taken(*data.showing("s3")).test(7));
  EXPECT_EQ(data.next_number(), 4U);
}

}  // namespace
}  // namespace parley::booking
