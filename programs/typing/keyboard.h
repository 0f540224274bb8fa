// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "programs/typing/segment.h"

namespace parley::typing {

// Types into the window that has the focus. Blocks until everything is typed.
class Keyboard {
 public:
  Keyboard() = default;
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;
  virtual ~Keyboard() = default;

  virtual std::string name() const = 0;  // "XTest", "wtype", ...
  // Errors: `unavailable` (typing is impossible, or no longer possible), `cancelled` (stopped).
  virtual core::Result<void> type(const std::vector<Segment>& segments) = 0;
};

struct TypingPace {
  std::chrono::milliseconds of_key{1};
  std::chrono::milliseconds of_segment{10};
  // When it becomes true, typing ends between two keys with `cancelled`. Null: never.
  const std::atomic<bool>* stopped = nullptr;

  bool is_stopped() const { return stopped != nullptr && *stopped; }
};

}  // namespace parley::typing
