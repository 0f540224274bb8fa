// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/core/clock.h"
#include "model/event/commit_queue.h"
#include "model/event/retention.h"
#include "model/event/store_stats.h"
#include "model/event/unit_writer.h"

namespace parley::event {

// The only thread that writes: takes groups from its queue, commits each, and posts the answers,
// one task for each scheduler of a group. Runs the slices of retention between commits.
class WriteThread {
 public:
  struct Settings {
    GroupLimits group;
    Retention retention;
    std::function<void(const Unit&)> on_stored;  // may be empty
  };

  // `clock` outlives this.
  WriteThread(std::unique_ptr<UnitWriter> writer, const Settings& settings,
              const core::Clock& clock);
  ~WriteThread();
  WriteThread(const WriteThread&) = delete;
  WriteThread& operator=(const WriteThread&) = delete;

  // Any thread. False after drain() has begun; then `item` is unchanged.
  bool push(QueuedUnit& item);
  // True if flowing units of the session wait for their commit. Any thread.
  bool flowing_waits(const std::string& session) const;

  // Commits the waiting units and ends the thread.
  void drain();
  // Closes the connection. Call after drain(), once the other connections are closed.
  void finish();

  StoreStats stats() const;
  // Fails from a write that the disk or database refused, or a check that found it away, until one
  // succeeds. Such a store is probed every kProbeInterval. Any thread; does not wait.
  core::Result<void> writable() const;

  static constexpr std::chrono::seconds kProbeInterval{1};

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  void run();
  void commit_group(std::vector<QueuedUnit>& group);
  void finish_group(std::vector<QueuedUnit>& group);
  void begin_flowing(const std::string& session);
  void end_flowing(const std::string& session);
  void count_flowing(const Unit& unit, const core::Result<Revision>& result);
  void sweep_if_due(bool idle);
  void note_results();
  void note_fault(const core::Error& error);
  void note_success();
  TimePoint next_check() const;
  void probe_if_due();

  const Settings settings_;
  std::unique_ptr<UnitWriter> writer_;
  RetentionSweep retention_;
  CommitQueue queue_;
  TimePoint next_sweep_;
  TimePoint next_probe_;            // or check; max(): the last write succeeded, and none is needed
  std::vector<const Unit*> units_;  // units of the group in progress
  std::vector<core::Result<Revision>> results_;  // results of `units_`

  mutable std::mutex flowing_mutex_;
  absl::flat_hash_map<std::string, std::uint64_t> flowing_waiting_;  // units, by session
  std::atomic<std::uint64_t> groups_{0};
  std::atomic<std::uint64_t> units_done_{0};
  std::atomic<std::uint64_t> units_failed_{0};
  std::atomic<std::uint64_t> flowing_failed_{0};
  std::atomic<std::uint64_t> events_dropped_{0};
  std::atomic<std::uint64_t> sweeps_failed_{0};
  std::atomic<int> log_pages_{0};
  mutable std::mutex fault_mutex_;
  std::optional<core::Error> fault_;  // why the last write was refused
  std::thread thread_;                // declared last: uses the other members
};

}  // namespace parley::event
