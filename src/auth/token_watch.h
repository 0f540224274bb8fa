// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/scheduler.h"

namespace parley::auth {

// Registration of a connection for the end of a token or a login of its workspace. After
// destruction no further callback is posted; one posted before still runs, so the callback must
// check that its connection still exists.
class TokenWatch {
 public:
  TokenWatch() = default;
  TokenWatch(const TokenWatch&) = delete;
  TokenWatch& operator=(const TokenWatch&) = delete;
  virtual ~TokenWatch() = default;
};

// All such registrations, by token id. Thread-safe; must outlive the objects that watch() returns.
class TokenWatchers {
 public:
  // Posts `gone` to `scheduler` at each tell() of this id.
  std::unique_ptr<TokenWatch> watch(std::string_view token_id, core::Scheduler& scheduler,
                                    core::Task gone);
  void tell(const std::string& token_id);
  std::size_t size() const;

 private:
  struct Entry {
    core::Scheduler& scheduler;
    std::shared_ptr<core::Task> gone;
  };
  using Entries = std::multimap<std::string, Entry>;
  class Registration;

  mutable std::mutex mutex_;
  Entries entries_;
};

}  // namespace parley::auth
