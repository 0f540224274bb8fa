// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "server/orphan_shelf.h"

#include <utility>
#include <vector>

#include "session/interaction.h"

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
                    const auto asked = session::interaction_from_payloads(each.opened_payload, {});
                    // A question of before askers were stored is not taken over.
                    if (!asked || asked->asker.token.empty()) continue;
                    orphans_.emplace(
                        Place{each.row.session, asked->asker.token, each.row.fingerprint},
                        Orphan{each.row.key, each.row.deadline});
                  }
                });
}

std::optional<std::string> OrphanShelf::take(const Place& place, core::WallTime now) {
  const std::lock_guard lock(mutex_);
  for (auto found = orphans_.find(place); found != orphans_.end(); found = orphans_.find(place)) {
    Orphan orphan = std::move(orphans_.extract(found).mapped());
    if (orphan.deadline > now) return std::move(orphan.key);
  }
  return std::nullopt;
}

}  // namespace parley::app
