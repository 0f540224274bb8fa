// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "app/cli/commands.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/entropy.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "base/sql/data_dir.h"
#include "model/event/data_dir_lock.h"
#include "services/booking/booking_ledger.h"
#include "services/booking/booking_store.h"

namespace parley::app {
namespace {

using booking::Dataset;

int complain_booking(const core::Error& error, const std::string& data) {
  complain({"The booking data in " + data + " cannot be used.", error.message,
            "Name the server's data directory with --data or PARLEY_DATA."});
  return kExitDataBroken;
}

// Bookings of the default data set that hold seats.
core::Result<std::int64_t> bookings_at_stake(booking::BookingStore& store) {
  PARLEY_TRY(const auto all, store.load());
  for (const Dataset& one : all) {
    if (one.info().name == booking::kDefaultDataset) return store.count_confirmed(one.info().key);
  }
  return 0;
}

core::Result<void> seed_default(booking::BookingLedger& ledger, const booking::SampleSpec& spec,
                                booking::Day from) {
  core::Result<void> done = ledger.load();
  if (done) done = ledger.begin();
  if (!done) return done;
  done = ledger.reset_default(spec, from);
  if (done) return ledger.commit();
  ledger.roll_back();
  return done;
}

std::size_t free_seats(const Dataset& dataset) {
  std::size_t count = 0;
  for (const booking::Showing& one : dataset.showings()) count += dataset.available_seats(one);
  return count;
}

std::string as_line(const Dataset& dataset) {
  const booking::DatasetInfo& info = dataset.info();
  const std::size_t showings = dataset.showings().size();
  return info.name + ": seed " + std::to_string(info.spec.seed) + ", " +
         std::to_string(info.spec.days) + " days from " + booking::format_day(info.from) + ", " +
         std::to_string(showings) + " showings, " + std::to_string(free_seats(dataset)) + " of " +
         std::to_string(showings * booking::kSeatsPerShowing) + " seats free";
}

struct Shown {
  Dataset dataset;
  std::int64_t bookings = 0;
};

core::Result<std::vector<Shown>> read_all(const Settings& settings) {
  PARLEY_TRY(auto store, booking::BookingStore::open_read_only(settings.stores()));
  PARLEY_TRY(auto all, store->load());
  std::vector<Shown> out;
  for (Dataset& one : all) {
    PARLEY_TRY(const auto count, store->count_confirmed(one.info().key));
    out.push_back({std::move(one), count});
  }
  return out;
}

std::string as_json(const std::vector<Shown>& all) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  for (const auto& [dataset, bookings] : all) {
    const booking::DatasetInfo& info = dataset.info();
    const std::size_t showings = dataset.showings().size();
    json.begin_object().key("dataset").string(info.name);
    json.key("seed").number(std::uint64_t{info.spec.seed});
    json.key("days").number(std::uint64_t{info.spec.days});
    json.key("from").string(booking::format_day(info.from));
    json.key("showings").number(std::uint64_t{showings});
    json.key("seats").number(std::uint64_t{showings * booking::kSeatsPerShowing});
    json.key("availableSeats").number(std::uint64_t{free_seats(dataset)});
    json.key("bookings").number(bookings).end_object();
  }
  json.end_array();
  return out + "\n";
}

}  // namespace

int seed_booking(const Settings& settings, const BookingSeedOptions& options, bool json) {
  core::SystemClock clock;
  core::SystemEntropy entropy;
  booking::Day from = booking::local_day(clock.wall());
  if (!options.from.empty()) {
    const auto day = booking::parse_day(options.from);
    if (!day) {
      complain({"--from must be a day in the form YYYY-MM-DD, not \"" + options.from + "\".", "",
                "For example: parley booking seed --from 2026-11-22"});
      return kExitUsage;
    }
    from = *day;
  }
  if (const auto created = sql::make_data_dir(settings.data); !created) {
    return complain_booking(created.error(), settings.stores().name());
  }
  const auto lock = event::DataDirLock::acquire(settings.data);
  if (!lock) {
    complain({"The data directory " + settings.data + " is in use.", lock.error().message,
              "Stop the server first: it holds the seats in memory."});
    return kExitDataInUse;
  }
  auto store = booking::BookingStore::open(settings.stores());
  if (!store) return complain_booking(store.error(), settings.stores().name());
  const auto at_stake = bookings_at_stake(**store);
  if (!at_stake) return complain_booking(at_stake.error(), settings.stores().name());
  if (*at_stake > 0 && !options.force) {
    complain({"The sample data was not replaced.",
              "Bookings that would be lost: " + std::to_string(*at_stake) + ".",
              "Give --force to delete these bookings."});
    return kExitFailure;
  }
  booking::BookingLedger ledger(std::move(*store), clock, entropy);
  const booking::SampleSpec spec{
      options.seed.value_or(settings.booking_seed),
      options.days.value_or(static_cast<std::uint32_t>(settings.booking_days))};
  if (const auto done = seed_default(ledger, spec, from); !done) {
    return complain_booking(done.error(), settings.stores().name());
  }
  const auto created = ledger.datasets().find(booking::kDefaultDataset);
  const bool written =
      json ? print(as_json({{*created->second, 0}})) : print_text(as_line(*created->second) + "\n");
  return written ? kExitOk : kExitFailure;
}

int show_booking(const Settings& settings, bool json) {
  const auto all = read_all(settings);
  if (!all) return complain_booking(all.error(), settings.stores().name());
  if (json) return print(as_json(*all)) ? kExitOk : kExitFailure;
  std::string out;
  for (const auto& [dataset, bookings] : *all) {
    out += as_line(dataset) + ", " + std::to_string(bookings) + " bookings\n";
  }
  return print_text(out) ? kExitOk : kExitFailure;
}

}  // namespace parley::app
