// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "services/notify/notifier.h"

namespace parley::notify {

// Attempts for one notice and one target.
// Limit (Notifications): attempts for a notice. Reached: given up; none begins after the deadline.
inline constexpr int kMaxAttempts = 6;
// Wait before the second attempt; it doubles up to kLongestRetry, each shortened at random by up to
// a half.
// Limit (Notifications): first wait between two attempts; the waits double. Reached: tried again.
inline constexpr core::Millis kFirstRetry{2'000};
// Limit (Notifications): longest wait between two attempts. Reached: tried again.
inline constexpr core::Millis kLongestRetry = std::chrono::minutes(5);
// Longest wait that another server may ask for (Retry-After).
// Limit (Notifications): longest `Retry-After`. Reached: tried again.
inline constexpr core::Millis kLongestAskedWait = std::chrono::hours(1);
// A withdrawal that waits longer is not sent.
// Limit (Notifications): a withdrawal that waits. Reached: not sent.
inline constexpr core::Millis kWithdrawalLife = std::chrono::hours(1);
// Notices of one notifier that wait, and those of one owner; further ones are counted as failed.
// Limit (Notifications): notices of one notifier that wait. Reached: counted as failed.
inline constexpr std::size_t kMaxWaitingNotices = 1'000;
// Limit (Notifications): notices of one workspace that wait. Reached: counted as failed.
inline constexpr std::size_t kMaxWaitingOfOwner = 500;
// Attempts of one notifier at the same time, and those of one owner: owners take turns, so that
// slow receivers of one do not hold those of another.
// Limit (Notifications): attempts of one notifier at once. Reached: the others wait.
inline constexpr std::size_t kMaxAttemptsAtOnce = 8;
// Limit (Notifications): attempts of one workspace at once, in turn. Reached: the others wait.
inline constexpr std::size_t kMaxAttemptsOfOwner = 2;

struct LaneState {
  std::optional<core::WallTime> delivered_at;  // the last success
  std::optional<core::WallTime> failed_at;     // the last failed attempt
  std::string failure;                         // its reason; empty after a success
  std::uint64_t delivered = 0;                 // since the start
  std::uint64_t failures = 0;                  // attempts
  std::size_t waiting = 0;
};

// The notices of one notifier: a bounded queue, attempts, retries. One thread, that of its
// scheduler.
class DeliveryLane {
 public:
  struct Job {
    std::string owner;        // workspace
    std::string interaction;  // id
    std::string key;
    std::string target;
    core::WallTime deadline;  // no attempt begins later
    // Makes the notice at the first attempt. An error is a failure without a retry. Null: a
    // delivered notice is withdrawn, in one attempt.
    std::function<core::Result<Notice>()> make;
  };
  struct Events {
    std::function<void(const Job&)> delivered;
    std::function<void(const std::string& target)> gone;
    // The end of each attempt; an empty failure is a success.
    std::function<void(const std::string& target, const std::string& failure)> attempted;
  };

  // All outlive this object.
  DeliveryLane(core::Scheduler& scheduler, core::Entropy& entropy, Notifier& notifier,
               Events events);
  ~DeliveryLane();

  void push(Job job);
  // Takes a delivered notice back, if the notifier can; `job.make` is not used.
  void withdraw(Job job);
  // Drops the notices for an interaction that has ended. One in an attempt is withdrawn if it is
  // delivered.
  void drop(const std::string& interaction);

  LaneState state() const;
  // For /metrics; any thread.
  std::uint64_t delivered() const { return delivered_.load(); }
  std::uint64_t failures() const { return failures_.load(); }
  std::size_t waiting() const { return waiting_.load(); }

 private:
  // The notices of one owner.
  struct Owner {
    std::size_t items = 0;
    std::size_t in_attempt = 0;
    std::deque<std::uint64_t> ready;
  };
  struct Item {
    Job job;
    std::optional<Notice> notice;
    int attempts = 0;
    bool in_attempt = false;
    bool dropped = false;
    core::TimerId timer = 0;
  };

  void make_ready(std::uint64_t id);
  void next();
  bool next_of(Owner& owner);
  void attempt(std::uint64_t id);
  void deliver(std::uint64_t id, Item& item);
  void succeed(const Item& item);
  void ended(std::uint64_t id, const Delivery& delivery);
  void fail(const Item& item, const std::string& failure);
  void retry(std::uint64_t id, std::optional<core::Millis> asked);
  core::Millis wait_after(int attempts);
  void remove(std::uint64_t id);

  core::Scheduler& scheduler_;
  core::Entropy& entropy_;
  Notifier& notifier_;
  Events events_;
  std::map<std::uint64_t, Item> items_;
  std::map<std::string, Owner> owners_;  // no owner without items
  std::string turn_;                     // the owner of the last attempt
  std::uint64_t last_id_ = 0;
  std::size_t in_attempt_ = 0;
  LaneState state_;
  std::atomic<std::uint64_t> delivered_{0};
  std::atomic<std::uint64_t> failures_{0};
  std::atomic<std::size_t> waiting_{0};
  std::shared_ptr<DeliveryLane*> self_;  // held by callbacks; null inside after destruction
};

}  // namespace parley::notify
