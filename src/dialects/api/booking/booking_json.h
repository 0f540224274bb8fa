// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/booking/dataset.h"
#include "services/booking/model.h"

// The models as JSON, with the field names of the contract.
namespace parley::booking_rest {

// {"error":"..."}, with "occupiedSeats" if seats are the reason.
std::string error_json(std::string_view message);
std::string refusal_json(const booking::Refusal& refusal);

std::string movies_json(const std::vector<booking::Movie>& movies);
std::string movie_json(const booking::Movie& movie);
std::string theaters_json(const std::vector<const booking::Theater*>& theaters);
std::string theater_json(const booking::Theater& theater);
std::string showings_json(const booking::Dataset& dataset,
                          const std::vector<const booking::Showing*>& showings);
std::string showing_json(const booking::Dataset& dataset, const booking::Showing& showing);
std::string dates_json(const std::vector<booking::Day>& days);
std::string seats_json(const booking::Dataset& dataset, const booking::Showing& showing);
std::string ticket_types_json(const std::vector<booking::TicketType>& types);

// {"booking":{...}}; `details`: with its seats and tickets.
std::string booking_json(const booking::Booking& booking, bool details);
std::string dataset_json(const booking::DatasetInfo& info);

}  // namespace parley::booking_rest
