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
  // Where to look once seats were taken by others: agents that differ here part ways.
  std::size_t spread = 0;
};

// One tool call, and why.
struct Step {
  std::string tool;
  boost::json::object params = {};
  std::string reason = {};
};

// Decides what to do next from what the page shows. Remembers what led nowhere and does not choose
// it again, so a booking ends or is given up after finitely many steps. No input, no output.
class BookingRules {
 public:
  explicit BookingRules(Wishes wishes) : wishes_(std::move(wishes)) {}

  // `spec`: uiSpec of a stage. std::nullopt: nothing that is left can be booked.
  std::optional<Step> next(const boost::json::object& spec);
  // The host refused this step when the page showed `spec`: what it chose is not chosen again.
  void refused(const Step& step, const boost::json::object& spec);

  // Whether the page says that the booking is made: by uiSpec.meta.bookingId, or by the entry of
  // the history that pages without it write.
  static bool is_booked(const boost::json::value& spec, const boost::json::value& history);
  // The id of the booking, or empty if the page does not tell it.
  static std::string booking_id(const boost::json::value& spec);

 private:
  std::optional<Step> choose_one(const boost::json::object& spec, std::string_view stage);
  std::optional<Step> choose_seats(const boost::json::object& spec);
  std::optional<Step> choose_tickets(const boost::json::object& spec);
  // Gives up the choice that led to this stage.
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
