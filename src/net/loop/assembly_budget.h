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

// The budget in bytes of a server for incomplete requests and WebSocket messages: one limit for all
// connections and one for each account. Unknown senders have one account per address
// (core/address_key.h) and a common limit. Thread-safe.
class AssemblyBudget : public std::enable_shared_from_this<AssemblyBudget> {
 public:
  struct Limits {
    std::size_t total = 0;
    std::size_t per_account = 0;
    std::size_t unknown = 0;          // for all unknown senders together
    std::size_t unknown_address = 0;  // for unknown senders at one address
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
  std::atomic<std::size_t> unknown_bytes_{0};  // the part of bytes_ that unknown senders hold
  std::mutex mutex_;
  core::StringMap<std::weak_ptr<Account>> accounts_;  // guarded by mutex_
};

// The part of the budget that one connection holds; released on destruction. Used on the
// connection's thread, and moves with it. Before use(), hold() succeeds without counting.
class AssemblyShare {
 public:
  AssemblyShare() = default;
  AssemblyShare(const AssemblyShare&) = delete;
  AssemblyShare& operator=(const AssemblyShare&) = delete;
  ~AssemblyShare() { hold(0); }

  // From now on counts to `account` of `budget`; if `account` is empty, to the unknown senders at
  // `address`. A change of account releases all bytes: call hold() again.
  void use(AssemblyBudget& budget, std::string_view account, std::string_view address);
  // Sets the number of held bytes. False: a limit is reached, and no bytes are held.
  bool hold(std::size_t bytes);
  std::size_t held() const { return held_; }

 private:
  std::shared_ptr<AssemblyBudget::Account> account_;
  std::size_t held_ = 0;
};

}  // namespace parley::net
