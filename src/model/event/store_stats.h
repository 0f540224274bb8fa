// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace parley::event {

// Metrics of a store, for /metrics: counters, except those marked as gauges.
struct StoreStats {
  std::uint64_t groups = 0;
  std::uint64_t units = 0;
  std::uint64_t units_failed = 0;
  std::uint64_t flowing_failed = 0;
  std::uint64_t reads = 0;
  std::uint64_t checkpoints = 0;
  std::uint64_t checkpoints_failed = 0;
  std::uint64_t events_dropped = 0;  // dropped by retention
  std::uint64_t sweeps_failed = 0;   // slices of retention that failed
  std::size_t queue_bytes = 0;       // gauge
  int wal_pages = 0;                 // gauge

  // Adds those of another thread that writes.
  StoreStats& operator+=(const StoreStats& other) {
    groups += other.groups;
    units += other.units;
    units_failed += other.units_failed;
    flowing_failed += other.flowing_failed;
    reads += other.reads;
    checkpoints += other.checkpoints;
    checkpoints_failed += other.checkpoints_failed;
    events_dropped += other.events_dropped;
    sweeps_failed += other.sweeps_failed;
    queue_bytes += other.queue_bytes;
    wal_pages += other.wal_pages;
    return *this;
  }
};

}  // namespace parley::event
