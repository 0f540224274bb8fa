// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/core/work_gate.h"

namespace parley::event {

struct DiskLimits {
  std::string data_dir;
  std::uint64_t min_free_bytes = 256U << 20U;  // free bytes of the file system for unprivileged
                                               // users; 0: no limit
  std::uint64_t max_data_bytes = 0;            // size of the data directory; 0: no limit
};

// Measures the free space of the disk and the size of the data directory, in bytes. The real one
// calls statvfs and walks the directory; tests replace it. Both functions block.
struct DiskGauges {
  std::function<core::Result<std::uint64_t>(const std::string& folder)> free_bytes;
  std::function<core::Result<std::uint64_t>(const std::string& folder)> data_bytes;
  static DiskGauges real();
};

// Closes a gate while disk space is short, before the stores fail, and opens it once there is a
// tenth of the limit more room than required (hysteresis). Checks every kInterval; adds up the
// directory at most every kDataInterval and for at most a tenth of the time. A failed measurement
// is logged and changes nothing.
class DiskWatch : public std::enable_shared_from_this<DiskWatch> {
 public:
  static constexpr core::Millis kInterval{1'000};
  // Limit (The store): interval of checking `store.max_data`. Reached: checked again.
  static constexpr core::Millis kDataInterval{10'000};

  // `worker`: a thread that may wait for the disk. All arguments by reference outlive this object.
  DiskWatch(DiskLimits limits, core::WorkGate& gate, core::Scheduler& worker,
            DiskGauges gauges = DiskGauges::real());

  // Makes the first check on the caller's thread, the later ones on the worker's. Call once.
  void start();

  // Results of the last check. Any thread.
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
