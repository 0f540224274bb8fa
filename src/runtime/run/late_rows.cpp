// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/late_rows.h"

#include <spdlog/spdlog.h>

namespace parley::run {

void LateRows::keep(const Run& run, event::HomeEpoch home) {
  if (rows_.size() >= kMaxLateRows && !rows_.contains(run.id)) {
    spdlog::error("run {}: the list of runs does not answer, and too many rows wait", run.id);
    return;
  }
  rows_.insert_or_assign(run.id, std::pair(run, home));
  if (!waits_) write_after_pause();
}

const Run* LateRows::find(const std::string& run_id) const {
  const auto found = rows_.find(run_id);
  return found == rows_.end() ? nullptr : &found->second.first;
}

void LateRows::write_after_pause() {
  waits_ = true;
  worker_.after(kLateRowPause, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->write();
  });
}

void LateRows::write() {
  waits_ = false;
  while (!rows_.empty()) {
    const auto first = rows_.begin();
    const auto& [run, home] = first->second;
    const core::Result<void> stored = index_.update(run, home);
    // The others would wait for the same database.
    if (!stored && stored.error().code == core::Code::unavailable) return write_after_pause();
    if (!stored) spdlog::error("run {}: {}", run.id, stored.error().message);
    rows_.erase(first);
  }
}

}  // namespace parley::run
