// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/booking/booking_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace parley::booking_rest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::string& body) {
  const auto request = read_booking_request(body);
  return request ? "" : request.error().message;
}

// A body in which one member is replaced by other JSON; "" omits it.
std::string body_with(const std::string& name, const std::string& json) {
  std::string out = "{";
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"showingId", R"("s1")"},
           {"seats", R"(["s1-A1"])"},
           {"tickets", R"([{"ticketTypeId":"tt1","quantity":1}])"},
           {"customerName", R"("Guest")"},
           {"customerEmail", R"("guest@example.com")"}}) {
    const std::string& text = key == name ? json : value;
    if (text.empty()) continue;
    if (out.size() > 1) out += ",";
    out.append("\"").append(key).append("\":").append(text);
  }
  return out + "}";
}

TEST(BookingRequest, CompleteRequest_IsRead) {
  const auto request = read_booking_request(
      R"({"showingId":"s1","seats":["s1-A1","s1-A2"],"tickets":[{"ticketTypeId":"tt1","quantity":1},
          {"ticketTypeId":"tt2","quantity":1.0,"name":"Child"}],"customerName":"Guest",
          "customerEmail":"guest@example.com","more":{"is":"passed over"}})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->showing, "s1");
  EXPECT_THAT(request->seats, ElementsAre("s1-A1", "s1-A2"));
  ASSERT_EQ(request->tickets.size(), 2U);
  EXPECT_EQ(request->tickets[1].quantity, 1);
  EXPECT_EQ(request->customer_email, "guest@example.com");
}

struct Case {
  std::string member;
  std::string json;
  std::string error;
};

TEST(BookingRequest, WrongMembers_AreNamedInContractWords) {
  const std::string seats = "At least one seat is required";
  const std::string tickets = "At least one ticket is required";
  const std::string customer = "Customer name and email are required";
  const std::string quantity = "Ticket quantity must be a positive integer";
  const std::vector<Case> cases = {
      {"showingId", "", "Invalid showingId"},
      {"showingId", "7", "Invalid showingId"},
      {"showingId", "null", "Invalid showingId"},
      {"showingId", R"("")", "Invalid showingId"},
      {"showingId", R"(["s1"])", "Invalid showingId"},
      {"seats", "", seats},
      {"seats", "[]", seats},
      {"seats", R"("s1-A1")", seats},
      {"seats", "{}", seats},
      {"tickets", "", tickets},
      {"tickets", "[]", tickets},
      {"tickets", "{}", tickets},
      {"customerName", "", customer},
      {"customerName", R"("  ")", customer},
      {"customerEmail", "null", customer},
      {"customerEmail", "7", customer},
      {"seats", R"(["s1-A1","s1-A2","s1-A1"])", "Duplicate seats are not allowed"},
      {"seats", "[1,1]", "Duplicate seats are not allowed"},
      {"tickets", "[7]", "Invalid ticket type payload"},
      {"tickets", "[null]", "Invalid ticket type payload"},
      {"tickets", R"([{"quantity":1}])", "Invalid ticket type payload"},
      {"tickets", R"([{"ticketTypeId":5,"quantity":1}])", "Invalid ticket type payload"},
      {"tickets", R"([{"ticketTypeId":"tt1","quantity":0},{}])", "Invalid ticket type payload"},
      {"tickets", R"([{"ticketTypeId":"tt1"}])", quantity},
      {"tickets", R"([{"ticketTypeId":"tt1","quantity":0}])", quantity},
      {"tickets", R"([{"ticketTypeId":"tt1","quantity":-1}])", quantity},
      {"tickets", R"([{"ticketTypeId":"tt1","quantity":1.5}])", quantity},
      {"tickets", R"([{"ticketTypeId":"tt1","quantity":"1"}])", quantity},
      {"tickets", R"([{"ticketTypeId":"tt1","quantity":null}])", quantity},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(refusal(body_with(one.member, one.json)), one.error) << one.member << one.json;
  }
  EXPECT_EQ(refusal(body_with("", "")), "");
}

