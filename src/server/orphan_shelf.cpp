// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "server/orphan_shelf.h"

#include <vector>

namespace parley::app {

void OrphanShelf::load(event::SessionStore& store, core::Scheduler& scheduler) {
  const core::WallTime now = scheduler.clock().wall();
  store.pending("", scheduler,
                [this, now](const core::Result<std::vector<event::StoredInteraction>>& pending) {
                  if (!pending) return;
                  const std::lock_guard lock(mutex_);
                  for (const event::StoredInteraction& each : *pending) {
                    if (!each.row.key.starts_with(kKeyPrefix) || each.row.opened_at >= now)
                      continue;
                    keys_.emplace(std::pair(each.row.session, each.row.fingerprint), each.row.key);
                  }
                });
}

std::optional<std::string> OrphanShelf::take(const std::string& session,
                                             const std::string& fingerprint) {
  const std::lock_guard lock(mutex_);
  const auto found = keys_.find(std::pair(session, fingerprint));
  if (found == keys_.end()) return std::nullopt;
  return std::move(keys_.extract(found).mapped());
}

}  // namespace parley::app
