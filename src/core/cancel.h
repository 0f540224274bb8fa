// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "core/scheduler.h"

namespace parley::core {

// Whether somebody wants a piece of work to end, and who is to be told when they do. One thread:
// the scheduler on which the work was begun. Copies share one state. A default-made token is never
// cancelled.
class CancelToken {
  struct State;

 public:
  // Ends the wish to be told when it is destroyed. May outlive the source.
  class Registration {
   public:
    Registration() = default;
    Registration(Registration&& other) noexcept { *this = std::move(other); }
    Registration& operator=(Registration&& other) noexcept;
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    ~Registration() { reset(); }
    void reset();

   private:
    friend class CancelToken;
    std::weak_ptr<State> state_;
    std::uint64_t id_ = 0;
  };

  CancelToken() = default;
  bool cancelled() const;
  // Why, a sentence; empty if not cancelled.
  const std::string& reason() const;
  // Runs `told` once when it is cancelled; at once if it is already. Told in order of registration.
  [[nodiscard]] Registration on_cancel(Task told) const;

 private:
  friend class CancelSource;
  explicit CancelToken(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// Whoever may cancel. Destroying it cancels nothing.
class CancelSource {
 public:
  CancelSource();
  // Is cancelled with its parent, or alone.
  explicit CancelSource(const CancelToken& parent);
  CancelToken token() const { return CancelToken(state_); }
  // The first call counts; later ones do nothing.
  void cancel(std::string reason);
  // Nobody is told any more, and what was kept to tell them goes: for work that is let go of
  // without an end. The same with the sources whose parent this is.
  void forget();

 private:
  std::shared_ptr<CancelToken::State> state_;
  CancelToken::Registration parent_;
};

}  // namespace parley::core
