// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "booking/booking_desk.h"
#include "core/scheduler.h"
#include "core/work_gate.h"

namespace parley::booking {

struct BookingOptions {
  std::string data_dir;
  // Of the default data set, if there is none yet; days from 1 to kMaxDefaultDays.
  SampleSpec sample;
  std::size_t max_waiting = 1'024;  // requests that wait for the store; more are refused
  // The day that it is at the theater. Called on any thread.
  std::function<Day(core::WallTime)> today = local_day;
  std::string vfs;                 // SQLite's; empty: the default one
  core::WorkGate* gate = nullptr;  // asked before a booking or a copy is made; null: all are
};

// The booking backend of a data directory. Thread-safe. What is shown is answered from memory on
// the caller's thread; what changes something goes to one thread of its own, which commits what
// waits in one group, so no shard ever waits for the disk. Each callback runs once: on the
// scheduler that is named, or before the call returns. Schedulers outlive close(), and the service
// outlives the tasks that they have left to run. Refusals beside
// those of the contract: `unavailable` (too much waits, or it is closed), `internal` (the store
// failed; the log says why).
class BookingService {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(Outcome<T>)>;
  using DatasetRef = std::shared_ptr<const Dataset>;

  // Opens or makes DATA/booking.db, fills an empty one with the sample, rolls the default data set
  // to today, and starts the thread. Errors as BookingStore::open(), `data_loss`.
  static core::Result<std::unique_ptr<BookingService>> open(BookingOptions options,
                                                            const core::Clock& clock,
                                                            core::Entropy& entropy);
  ~BookingService();  // close()
  BookingService(const BookingService&) = delete;
  BookingService& operator=(const BookingService&) = delete;

  // The data set of this name as it is now; an empty name is the default one. Changes nothing: a
  // "seed-N-D" that is not stored, and days that are still to be added, are made in memory, and
  // stored by the first booking. Refuses: `not_found`, `invalid_argument` (a name that is none).
  void use_dataset(std::string_view name, core::Scheduler& scheduler, Done<DatasetRef> done);
  void add_copy(CopySpec copy, core::Scheduler& scheduler, Done<std::string> done);

  // `plan` is of this data set's Dataset::plan().
  void book(std::string dataset, PlannedBooking plan, core::Scheduler& scheduler,
            Done<Booking> done);
  void find(std::string id, core::Scheduler& scheduler, Done<Booking> done);
  void cancel(std::string id, core::Scheduler& scheduler, Done<Booking> done);

  // Data sets that are stored, with the default one.
  std::size_t stored_datasets() const;

  // Answers what waits and ends the thread. What comes later is refused.
  void close();

 private:
  // One thing to do: `work` may run again after a failed group, `answer` runs once.
  struct Job {
    bool writes = true;
    absl::AnyInvocable<core::Result<void>(BookingDesk&)> work;
    absl::AnyInvocable<void(core::Result<void>)> answer;
  };

  BookingService(BookingOptions options, const core::Clock& clock,
                 std::unique_ptr<BookingDesk> desk);

  template <typename T>
  void submit(bool writes, absl::AnyInvocable<BookingDesk::Answer<T>(BookingDesk&)> work,
              std::string failure, core::Scheduler& scheduler, Done<T> done);
  // A data set as it is shown, while it is stored with other days or not at all.
  struct View {
    DatasetRef stored;  // null: not at all
    Day day;
    DatasetRef shown;
    std::uint64_t number = 0;  // counts the views that there have been
  };
  // Views that are kept; over it the oldest goes.
  static constexpr std::size_t kMaxViews = 64;

  DatasetRef lookup(std::string_view name) const;
  DatasetRef view_of(std::string_view name, const DatasetRef& stored, Day today) const;
  DatasetRef make_view(const std::string& name, const SampleSpec& spec, Day today);
  Day first_day_of(const std::string& name, Day today) const;
  bool push(Job& job);
  void run();
  void roll_all();
  void run_group(std::vector<Job>& group);
  core::Result<void> try_group(std::vector<Job*>& group);
  void publish();

  const BookingOptions options_;
  const core::Clock& clock_;
  std::unique_ptr<BookingDesk> desk_;  // of the thread
  mutable std::mutex datasets_mutex_;  // held for a copy of a pointer, no longer
  std::shared_ptr<const Datasets> datasets_;
  std::map<std::string, View, std::less<>> views_;  // with datasets_mutex_
  std::uint64_t last_view_ = 0;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Job> jobs_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all the others
};

}  // namespace parley::booking
