// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/result.h"
#include "core/scheduler.h"
#include "core/work_gate.h"

namespace parley::event {

struct DiskLimits {
  std::string data_dir;
  std::uint64_t min_free_bytes = 256U << 20U;  // that the file system has left for us; 0: any
  std::uint64_t max_data_bytes = 0;            // of the data directory; 0: any
};

// How full the disk is. The real one asks statvfs and walks the directory; tests have their own.
// Both block.
struct DiskGauges {
  std::function<core::Result<std::uint64_t>(const std::string& folder)> free_bytes;
  std::function<core::Result<std::uint64_t>(const std::string& folder)> data_bytes;
  static DiskGauges real();
};

// Closes a gate while the data directory is short of room, before the stores fail, and opens it
// when there is room again: a tenth more than the limit, so that it does not swing. Looks once a
// second; the directory is added up less often, and never for more than a tenth of the time. A disk
// that cannot be asked is logged and changes nothing.
class DiskWatch : public std::enable_shared_from_this<DiskWatch> {
 public:
  static constexpr core::Millis kInterval{1'000};
  static constexpr core::Millis kDataInterval{10'000};

  // `worker`: a thread that may wait for the disk. All that is given outlives this.
  DiskWatch(DiskLimits limits, core::WorkGate& gate, core::Scheduler& worker,
            DiskGauges gauges = DiskGauges::real());

  // Looks for the first time, on the caller's thread, and then on the worker's. Once.
  void start();

  // As of the last look. Any thread.
  std::uint64_t free_bytes() const { return free_.load(std::memory_order_relaxed); }
  std::uint64_t data_bytes() const { return data_.load(std::memory_order_relaxed); }

 private:
  void look();
  void add_up();
  void arm();
  std::string why_closed() const;

  const DiskLimits limits_;
  core::WorkGate& gate_;
  core::Scheduler& worker_;
  const DiskGauges gauges_;
  std::atomic<std::uint64_t> free_{UINT64_MAX};
  std::atomic<std::uint64_t> data_{0};
  core::MonoTime next_sum_{};
  bool closed_ = false;
  bool failing_ = false;
};

}  // namespace parley::event
