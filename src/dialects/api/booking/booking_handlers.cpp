// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/booking/booking_json.h"
#include "dialects/api/booking/booking_request.h"
#include "dialects/api/booking/handlers.h"

namespace parley::booking_rest {
namespace {

using booking::Booking;
using booking::Outcome;

// Sends the booking, or the refusal.
auto answer_booking(Call call, int status, bool details) {
  return [call = std::move(call), status, details](Outcome<Booking> booking) mutable {
    if (!booking) return send_refusal(call, booking.error());
    send_json(call, status, booking_json(*booking, details));
  };
}

}  // namespace

void create_booking(const BookingContext& context, Call call) {
  auto request = read_booking_request(call.request.body);
  if (!request) return send_refusal(call, request.error());
  with_dataset(context, std::move(call),
               [&context, request = std::move(*request)](
                   Call found, const booking::BookingService::DatasetRef& dataset) {
                 auto plan = dataset->plan(request);
                 if (!plan) return send_refusal(found, plan.error());
                 core::Scheduler& scheduler = found.responder.scheduler();
                 context.service.book(dataset->info().name, std::move(*plan), scheduler,
                                      answer_booking(std::move(found), 201, false));
               });
}

void get_booking(const BookingContext& context, Call call) {
  std::string id(call.request.path_param("id"));
  core::Scheduler& scheduler = call.responder.scheduler();
  context.service.find(std::move(id), scheduler, answer_booking(std::move(call), 200, true));
}

void cancel_booking(const BookingContext& context, Call call) {
  std::string id(call.request.path_param("id"));
  core::Scheduler& scheduler = call.responder.scheduler();
  context.service.cancel(std::move(id), scheduler, answer_booking(std::move(call), 200, false));
}

void create_dataset(const BookingContext& context, Call call) {
  const auto spec = read_copy_spec(call.request.body);
  if (!spec) return send_refusal(call, spec.error());
  core::Scheduler& scheduler = call.responder.scheduler();
  context.service.add_copy(
      *spec, scheduler, [&context, call = std::move(call)](Outcome<std::string> name) mutable {
        if (!name) return send_refusal(call, name.error());
        core::Scheduler& here = call.responder.scheduler();
        context.service.use_dataset(
            *name, here,
            [call = std::move(call)](Outcome<booking::BookingService::DatasetRef> dataset) mutable {
              if (!dataset) return send_refusal(call, dataset.error());
              send_json(call, 201, dataset_json((*dataset)->info()));
            });
      });
}

}  // namespace parley::booking_rest
