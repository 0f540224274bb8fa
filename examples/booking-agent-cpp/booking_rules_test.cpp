// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "booking_rules.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace parley::booking_agent {
namespace {

namespace json = boost::json;

json::object spec(std::string_view text) { return json::parse(text).as_object(); }

std::string said(const std::optional<Step>& step) {
  return step ? step->tool + " " + json::serialize(step->params) : "nothing";
}

constexpr std::string_view kMovies = R"({"stage":"movie","state":{"booking":{}},
  "visibleItems":[{"id":"m1","value":"Northern Light"},{"id":"m2","value":"The Quiet Engine"}],
  "items":[{"id":"m1"},{"id":"m2"}]})";

TEST(BookingRulesTest, FirstMovie_IsChosenByDefault) {
  BookingRules rules({});
  EXPECT_EQ(said(rules.next(spec(kMovies))), R"(select {"itemId":"m1"})");
  json::object chosen = spec(kMovies);
  chosen["state"].as_object()["selected"] = {{"id", "m1"}, {"value", "Northern Light"}};
  EXPECT_EQ(said(rules.next(chosen)), "next {}");
}

TEST(BookingRulesTest, RequestedMovie_IsChosenInAnyCase) {
  BookingRules rules({.seats = 2, .movie = "quiet"});
  EXPECT_EQ(said(rules.next(spec(kMovies))), R"(select {"itemId":"m2"})");
  BookingRules other({.seats = 2, .movie = "no such"});
  EXPECT_EQ(said(other.next(spec(kMovies))), "nothing");
}

TEST(BookingRulesTest, UnfittingForeignChoice_IsReplaced) {
  BookingRules rules({.seats = 2, .movie = "quiet"});
  json::object chosen = spec(kMovies);
  chosen["state"].as_object()["selected"] = {{"id", "m1"}, {"value", "Northern Light"}};
  EXPECT_EQ(said(rules.next(chosen)), R"(select {"itemId":"m2"})");
}

TEST(BookingRulesTest, EveryStep_HasReason) {
  BookingRules rules({});
  EXPECT_FALSE(rules.next(spec(kMovies))->reason.empty());
}

TEST(BookingRulesTest, DaysWithoutShowings_ArePassedOver) {
  BookingRules rules({});
  EXPECT_EQ(said(rules.next(spec(R"({"stage":"date","state":{"booking":{}},
    "visibleItems":[{"id":"d1","value":"Sun"},{"id":"d2","value":"Mon"}],
    "items":[{"id":"d1","available":false},{"id":"d2","available":true}]})"))),
            R"(select {"itemId":"d2"})");
}

TEST(BookingRulesTest, FullOrDisabledShowings_ArePassedOver) {
  BookingRules rules({.seats = 4});
  EXPECT_EQ(said(rules.next(spec(R"({"stage":"time","state":{"booking":{}},
    "visibleItems":[{"id":"s1","value":"10:00"},{"id":"s2","value":"13:00","isDisabled":true},
                    {"id":"s3","value":"16:00"}],
    "items":[{"id":"s1","availableSeats":3},{"id":"s2","availableSeats":90},
             {"id":"s3","availableSeats":4}]})"))),
            R"(select {"itemId":"s3"})");
}

TEST(BookingRulesTest, DeadEnd_IsLeftAndNotChosenAgain) {
  BookingRules rules({});
  const std::string before = R"("state":{"booking":{"movie":{"id":"m1"},"theater":{"id":"t1"}}})";
  EXPECT_EQ(
      said(rules.next(spec(R"({"stage":"date",)" + before + R"(,"visibleItems":[],"items":[]})"))),
      "prev {}");
  EXPECT_EQ(said(rules.next(spec(R"({"stage":"theater","state":{"booking":{"movie":{"id":"m1"}}},
    "visibleItems":[{"id":"t1","value":"a"},{"id":"t2","value":"b"}],"items":[]})"))),
            R"(select {"itemId":"t2"})");
  EXPECT_EQ(said(rules.next(spec(R"({"stage":"theater","state":{"booking":{"movie":{"id":"m2"}}},
    "visibleItems":[{"id":"t1","value":"a"}],"items":[]})"))),
            R"(select {"itemId":"t1"})")
      << "under another movie it is no dead end";
}

TEST(BookingRulesTest, NoMovieLeft_IsGivenUp) {
  BookingRules rules({});
  for (const std::string id : {"m1", "m2"}) {
    EXPECT_EQ(said(rules.next(spec(R"({"stage":"theater","state":{"booking":{"movie":{"id":")" +
                                   id + R"("}}},"visibleItems":[],"items":[]})"))),
              "prev {}");
  }
  EXPECT_EQ(said(rules.next(spec(kMovies))), "nothing");
}

std::string seats(const std::string& chosen) {
  return R"({"stage":"seat","state":{"booking":{},"selectedList":[)" + chosen + R"(]},
    "visibleItems":[{"id":"A1","value":"A1"},{"id":"A2","value":"A2","isDisabled":true},
      {"id":"A3","value":"A3"},{"id":"B1","value":"B1"},{"id":"B2","value":"B2"}],
    "items":[{"id":"A1","row":"A","number":1},{"id":"A2","row":"A","number":2},
      {"id":"A3","row":"A","number":3},{"id":"B1","row":"B","number":1},
      {"id":"B2","row":"B","number":2}]})";
}