TEST(BookingRequest, Checks_RunInContractOrder) {
  EXPECT_EQ(refusal("{}"), "Invalid showingId");
  EXPECT_EQ(refusal(R"({"showingId":"s1"})"), "At least one seat is required");
  EXPECT_EQ(refusal(R"({"showingId":"s1","seats":["a","a"]})"), "At least one ticket is required");
  EXPECT_EQ(refusal(R"({"showingId":"s1","seats":["a","a"],"tickets":[7]})"),
            "Customer name and email are required");
  const std::string customer = R"(,"customerName":"G","customerEmail":"g@x"})";
  EXPECT_EQ(refusal(R"({"showingId":"s1","seats":["a","a"],"tickets":[7])" + customer),
            "Duplicate seats are not allowed");
  EXPECT_EQ(
      refusal(R"({"showingId":"s1","seats":["a"],"tickets":[{"ticketTypeId":"x"},7])" + customer),
      "Invalid ticket type payload");
}

TEST(BookingRequest, HugeQuantities_AreReadAsVeryMany) {
  for (const char* number : {"9223372036854775807", "18446744073709551615", "1e300"}) {
    const auto request = read_booking_request(
        body_with("tickets", R"([{"ticketTypeId":"tt1","quantity":)" + std::string(number) + "}]"));
    ASSERT_TRUE(request.has_value()) << number;
    EXPECT_EQ(request->tickets[0].quantity, std::numeric_limits<std::int64_t>::max());
  }
}

TEST(BookingRequest, InputOtherThanObject_IsRefused) {
  for (const char* body : {"", "{", "[]", "null", "7", "\"x\"", "{\"a\":1}{", "\xff"}) {
    EXPECT_THAT(refusal(body), HasSubstr("one JSON object")) << body;
  }
  std::string deep = R"({"x":)" + std::string(5'000, '[') + std::string(5'000, ']') + "}";
  EXPECT_THAT(refusal(deep), HasSubstr("one JSON object"));
  EXPECT_THAT(refusal(std::string(kMaxBodyBytes + 1, ' ')), HasSubstr("longer than"));
}

TEST(BookingRequest, ListsAndTexts_AreBounded) {
  std::string seats = "[";
  for (int i = 0; i <= 100; ++i) seats += (i > 0 ? "," : "") + std::to_string(i);
  EXPECT_EQ(refusal(body_with("seats", seats + "]")), "At most 100 seats are allowed");
  std::string tickets = "[";
  for (int i = 0; i <= 100; ++i) tickets += i > 0 ? ",7" : "7";
  EXPECT_EQ(refusal(body_with("tickets", tickets + "]")), "At most 100 ticket entries are allowed");
  EXPECT_THAT(refusal(body_with("customerName", '"' + std::string(257, 'x') + '"')),
              HasSubstr("at most 256 bytes"));
}

TEST(CopySpec, SeedDaysAndFirstDay_AreRead) {
  const auto spec = read_copy_spec(R"({"seed":7,"days":14,"from":"2026-11-22"})");
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(spec->spec.seed, 7U);
  EXPECT_EQ(spec->spec.days, 14U);
  EXPECT_EQ(spec->from, booking::parse_day("2026-11-22"));
  EXPECT_FALSE(read_copy_spec(R"({"seed":7,"days":14})")->from.has_value());
}

TEST(CopySpec, WrongMember_IsNamed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "one JSON object"},
      {R"({"days":14})", "seed must be"},
      {R"({"seed":-1,"days":14})", "seed must be"},
      {R"({"seed":4294967296,"days":14})", "seed must be"},
      {R"({"seed":"7","days":14})", "seed must be"},
      {R"({"seed":7})", "days must be"},
      {R"({"seed":7,"days":0})", "days must be"},
      {R"({"seed":7,"days":61})", "days must be"},
      {R"({"seed":7,"days":2,"from":"soon"})", "from must be"},
      {R"({"seed":7,"days":2,"from":7})", "from must be"},
      {R"({"seed":7,"days":2,"form":"2026-11-22"})", "\"form\" is not a known field"}};
  for (const auto& [body, error] : cases) {
    const auto spec = read_copy_spec(body);
    ASSERT_FALSE(spec.has_value()) << body;
    EXPECT_THAT(spec.error().message, HasSubstr(error)) << body;
  }
}

}  // namespace
}  // namespace parley::booking_rest
