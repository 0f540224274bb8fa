// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/clock.h"

namespace parley::auth {

// Logs a warning when more than kFreeGuesses wrong secrets arrive within a minute, at most once a
// minute. Thread-safe.
class GuessWarning {
 public:
  // `what`: the name of the secrets in the log, such as "tokens".
  explicit GuessWarning(std::string what) : what_(std::move(what)) {}

  // Counts a wrong secret. `peer`: the address that it came from.
  void wrong(core::MonoTime now, std::string_view peer);

 private:
  const std::string what_;
  std::mutex mutex_;
  core::MonoTime begin_;
  std::uint64_t count_ = 0;
};

}  // namespace parley::auth
