// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/booking/booking_service.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/core/contain.h"
#include "base/core/result.h"

namespace parley::booking {
namespace {

// Largest number of jobs in one transaction.
constexpr std::size_t kMaxGroup = 256;
// Interval at which the thread checks for a new day.
constexpr std::chrono::seconds kRollInterval{60};

constexpr const char* kBusy = "Too many booking requests are waiting. Try again later.";
constexpr const char* kClosed = "The server is shutting down.";
constexpr const char* kNotDone = "The booking backend failed";

// The code of a request that the store did not take.
core::Code code_of(const core::Error& error) {
  const bool is_passing =
      error.code == core::Code::unavailable || error.code == core::Code::owned_elsewhere;
  return is_passing ? core::Code::unavailable : core::Code::internal;
}

bool is_home(const BookingOptions& options) { return !options.is_home || options.is_home(); }

core::Result<void> prepare(BookingLedger& ledger, const BookingOptions& options, Day today) {
  if (ledger.datasets().contains(kDefaultDataset)) return ledger.roll(kDefaultDataset, today);
  return ledger.reset_default(options.sample, today);
}

core::Result<void> fill(BookingLedger& ledger, const BookingOptions& options, Day today) {
  PARLEY_TRY_VOID(ledger.load());
  if (!is_home(options)) return {};
  PARLEY_TRY_VOID(ledger.begin());
  core::Result<void> done = prepare(ledger, options, today);
  if (!done) {
    ledger.roll_back();
    return done;
  }
  return ledger.commit();
}

}  // namespace

core::Result<std::unique_ptr<BookingService>> BookingService::open(BookingOptions options,
                                                                   const core::Clock& clock,
                                                                   core::Entropy& entropy) {
  PARLEY_TRY(auto store, BookingStore::open(options.place, options.vfs, options.fence));
  auto ledger = std::make_unique<BookingLedger>(std::move(store), clock, entropy);
  PARLEY_TRY_VOID(fill(*ledger, options, options.today(clock.wall())));
  return std::unique_ptr<BookingService>(
      new BookingService(std::move(options), clock, std::move(ledger)));
}

BookingService::BookingService(BookingOptions options, const core::Clock& clock,
                               std::unique_ptr<BookingLedger> ledger)
    : options_(std::move(options)), clock_(clock), ledger_(std::move(ledger)) {
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
  auto now = std::make_shared<const Datasets>(ledger_->datasets());
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

std::size_t BookingService::stored_datasets() const {
  const std::scoped_lock lock(datasets_mutex_);
  return datasets_->size();
}

BookingService::DatasetRef BookingService::view_of(std::string_view name, const DatasetRef& stored,
                                                   Day today) const {
  const std::scoped_lock lock(datasets_mutex_);
  const auto it = views_.find(name);
  if (it == views_.end() || it->second.stored != stored || it->second.day != today) return nullptr;
  return it->second.shown;
}

// Call on the service's thread. The view of a data set that is not stored continues yesterday's
// view, so that a showing keeps its id after midnight.
BookingService::DatasetRef BookingService::make_view(const std::string& name,
                                                     const SampleSpec& spec, Day today) {
  DatasetRef stored = lookup(name);
  if (stored && !BookingLedger::needs_roll(*stored, today)) return stored;
  if (DatasetRef known = view_of(name, stored, today)) return known;
  DatasetRef before = stored;
  if (!before) {
    const std::scoped_lock lock(datasets_mutex_);
    const auto it = views_.find(name);
    if (it != views_.end() && !it->second.stored) before = it->second.shown;
  }
  auto shown = std::make_shared<const Dataset>(before ? BookingLedger::rolled(*before, today)
                                                      : BookingLedger::sample_of(spec, today));
  const std::scoped_lock lock(datasets_mutex_);
  views_[name] = View{stored, today, shown, ++last_view_};
  if (views_.size() > kMaxViews) {
    views_.erase(std::min_element(views_.begin(), views_.end(), [](const auto& a, const auto& b) {
      return a.second.number < b.second.number;
    }));
  }
  return shown;
}

// The first day of a data set that is about to be stored, taken from its view.
Day BookingService::first_day_of(const std::string& name, Day today) const {
  const std::scoped_lock lock(datasets_mutex_);
  const auto it = views_.find(name);
  return it == views_.end() ? today : it->second.shown->info().from;
}

void BookingService::use_dataset(std::string_view name, core::Scheduler& scheduler,
                                 Done<DatasetRef> done) {
  if (name.empty()) name = kDefaultDataset;
  const Day today = options_.today(clock_.wall());
  const DatasetRef stored = lookup(name);
  if (stored && !BookingLedger::needs_roll(*stored, today)) return done(stored);
  std::optional<SampleSpec> spec = parse_sample_name(name);
  if (!stored && !name.starts_with("seed-")) {
    return done(refuse(core::Code::not_found, "Dataset not found"));
  }
  if (!stored && !spec) {
    return done(
        refuse(core::Code::invalid_argument,
               "The name of a dataset must be seed-N-D: N from 0 to 4294967295, D from 1 to " +
                   std::to_string(kMaxRequestedDays)));
  }
  if (DatasetRef shown = view_of(name, stored, today)) return done(std::move(shown));
  submit<DatasetRef>(
      false,
      [this, name = std::string(name), spec = spec.value_or(SampleSpec()),
       today](BookingLedger&) -> BookingLedger::Answer<DatasetRef> {
        return Outcome<DatasetRef>(make_view(name, spec, today));
      },
      kNotDone, scheduler, std::move(done));
}

void BookingService::add_copy(CopySpec copy, core::Scheduler& scheduler, Done<std::string> done) {
  if (core::Result<void> may = core::admit_work(options_.gate); !may) {
    return done(refuse(may.error().code, std::move(may.error().message)));
  }
  const Day today = options_.today(clock_.wall());
  submit<std::string>(
      true, [copy, today](BookingLedger& ledger) { return ledger.add_copy(copy, today); }, kNotDone,
      scheduler, std::move(done));
}

void BookingService::book(std::string dataset, PlannedBooking plan, core::Scheduler& scheduler,
                          Done<Booking> done) {
  if (core::Result<void> may = core::admit_work(options_.gate); !may) {
    return done(refuse(may.error().code, std::move(may.error().message)));
  }
  if (dataset.empty()) dataset = kDefaultDataset;
  const Day today = options_.today(clock_.wall());
  submit<Booking>(
      true,
      [this, dataset = std::move(dataset), plan = std::move(plan),
       today](BookingLedger& ledger) -> BookingLedger::Answer<Booking> {
        return ledger.book_shown(dataset, first_day_of(dataset, today), today, plan);
      },
      "Failed to create booking", scheduler, std::move(done));
}

void BookingService::find(std::string id, core::Scheduler& scheduler, Done<Booking> done) {
  submit<Booking>(
      false, [id = std::move(id)](BookingLedger& ledger) { return ledger.find(id); }, kNotDone,
      scheduler, std::move(done));
}

void BookingService::cancel(std::string id, core::Scheduler& scheduler, Done<Booking> done) {
  submit<Booking>(
      true, [id = std::move(id)](BookingLedger& ledger) { return ledger.cancel(id); },
      "Failed to cancel booking", scheduler, std::move(done));
}

template <typename T>
void BookingService::submit(bool writes,
                            absl::AnyInvocable<BookingLedger::Answer<T>(BookingLedger&)> work,
                            std::string failure, core::Scheduler& scheduler, Done<T> done) {
  auto outcome = std::make_shared<Outcome<T>>(refuse(core::Code::internal, failure));
  Job job;
  job.writes = writes;
  job.work = [work = std::move(work),
              outcome](BookingLedger& ledger) mutable -> core::Result<void> {
    BookingLedger::Answer<T> answer = core::contain("booking", [&] { return work(ledger); });
    if (!answer) return core::fail(std::move(answer.error()));
    *outcome = std::move(*answer);
    return {};
  };
  auto callback = std::make_shared<Done<T>>(std::move(done));
  job.answer = [&scheduler, outcome, callback, failure](const core::Result<void>& stored) mutable {
    if (!stored) *outcome = refuse(code_of(stored.error()), failure);
    // The caller's objects are moved to its scheduler, so that none is destroyed on this thread.
    scheduler.post([outcome = std::move(outcome), callback = std::move(callback)] {
      (*callback)(std::move(*outcome));
    });
  };
  if (push(job)) return;
  const bool closed = [this] {
    const std::scoped_lock lock(mutex_);
    return stopping_;
  }();
  (*callback)(refuse(core::Code::unavailable, closed ? kClosed : kBusy));
}

void BookingService::take_up(core::Scheduler& scheduler, core::Task done) {
  Job job;
  job.work = [this](BookingLedger& ledger) {
    return core::contain("booking", [&]() -> core::Result<void> {
      PARLEY_TRY_VOID(ledger.load());
      return prepare(ledger, options_, options_.today(clock_.wall()));
    });
  };
  job.answer = [this, &scheduler, done = std::move(done)](const core::Result<void>& taken) mutable {
    const bool is_over = taken || taken.error().code == core::Code::owned_elsewhere;
    scheduler.post([this, &scheduler, is_over, done = std::move(done)]() mutable {
      if (is_over) return done();
      scheduler.after(kTakeUpPause, [this, &scheduler, done = std::move(done)]() mutable {
        take_up(scheduler, std::move(done));
      });
    });
  };
  if (!push(job)) job.answer(core::fail(core::Code::unavailable, kBusy));
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
      const bool came =
          arrived_.wait_for(lock, kRollInterval, [this] { return stopping_ || !jobs_.empty(); });
      if (!came) {
        lock.unlock();
        static_cast<void>(core::contain("booking", [this] { roll_all(); }));
        continue;
      }
      if (jobs_.empty()) return;
      while (!jobs_.empty() && group.size() < kMaxGroup) {
        group.push_back(std::move(jobs_.front()));
        jobs_.pop_front();
      }
    }
    static_cast<void>(core::contain("booking", [this, &group] { run_group(group); }));
  }
}

