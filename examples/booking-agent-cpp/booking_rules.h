// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace parley::booking_agent {

struct Wishes {
  std::size_t seats = 2;
  std::string movie = {};  // a part of the title; empty: any
  // Offset of the choice of seats after a refusal; should differ between concurrent agents.
  std::size_t spread = 0;
};

// One tool call with its reason.
struct Step {
  std::string tool;
  boost::json::object params = {};
  std::string reason = {};
};

// Decides the next step from the state of the page. Does not repeat choices that led to a dead end,
// so it ends after finitely many steps. No I/O.
class BookingRules {
 public:
  explicit BookingRules(Wishes wishes) : wishes_(std::move(wishes)) {}

  // `spec`: uiSpec of a stage. std::nullopt: no bookable choice is left.
  std::optional<Step> next(const boost::json::object& spec);
  // Call when the host has refused this step with the page at `spec`: excludes its choice.
  void refused(const Step& step, const boost::json::object& spec);

  // True if the page shows a confirmed booking: by uiSpec.meta.bookingId, or, for pages without it,
  // by an entry of the history.
  static bool is_booked(const boost::json::value& spec, const boost::json::value& history);
  // The id of the booking; empty if the page does not show it.
  static std::string booking_id(const boost::json::value& spec);

 private:
  std::optional<Step> choose_one(const boost::json::object& spec, std::string_view stage);
  std::optional<Step> choose_seats(const boost::json::object& spec);
  std::optional<Step> choose_tickets(const boost::json::object& spec);
  // Marks the choices that led to this stage as a dead end, and goes back.
  Step give_up(const boost::json::object& spec, std::string_view why);
  bool is_wanted(const boost::json::object& spec, std::string_view stage,
                 const boost::json::object& item) const;
  std::vector<std::string> pick_seats(const boost::json::object& spec) const;
  bool has_lost_seats(const boost::json::object& spec) const;

  Wishes wishes_;
  std::set<std::string> dead_ends_;  // paths of choices: "m1/t2/2026-02-13"
  std::set<std::string> taken_;      // ids that the host refused
};

}  // namespace parley::booking_agent
