// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/orphaned_questions.h"

#include <utility>
#include <vector>

#include "model/session/interaction.h"

namespace parley::app {

struct OrphanedQuestions::Loading {
  event::SessionStore& store;
  core::Scheduler& scheduler;
  core::WallTime before;
  std::vector<event::PendingSession> sessions;
};

void OrphanedQuestions::load(event::SessionStore& store, core::Scheduler& scheduler) {
  auto loading = std::make_shared<Loading>(Loading{store, scheduler, scheduler.clock().wall(), {}});
  store.pending_sessions(
      scheduler,
      [this, loading](core::Result<std::vector<event::PendingSession>> sessions) mutable {
        if (!sessions) return;
        loading->sessions = std::move(*sessions);
        load_next(std::move(loading));
      });
}

// Reads one session after another: their questions together may need much memory.
void OrphanedQuestions::load_next(std::shared_ptr<Loading> loading) {
  if (loading->sessions.empty()) return;
  const std::string session = std::move(loading->sessions.back().id);
  loading->sessions.pop_back();
  loading->store.pending(
      session, loading->scheduler,
      [this, loading](const core::Result<std::vector<event::StoredInteraction>>& pending) mutable {
        if (pending) {
          for (const event::StoredInteraction& each : *pending) add(each, loading->before);
        }
        load_next(std::move(loading));
      });
}

void OrphanedQuestions::add(const event::StoredInteraction& pending, core::WallTime before) {
  if (!pending.row.key.starts_with(kKeyPrefix) || pending.row.opened_at >= before) return;
  const auto asked = session::interaction_from_payloads(pending.opened_payload, {});
  // A question of before askers were stored is not taken over.
  if (!asked || asked->asker.token.empty()) return;
  const std::lock_guard lock(mutex_);
  orphans_.emplace(Place{pending.row.session, asked->asker.token, pending.row.fingerprint},
                   Orphan{pending.row.key, pending.row.deadline});
}

std::optional<std::string> OrphanedQuestions::take(const Place& place, core::WallTime now) {
  const std::lock_guard lock(mutex_);
  for (auto found = orphans_.find(place); found != orphans_.end(); found = orphans_.find(place)) {
    Orphan orphan = std::move(orphans_.extract(found).mapped());
    if (orphan.deadline > now) return std::move(orphan.key);
  }
  return std::nullopt;
}

}  // namespace parley::app
