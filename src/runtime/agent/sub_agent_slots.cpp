// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/sub_agent_slots.h"

#include <utility>

namespace parley::agent {

void SubAgentSlots::Slot::take(core::Task go_on) {
  if (held_) {
    go_on();
    return;
  }
  const std::shared_ptr<SubAgentSlots> slots = slots_;
  slots->waiting_.push_back({this, std::move(go_on)});
  slots->serve();
}

void SubAgentSlots::Slot::yield() {
  if (!std::exchange(held_, false)) return;
  const std::shared_ptr<SubAgentSlots> slots = slots_;
  --slots->taken_;
  slots->serve();
}

void SubAgentSlots::serve() {
  while (taken_ < limit_ && !waiting_.empty()) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    if (!std::exchange(next.slot->held_, true)) ++taken_;
    next.go_on();
  }
}

}  // namespace parley::agent