TEST(BookingRulesTest, AdjacentSeats_ArePreferred) {
  BookingRules rules({.seats = 2});
  EXPECT_EQ(said(rules.next(spec(seats("")))), R"(select {"itemId":"B1"})");
  EXPECT_EQ(said(rules.next(spec(seats(R"({"id":"B1"})")))), R"(select {"itemId":"B2"})");
  EXPECT_EQ(said(rules.next(spec(seats(R"({"id":"B1"},{"id":"B2"})")))), "next {}");
}

TEST(BookingRulesTest, NoAdjacentSeats_SingleSeatsAreChosen) {
  BookingRules rules({.seats = 3});
  EXPECT_EQ(said(rules.next(spec(seats("")))), R"(select {"itemId":"A1"})");
}

TEST(BookingRulesTest, SurplusSeat_IsReleased) {
  BookingRules rules({.seats = 1});
  EXPECT_EQ(said(rules.next(spec(seats(R"({"id":"B1"},{"id":"B2"})")))),
            R"(select {"itemId":"B1"})");
}

TEST(BookingRulesTest, TooFewFreeSeats_OtherShowingIsTried) {
  BookingRules rules({.seats = 5});
  EXPECT_EQ(said(rules.next(spec(seats("")))), "prev {}");
}

TEST(BookingRulesTest, RefusedSeat_IsNotRequestedAgain) {
  BookingRules rules({.seats = 2});
  const json::object shown = spec(seats(""));
  rules.refused(*rules.next(shown), shown);
  EXPECT_EQ(said(rules.next(shown)), R"(select {"itemId":"A1"})");
}

TEST(BookingRulesTest, EverySeat_GetsTicket) {
  BookingRules rules({.seats = 2});
  const auto tickets = [](int adults, int children) {
    return R"({"stage":"ticket","meta":{"maxTotal":2},"state":{"booking":{},"quantities":[
      {"item":{"id":"tt1"},"count":)" +
           std::to_string(adults) + R"(},{"item":{"id":"tt2"},"count":)" +
           std::to_string(children) + "}]}}";
  };
  EXPECT_EQ(said(rules.next(spec(tickets(0, 0)))), R"(setQuantity {"typeId":"tt1","quantity":2})");
  EXPECT_EQ(said(rules.next(spec(tickets(0, 1)))), R"(setQuantity {"typeId":"tt1","quantity":1})");
  EXPECT_EQ(said(rules.next(spec(tickets(1, 1)))), "next {}");
}

TEST(BookingRulesTest, RefusedBooking_OtherSeatsAreTried) {
  BookingRules rules({.seats = 2});
  const std::string booking = R"("state":{"booking":{"selectedSeats":[{"id":"B1"},{"id":"B2"}]}})";
  const json::object confirm = spec(R"({"stage":"confirm",)" + booking + "}");
  const auto step = rules.next(confirm);
  EXPECT_EQ(said(step), "next {}");
  rules.refused(*step, confirm);
  EXPECT_EQ(said(rules.next(confirm)), "prev {}");
  EXPECT_EQ(said(rules.next(spec(R"({"stage":"ticket",)" + booking + "}"))), "prev {}");
  EXPECT_EQ(said(rules.next(spec(seats("")))), R"(select {"itemId":"A1"})");
}

TEST(BookingRulesTest, UnknownStage_IsLeftAlone) {
  BookingRules rules({});
  EXPECT_EQ(said(rules.next(spec(R"({"stage":"snacks"})"))), "nothing");
  EXPECT_EQ(said(rules.next(spec("{}"))), "nothing");
}

TEST(BookingRulesTest, CompletedBooking_IsRecognized) {
  const json::value none = nullptr;
  EXPECT_EQ(BookingRules::booking_id(json::parse(R"({"meta":{"bookingId":"b1"}})")), "b1");
  EXPECT_EQ(BookingRules::booking_id(none), "");
  EXPECT_TRUE(BookingRules::is_booked(json::parse(R"({"meta":{"bookingId":"b1"}})"), none));
  EXPECT_TRUE(BookingRules::is_booked(none, json::parse(R"([{"type":"user","label":"2 tickets"
},{"label":"Booking Confirmed!"}])")));
  EXPECT_FALSE(BookingRules::is_booked(json::parse(R"({"meta":{"totalPrice":28}})"),
                                       json::parse(R"([{"label":"2 tickets"
}])")));
}

}  // namespace
}  // namespace parley::booking_agent
