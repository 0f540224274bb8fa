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

#include "core/scheduler.h"
#include "core/string_map.h"
#include "runtime/run/run.h"

namespace parley::run {

// Who wants to know what changes in the list of runs. Thread-safe.
class RunWatchers {
 public:
  using OnRun = std::function<void(const Run& run)>;
  using OnRemoved = std::function<void(const std::string& session)>;

  class Watch;

  RunWatchers() = default;
  RunWatchers(const RunWatchers&) = delete;
  RunWatchers& operator=(const RunWatchers&) = delete;

  // Calls `on_run` on `scheduler` with each run of `owner` (id of the token) that begins, changes
  // its state, or ends, in the order in which the list is changed: a page of the list that is read
  // after this call holds all that was changed before what is told. `on_removed`, if any, gets the
  // sessions that are deleted, in the same order. `scheduler` outlives the watch.
  std::unique_ptr<Watch> watch(std::string owner, core::Scheduler& scheduler, OnRun on_run,
                               OnRemoved on_removed = {});

  // The list has changed. Always called on one thread.
  void tell(const Run& run);
  // All runs of a session have gone from the list. On the same thread.
  void tell_removed(std::string_view owner, const std::string& session);

  std::size_t count() const;

 private:
  struct Entry {
    std::uint64_t number = 0;
    core::Scheduler* scheduler = nullptr;
    std::shared_ptr<const OnRun> on_run;
    std::shared_ptr<const OnRemoved> on_removed;
  };
  struct Entries {
    std::mutex mutex;  // for what follows
    core::StringMap<std::vector<Entry>> of_owner;
    std::uint64_t last_number = 0;
  };

  const std::shared_ptr<Entries> entries_ = std::make_shared<Entries>();  // watches point to it
};

// While it lives, the runs of its owner are told. May be destroyed on any thread, and after the
// watchers; what was posted before still comes.
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
