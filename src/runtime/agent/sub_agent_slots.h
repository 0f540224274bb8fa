// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <set>
#include <string>

#include "base/core/scheduler.h"

namespace parley::agent {

// Limits the sub-agents of one run that work at the same time. A sub-agent that waits for its own
// sub-agents yields its slot meanwhile, so that nesting cannot deadlock. Used on one thread: the
// run's.
class SubAgentSlots : public std::enable_shared_from_this<SubAgentSlots> {
 public:
  explicit SubAgentSlots(std::size_t limit) : limit_(limit) {}

  // Slot of one sub-agent; destruction yields it.
  class Slot {
   public:
    explicit Slot(std::shared_ptr<SubAgentSlots> slots) : slots_(std::move(slots)) {}
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() { yield(); }
    // Waits for a free slot, then calls `go_on`: at once if one is free or already held. First
    // come, first served. The caller keeps this object alive while it waits.
    void take(core::Task go_on);
    void yield();
    bool held() const { return held_; }

   private:
    friend class SubAgentSlots;
    std::shared_ptr<SubAgentSlots> slots_;
    bool held_ = false;
  };

  std::size_t taken() const { return taken_; }
  // Reserves the id of a call for a sub-agent; false if another one has it.
  bool claim(const std::string& call_id) { return call_ids_.insert(call_id).second; }

 private:
  struct Waiting {
    Slot* slot;
    core::Task go_on;
  };
  void serve();

  std::size_t limit_;
  std::size_t taken_ = 0;
  std::deque<Waiting> waiting_;
  std::set<std::string> call_ids_;
};

}  // namespace parley::agent
