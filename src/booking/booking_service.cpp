// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "booking/booking_service.h"

#include <spdlog/spdlog.h>

#include <iterator>

namespace parley::booking {
namespace {

// Jobs of one transaction.
constexpr std::size_t kMaxGroup = 256;

constexpr const char* kBusy = "The booking backend has too much to do. Try again.";
constexpr const char* kClosed = "The server is shutting down.";
constexpr const char* kNotDone = "The booking backend failed";

core::Result<void> fill(BookingDesk& desk, const BookingOptions& options, Day today) {
  core::Result<void> done = desk.load();
  if (done) done = desk.begin();
  if (!done) return done;
  if (desk.datasets().contains(kDefaultDataset)) {
    done = desk.roll(kDefaultDataset, today);
  } else {
    done = desk.reset_default(options.sample, today);
  }
  if (!done) {
    desk.roll_back();
    return done;
  }
  return desk.commit();
}

}  // namespace

core::Result<std::unique_ptr<BookingService>> BookingService::open(BookingOptions options,
                                                                   const core::Clock& clock,
                                                                   core::Entropy& entropy) {
  auto store = BookingStore::open(options.data_dir, options.vfs);
  if (!store) return core::fail(std::move(store.error()));
  auto desk = std::make_unique<BookingDesk>(std::move(*store), clock, entropy);
  core::Result<void> filled = fill(*desk, options, options.today(clock.wall()));
  if (!filled) return core::fail(std::move(filled.error()));
  return std::unique_ptr<BookingService>(
      new BookingService(std::move(options), clock, std::move(desk)));
}

BookingService::BookingService(BookingOptions options, const core::Clock& clock,
                               std::unique_ptr<BookingDesk> desk)
    : options_(std::move(options)), clock_(clock), desk_(std::move(desk)) {
  publish();
  thread_ = std::thread([this] { run(); });
}

BookingService::~BookingService() { close(); }

void BookingService::close() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void BookingService::publish() {
  auto now = std::make_shared<const Datasets>(desk_->datasets());
  const std::scoped_lock lock(datasets_mutex_);
  datasets_.swap(now);
}

BookingService::DatasetRef BookingService::lookup(std::string_view name) const {
  std::shared_ptr<const Datasets> all;
  {
    const std::scoped_lock lock(datasets_mutex_);
    all = datasets_;
  }
  const auto it = all->find(name);
  return it == all->end() ? nullptr : it->second;
}

void BookingService::use_dataset(std::string_view name, core::Scheduler& scheduler,
                                 Done<DatasetRef> done) {
  if (name.empty()) name = kDefaultDataset;
  const Day today = options_.today(clock_.wall());
  if (DatasetRef found = lookup(name)) {
    if (!BookingDesk::needs_roll(*found, today)) return done(std::move(found));
    const std::string key(name);
    return make_and_use(
        key, [key, today](BookingDesk& desk) { return desk.roll(key, today); }, scheduler,
        std::move(done));
  }
  if (!name.starts_with("seed-")) {
    return done(refuse(core::Code::not_found, "Dataset not found"));
  }
  const auto spec = parse_sample_name(name);
  if (!spec) {
    return done(refuse(core::Code::invalid_argument,
                       "A dataset is named seed-N-D: N from 0 to 4294967295, D from 1 to " +
                           std::to_string(kMaxRequestedDays)));
  }
  make_and_use(
      std::string(name), [spec, today](BookingDesk& desk) { return desk.add_named(*spec, today); },
      scheduler, std::move(done));
}

// What is made is looked up when it is durable. A data set that could not be rolled is used as it
// is: what it shows is still true.
void BookingService::make_and_use(std::string name,
                                  absl::AnyInvocable<core::Result<void>(BookingDesk&)> make,
                                  core::Scheduler& scheduler, Done<DatasetRef> done) {
  auto work = [make = std::move(make)](BookingDesk& desk) mutable -> BookingDesk::Answer<bool> {
    core::Result<void> made = make(desk);
    if (!made) return core::fail(std::move(made.error()));
    return Outcome<bool>(true);
  };
  submit<bool>(true, std::move(work), kNotDone, scheduler,
               [this, name = std::move(name), done = std::move(done)](Outcome<bool> made) mutable {
                 if (DatasetRef found = lookup(name)) return done(std::move(found));
                 if (!made) return done(tl::unexpected<Refusal>(std::move(made.error())));
                 done(refuse(core::Code::not_found, "Dataset not found"));
               });
}

void BookingService::add_copy(CopySpec copy, core::Scheduler& scheduler, Done<std::string> done) {
  const Day today = options_.today(clock_.wall());
  submit<std::string>(
      true, [copy, today](BookingDesk& desk) { return desk.add_copy(copy, today); }, kNotDone,
      scheduler, std::move(done));
}

void BookingService::book(std::string dataset, PlannedBooking plan, core::Scheduler& scheduler,
                          Done<Booking> done) {
  if (dataset.empty()) dataset = kDefaultDataset;
  submit<Booking>(
      true,
      [dataset = std::move(dataset), plan = std::move(plan)](BookingDesk& desk) {
        return desk.book(dataset, plan);
      },
      "Failed to create booking", scheduler, std::move(done));
}

void BookingService::find(std::string id, core::Scheduler& scheduler, Done<Booking> done) {
  submit<Booking>(
      false, [id = std::move(id)](BookingDesk& desk) { return desk.find(id); }, kNotDone, scheduler,
      std::move(done));
}

void BookingService::cancel(std::string id, core::Scheduler& scheduler, Done<Booking> done) {
  submit<Booking>(
      true, [id = std::move(id)](BookingDesk& desk) { return desk.cancel(id); },
      "Failed to cancel booking", scheduler, std::move(done));
}

template <typename T>
void BookingService::submit(bool writes,
                            absl::AnyInvocable<BookingDesk::Answer<T>(BookingDesk&)> work,
                            std::string failure, core::Scheduler& scheduler, Done<T> done) {
  auto outcome = std::make_shared<Outcome<T>>(refuse(core::Code::internal, failure));
  Job job;
  job.writes = writes;
  job.work = [work = std::move(work), outcome](BookingDesk& desk) mutable -> core::Result<void> {
    BookingDesk::Answer<T> answer = work(desk);
    if (!answer) return core::fail(std::move(answer.error()));
    *outcome = std::move(*answer);
    return {};
  };
  auto kept = std::make_shared<Done<T>>(std::move(done));
  job.answer = [&scheduler, outcome, kept, failure](const core::Result<void>& stored) mutable {
    if (!stored) *outcome = refuse(core::Code::internal, failure);
    // Nothing of the caller's stays behind on this thread.
    scheduler.post(
        [outcome = std::move(outcome), kept = std::move(kept)] { (*kept)(std::move(*outcome)); });
  };
  if (push(job)) return;
  const bool closed = [this] {
    const std::scoped_lock lock(mutex_);
    return stopping_;
  }();
  (*kept)(refuse(core::Code::unavailable, closed ? kClosed : kBusy));
}

bool BookingService::push(Job& job) {
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_ || jobs_.size() >= options_.max_waiting) return false;
    jobs_.push_back(std::move(job));
  }
  arrived_.notify_one();
  return true;
}

