// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/study_assembly.h"

#include <optional>
#include <utility>

#include "auth/guest_verifier.h"
#include "booking/booking_service.h"
#include "protocol/booking/routes.h"
#include "protocol/external_agent/routes.h"
#include "study/sqlite_study_service.h"

namespace parley::app {
namespace {

bool token_required(const Settings& settings) {
  if (settings.external_agent_token == "auto") return !settings.listen.is_loopback();
  return settings.external_agent_token == "yes";
}

// Whose workspace callers without a token share; nobody's if they must bring one.
std::optional<auth::Identity> guest_of(const StudyGround& ground) {
  if (token_required(ground.settings) || ground.default_token.empty()) return std::nullopt;
  auto identity = ground.tokens.verify(ground.default_token, "");
  if (!identity) return std::nullopt;
  identity->name = "guest";
  return std::move(*identity);
}

external_agent::RelayOptions relay_options(const Settings& settings) {
  external_agent::RelayOptions options = settings.external_agent;
  options.compression = settings.compression;
  options.max_message_bytes = settings.max_message_bytes;
  options.join_timeout = settings.login_timeout;
  return options;
}

}  // namespace

struct StudyAssembly::Parts {
  explicit Parts(const StudyGround& ground)
      : guests(ground.tokens, guest_of(ground)), prefix(ground.settings.booking_prefix) {}

  auth::GuestVerifier guests;
  std::string prefix;
  std::unique_ptr<booking::BookingService> booking;
  std::unique_ptr<booking_rest::BookingContext> booking_context;
  std::unique_ptr<study::SqliteStudyService> studies;
  std::unique_ptr<external_agent::RelayContext> relay;
};

StudyAssembly::StudyAssembly(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

StudyAssembly::~StudyAssembly() { stop(); }

core::Result<std::unique_ptr<StudyAssembly>> StudyAssembly::open(const StudyGround& ground) {
  const Settings& settings = ground.settings;
  auto parts = std::make_unique<Parts>(ground);
  booking::BookingOptions booking;
  booking.data_dir = settings.data;
  booking.sample = {settings.booking_seed, static_cast<std::uint32_t>(settings.booking_days)};
  auto opened = booking::BookingService::open(std::move(booking), ground.clock, ground.entropy);
  if (!opened) return core::fail(std::move(opened.error()));
  parts->booking = std::move(*opened);
  parts->booking_context = std::make_unique<booking_rest::BookingContext>(
      booking_rest::BookingContext{*parts->booking, parts->guests, parts->prefix});

  study::StudyOptions options;
  options.data_dir = settings.data;
  options.write_logs = settings.study_log;
  auto studies = study::SqliteStudyService::open(options, ground.hub, ground.store, ground.clock);
  if (!studies) return core::fail(std::move(studies.error()));
  parts->studies = std::move(*studies);
  parts->relay = std::make_unique<external_agent::RelayContext>(
      ground.hub, *parts->studies, parts->guests, ground.entropy, ground.metrics,
      relay_options(settings));
  return std::unique_ptr<StudyAssembly>(new StudyAssembly(std::move(parts)));
}

void StudyAssembly::install(net::Router& router) {
  external_agent::install(router, *parts_->relay);
  booking_rest::install(router, *parts_->booking_context);
}

study::StudyService& StudyAssembly::studies() { return *parts_->studies; }

auth::Verifier& StudyAssembly::guests() { return parts_->guests; }

void StudyAssembly::stop() {
  parts_->booking->close();
  parts_->studies->stop();
}

}  // namespace parley::app
