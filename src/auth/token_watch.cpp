// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "auth/token_watch.h"

#include <utility>

namespace parley::auth {

class TokenWatchers::Registration final : public TokenWatch {
 public:
  Registration(TokenWatchers& watchers, Entries::iterator entry)
      : watchers_(watchers), entry_(entry) {}
  ~Registration() override {
    std::shared_ptr<core::Task> unused;  // destroyed without the lock
    const std::scoped_lock lock(watchers_.mutex_);
    unused = std::move(entry_->second.gone);
    watchers_.entries_.erase(entry_);
  }

 private:
  TokenWatchers& watchers_;
  const Entries::iterator entry_;
};

std::unique_ptr<TokenWatch> TokenWatchers::watch(std::string_view token_id,
                                                 core::Scheduler& scheduler, core::Task gone) {
  const std::scoped_lock lock(mutex_);
  const auto entry = entries_.emplace(
      std::string(token_id), Entry{scheduler, std::make_shared<core::Task>(std::move(gone))});
  return std::make_unique<Registration>(*this, entry);
}

void TokenWatchers::tell(const std::string& token_id) {
  const std::scoped_lock lock(mutex_);
  const auto [begin, end] = entries_.equal_range(token_id);
  for (auto entry = begin; entry != end; ++entry) {
    entry->second.scheduler.post([gone = entry->second.gone] { (*gone)(); });
  }
}

std::size_t TokenWatchers::size() const {
  const std::scoped_lock lock(mutex_);
  return entries_.size();
}

}  // namespace parley::auth
