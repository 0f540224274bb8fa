// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/auth/token_watch.h"

#include <utility>

namespace parley::auth {

// One allocation per connection, shared with the callbacks that are posted.
struct TokenWatch::Entry : boost::intrusive::list_base_hook<>,
                           boost::intrusive_ref_counter<TokenWatch::Entry> {
  Entry(TokenWatchers& all, core::Scheduler& thread, core::Task task)
      : watchers(all), scheduler(thread), on_end(std::move(task)) {}

  TokenWatchers& watchers;
  TokenWatchers::ById::iterator group;
  core::Scheduler& scheduler;
  core::Task on_end;
};

TokenWatch::TokenWatch() = default;
TokenWatch::TokenWatch(TokenWatch&&) noexcept = default;
TokenWatch::TokenWatch(boost::intrusive_ptr<Entry> entry) : entry_(std::move(entry)) {}
TokenWatch::~TokenWatch() { reset(); }

TokenWatch& TokenWatch::operator=(TokenWatch&& other) noexcept {
  if (this != &other) {
    reset();
    entry_ = std::move(other.entry_);
  }
  return *this;
}

void TokenWatch::reset() {
  if (entry_ == nullptr) return;
  entry_->watchers.remove(*entry_);
  entry_.reset();
}

TokenWatchers::TokenWatchers() = default;
TokenWatchers::~TokenWatchers() = default;

TokenWatch TokenWatchers::watch(std::string_view workspace, core::Scheduler& scheduler,
                                core::Task on_end) {
  boost::intrusive_ptr<TokenWatch::Entry> entry(
      new TokenWatch::Entry(*this, scheduler, std::move(on_end)));
  const std::scoped_lock lock(mutex_);
  entry->group = by_id_.try_emplace(std::string(workspace)).first;
  entry->group->second.push_back(*entry);
  return TokenWatch(std::move(entry));
}

void TokenWatchers::remove(TokenWatch::Entry& entry) {
  const std::scoped_lock lock(mutex_);
  Entries& entries = entry.group->second;
  entries.erase(entries.iterator_to(entry));
  if (entries.empty()) by_id_.erase(entry.group);
}

void TokenWatchers::tell(std::string_view workspace) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_id_.find(workspace);
  if (found == by_id_.end()) return;
  for (TokenWatch::Entry& entry : found->second) {
    entry.scheduler.post([kept = boost::intrusive_ptr(&entry)] { kept->on_end(); });
  }
}

std::size_t TokenWatchers::size() const {
  const std::scoped_lock lock(mutex_);
  std::size_t count = 0;
  for (const auto& [id, entries] : by_id_) count += entries.size();
  return count;
}

}  // namespace parley::auth
