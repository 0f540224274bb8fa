// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/core/clock.h"
#include "model/placement/slot.h"

namespace parley::placement {

// The slots of one node. Any thread reads, without a lock; one thread writes.
class HomeMap {
 public:
  // The epoch under which this node is the home of a slot; 0: it is not. Also while its lease may
  // be over: then nothing of the slot is served, but its sessions stay in memory, because nobody
  // may have taken it.
  Epoch epoch(Slot slot) const { return epochs_[slot].load(std::memory_order_acquire); }

  // True if this node may serve a slot at `now`: it is the home, the open questions are in memory,
  // the slot does not go to another node, and no other can be the home yet.
  bool serves(Slot slot, core::MonoTime now) const {
    return serving_[slot].load(std::memory_order_acquire) && lease_holds(now);
  }
  // False: others may have taken all of its slots.
  bool lease_holds(core::MonoTime now) const {
    return now.time_since_epoch().count() < until_.load();
  }

  void set_epoch(Slot slot, Epoch epoch) { epochs_[slot].store(epoch, std::memory_order_release); }
  void set_serving(Slot slot, bool serving) {
    serving_[slot].store(serving, std::memory_order_release);
  }
  void serve_until(core::MonoTime time) { until_.store(time.time_since_epoch().count()); }

 private:
  std::array<std::atomic<Epoch>, kSlots> epochs_{};
  std::array<std::atomic<bool>, kSlots> serving_{};
  std::atomic<std::int64_t> until_{0};
};

}  // namespace parley::placement
