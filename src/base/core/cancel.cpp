// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/cancel.h"

#include <vector>

namespace parley::core {

struct CancelToken::State {
  bool cancelled = false;
  std::string reason;
  std::uint64_t last_id = 0;
  std::map<std::uint64_t, Task> watchers;
  std::vector<std::weak_ptr<State>> children;  // sources that are cancelled with this one

  // Both lists are moved out first: destroying a callback may release the last reference to this
  // state or to a child's.
  static void forget(const std::shared_ptr<State>& state) {
    const std::map<std::uint64_t, Task> watchers = std::exchange(state->watchers, {});
    for (const std::weak_ptr<State>& child : std::exchange(state->children, {})) {
      if (const auto registered = child.lock()) forget(registered);
    }
  }
};

CancelToken::Registration& CancelToken::Registration::operator=(Registration&& other) noexcept {
  if (this == &other) return *this;
  reset();
  state_ = std::move(other.state_);
  id_ = std::exchange(other.id_, 0);
  return *this;
}

void CancelToken::Registration::reset() {
  if (const auto state = state_.lock()) state->watchers.erase(id_);
  state_.reset();
  id_ = 0;
}

bool CancelToken::cancelled() const { return state_ && state_->cancelled; }

const std::string& CancelToken::reason() const {
  static const std::string none;
  return state_ ? state_->reason : none;
}

CancelToken::Registration CancelToken::on_cancel(Task watchers) const {
  Registration registration;
  if (!state_) return registration;
  if (state_->cancelled) {
    watchers();
    return registration;
  }
  registration.state_ = state_;
  registration.id_ = ++state_->last_id;
  state_->watchers.emplace(registration.id_, std::move(watchers));
  return registration;
}

CancelSource::CancelSource() : state_(std::make_shared<CancelToken::State>()) {}

CancelSource::CancelSource(const CancelToken& parent) : CancelSource() {
  if (parent.state_) {
    auto& children = parent.state_->children;
    std::erase_if(children, [](const auto& child) { return child.expired(); });
    children.push_back(state_);
  }
  // Weak references: a strong one would let the parent's state keep itself alive through its own
  // callback.
  parent_ = parent.on_cancel([weak = std::weak_ptr(state_), above = std::weak_ptr(parent.state_)] {
    const auto from = above.lock();
    if (auto state = weak.lock(); state && from) {
      CancelSource self;
      self.state_ = std::move(state);
      self.cancel(from->reason);
    }
  });
}

void CancelSource::cancel(std::string reason) {
  const std::shared_ptr<CancelToken::State> state = state_;
  if (std::exchange(state->cancelled, true)) return;
  state->reason = std::move(reason);
  // A callback may unregister another one: no iterator is kept across a call.
  while (!state->watchers.empty()) {
    auto first = state->watchers.extract(state->watchers.begin());
    first.mapped()();
  }
}

void CancelSource::forget() { CancelToken::State::forget(state_); }

}  // namespace parley::core
