// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "programs/typing/segment.h"

namespace parley::typing {

// Something that types into the window that has the focus. Blocks until all is typed.
class Keyboard {
 public:
  Keyboard() = default;
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;
  virtual ~Keyboard() = default;

  virtual std::string name() const = 0;  // "XTest", "wtype", ...
  // Errors: `unavailable`: it cannot, or can no longer; `cancelled`: it was stopped.
  virtual core::Result<void> type(const std::vector<Segment>& segments) = 0;
};

struct TypingPace {
  std::chrono::milliseconds of_key{1};
  std::chrono::milliseconds of_segment{10};
  // Ends it between two keys when it comes true, with `cancelled`. Null: nothing does.
  const std::atomic<bool>* stopped = nullptr;

  bool is_stopped() const { return stopped != nullptr && *stopped; }
};

}  // namespace parley::typing
