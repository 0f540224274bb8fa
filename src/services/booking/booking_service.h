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
#include "base/core/scheduler.h"
#include "base/core/work_gate.h"
#include "base/sql/store_place.h"
#include "services/booking/booking_ledger.h"

namespace parley::booking {

// The pause before a home reads the bookings again, after a failure.
inline constexpr core::Millis kTakeUpPause{500};

struct BookingOptions {
  sql::StorePlace place;
  // Parameters of the default data set, used if it does not exist; days from 1 to kMaxDefaultDays.
  SampleSpec sample;
  // Limit (Booking): requests that wait for the store. Reached: 503.
  std::size_t max_waiting = 1'024;  // requests that wait for the store; more are refused
  // The current day at the theater. Called on any thread.
  std::function<Day(core::WallTime)> today = local_day;
  std::string vfs;                 // SQLite's VFS; empty: the default one
  core::WorkGate* gate = nullptr;  // consulted before a booking or a copy is made; null: all are
                                   // admitted
  // In a cluster: true while this node is the home of all bookings. Null: always.
  std::function<bool()> is_home = nullptr;
  // In a database: another server may have become that home. Null: none can.
  BookingStore::Fence fence = nullptr;
};

// The booking backend of a data directory. Thread-safe. Reads of data sets are answered from memory
// on the caller's thread; other calls run on the service's own thread, which commits waiting jobs
// in groups, so that no shard waits for the disk. Each callback runs once: on the scheduler that is
// passed, or before the call returns. Schedulers must outlive close(), and the service must outlive
// the tasks that it has posted to them. Refusals in addition to those of the contract:
// `unavailable` (too many requests wait, or the service is closed), `internal` (the store failed;
// the log has the reason).
class BookingService {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(Outcome<T>)>;
  using DatasetRef = std::shared_ptr<const Dataset>;

  // Opens or creates DATA/booking.db, fills an empty one with the sample, rolls the default data
  // set to today (in a cluster its home alone), and starts the thread. Errors as
  // BookingStore::open(), `data_loss`.
  static core::Result<std::unique_ptr<BookingService>> open(BookingOptions options,
                                                            const core::Clock& clock,
                                                            core::Entropy& entropy);
  ~BookingService();  // close()
  BookingService(const BookingService&) = delete;
  BookingService& operator=(const BookingService&) = delete;

  // The current state of the data set with this name; an empty name means the default one. Stores
  // nothing: a "seed-N-D" that is not stored and missing days are made in memory; the first booking
  // stores them. Refuses: `not_found`, `invalid_argument` (not a name of a data set).
  void use_dataset(std::string_view name, core::Scheduler& scheduler, Done<DatasetRef> done);
  void add_copy(CopySpec copy, core::Scheduler& scheduler, Done<std::string> done);

  // `plan` was made by Dataset::plan() of this data set.
  void book(std::string dataset, PlannedBooking plan, core::Scheduler& scheduler,
            Done<Booking> done);
  void find(std::string id, core::Scheduler& scheduler, Done<Booking> done);
  void cancel(std::string id, core::Scheduler& scheduler, Done<Booking> done);

  // This node has become the home of all bookings and does not serve them yet: reads again what is
  // stored, and prepares it as open() does; again after kTakeUpPause while that fails. Any thread;
  // `done` runs on `scheduler` when it is done, or when another node has become the home.
  void take_up(core::Scheduler& scheduler, core::Task done);

  // Number of stored data sets, including the default one.
  std::size_t stored_datasets() const;

  // Completes the waiting requests and ends the thread. Later requests are refused.
  void close();

 private:
  // One request: `work` may run again after a failed group, `answer` runs once.
  struct Job {
    bool writes = true;
    absl::AnyInvocable<core::Result<void>(BookingLedger&)> work;
    absl::AnyInvocable<void(core::Result<void>)> answer;
  };

  BookingService(BookingOptions options, const core::Clock& clock,
                 std::unique_ptr<BookingLedger> ledger);

  template <typename T>
  void submit(bool writes, absl::AnyInvocable<BookingLedger::Answer<T>(BookingLedger&)> work,
              std::string failure, core::Scheduler& scheduler, Done<T> done);
  // A data set as shown today, if it is not stored or stored with other days.
  struct View {
    DatasetRef stored;  // null: not stored
    Day day;
    DatasetRef shown;
    std::uint64_t number = 0;  // ascending: the oldest view has the smallest number
  };
  // Limit of views; beyond it the oldest view is dropped.
  // Limit (Booking): data sets that are shown and not stored, in memory. Reached: the oldest is
  // generated again when it is read.
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
  std::unique_ptr<BookingLedger> ledger_;  // used by the thread
  mutable std::mutex datasets_mutex_;      // held only to copy a pointer or to access views_
  std::shared_ptr<const Datasets> datasets_;
  std::map<std::string, View, std::less<>> views_;  // guarded by datasets_mutex_
  std::uint64_t last_view_ = 0;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Job> jobs_;
  bool stopping_ = false;
  std::thread thread_;  // last member: it uses all the others
};

}  // namespace parley::booking
