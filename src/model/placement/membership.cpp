// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/placement/membership.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace parley::placement {

using core::Code;

Membership::Membership(NodeDescription self, HomeStore& store, HomeMap& map, HomeUser& user,
                       const core::Clock& clock)
    : self_(std::move(self)), store_(store), map_(map), user_(user), clock_(clock) {}

core::MonoTime Membership::step() {
  if (ended_) return core::MonoTime::max();
  if (clock_.mono() >= next_renewal_) {
    placer_ ? renew() : join();
  } else if (!to_give_back_.empty()) {
    give_back();
  } else if (!to_take_.empty()) {
    take();
  }
  if (ended_) return core::MonoTime::max();
  return to_give_back_.empty() && to_take_.empty() ? next_renewal_ : clock_.mono();
}

template <typename T>
bool Membership::noted(const core::Result<T>& result) {
  if (result) {
    if (std::exchange(trouble_, std::nullopt)) user_.on_trouble(std::nullopt);
    return true;
  }
  const bool is_new = !trouble_ || trouble_->message != result.error().message;
  trouble_ = result.error();
  if (is_new) user_.on_trouble(trouble_);
  return false;
}

void Membership::end(core::Error why) {
  ended_ = std::move(why);
  user_.on_ended(*ended_);
}

void Membership::join() {
  const core::MonoTime sent = clock_.mono();
  const core::Result<NodeId> id = store_.join(self_);
  if (noted(id)) {
    placer_.emplace(*id, map_);
    drains_ = false;
    next_renewal_ = sent;
    refused_since_.reset();
    return;
  }
  next_renewal_ = sent + kRenewalAfterFailure;
  if (id.error().code != Code::already_exists) return;
  // The other one may have died on another machine: its lease ends.
  if (!refused_since_) refused_since_ = sent;
  if (sent - *refused_since_ > kLease + kRenewal) end(id.error());
}

void Membership::renew() {
  const core::MonoTime sent = clock_.mono();
  if (wants_to_drain_ != drains_ && noted(store_.set_draining(id(), wants_to_drain_))) {
    drains_ = wants_to_drain_;
  }
  const core::Result<View> view = store_.renew(id());
  next_renewal_ = sent + (view ? kRenewal : kRenewalAfterFailure);
  if (noted(view)) {
    user_.on_view(*view, id());
    tell(placer_->renewed(sent, *view));
    return plan();
  }
  const Code code = view.error().code;
  if (code != Code::not_found && code != Code::already_exists) return;
  tell(placer_->left());
  placer_.reset();
  to_take_.clear();
  to_give_back_.clear();
  next_renewal_ = sent;
  if (code == Code::already_exists) end(view.error());
}

void Membership::plan() {
  to_take_ = placer_->to_take();
  const std::vector<Slot> again = placer_->to_give_again();
  to_give_back_.insert(to_give_back_.end(), again.begin(), again.end());
  begin_to_leave();
}

void Membership::begin_to_leave() {
  const std::vector<Slot> leaving = placer_->begin_to_leave();
  if (leaving.empty()) return;
  user_.on_leaving(leaving, [this, leaving, of = id()] {
    if (of != id()) return;
    to_give_back_.insert(to_give_back_.end(), leaving.begin(), leaving.end());
  });
}

void Membership::take() {
  const std::vector<Slot> slots = std::exchange(to_take_, {});
  const core::Result<std::vector<TakenSlot>> taken = store_.take(id(), slots);
  if (!noted(taken)) return;  // the next view shows what was taken
  tell(placer_->took(*taken));
  if (!taken->empty()) to_take_ = placer_->to_take();
}

// The slots are not served any more before another node can take them. If the call fails, the next
// view shows them as this node's, and they are given again.
void Membership::give_back() {
  const std::vector<Slot> slots = std::exchange(to_give_back_, {});
  tell(placer_->give_back(slots));
  if (noted(store_.give_back(id(), slots))) begin_to_leave();
}

void Membership::leave() {
  ended_ = core::Error{Code::cancelled, "The node has left the cluster.", ""};
  if (!placer_) return;
  const core::Result<void> done = store_.leave(id());
  if (!done) spdlog::warn("cluster: this node did not leave: {}", done.error().message);
  tell(placer_->left());
  placer_.reset();
}

void Membership::tell(const HomeChanges& changes) {
  if (!changes.lost.empty()) user_.on_lost(changes.lost);
  if (changes.gained.empty()) return;
  user_.on_gained(changes.gained, [this, gained = changes.gained, of = id()] {
    if (of == id()) placer_->recovered(gained);
  });
}

}  // namespace parley::placement