// Rolls the stored data sets when a new day begins, independent of requests. Clients see views
// until that is committed.
void BookingService::roll_all() {
  if (!is_home(options_)) return;
  const Day today = options_.today(clock_.wall());
  std::vector<std::string> late;
  for (const auto& [name, dataset] : ledger_->datasets()) {
    if (BookingLedger::needs_roll(*dataset, today)) late.push_back(name);
  }
  if (late.empty()) return;
  std::vector<Job> group(1);
  group.front().work = [late = std::move(late), today](BookingLedger& ledger) {
    core::Result<void> done;
    for (auto name = late.begin(); done && name != late.end(); ++name) {
      done = ledger.roll(*name, today);
    }
    return done;
  };
  group.front().answer = [](const core::Result<void>& /*logged*/) {};
  run_group(group);
}

// Runs all jobs in one transaction; if that fails, each job in its own transaction, so that no job
// fails because of another.
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
    // A home that was lost is no fault of the store.
    const bool is_fault = !done && done.error().code != core::Code::owned_elsewhere;
    if (is_fault) spdlog::error("booking: {}", done.error().message);
    job.answer(std::move(done));
  }
}

core::Result<void> BookingService::try_group(std::vector<Job*>& group) {
  bool writes = false;
  for (const Job* job : group) writes = writes || job->writes;
  core::Result<void> done;
  if (writes) done = ledger_->begin();
  for (std::size_t i = 0; done && i < group.size(); ++i) done = group[i]->work(*ledger_);
  if (!writes) return done;
  if (!done) {
    ledger_->roll_back();
    return done;
  }
  done = ledger_->commit();
  if (done) publish();
  return done;
}

}  // namespace parley::booking
