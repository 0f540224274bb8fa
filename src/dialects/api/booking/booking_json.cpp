// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/booking/booking_json.h"

#include "base/core/json_writer.h"
#include "base/core/time_text.h"
#include "services/booking/seat_names.h"

namespace parley::booking_rest {
namespace {

using core::json_object;
using core::JsonWriter;

constexpr std::size_t kSeatBytes = 96;  // estimated bytes of one seat in JSON
constexpr std::size_t kShowingBytes = 160;

void write_movie(JsonWriter& json, const booking::Movie& movie) {
  json.begin_object().key("id").string(movie.id).key("title").string(movie.title);
  json.key("posterUrl").string(movie.poster_url).key("genre").strings(movie.genre);
  json.key("duration").number(movie.duration).key("rating").string(movie.rating);
  json.key("releaseDate").string(movie.release_date).end_object();
}

void write_theater(JsonWriter& json, const booking::Theater& theater) {
  json.begin_object().key("id").string(theater.id).key("name").string(theater.name);
  json.key("location").string(theater.location);
  json.key("screenCount").number(theater.screen_count).end_object();
}

void write_showing(JsonWriter& json, const booking::Dataset& dataset,
                   const booking::Showing& showing) {
  const booking::Catalogue& catalogue = dataset.catalogue();
  json.begin_object().key("id").string(booking::showing_id(showing.number));
  json.key("movieId").string(catalogue.movies[showing.movie].id);
  json.key("theaterId").string(catalogue.theaters[showing.theater].id);
  json.key("screenNumber").number(int{showing.screen});
  json.key("date").string(booking::format_day(showing.day));
  json.key("time").string(booking::format_time(showing.minute));
  json.key("totalSeats").number(std::uint64_t{booking::kSeatsPerShowing});
  json.key("availableSeats").number(std::uint64_t{dataset.available_seats(showing)});
  json.end_object();
}

void write_seat(JsonWriter& json, std::uint32_t showing, std::size_t seat, bool taken) {
  const std::string label = booking::seat_label(seat);
  const bool premium = seat / booking::kSeatsPerRow >= booking::kFirstPremiumRow;
  json.begin_object().key("id").string(booking::seat_id(showing, seat));
  json.key("showingId").string(booking::showing_id(showing));
  json.key("row").string(label.substr(0, 1));
  json.key("number").number(std::uint64_t{seat % booking::kSeatsPerRow + 1});
  json.key("type").string(premium ? "premium" : "standard");
  json.key("status").string(taken ? "occupied" : "available").end_object();
}

}  // namespace

std::string error_json(std::string_view message) {
  std::string out;
  JsonWriter(out).begin_object().key("error").string(message).end_object();
  return out;
}

std::string refusal_json(const booking::Refusal& refusal) {
  if (refusal.occupied_seats.empty()) return error_json(refusal.message);
  return json_object([&](JsonWriter& json) {
    json.key("error").string(refusal.message).key("occupiedSeats");
    json.strings(refusal.occupied_seats);
  });
}

std::string movies_json(const std::vector<booking::Movie>& movies) {
  return json_object([&](JsonWriter& json) { json.key("movies").array(movies, write_movie); });
}

std::string movie_json(const booking::Movie& movie) {
  return json_object([&](JsonWriter& json) {
    json.key("movie");
    write_movie(json, movie);
  });
}

std::string theaters_json(const std::vector<const booking::Theater*>& theaters) {
  return json_object([&](JsonWriter& json) {
    json.key("theaters").begin_array();
    for (const booking::Theater* theater : theaters) write_theater(json, *theater);
    json.end_array();
  });
}

std::string theater_json(const booking::Theater& theater) {
  return json_object([&](JsonWriter& json) {
    json.key("theater");
    write_theater(json, theater);
  });
}

std::string showings_json(const booking::Dataset& dataset,
                          const std::vector<const booking::Showing*>& showings) {
  std::string out;
  out.reserve(showings.size() * kShowingBytes);
  JsonWriter json(out);
  json.begin_object().key("showings").begin_array();
  for (const booking::Showing* showing : showings) write_showing(json, dataset, *showing);
  json.end_array().end_object();
  return out;
}

std::string showing_json(const booking::Dataset& dataset, const booking::Showing& showing) {
  return json_object([&](JsonWriter& json) {
    json.key("showing");
    write_showing(json, dataset, showing);
  });
}

std::string dates_json(const std::vector<booking::Day>& days) {
  return json_object([&](JsonWriter& json) {
    json.key("dates").begin_array();
    for (const booking::Day day : days) json.string(booking::format_day(day));
    json.end_array();
  });
}

std::string seats_json(const booking::Dataset& dataset, const booking::Showing& showing) {
  std::string out;
  out.reserve(booking::kSeatsPerShowing * kSeatBytes);
  JsonWriter json(out);
  const booking::SeatSet& taken = dataset.taken(showing);
  json.begin_object().key("seats").begin_array();
  for (std::size_t seat = 0; seat < booking::kSeatsPerShowing; ++seat) {
    write_seat(json, showing.number, seat, taken.test(seat));
  }
  json.end_array().end_object();
  return out;
}

std::string ticket_types_json(const std::vector<booking::TicketType>& types) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("ticketTypes").begin_array();
  for (const booking::TicketType& type : types) {
    json.begin_object().key("id").string(type.id).key("name").string(type.name);
    json.key("price").number(type.price).key("description").string(type.description);
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

std::string booking_json(const booking::Booking& booking, bool details) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("booking").begin_object().key("id").string(booking.id);
  json.key("showingId").string(booking::showing_id(booking.showing));
  json.key("customerName").string(booking.customer_name);
  json.key("customerEmail").string(booking.customer_email);
  json.key("totalPrice").number(booking.total_price);
  const bool confirmed = booking.state == booking::BookingState::confirmed;
  json.key("status").string(confirmed ? "confirmed" : "cancelled");
  json.key("createdAt").string(core::time_text_ms(booking.created_at));
  if (details) {
    json.key("seats").begin_array();
    for (const std::uint8_t seat : booking.seats) {
      json.string(booking::seat_id(booking.showing, seat));
    }
    json.end_array().key("tickets").begin_array();
    for (const booking::TicketCount& ticket : booking.tickets) {
      json.begin_object().key("ticketTypeId").string(ticket.ticket_type);
      json.key("quantity").number(ticket.quantity).end_object();
    }
    json.end_array();
  }
  json.end_object().end_object();
  return out;
}

std::string dataset_json(const booking::DatasetInfo& info) {
  return json_object([&](JsonWriter& json) {
    json.key("dataset").string(info.name);
    json.key("seed").number(std::uint64_t{info.spec.seed});
    json.key("days").number(std::uint64_t{info.spec.days});
    json.key("from").string(booking::format_day(info.from));
  });
}

}  // namespace parley::booking_rest
