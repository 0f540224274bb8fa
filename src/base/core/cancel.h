// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "base/core/scheduler.h"

namespace parley::core {

// The state of a cancellation, and the callbacks that wait for it. One thread: the scheduler on
// which the work was begun. Copies share one state. A default-constructed token is never cancelled.
class CancelToken {
  struct State;

 public:
  // Unregisters the callback on destruction. May outlive the source.
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
  // The reason for the cancellation, a sentence; empty if not cancelled.
  const std::string& reason() const;
  // Runs `told` once on cancellation; at once if already cancelled. Callbacks run in order of
  // registration.
  [[nodiscard]] Registration on_cancel(Task told) const;

 private:
  friend class CancelSource;
  explicit CancelToken(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// The cancelling side. Destruction does not cancel.
class CancelSource {
 public:
  CancelSource();
  // A source that is also cancelled when `parent` is, with the same reason.
  explicit CancelSource(const CancelToken& parent);
  CancelToken token() const { return CancelToken(state_); }
  // The first call decides; later calls do nothing.
  void cancel(std::string reason);
  // Drops all registered callbacks without running them, those of child sources included. For work
  // that is destroyed unfinished, whose callbacks may own this source.
  void forget();

 private:
  std::shared_ptr<CancelToken::State> state_;
  CancelToken::Registration parent_;
};

}  // namespace parley::core
