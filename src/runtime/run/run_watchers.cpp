// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run_watchers.h"

namespace parley::run {

std::unique_ptr<RunWatchers::Watch> RunWatchers::watch(std::string owner,
                                                       core::Scheduler& scheduler, OnRun on_run,
                                                       OnRemoved on_removed) {
  const std::scoped_lock lock(entries_->mutex);
  const std::uint64_t number = ++entries_->last_number;
  entries_->of_owner[owner].push_back({number, &scheduler,
                                       std::make_shared<const OnRun>(std::move(on_run)),
                                       std::make_shared<const OnRemoved>(std::move(on_removed))});
  return std::make_unique<Watch>(entries_, std::move(owner), number);
}

void RunWatchers::tell(const Run& run) {
  const std::scoped_lock lock(entries_->mutex);
  const auto mine = entries_->of_owner.find(run.owner);
  if (mine == entries_->of_owner.end()) return;
  const auto shared = std::make_shared<const Run>(run);
  for (const Entry& entry : mine->second) {
    entry.scheduler->post([shared, on_run = entry.on_run] { (*on_run)(*shared); });
  }
}

void RunWatchers::notify_removed(std::string_view owner, const std::string& session) {
  const std::scoped_lock lock(entries_->mutex);
  const auto mine = entries_->of_owner.find(owner);
  if (mine == entries_->of_owner.end()) return;
  for (const Entry& entry : mine->second) {
    if (!*entry.on_removed) continue;
    entry.scheduler->post([session, on_removed = entry.on_removed] { (*on_removed)(session); });
  }
}

std::size_t RunWatchers::count() const {
  const std::scoped_lock lock(entries_->mutex);
  std::size_t all = 0;
  for (const auto& [owner, entries] : entries_->of_owner) all += entries.size();
  return all;
}

RunWatchers::Watch::~Watch() {
  const auto entries = entries_.lock();
  if (!entries) return;
  const std::scoped_lock lock(entries->mutex);
  const auto mine = entries->of_owner.find(owner_);
  if (mine == entries->of_owner.end()) return;
  std::erase_if(mine->second, [this](const Entry& entry) { return entry.number == number_; });
  if (mine->second.empty()) entries->of_owner.erase(mine);
}

}  // namespace parley::run
