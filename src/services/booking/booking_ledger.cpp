// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/booking/booking_ledger.h"

#include <algorithm>
#include <utility>

#include "base/core/id.h"
#include "base/core/result.h"
#include "services/booking/seat_names.h"

namespace parley::booking {
namespace {

using std::chrono::days;

constexpr std::size_t kCopyIdBytes = 12;
constexpr const char* kNoShowing = "Showing not found";

std::vector<SampleShowing> sample_days(const Dataset& dataset, Day from, Day end) {
  std::uint32_t number = dataset.next_number();
  std::vector<SampleShowing> showings;
  for (Day day = from; day < end; day += days(1)) {
    append_sample_day(dataset.info().spec.seed, day, number, showings);
  }
  return showings;
}

DatasetInfo named_info(const SampleSpec& spec) {
  DatasetInfo info;
  info.name = sample_name(spec);
  info.kind = DatasetKind::named;
  info.spec = spec;
  return info;
}

Day window_end(const Dataset& dataset, Day today) {
  return today + days(static_cast<int>(dataset.info().spec.days));
}

}  // namespace

BookingLedger::BookingLedger(std::unique_ptr<BookingStore> store, const core::Clock& clock,
                             core::Entropy& entropy)
    : store_(std::move(store)), clock_(clock), entropy_(entropy) {}

core::Result<void> BookingLedger::load() {
  PARLEY_TRY(std::vector<Dataset> stored, store_->load());
  committed_.clear();
  for (Dataset& one : stored) {
    const std::string name = one.info().name;
    committed_[name] = std::make_shared<const Dataset>(std::move(one));
  }
  return {};
}

core::Result<void> BookingLedger::begin() { return store_->begin(); }

core::Result<void> BookingLedger::commit() {
  core::Result<void> done = store_->commit();
  if (!done) {
    roll_back();
    return done;
  }
  for (auto& [name, dataset] : changed_) {
    if (dataset) {
      committed_[name] = std::shared_ptr<const Dataset>(std::move(dataset));
    } else {
      committed_.erase(name);
    }
  }
  changed_.clear();
  return {};
}

void BookingLedger::roll_back() {
  store_->roll_back();
  changed_.clear();
}

const Dataset* BookingLedger::current(std::string_view name) const {
  if (const auto it = changed_.find(name); it != changed_.end()) return it->second.get();
  const auto it = committed_.find(name);
  return it == committed_.end() ? nullptr : it->second.get();
}

Dataset* BookingLedger::change(std::string_view name) {
  const Dataset* now = current(name);
  if (now == nullptr) return nullptr;
  std::unique_ptr<Dataset>& slot = changed_[std::string(name)];
  if (!slot) slot = std::make_unique<Dataset>(*now);
  return slot.get();
}

const DatasetInfo* BookingLedger::info_of(std::int64_t key) const {
  for (const auto& [name, dataset] : changed_) {
    if (dataset && dataset->info().key == key) return &dataset->info();
  }
  for (const auto& [name, dataset] : committed_) {
    const Dataset* now = dataset->info().key == key ? current(name) : nullptr;
    if (now != nullptr && now->info().key == key) return &dataset->info();
  }
  return nullptr;
}

core::Result<void> BookingLedger::append_days(Dataset& dataset, Day from, Day end) {
  const std::vector<SampleShowing> showings = sample_days(dataset, from, end);
  dataset.append(showings);
  return store_->add_showings(dataset.info().key, showings);
}

core::Result<void> BookingLedger::add(DatasetInfo info, Day from, std::uint32_t day_count) {
  info.from = from;
  info.created_at = clock_.wall();
  const Catalogue catalogue = sample_catalogue();
  PARLEY_TRY(const std::int64_t key, store_->add_dataset(info, catalogue));
  info.key = key;
  const std::string name = info.name;
  auto dataset =
      std::make_unique<Dataset>(std::move(info), std::make_shared<const Catalogue>(catalogue));
  core::Result<void> done = append_days(*dataset, from, from + days(static_cast<int>(day_count)));
  if (done) changed_[name] = std::move(dataset);
  return done;
}

core::Result<void> BookingLedger::remove(const std::string& name) {
  const Dataset* now = current(name);
  if (now == nullptr) return {};
  core::Result<void> done = store_->remove_dataset(now->info().key);
  if (done) changed_[name] = nullptr;
  return done;
}

core::Result<void> BookingLedger::make_room(DatasetKind kind, std::size_t limit) {
  std::vector<const DatasetInfo*> listed;
  for (const auto& [name, dataset] : committed_) {
    if (dataset->info().kind == kind && !changed_.contains(name))
      listed.push_back(&dataset->info());
  }
  for (const auto& [name, dataset] : changed_) {
    if (dataset && dataset->info().kind == kind) listed.push_back(&dataset->info());
  }
  std::sort(listed.begin(), listed.end(),
            [](const DatasetInfo* a, const DatasetInfo* b) { return a->key < b->key; });
  for (std::size_t i = 0; i + limit <= listed.size(); ++i) {
    const std::string name = listed[i]->name;
    core::Result<void> done = remove(name);
    if (!done) return done;
  }
  return {};
}

core::Result<void> BookingLedger::reset_default(const SampleSpec& spec, Day from) {
  const std::string name(kDefaultDataset);
  core::Result<void> done = remove(name);
  if (!done) return done;
  DatasetInfo info;
  info.name = name;
  info.kind = DatasetKind::standard;
  info.spec = spec;
  return add(std::move(info), from, spec.days);
}

core::Result<void> BookingLedger::add_named(const SampleSpec& spec, Day today) {
  const std::string name = sample_name(spec);
  if (current(name) != nullptr) return {};
  core::Result<void> done = make_room(DatasetKind::named, kMaxNamedDatasets);
  if (!done) return done;
  return add(named_info(spec), today, spec.days);
}

Dataset BookingLedger::sample_of(const SampleSpec& spec, Day from) {
  DatasetInfo info = named_info(spec);
  info.from = from;
  Dataset out(std::move(info), std::make_shared<const Catalogue>(sample_catalogue()));
  out.append(sample_days(out, from, from + days(static_cast<int>(spec.days))));
  return out;
}

Dataset BookingLedger::rolled(const Dataset& dataset, Day today) {
  Dataset out = dataset;
  if (!needs_roll(out, today)) return out;
  out.append(sample_days(out, std::max(out.end_day(), today), window_end(out, today)));
  const Day oldest = out.end_day() - days(kMaxKeptDays);
  if (out.showings().front().day < oldest) out.remove_before(oldest);
  return out;
}

BookingLedger::Answer<std::string> BookingLedger::add_copy(const CopySpec& copy, Day today) {
  core::Result<void> done = make_room(DatasetKind::copy, kMaxDatasetCopies);
  if (!done) return core::fail(std::move(done.error()));
  DatasetInfo info;
  info.name = "copy-" + core::random_hex(entropy_, kCopyIdBytes);
  info.kind = DatasetKind::copy;
  info.spec = copy.spec;
  std::string name = info.name;
  done = add(std::move(info), copy.from.value_or(today), copy.spec.days);
  if (!done) return core::fail(std::move(done.error()));
  return Outcome<std::string>(std::move(name));
}

bool BookingLedger::needs_roll(const Dataset& dataset, Day today) {
  return dataset.info().rolls() && dataset.end_day() < window_end(dataset, today);
}

core::Result<void> BookingLedger::roll(std::string_view name, Day today) {
  const Dataset* now = current(name);
  if (now == nullptr || !needs_roll(*now, today)) return {};
  Dataset& dataset = *change(name);
  core::Result<void> done =
      append_days(dataset, std::max(dataset.end_day(), today), window_end(dataset, today));
  if (!done) return done;
  const Day oldest = dataset.end_day() - days(kMaxKeptDays);
  if (dataset.showings().front().day >= oldest) return {};
  dataset.remove_before(oldest);
  return store_->remove_before(dataset.info().key, oldest);
}

BookingLedger::Answer<Booking> BookingLedger::book(std::string_view name,
                                                   const PlannedBooking& plan) {
  const Dataset* now = current(name);
  const Showing* showing = now == nullptr ? nullptr : now->showing(plan.showing);
  if (showing == nullptr) {
    return Outcome<Booking>(refuse(core::Code::not_found, kNoShowing));
  }
  std::vector<std::string> occupied;
  for (const std::uint8_t seat : plan.seats) {
    if (now->taken(*showing).test(seat)) occupied.push_back(seat_id(plan.showing, seat));
  }
  if (!occupied.empty()) {
    return Outcome<Booking>(refuse(core::Code::aborted,
                                   "A selected seat was just booked by someone else",
                                   std::move(occupied)));
  }
  StoredBooking stored;
  stored.dataset = now->info().key;
  Booking& booking = stored.booking;
  booking.id = core::new_id(clock_, entropy_);
  booking.showing = plan.showing;
  booking.customer_name = plan.customer_name;
  booking.customer_email = plan.customer_email;
  booking.total_price = plan.total_price;
  booking.created_at = clock_.wall();
  booking.seats = plan.seats;
  booking.tickets = plan.tickets;
  PARLEY_TRY_VOID(store_->add_booking(stored));
  Dataset& dataset = *change(name);
  for (const std::uint8_t seat : plan.seats) dataset.set_taken(plan.showing, seat, true);
  return Outcome<Booking>(std::move(booking));
}

BookingLedger::Answer<Booking> BookingLedger::book_shown(std::string_view name, Day from, Day today,
                                                         const PlannedBooking& plan) {
  core::Result<void> done;
  if (current(name) == nullptr) {
    const std::optional<SampleSpec> spec = parse_sample_name(name);
    // All seats of a new data set are free, so that only the showing may be missing.
    if (!spec || rolled(sample_of(*spec, from), today).showing(plan.showing) == nullptr) {
      return Outcome<Booking>(refuse(core::Code::not_found, kNoShowing));
    }
    done = add_named(*spec, from);
  }
  if (done) done = roll(name, today);
  if (!done) return core::fail(std::move(done.error()));
  return book(name, plan);
}

BookingLedger::Answer<Booking> BookingLedger::find(std::string_view id) {
  PARLEY_TRY(std::optional<StoredBooking> found, store_->find_booking(id));
  if (!found) return Outcome<Booking>(refuse(core::Code::not_found, "Booking not found"));
  return Outcome<Booking>(std::move(found->booking));
}

BookingLedger::Answer<Booking> BookingLedger::cancel(std::string_view id) {
  PARLEY_TRY(std::optional<StoredBooking> found, store_->find_booking(id));
  if (!found) return Outcome<Booking>(refuse(core::Code::not_found, "Booking not found"));
  StoredBooking& stored = *found;
  if (stored.booking.state == BookingState::cancelled) {
    return Outcome<Booking>(refuse(core::Code::failed_precondition, "Booking already cancelled"));
  }
  PARLEY_TRY_VOID(store_->cancel_booking(stored));
  stored.booking.state = BookingState::cancelled;
  if (const DatasetInfo* info = info_of(stored.dataset); info != nullptr) {
    const std::string name = info->name;
    Dataset& dataset = *change(name);
    for (const std::uint8_t seat : stored.booking.seats) {
      dataset.set_taken(stored.booking.showing, seat, false);
    }
  }
  return Outcome<Booking>(std::move(stored.booking));
}

}  // namespace parley::booking
