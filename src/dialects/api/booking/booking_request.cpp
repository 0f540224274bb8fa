// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/booking/booking_request.h"

#include <simdjson.h>

#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace parley::booking_rest {
namespace {

namespace dom = simdjson::dom;
using booking::Outcome;

// 2^53: up to it a double represents every integer.
constexpr double kExactDouble = 9007199254740992.0;

tl::unexpected<booking::Refusal> bad(std::string message) {
  return booking::refuse(core::Code::invalid_argument, std::move(message));
}

// Owns the document that its elements point into.
class Body {
 public:
  // False: not one JSON object, or too deep.
  bool parse(std::string_view text) {
    const simdjson::padded_string padded(text);
    dom::element root;
    return parser_.allocate(padded.size(), kMaxBodyDepth) == simdjson::SUCCESS &&
           parser_.parse(padded).get(root) == simdjson::SUCCESS &&
           root.get(object_) == simdjson::SUCCESS;
  }
  const dom::object& object() const { return object_; }

 private:
  dom::parser parser_;
  dom::object object_;
};

Outcome<void> open_body(std::string_view text, Body& body) {
  if (text.size() > kMaxBodyBytes) {
    return bad("The body is longer than " + std::to_string(kMaxBodyBytes) + " bytes");
  }
  if (body.parse(text)) return {};
  return bad("The body must be one JSON object, nested at most " + std::to_string(kMaxBodyDepth) +
             " levels deep");
}

// A text that is present and not blank; std::nullopt otherwise.
std::optional<std::string_view> text_in(const dom::object& object, std::string_view name) {
  std::string_view text;
  if (object.at_key(name).get(text) != simdjson::SUCCESS) return std::nullopt;
  if (text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos) return std::nullopt;
  return text;
}

// An array with at least one element.
std::optional<dom::array> list_in(const dom::object& object, std::string_view name) {
  dom::array list;
  if (object.at_key(name).get(list) != simdjson::SUCCESS || list.size() == 0) return std::nullopt;
  return list;
}

// A positive integer in any JSON notation; 0 otherwise. A value above the range of int64 becomes
// the largest one.
std::int64_t positive_integer(const dom::element& value) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  switch (value.type()) {
    case dom::element_type::INT64:
      return std::max<std::int64_t>(value.get_int64().value_unsafe(), 0);
    case dom::element_type::UINT64:
      return kMost;
    case dom::element_type::DOUBLE: {
      const double number = value.get_double().value_unsafe();
      if (!(number > 0) || std::trunc(number) != number) return 0;
      return number < kExactDouble ? static_cast<std::int64_t>(number) : kMost;
    }
    default:
      return 0;
  }
}

// The text of a seat. Any other value becomes a blank and its JSON form, which is never the id of a
// seat.
std::string seat_text(const dom::element& value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  return " " + simdjson::minify(value);
}

Outcome<void> read_seats(const dom::array& list, std::vector<std::string>& out) {
  std::set<std::string> seen;
  for (const dom::element value : list) {
    out.push_back(seat_text(value));
    if (!seen.insert(out.back()).second) return bad("Duplicate seats are not allowed");
  }
  return {};
}

Outcome<void> read_tickets(const dom::array& list, std::vector<booking::TicketCount>& out) {
  if (list.size() > kMaxTicketEntries) {
    return bad("At most " + std::to_string(kMaxTicketEntries) + " ticket entries are allowed");
  }
  for (const dom::element value : list) {
    dom::object ticket;
    if (value.get(ticket) != simdjson::SUCCESS) return bad("Invalid ticket type payload");
    const auto type = text_in(ticket, "ticketTypeId");
    if (!type) return bad("Invalid ticket type payload");
    out.push_back({std::string(*type), 0});
  }
  std::size_t index = 0;
  for (const dom::element value : list) {
    dom::element quantity;
    if (value["quantity"].get(quantity) == simdjson::SUCCESS) {
      out[index].quantity = positive_integer(quantity);
    }
    if (out[index++].quantity == 0) return bad("Ticket quantity must be a positive integer");
  }
  return {};
}

Outcome<std::uint32_t> whole_number(const dom::object& object, std::string_view name,
                                    std::uint64_t min, std::uint64_t max) {
  std::uint64_t value = 0;
  if (object.at_key(name).get(value) != simdjson::SUCCESS || value < min || value > max) {
    return bad(std::string(name) + " must be a whole number from " + std::to_string(min) + " to " +
               std::to_string(max));
  }
  return static_cast<std::uint32_t>(value);
}

}  // namespace

Outcome<booking::BookingRequest> read_booking_request(std::string_view text) {
  Body body;
  if (auto opened = open_body(text, body); !opened) {
    return tl::unexpected(std::move(opened.error()));
  }
  booking::BookingRequest out;
  const auto showing = text_in(body.object(), "showingId");
  if (!showing) return bad("Invalid showingId");
  out.showing = *showing;
  const auto seats = list_in(body.object(), "seats");
  if (!seats) return bad("At least one seat is required");
  if (seats->size() > booking::kSeatsPerShowing) {
    return bad("At most " + std::to_string(booking::kSeatsPerShowing) + " seats are allowed");
  }
  const auto tickets = list_in(body.object(), "tickets");
  if (!tickets) return bad("At least one ticket is required");
  const auto name = text_in(body.object(), "customerName");
  const auto email = text_in(body.object(), "customerEmail");
  if (!name || !email) return bad("Customer name and email are required");
  if (name->size() > kMaxCustomerBytes || email->size() > kMaxCustomerBytes) {
    return bad("Customer name and email may have at most " + std::to_string(kMaxCustomerBytes) +
               " bytes each");
  }
  out.customer_name = *name;
  out.customer_email = *email;
  Outcome<void> read = read_seats(*seats, out.seats);
  if (read) read = read_tickets(*tickets, out.tickets);
  if (!read) return tl::unexpected(std::move(read.error()));
  return out;
}

Outcome<booking::CopySpec> read_copy_spec(std::string_view text) {
  Body body;
  if (auto opened = open_body(text, body); !opened) {
    return tl::unexpected(std::move(opened.error()));
  }
  for (const auto& [key, value] : body.object()) {
    if (key != "seed" && key != "days" && key != "from") {
      return bad("\"" + std::string(key) + "\" is not a known field");
    }
  }
  const auto seed = whole_number(body.object(), "seed", 0, 4'294'967'295U);
  if (!seed) return tl::unexpected(seed.error());
  const auto days = whole_number(body.object(), "days", 1, booking::kMaxRequestedDays);
  if (!days) return tl::unexpected(days.error());
  booking::CopySpec out{{*seed, *days}, std::nullopt};
  dom::element from;
  if (body.object().at_key("from").get(from) != simdjson::SUCCESS || from.is_null()) return out;
  std::string_view day;
  if (from.get(day) == simdjson::SUCCESS) out.from = booking::parse_day(day);
  if (!out.from) return bad("from must be a day in the form YYYY-MM-DD, for example 2026-11-22");
  return out;
}

}  // namespace parley::booking_rest
