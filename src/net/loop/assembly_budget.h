// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/string_map.h"

namespace parley::net {

// Bytes that all connections of a server hold of requests and WebSocket messages that are not
// complete, with a limit for all of them and one for each account. Senders whom nobody knows have
// an account for each address (core/address_key.h), and a limit together. Thread-safe.
class AssemblyBudget : public std::enable_shared_from_this<AssemblyBudget> {
 public:
  struct Limits {
    std::size_t total = 0;
    std::size_t per_account = 0;
    std::size_t unknown = 0;          // of all senders whom nobody knows
    std::size_t unknown_address = 0;  // of those at one address
  };

  explicit AssemblyBudget(Limits limits) : limits_(limits) {}

  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  friend class AssemblyShare;
  struct Account;

  std::shared_ptr<Account> account(const std::string& name, bool known);
  void forget(const std::string& name);

  const Limits limits_;
  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t> unknown_bytes_{0};  // of them
  std::mutex mutex_;
  core::StringMap<std::weak_ptr<Account>> accounts_;  // guarded by mutex_
};

// The part of the budget that one connection holds; given back on destruction. Belongs to the
// connection's thread, and moves with it. Until use(), holding is free and has no limit.
class AssemblyShare {
 public:
  AssemblyShare() = default;
  AssemblyShare(const AssemblyShare&) = delete;
  AssemblyShare& operator=(const AssemblyShare&) = delete;
  ~AssemblyShare() { hold(0); }

  // Counts to `account` of `budget` from now on; without one, to the senders at `address` whom
  // nobody knows. If that changes anything, what is held is given back: the caller holds anew.
  void use(AssemblyBudget& budget, std::string_view account, std::string_view address);
  // Holds `bytes` in all, instead of what was held. False: a limit is reached, and nothing is held.
  bool hold(std::size_t bytes);
  std::size_t held() const { return held_; }

 private:
  std::shared_ptr<AssemblyBudget::Account> account_;
  std::size_t held_ = 0;
};

}  // namespace parley::net
