// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dialects/api/booking/routes.h"

namespace parley::booking_rest {

void send_json(Call& call, int status, std::string body);
void send_refusal(Call& call, const booking::Refusal& refusal);

// Passes the data set that the query names (`dataset`; absent: the default one) to `use`. Sends a
// refusal if that data set does not exist.
using UseDataset = absl::AnyInvocable<void(Call, booking::BookingService::DatasetRef)>;
void with_dataset(const BookingContext& context, Call call, UseDataset use);

// catalogue_handlers.cpp: requests that are answered from memory.
void get_health(const BookingContext& context, Call call);
void list_movies(const BookingContext& context, Call call);
void get_movie(const BookingContext& context, Call call);
void list_theaters(const BookingContext& context, Call call);
void list_theaters_of_movie(const BookingContext& context, Call call);
void get_theater(const BookingContext& context, Call call);
void list_showings(const BookingContext& context, Call call);
void list_dates(const BookingContext& context, Call call);
void get_showing(const BookingContext& context, Call call);
void list_seats(const BookingContext& context, Call call);
void list_ticket_types(const BookingContext& context, Call call);

// booking_handlers.cpp
void create_booking(const BookingContext& context, Call call);
void get_booking(const BookingContext& context, Call call);
void cancel_booking(const BookingContext& context, Call call);
void create_dataset(const BookingContext& context, Call call);

}  // namespace parley::booking_rest
