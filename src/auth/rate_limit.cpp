// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "auth/rate_limit.h"

#include <utility>

namespace parley::auth {

bool FailureLimit::record(std::string_view address) {
  std::string peer(address);
  const core::MonoTime now = clock_.mono();
  const std::scoped_lock lock(mutex_);
  forget_old(now);
  const auto known = windows_.find(peer);
  if (known != windows_.end()) return ++known->second.failures <= kMaxFailures;
  if (windows_.size() >= kMaxFailingPeers) {
    windows_.erase(order_.front());
    order_.pop_front();
  }
  windows_.emplace(peer, Window{now, 1});
  order_.push_back(std::move(peer));
  return true;
}

void FailureLimit::forget_old(core::MonoTime now) {
  while (!order_.empty()) {
    const auto oldest = windows_.find(order_.front());
    if (oldest->second.begin + kFailureWindow > now) return;
    windows_.erase(oldest);
    order_.pop_front();
  }
}

std::size_t FailureLimit::peers() const {
  const std::scoped_lock lock(mutex_);
  return windows_.size();
}

}  // namespace parley::auth
