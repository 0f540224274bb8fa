// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/delivery_lane.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"

namespace parley::notify {

DeliveryLane::DeliveryLane(core::Scheduler& scheduler, core::Entropy& entropy, Notifier& notifier,
                           Events events)
    : scheduler_(scheduler),
      entropy_(entropy),
      notifier_(notifier),
      events_(std::move(events)),
      self_(std::make_shared<DeliveryLane*>(this)) {}

DeliveryLane::~DeliveryLane() { *self_ = nullptr; }

void DeliveryLane::push(Job job) {
  const auto owner = owners_.find(job.owner);
  const bool full = owner != owners_.end() && owner->second.items >= kMaxWaitingOfOwner;
  if (full || items_.size() >= kMaxWaitingNotices) {
    Item refused;
    refused.job = std::move(job);
    const std::size_t limit = full ? kMaxWaitingOfOwner : kMaxWaitingNotices;
    return fail(refused, "More than " + std::to_string(limit) + " notices wait.");
  }
  const std::uint64_t id = ++last_id_;
  ++owners_[job.owner].items;
  items_[id].job = std::move(job);
  waiting_ = items_.size();
  make_ready(id);
  next();
}

void DeliveryLane::make_ready(std::uint64_t id) {
  owners_.at(items_.at(id).job.owner).ready.push_back(id);
}

void DeliveryLane::drop(const std::string& interaction) {
  for (auto it = items_.begin(); it != items_.end();) {
    Item& item = it->second;
    const std::uint64_t id = it->first;
    ++it;
    if (item.job.interaction != interaction || item.job.make == nullptr) continue;
    if (item.in_attempt) {
      item.dropped = true;
    } else {
      remove(id);
    }
  }
}

LaneState DeliveryLane::state() const {
  LaneState state = state_;
  state.delivered = delivered_;
  state.failures = failures_;
  state.waiting = items_.size();
  return state;
}

// Begins attempts, one owner after the other, until no further one may begin.
void DeliveryLane::next() {
  std::size_t idle = 0;  // owners in a row without an attempt
  while (in_attempt_ < kMaxAttemptsAtOnce && idle < owners_.size()) {
    auto owner = owners_.upper_bound(turn_);
    if (owner == owners_.end()) owner = owners_.begin();
    turn_ = owner->first;
    idle = next_of(owner->second) ? 0 : idle + 1;
  }
}

// False: no notice of the owner may be tried. An attempt may remove the owner.
bool DeliveryLane::next_of(Owner& owner) {
  while (!owner.ready.empty() && !items_.contains(owner.ready.front())) owner.ready.pop_front();
  if (owner.ready.empty() || owner.in_attempt >= kMaxAttemptsOfOwner) return false;
  const std::uint64_t id = owner.ready.front();
  owner.ready.pop_front();
  attempt(id);
  return true;
}

void DeliveryLane::attempt(std::uint64_t id) {
  Item& item = items_.at(id);
  PARLEY_ASSERT(!item.in_attempt, notifier_.name() + ": a notice is in two attempts at once");
  if (scheduler_.clock().wall() >= item.job.deadline) {
    if (item.attempts == 0) fail(item, "The question expired before the notice could be sent.");
    return remove(id);
  }
  if (item.job.make != nullptr && !item.notice) {
    core::Result<Notice> created = item.job.make();
    if (!created) {
      fail(item, created.error().message);
      return remove(id);
    }
    item.notice = std::move(*created);
  }
  ++item.attempts;
  item.in_attempt = true;
  ++in_attempt_;
  ++owners_.at(item.job.owner).in_attempt;
  deliver(id, item);
}

void DeliveryLane::deliver(std::uint64_t id, Item& item) {
  auto done = core::unless_gone(
      self_, [id](DeliveryLane& self, const Delivery& delivery) { self.ended(id, delivery); });
  if (item.job.make == nullptr) {
    notifier_.withdraw(item.job.interaction, item.job.key, item.job.target, std::move(done));
  } else {
    notifier_.deliver(*item.notice, item.job.target, std::move(done));
  }
}

void DeliveryLane::ended(std::uint64_t id, const Delivery& delivery) {
  Item& item = items_.at(id);
  item.in_attempt = false;
  --in_attempt_;
  --owners_.at(item.job.owner).in_attempt;
  if (item.job.make == nullptr) {
    if (delivery.kind == Delivery::Kind::gone && events_.gone) events_.gone(item.job.target);
    remove(id);
    return next();
  }
  if (delivery.kind == Delivery::Kind::delivered) {
    succeed(item);
    Job job = std::move(item.job);
    const bool dropped = item.dropped;
    item.job.owner = job.owner;
    remove(id);
    if (dropped) withdraw(std::move(job));
    return next();
  }
  fail(item, delivery.failure);
  if (delivery.kind == Delivery::Kind::gone && events_.gone) events_.gone(item.job.target);
  const bool again = delivery.kind == Delivery::Kind::retry && !item.dropped;
  if (again && item.attempts < kMaxAttempts) {
    retry(id, delivery.retry_after);
  } else {
    remove(id);
  }
  next();
}

void DeliveryLane::succeed(const Item& item) {
  ++delivered_;
  state_.delivered_at = scheduler_.clock().wall();
  state_.failure.clear();
  if (events_.attempted) events_.attempted(item.job.target, {});
  if (!item.dropped && events_.delivered) events_.delivered(item.job);
}

void DeliveryLane::withdraw(Job job) {
  if (!notifier_.withdraws()) return;
  job.make = nullptr;
  job.deadline = scheduler_.clock().wall() + kWithdrawalLife;
  push(std::move(job));
}

void DeliveryLane::fail(const Item& item, const std::string& failure) {
  ++failures_;
  state_.failed_at = scheduler_.clock().wall();
  state_.failure = failure;
  if (events_.attempted) events_.attempted(item.job.target, failure);
  spdlog::warn("notifier {}: attempt {} of {} failed: {}", notifier_.name(), item.attempts,
               kMaxAttempts, failure);
}

void DeliveryLane::retry(std::uint64_t id, std::optional<core::Millis> asked) {
  Item& item = items_.at(id);
  core::Millis wait = wait_after(item.attempts);
  if (asked) wait = std::max(wait, std::min(*asked, kLongestAskedWait));
  if (scheduler_.clock().wall() + wait >= item.job.deadline) return remove(id);
  item.timer = scheduler_.after(wait, core::unless_gone(self_, [id](DeliveryLane& self) {
                                  if (!self.items_.contains(id)) return;
                                  self.items_.at(id).timer = 0;
                                  self.make_ready(id);
                                  self.next();
                                }));
}

core::Millis DeliveryLane::wait_after(int attempts) {
  core::Millis wait = kFirstRetry;
  for (int i = 1; i < attempts && wait < kLongestRetry; ++i) wait *= 2;
  wait = std::min(wait, kLongestRetry);
  const auto half = static_cast<std::uint64_t>(wait.count() / 2);
  return wait - core::Millis(static_cast<std::int64_t>(entropy_.next_u64() % (half + 1)));
}

void DeliveryLane::remove(std::uint64_t id) {
  const auto it = items_.find(id);
  scheduler_.cancel(it->second.timer);
  const auto owner = owners_.find(it->second.job.owner);
  if (--owner->second.items == 0) owners_.erase(owner);
  items_.erase(it);
  waiting_ = items_.size();
}

}  // namespace parley::notify
