// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <set>
#include <string>

#include "core/scheduler.h"

namespace parley::agent {

// How many sub-agents of one run are at work at the same time. One that waits for its own
// sub-agents gives its slot up meanwhile, so that nesting cannot come to a standstill. One thread:
// the run's.
class SubAgentSlots : public std::enable_shared_from_this<SubAgentSlots> {
 public:
  explicit SubAgentSlots(std::size_t limit) : limit_(limit) {}

  // A place of one sub-agent. Is given up when it is destroyed.
  class Slot {
   public:
    explicit Slot(std::shared_ptr<SubAgentSlots> slots) : slots_(std::move(slots)) {}
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() { yield(); }
    // Waits for a place, then goes on: at once if there is one or it is held already. Who has
    // waited longest comes first. Whoever waits keeps the slot alive.
    void take(core::Task go_on);
    void yield();
    bool held() const { return held_; }

   private:
    friend class SubAgentSlots;
    std::shared_ptr<SubAgentSlots> slots_;
    bool held_ = false;
  };

  std::size_t taken() const { return taken_; }
  // Takes the id of a call for a sub-agent, unless another one has it.
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
