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

// The wish of a connection to hear when a token or a login of its workspace ends. Destroyed: no
// further call is posted; one that was posted before still comes, so that it must look whether its
// connection is there.
class TokenWatch {
 public:
  TokenWatch() = default;
  TokenWatch(const TokenWatch&) = delete;
  TokenWatch& operator=(const TokenWatch&) = delete;
  virtual ~TokenWatch() = default;
};

// All such wishes, by token id. Thread-safe; outlives what watch() gives.
class TokenWatchers {
 public:
  // Posts `gone` to `scheduler` with each tell() of this id.
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