void BookingService::run() {
  while (true) {
    std::vector<Job> group;
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      while (!jobs_.empty() && group.size() < kMaxGroup) {
        group.push_back(std::move(jobs_.front()));
        jobs_.pop_front();
      }
    }
    run_group(group);
  }
}

// One transaction for all; if that fails, one for each, so that nobody fails for another's sake.
void BookingService::run_group(std::vector<Job>& group) {
  std::vector<Job*> all;
  all.reserve(group.size());
  for (Job& job : group) all.push_back(&job);
  const core::Result<void> together = try_group(all);
  for (Job& job : group) {
    core::Result<void> done = together;
    if (!together && group.size() > 1) {
      std::vector<Job*> one = {&job};
      done = try_group(one);
    }
    if (!done) spdlog::error("booking: {}", done.error().message);
    job.answer(std::move(done));
  }
}

core::Result<void> BookingService::try_group(std::vector<Job*>& group) {
  bool writes = false;
  for (const Job* job : group) writes = writes || job->writes;
  core::Result<void> done;
  if (writes) done = desk_->begin();
  for (std::size_t i = 0; done && i < group.size(); ++i) done = group[i]->work(*desk_);
  if (!writes) return done;
  if (!done) {
    desk_->roll_back();
    return done;
  }
  done = desk_->commit();
  if (done) publish();
  return done;
}

}  // namespace parley::booking
