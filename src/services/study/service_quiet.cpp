// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The part of the service that ends studies without a recorder. Used on the writing thread.
#include <algorithm>

#include "base/core/ask.h"
#include "services/study/service_state.h"

namespace parley::study {

using Impl = SqliteStudyService::Impl;

namespace {

// Limit of the interval between checks for abandoned studies; a shorter StudyOptions::abandon_after
// is checked more often.
constexpr core::Millis kSweepInterval = std::chrono::minutes(1);

}  // namespace

void Impl::begin_quiet(Study study, core::WallTime since) {
  const std::string id = study.id;
  quiet_.insert_or_assign(id, Quiet{std::move(study), since});
  arm_sweep();
}

bool Impl::is_abandoned(const Study& study) const {
  const auto found = quiet_.find(study.id);
  return found != quiet_.end() &&
         writes.clock().wall() - found->second.since >= options.abandon_after;
}

void Impl::arm_sweep() {
  if (sweep_timer_ != 0 || quiet_.empty()) return;
  sweep_timer_ = writes.after(std::min(kSweepInterval, options.abandon_after),
                              core::unless_gone(weak_from_this(), &Impl::sweep));
}

// A study remains in quiet_ until it has ended, so that a failed attempt is repeated, or until its
// owner has another home.
void Impl::sweep() {
  sweep_timer_ = 0;
  absl::erase_if(quiet_, [this](const auto& entry) {
    return options.is_home && !options.is_home(entry.second.study.start.owner);
  });
  const core::WallTime now = writes.clock().wall();
  for (auto& [id, quiet] : quiet_) {
    const StudyStart& start = quiet.study.start;
    const std::optional<OpenJournal> entry =
        journal_of(placement_key_of(start.owner, start.relay_session));
    if (entry && entry->held) {
      quiet.since = now;
    } else if (is_abandoned(quiet.study)) {
      retire(quiet.study);
    }
  }
  arm_sweep();
}

}  // namespace parley::study
