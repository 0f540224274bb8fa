// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/study_assembly.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "app/server/cluster_assembly.h"
#include "base/core/result.h"
#include "dialects/api/booking/routes.h"
#include "dialects/external_agent/routes.h"
#include "identity/auth/guest_verifier.h"
#include "model/event/home_fence.h"
#include "services/booking/booking_service.h"

namespace parley::app {
namespace {

// Long enough to gather a burst of calls and results, short enough that no person notices it.
constexpr core::Millis kGatherTime{10};

bool token_required(const Settings& settings) {
  if (settings.external_agent_token == "auto") {
    return reachable_by_others(settings);
  }
  return settings.external_agent_token == "yes";
}

// Another server of the database may have become the home of all bookings.
booking::BookingStore::Fence fence_of_bookings(const event::SessionStore& store) {
  static constexpr std::string_view kOwner = ClusterAssembly::kNobodysOwner;
  return [&store](sql::Database& database) {
    return event::share_home(database, kOwner, store.home_epoch(kOwner));
  };
}

external_agent::RelayOptions relay_options(const Settings& settings) {
  external_agent::RelayOptions options = settings.external_agent;
  options.compression = settings.compression;
  options.max_message_bytes = settings.max_message_bytes;
  options.join_timeout = settings.login_timeout;
  // Studies may use only a part of the store's queue, so that they do not block other writers.
  options.max_all_unlogged_bytes = settings.group.max_queue / 4;
  return options;
}

// The kit that the settings name, or that of the data directory if it exists.
core::Result<std::optional<study::Kit>> load_kit(const Settings& settings) {
  std::string path = settings.study_kit;
  if (path.empty()) {
    path = settings.data + "/studies.toml";
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return std::nullopt;
  }
  auto kit = study::Kit::load(path);
  if (kit) return std::move(*kit);
  std::string message;
  for (const study::KitFault& fault : kit.error()) {
    if (!message.empty()) message += "\n";
    message += path;
    if (fault.line > 0) message += ", line " + std::to_string(fault.line);
    message += ": " + fault.message;
  }
  return core::fail(core::Code::invalid_argument, std::move(message), "studies.kit");
}

void add_gauges(net::Metrics& metrics, const study::LogCounters& counters) {
  const auto gauge = [&metrics](std::string_view name, std::string_view help,
                                const std::atomic<std::uint64_t>& value) {
    metrics.gauge(name, help, [&value] { return static_cast<double>(value.load()); });
  };
  gauge("parley_study_records", "Records of studies committed since the start", counters.records);
  gauge("parley_study_records_lost", "Records that the store refused", counters.records_lost);
  gauge("parley_study_records_cut", "Records too large to be stored whole", counters.records_cut);
  gauge("parley_study_records_refused", "Records refused because their study has reached its limit",
        counters.records_refused);
  gauge("parley_study_file_failures", "Failed writes of study logs", counters.file_failures);
  gauge("parley_study_records_behind", "Records written to their file later, from the store",
        counters.records_behind);
  gauge("parley_study_waiting_bytes", "Bytes of records that wait for their commit",
        counters.waiting_bytes);
}

}  // namespace

struct StudyAssembly::Parts {
  explicit Parts(const StudyDependencies& dependencies)
      : guests(dependencies.tokens,
               token_required(dependencies.settings) ? "" : dependencies.default_token,
               dependencies.settings.external_agent_token == "no" ? auth::GuestsFrom::anywhere
                                                                  : auth::GuestsFrom::here),
        prefix(dependencies.settings.booking_prefix) {}

  auth::GuestVerifier guests;
  std::string prefix;
  std::unique_ptr<booking::BookingService> booking;
  std::unique_ptr<booking_rest::BookingContext> booking_context;
  std::optional<study::Kit> kit;
  std::unique_ptr<study::SqliteStudyService> studies;
  std::unique_ptr<external_agent::RelayContext> relay;
};

StudyAssembly::StudyAssembly(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

StudyAssembly::~StudyAssembly() { stop(); }

core::Result<std::unique_ptr<StudyAssembly>> StudyAssembly::open(
    const StudyDependencies& dependencies) {
  const Settings& settings = dependencies.settings;
  auto parts = std::make_unique<Parts>(dependencies);
  booking::BookingOptions booking;
  booking.place = settings.stores();
  booking.sample = {settings.booking_seed, static_cast<std::uint32_t>(settings.booking_days)};
  booking.gate = &dependencies.gate;
  booking.is_home = dependencies.is_home_of_bookings;
  if (!settings.store_url.empty()) booking.fence = fence_of_bookings(dependencies.store);
  PARLEY_TRY(auto opened, booking::BookingService::open(std::move(booking), dependencies.clock,
                                                        dependencies.entropy));
  parts->booking = std::move(opened);
  parts->booking_context = std::make_unique<booking_rest::BookingContext>(
      booking_rest::BookingContext{*parts->booking, parts->guests, parts->prefix});

  PARLEY_TRY(auto kit, load_kit(settings));
  parts->kit = std::move(kit);
  study::StudyOptions options;
  options.data_dir = settings.data;
  options.open_list = [stores = settings.stores()](study::StudyIndex::Access access) {
    return study::StudyIndex::open(stores, access);
  };
  options.write_logs = settings.study_log == "file";
  if (!settings.store_url.empty()) options.log_files = study::LogFiles::may_be_old;
  options.keep_records = settings.study_log != "off";
  options.gather = kGatherTime;
  options.max_records = settings.study_records;
  options.max_bytes = settings.study_bytes;
  options.gate = &dependencies.gate;
  options.abandon_after = settings.study_abandon_after;
  options.is_home = dependencies.is_home;
  PARLEY_TRY(auto studies, study::SqliteStudyService::open(options, dependencies.hub,
                                                           dependencies.store, dependencies.clock));
  parts->studies = std::move(studies);
  add_gauges(dependencies.metrics, parts->studies->counters());
  parts->relay = std::make_unique<external_agent::RelayContext>(
      dependencies.hub, *parts->studies, parts->guests, dependencies.entropy, dependencies.metrics,
      relay_options(settings), external_agent::RelayContext::text_message, &dependencies.gate);
  return std::unique_ptr<StudyAssembly>(new StudyAssembly(std::move(parts)));
}

void StudyAssembly::install(net::Router& router) {
  external_agent::install(router, *parts_->relay);
  booking_rest::install(router, *parts_->booking_context);
}

study::StudyService& StudyAssembly::studies() { return *parts_->studies; }

const study::Kit* StudyAssembly::kit() const { return parts_->kit ? &*parts_->kit : nullptr; }

auth::GuestVerifier& StudyAssembly::guests() { return parts_->guests; }

void StudyAssembly::take_up(study::OwnerFilter owners, core::Task done) {
  parts_->studies->take_up(std::move(owners), std::move(done));
}

void StudyAssembly::take_up_bookings(core::Scheduler& scheduler, core::Task done) {
  parts_->booking->take_up(scheduler, std::move(done));
}

void StudyAssembly::write_out() { parts_->studies->write_out(); }

void StudyAssembly::stop() {
  if (parts_->booking) parts_->booking->close();
  if (parts_->studies) parts_->studies->stop();
}

}  // namespace parley::app
