// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/booking/dataset.h"

#include <algorithm>
#include <utility>

#include "services/booking/seat_names.h"

namespace parley::booking {
namespace {

// Cap on quantities and on their sum, so that no sum overflows. No showing has as many seats.
constexpr std::int64_t kManyTickets = 1'000'000;

template <typename T>
const T* find_by_id(const std::vector<T>& all, std::string_view id) {
  const auto it = std::find_if(all.begin(), all.end(), [id](const T& one) { return one.id == id; });
  return it == all.end() ? nullptr : &*it;
}

// Position in the catalogue; the size of the catalogue if there is none.
template <typename T>
std::size_t position_of(const std::vector<T>& all, std::string_view id) {
  const T* found = find_by_id(all, id);
  return found == nullptr ? all.size() : static_cast<std::size_t>(found - all.data());
}

}  // namespace

const Movie* Dataset::movie(std::string_view id) const {
  return find_by_id(catalogue_->movies, id);
}

const Theater* Dataset::theater(std::string_view id) const {
  return find_by_id(catalogue_->theaters, id);
}

const Showing* Dataset::showing(std::string_view id) const {
  const auto number = showing_number(id);
  return number ? showing(*number) : nullptr;
}

const Showing* Dataset::showing(std::uint32_t number) const {
  const auto it = std::lower_bound(
      showings_->begin(), showings_->end(), number,
      [](const Showing& one, std::uint32_t wanted) { return one.number < wanted; });
  return it == showings_->end() || it->number != number ? nullptr : &*it;
}

std::size_t Dataset::position(const Showing& showing) const {
  return static_cast<std::size_t>(&showing - showings_->data());
}

const SeatSet& Dataset::taken(const Showing& showing) const { return taken_[position(showing)]; }

std::size_t Dataset::available_seats(const Showing& showing) const {
  return kSeatsPerShowing - taken(showing).count();
}

std::vector<const Showing*> Dataset::find_showings(const ShowingFilter& filter) const {
  std::vector<const Showing*> out;
  const auto day = parse_day(filter.date);
  if (!filter.date.empty() && !day) return out;
  const std::size_t movie = position_of(catalogue_->movies, filter.movie);
  const std::size_t theater = position_of(catalogue_->theaters, filter.theater);
  for (const Showing& one : *showings_) {
    if (!filter.movie.empty() && one.movie != movie) continue;
    if (!filter.theater.empty() && one.theater != theater) continue;
    if (day && one.day != *day) continue;
    out.push_back(&one);
  }
  return out;
}

std::vector<Day> Dataset::find_days(const ShowingFilter& filter) const {
  std::vector<Day> days;
  for (const Showing* one : find_showings(filter)) {
    if (days.empty() || days.back() != one->day) days.push_back(one->day);
  }
  return days;
}

std::vector<const Theater*> Dataset::theaters_of(std::string_view movie_id) const {
  std::vector<bool> shows(catalogue_->theaters.size());
  const std::size_t movie = position_of(catalogue_->movies, movie_id);
  for (const Showing& one : *showings_) {
    if (one.movie == movie) shows[one.theater] = true;
  }
  std::vector<const Theater*> out;
  for (std::size_t i = 0; i < shows.size(); ++i) {
    if (shows[i]) out.push_back(&catalogue_->theaters[i]);
  }
  return out;
}

Outcome<PlannedBooking> Dataset::plan(const BookingRequest& request) const {
  const Showing* found = showing(request.showing);
  if (found == nullptr) return refuse(core::Code::not_found, "Showing not found");
  PlannedBooking plan;
  plan.showing = found->number;
  std::vector<std::string> occupied;
  for (const std::string& id : request.seats) {
    const auto seat = seat_of_id(found->number, id);
    if (!seat) {
      return refuse(core::Code::invalid_argument, "Some seats are invalid for this showing");
    }
    plan.seats.push_back(static_cast<std::uint8_t>(*seat));
    if (taken(*found).test(*seat)) occupied.push_back(id);
  }
  if (!occupied.empty()) {
    return refuse(core::Code::aborted, "Some seats are already occupied", std::move(occupied));
  }
  std::int64_t count = 0;
  for (const TicketCount& ticket : request.tickets) {
    const TicketType* type = find_by_id(catalogue_->ticket_types, ticket.ticket_type);
    if (type == nullptr) {
      return refuse(core::Code::invalid_argument, "Invalid ticket type included");
    }
    const std::int64_t quantity = std::min(ticket.quantity, kManyTickets);
    count = std::min(count + quantity, kManyTickets);
    plan.total_price += quantity * type->price;
  }
  if (count != static_cast<std::int64_t>(plan.seats.size())) {
    return refuse(core::Code::invalid_argument, "Ticket count must match seat count");
  }
  plan.tickets = request.tickets;
  plan.customer_name = request.customer_name;
  plan.customer_email = request.customer_email;
  return plan;
}

Day Dataset::end_day() const {
  return showings_->empty() ? info_.from : showings_->back().day + std::chrono::days(1);
}

std::uint32_t Dataset::next_number() const {
  return showings_->empty() ? 1 : showings_->back().number + 1;
}

void Dataset::append(const std::vector<SampleShowing>& showings) {
  auto all = std::make_shared<std::vector<Showing>>(*showings_);
  all->reserve(all->size() + showings.size());
  for (const SampleShowing& one : showings) {
    all->push_back(one.showing);
    taken_.push_back(one.taken);
  }
  showings_ = std::move(all);
}

void Dataset::remove_before(Day day) {
  const auto end = std::partition_point(showings_->begin(), showings_->end(),
                                        [day](const Showing& one) { return one.day < day; });
  const auto count = end - showings_->begin();
  if (count == 0) return;
  taken_.erase(taken_.begin(), taken_.begin() + count);
  showings_ = std::make_shared<const std::vector<Showing>>(end, showings_->end());
}

void Dataset::set_taken(std::uint32_t number, std::size_t seat, bool taken) {
  const Showing* found = showing(number);
  if (found != nullptr) taken_[position(*found)].set(seat, taken);
}

}  // namespace parley::booking
