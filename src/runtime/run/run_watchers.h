// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/scheduler.h"
#include "base/core/string_map.h"
#include "runtime/run/run.h"

namespace parley::run {

// Subscriptions to changes of the list of runs. Thread-safe.
class RunWatchers {
 public:
  using OnRun = std::function<void(const Run& run)>;
  using OnRemoved = std::function<void(const std::string& session)>;

  class Watch;

  RunWatchers() = default;
  RunWatchers(const RunWatchers&) = delete;
  RunWatchers& operator=(const RunWatchers&) = delete;

  // Calls `on_run` on `scheduler` with each run of `owner` (id of the token) that begins, changes
  // its state, or ends, in the order of the changes: a page of the list that is read after this
  // call contains all changes before the first reported one. `on_removed`, if any, gets the deleted
  // sessions, in the same order. `scheduler` must outlive the watch.
  std::unique_ptr<Watch> watch(std::string owner, core::Scheduler& scheduler, OnRun on_run,
                               OnRemoved on_removed = {});

  // Reports a changed run. Always called on the same thread.
  void tell(const Run& run);
  // Reports that all runs of a session were removed from the list. On the same thread.
  void notify_removed(std::string_view owner, const std::string& session);

  std::size_t count() const;

 private:
  struct Entry {
    std::uint64_t number = 0;
    core::Scheduler* scheduler = nullptr;
    std::shared_ptr<const OnRun> on_run;
    std::shared_ptr<const OnRemoved> on_removed;
  };
  struct Entries {
    std::mutex mutex;  // guards the members below
    core::StringMap<std::vector<Entry>> of_owner;
    std::uint64_t last_number = 0;
  };

  const std::shared_ptr<Entries> entries_ = std::make_shared<Entries>();  // watches point to it
};

// Subscription for its lifetime. May be destroyed on any thread, and after the watchers; callbacks
// that were posted before still run.
class RunWatchers::Watch {
 public:
  Watch(std::weak_ptr<Entries> entries, std::string owner, std::uint64_t number)
      : entries_(std::move(entries)), owner_(std::move(owner)), number_(number) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

 private:
  const std::weak_ptr<Entries> entries_;
  const std::string owner_;
  const std::uint64_t number_;
};

}  // namespace parley::run
