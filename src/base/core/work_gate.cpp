// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/work_gate.h"

#include <utility>

namespace parley::core {

Result<void> WorkGate::admit() {
  Result<void> now = state();
  if (!now) refused_.fetch_add(1, std::memory_order_relaxed);
  return now;
}

Result<void> WorkGate::state() const {
  if (!closed_.load(std::memory_order_acquire)) return {};
  const std::scoped_lock lock(mutex_);
  return fail(Code::resource_exhausted, why_);
}

void WorkGate::close(std::string why) {
  const std::scoped_lock lock(mutex_);
  why_ = std::move(why);
  closed_.store(true, std::memory_order_release);
}

void WorkGate::open() { closed_.store(false, std::memory_order_release); }

}  // namespace parley::core
