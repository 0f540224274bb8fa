// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "booking_rules.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <cctype>
#include <utility>

namespace parley::booking_agent {
namespace json = boost::json;
namespace {

constexpr std::array<std::string_view, 4> kSingleStages = {"movie", "theater", "date", "time"};

const json::object* object_at(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value == nullptr ? nullptr : value->if_object();
}

const json::array* array_at(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value == nullptr ? nullptr : value->if_array();
}

std::string text_at(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::int64_t number_at(const json::object& object, std::string_view name, std::int64_t fallback) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_number() ? value->to_number<std::int64_t>() : fallback;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

const json::object* state_of(const json::object& spec) { return object_at(spec, "state"); }

const json::object* booking_of(const json::object& spec) {
  const json::object* state = state_of(spec);
  return state == nullptr ? nullptr : object_at(*state, "booking");
}

// The choices of the previous stages, as a path, to identify dead ends: a day without showings in
// one theater may have some in another.
std::string path_of(const json::object& spec) {
  std::string out;
  const json::object* booking = booking_of(spec);
  if (booking == nullptr) return out;
  for (const std::string_view choice : {"movie", "theater", "showing"}) {
    if (choice == "showing" && !text_at(*booking, "date").empty()) {
      out += "/" + text_at(*booking, "date");
    }
    const json::object* chosen = object_at(*booking, choice);
    if (chosen != nullptr) out += "/" + text_at(*chosen, "id");
  }
  return out;
}

// The row of `items` behind a visible item, or null.
const json::object* row_of(const json::object& spec, std::string_view id) {
  const json::array* items = array_at(spec, "items");
  if (items == nullptr) return nullptr;
  for (const json::value& item : *items) {
    if (item.is_object() && text_at(item.get_object(), "id") == id) return &item.get_object();
  }
  return nullptr;
}

// The items that can be chosen: visible and not disabled.
std::vector<const json::object*> open_items(const json::object& spec) {
  std::vector<const json::object*> out;
  const json::array* visible = array_at(spec, "visibleItems");
  if (visible == nullptr) return out;
  for (const json::value& each : *visible) {
    const json::object* item = each.if_object();
    if (item == nullptr) continue;
    const json::value* disabled = item->if_contains("isDisabled");
    if (disabled == nullptr || disabled->is_null() || *disabled == json::value(false)) {
      out.push_back(item);
    }
  }
  return out;
}

std::set<std::string> ids_at(const json::object& state, std::string_view name) {
  std::set<std::string> out;
  const json::array* list = array_at(state, name);
  if (list == nullptr) return out;
  for (const json::value& each : *list) {
    if (each.is_object()) out.insert(text_at(each.get_object(), "id"));
  }
  return out;
}

Step select(const json::object& item, std::string reason) {
  return {"select", {{"itemId", text_at(item, "id")}}, std::move(reason)};
}

}  // namespace

std::string BookingRules::booking_id(const json::value& spec) {
  const json::object* object = spec.if_object();
  const json::object* meta = object == nullptr ? nullptr : object_at(*object, "meta");
  return meta == nullptr ? std::string() : text_at(*meta, "bookingId");
}

bool BookingRules::is_booked(const json::value& spec, const json::value& history) {
  if (!booking_id(spec).empty()) return true;
  const json::array* entries = history.if_array();
  if (entries == nullptr) return false;
  return std::any_of(entries->begin(), entries->end(), [](const json::value& entry) {
    return entry.is_object() && text_at(entry.get_object(), "label") == "Booking Confirmed!";
  });
}

std::optional<Step> BookingRules::next(const json::object& spec) {
  const std::string stage = text_at(spec, "stage");
  if (std::find(kSingleStages.begin(), kSingleStages.end(), stage) != kSingleStages.end()) {
    return choose_one(spec, stage);
  }
  if (stage == "seat") return choose_seats(spec);
  if (has_lost_seats(spec)) return Step{"prev", {}, "A seat was taken: choose another one."};
  if (stage == "ticket") return choose_tickets(spec);
  if (stage == "confirm") {
    return Step{"next", {}, "Everything is chosen: the booking can be confirmed."};
  }
  return std::nullopt;
}

void BookingRules::refused(const Step& step, const json::object& spec) {
  if (const json::value* id = step.params.if_contains("itemId"); id != nullptr && id->is_string()) {
    taken_.emplace(id->get_string());
    return;
  }
  const json::object* booking = booking_of(spec);
  if (booking == nullptr || step.tool != "next" || text_at(spec, "stage") != "confirm") return;
  for (const std::string& seat : ids_at(*booking, "selectedSeats")) taken_.insert(seat);
}

bool BookingRules::has_lost_seats(const json::object& spec) const {
  const json::object* booking = booking_of(spec);
  if (booking == nullptr) return false;
  const std::set<std::string> seats = ids_at(*booking, "selectedSeats");
  return std::any_of(seats.begin(), seats.end(),
                     [this](const std::string& id) { return taken_.contains(id); });
}

bool BookingRules::is_wanted(const json::object& spec, std::string_view stage,
                             const json::object& item) const {
  const std::string id = text_at(item, "id");
  if (taken_.contains(id) || dead_ends_.contains(path_of(spec) + "/" + id)) return false;
  if (stage == "movie") {
    return lower(text_at(item, "value")).find(lower(wishes_.movie)) != std::string::npos;
  }
  const json::object* row = row_of(spec, id);
  if (row == nullptr) return true;
  if (stage == "date")
    return row->if_contains("available") == nullptr || row->at("available") == true;
  if (stage == "time") {
    const auto wanted = static_cast<std::int64_t>(wishes_.seats);
    return number_at(*row, "availableSeats", wanted) >= wanted;
  }
  return true;
}

std::optional<Step> BookingRules::choose_one(const json::object& spec, std::string_view stage) {
  const json::object* state = state_of(spec);
  const json::object* selected = state == nullptr ? nullptr : object_at(*state, "selected");
  if (selected != nullptr && is_wanted(spec, stage, *selected)) {
    return Step{"next", {}, "The " + std::string(stage) + " is chosen: go on."};
  }
  for (const json::object* item : open_items(spec)) {
    if (!is_wanted(spec, stage, *item)) continue;
    return select(*item, "\"" + text_at(*item, "value") + "\" is the first " + std::string(stage) +
                             " that fits.");
  }
  if (stage == "movie") return std::nullopt;
  return give_up(spec, "No " + std::string(stage) + " here fits.");
}

Step BookingRules::give_up(const json::object& spec, std::string_view why) {
  dead_ends_.insert(path_of(spec));
  return {"prev", {}, std::string(why) + " Look for another choice before it."};
}

// Adjacent seats, or the first free ones if there are not enough. Takes the first group of adjacent
// seats, after a refusal another one by `spread`: otherwise concurrent agents would collide
// repeatedly.
std::vector<std::string> BookingRules::pick_seats(const json::object& spec) const {
  std::vector<std::vector<std::string>> runs;
  std::vector<std::string> run;
  std::vector<std::string> any;
  std::string row;
  std::int64_t number = 0;
  for (const json::object* item : open_items(spec)) {
    const std::string id = text_at(*item, "id");
    if (taken_.contains(id)) continue;
    if (any.size() < wishes_.seats) any.push_back(id);
    const json::object* seat = row_of(spec, id);
    if (seat == nullptr) continue;
    const bool beside = text_at(*seat, "row") == row && number_at(*seat, "number", 0) == number + 1;
    if (!beside) run.clear();
    run.push_back(id);
    row = text_at(*seat, "row");
    number = number_at(*seat, "number", 0);
    if (run.size() < wishes_.seats) continue;
    runs.push_back(run);
    run.clear();
  }
  if (runs.empty()) return any;
  return taken_.empty() ? runs.front() : runs.at((wishes_.spread + taken_.size()) % runs.size());
}

std::optional<Step> BookingRules::choose_seats(const json::object& spec) {
  const json::object* state = state_of(spec);
  const std::set<std::string> chosen =
      state == nullptr ? std::set<std::string>{} : ids_at(*state, "selectedList");
  if (chosen.size() == wishes_.seats) {
    return Step{"next", {}, std::to_string(chosen.size()) + " seats are chosen: go on."};
  }
  if (chosen.size() > wishes_.seats) {
    return Step{"select", {{"itemId", *chosen.begin()}}, "One seat too many: give it back."};
  }
  const std::vector<std::string> wanted = pick_seats(spec);
  if (wanted.size() < wishes_.seats) return give_up(spec, "Too few seats are free.");
  for (const std::string& id : wanted) {
    if (!chosen.contains(id)) {
      return Step{"select", {{"itemId", id}}, "A free seat, beside the others if there are such."};
    }
  }
  return give_up(spec, "Too few seats are free.");
}

std::optional<Step> BookingRules::choose_tickets(const json::object& spec) {
  const json::object* state = state_of(spec);
  const json::array* quantities = state == nullptr ? nullptr : array_at(*state, "quantities");
  const json::object* meta = object_at(spec, "meta");
  const std::int64_t wanted =
      meta == nullptr ? static_cast<std::int64_t>(wishes_.seats)
                      : number_at(*meta, "maxTotal", static_cast<std::int64_t>(wishes_.seats));
  std::int64_t total = 0;
  std::string first;
  std::int64_t first_count = 0;
  if (quantities != nullptr) {
    for (const json::value& each : *quantities) {
      const json::object* item = each.is_object() ? object_at(each.get_object(), "item") : nullptr;
      if (item == nullptr) continue;
      const std::int64_t count = number_at(each.get_object(), "count", 0);
      if (first.empty()) {
        first = text_at(*item, "id");
        first_count = count;
      }
      total += count;
    }
  }
  if (total == wanted) return Step{"next", {}, "Every seat has its ticket: go on."};
  if (first.empty()) return std::nullopt;
  const std::int64_t quantity = std::max<std::int64_t>(0, first_count + wanted - total);
  return Step{"setQuantity",
              {{"typeId", first}, {"quantity", quantity}},
              "A ticket for each of the " + std::to_string(wanted) + " seats."};
}

}  // namespace parley::booking_agent
