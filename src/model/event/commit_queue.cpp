// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/commit_queue.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/core/assert.h"

namespace parley::event {
namespace {

// The least that bytes_of() counts for an event, in this version and in earlier ones: a new version
// skips the numbers that the one before it may have lost.
constexpr std::size_t kLeastEventBytes = 128;
static_assert(sizeof(Event) >= kLeastEventBytes);

// Approximate size of a unit in memory.
std::size_t bytes_of(const UnitPtr& unit) {
  std::size_t bytes = sizeof(QueuedUnit);
  if (unit == nullptr) return bytes;
  for (const Event& event : unit->events) {
    bytes += sizeof(Event) + event.session.size() + event.payload.size();
    if (event.live != nullptr) bytes += event.live->bytes();
  }
  bytes += unit->changes.size() * (sizeof(InteractionRow) + sizeof(Event));
  return bytes;
}

}  // namespace

std::uint64_t max_lost_numbers(const GroupLimits& limits) {
  constexpr std::uint64_t kRound = 1'000'000;
  // The units that wait and the group in progress.
  const std::uint64_t events = (limits.max_queue + limits.max_bytes) / kLeastEventBytes;
  return (events / kRound + 1) * kRound;
}

core::Error queue_full() {
  return {core::Code::resource_exhausted,
          "The store cannot keep up: too many bytes wait for the disk. Try again later.", ""};
}

CommitQueue::Push CommitQueue::push(QueuedUnit& item) {
  PARLEY_ASSERT(item.barrier == (item.unit == nullptr) && !item.refused,
                std::string("a ") + (item.barrier ? "barrier" : "unit") +
                    " is given to the queue " + (item.unit ? "with" : "without") + " a unit");
  PARLEY_ASSERT(item.barrier || item.scheduler != nullptr,
                "a unit of " + std::to_string(item.unit->events.size()) +
                    " events has no scheduler to be answered on");
  PARLEY_ASSERT(!item.flowing || (!item.barrier && !item.unit->drop),
                "something other than events is given as flowing");
  item.bytes = bytes_of(item.unit);
  item.since = std::chrono::steady_clock::now();
  bool wake = false;
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return Push::closed;
    if (!items_.empty() && bytes_ + item.bytes > limits_.max_queue) {
      if (item.flowing) return Push::dropped;
      item.unit = nullptr;
      item.bytes = bytes_of(item.unit);
      item.refused = queue_full();
    }
    PARLEY_ASSERT(item.bytes >= sizeof(QueuedUnit),
                  "a unit counts as " + std::to_string(item.bytes) + " bytes");
    bytes_ += item.bytes;
    if (!item.flowing) ++durable_;
    // A flowing unit in an empty queue wakes the writer, which then waits for at most
    // kFlowingDelay.
    wake = wake_at_ != 0 && (durable_ >= wake_at_ || items_.empty());
    if (wake) wake_at_ = 0;
    items_.push_back(std::move(item));
  }
  if (wake) arrived_.notify_one();
  return Push::queued;
}

std::vector<QueuedUnit> CommitQueue::take(TimePoint until) {
  Lock lock(mutex_);
  if (!wait_until_due(lock, until)) return {};
  gather(lock);
  return take_group();
}

bool CommitQueue::due(TimePoint now) const {
  if (items_.empty()) return false;
  return closed_ || durable_ > 0 || items_.front().since + kFlowingDelay <= now;
}

bool CommitQueue::wait_until_due(Lock& lock, TimePoint until) {
  while (true) {
    const TimePoint now = std::chrono::steady_clock::now();
    if (due(now)) return true;
    if (closed_ || now >= until) return false;
    wake_at_ = 1;
    TimePoint wake = until;
    if (!items_.empty()) wake = std::min(wake, items_.front().since + kFlowingDelay);
    if (wake == TimePoint::max()) {
      arrived_.wait(lock);
    } else {
      arrived_.wait_until(lock, wake);
    }
    wake_at_ = 0;
  }
}

void CommitQueue::gather(Lock& lock) {
  const std::size_t wanted = std::min(last_group_, limits_.max_units);
  const TimePoint until = std::chrono::steady_clock::now() + limits_.gather;
  while (!closed_ && durable_ < wanted) {
    wake_at_ = wanted;
    if (arrived_.wait_until(lock, until) == std::cv_status::timeout) break;
  }
  wake_at_ = 0;
}

std::vector<QueuedUnit> CommitQueue::take_group() {
  std::vector<QueuedUnit> group;
  group.reserve(std::min(items_.size(), limits_.max_units));
  std::size_t bytes = 0;
  last_group_ = 0;
  while (!items_.empty() && group.size() < limits_.max_units) {
    QueuedUnit& next = items_.front();
    if (!group.empty() && bytes + next.bytes > limits_.max_bytes) break;
    bytes += next.bytes;
    if (!next.flowing) ++last_group_;
    group.push_back(std::move(next));
    items_.pop_front();
  }
  PARLEY_ASSERT(!group.empty() && group.size() <= limits_.max_units,
                "a group of " + std::to_string(group.size()) + " units is taken");
  PARLEY_ASSERT(bytes_ >= bytes && durable_ >= last_group_,
                "a group of " + std::to_string(bytes) + " bytes and " +
                    std::to_string(last_group_) + " durable units is taken from " +
                    std::to_string(bytes_) + " bytes and " + std::to_string(durable_) + " units");
  bytes_ -= bytes;
  durable_ -= last_group_;
  PARLEY_ASSERT(!items_.empty() || (bytes_ == 0 && durable_ == 0),
                "an empty queue counts " + std::to_string(bytes_) + " bytes and " +
                    std::to_string(durable_) + " durable units");
  PARLEY_ASSERT(durable_ <= items_.size(), std::to_string(items_.size()) + " units wait, and " +
                                               std::to_string(durable_) + " durable ones");
  return group;
}

void CommitQueue::close() {
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
  }
  arrived_.notify_all();
}

bool CommitQueue::drained() const {
  const std::scoped_lock lock(mutex_);
  return closed_ && items_.empty();
}

std::size_t CommitQueue::waiting_bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

}  // namespace parley::event
