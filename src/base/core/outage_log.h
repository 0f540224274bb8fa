// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "base/core/result.h"

namespace parley::core {

// The log of something that is tried again and again: its first failure, and the success after it.
// Used by one thread at a time.
class OutageLog {
 public:
  // `what` fails: "accounts: changes of users cannot be read".
  explicit OutageLog(std::string what) : what_(std::move(what)) {}

  void note(const Result<void>& done);

 private:
  const std::string what_;
  bool failed_ = false;
};

}  // namespace parley::core
