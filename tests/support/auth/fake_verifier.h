// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "identity/auth/token_store.h"

namespace parley::auth {

// A Verifier with the tokens that a test gives it. Thread-safe.
class FakeVerifier final : public Verifier {
 public:
  // Makes `token` valid in `workspace`.
  void allow(std::string token, std::string workspace, std::string name = "test",
             Rights rights = Rights::all()) {
    const std::scoped_lock lock(mutex_);
    tokens_[std::move(token)] =
        Identity{std::move(workspace), std::move(name), std::nullopt, rights};
  }
  void forget(std::string_view token) {
    const std::scoped_lock lock(mutex_);
    const auto found = tokens_.find(std::string(token));
    if (found == tokens_.end()) return;
    const std::string workspace = found->second.workspace;
    tokens_.erase(found);
    watchers_.tell(workspace);
  }
  TokenWatchers& watchers() override { return watchers_; }
  std::size_t watches() const { return watchers_.size(); }
  // While true, every wrong token is answered `resource_exhausted`.
  void set_exhausted(bool exhausted) {
    const std::scoped_lock lock(mutex_);
    exhausted_ = exhausted;
  }

  core::Result<Identity> verify(std::string_view token, std::string_view /*peer*/) override {
    const std::scoped_lock lock(mutex_);
    const auto found = tokens_.find(std::string(token));
    if (found != tokens_.end()) return found->second;
    if (exhausted_) return core::fail(core::Code::resource_exhausted, "Too many wrong tokens.");
    return core::fail(core::Code::unauthenticated, "This token is not valid.");
  }

 private:
  TokenWatchers watchers_;
  std::mutex mutex_;
  std::map<std::string, Identity> tokens_;
  bool exhausted_ = false;
};

}  // namespace parley::auth
