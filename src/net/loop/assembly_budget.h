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

// The budget of a server for incomplete requests and WebSocket messages: a limit in bytes for all
// connections together, and one for each account. Unknown senders have an account for each address
// (core/address_key.h), and a limit together. Thread-safe.
class AssemblyBudget : public std::enable_shared_from_this<AssemblyBudget> {
 public:
  struct Limits {
    std::size_t total = 0;
    std::size_t per_account = 0;
    std::size_t unknown = 0;          // of all unknown senders together
    std::size_t unknown_address = 0;  // of unknown senders at one address
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
  std::atomic<std::size_t> unknown_bytes_{0};  // of bytes_, those of unknown senders
  std::mutex mutex_;
  core::StringMap<std::weak_ptr<Account>> accounts_;  // guarded by mutex_
};

// The part of the budget that one connection holds; released on destruction. Belongs to the
// connection's thread, and moves with it. Before use(), hold() succeeds and counts nothing.
class AssemblyShare {
 public:
  AssemblyShare() = default;
  AssemblyShare(const AssemblyShare&) = delete;
  AssemblyShare& operator=(const AssemblyShare&) = delete;
  ~AssemblyShare() { hold(0); }

  // Counts to `account` of `budget` from now on; with an empty `account`, to the unknown senders at
  // `address`. A change of account releases all bytes: the caller calls hold() again.
  void use(AssemblyBudget& budget, std::string_view account, std::string_view address);
  // Sets the bytes that are held to `bytes`. False: a limit is reached, and none are held.
  bool hold(std::size_t bytes);
  std::size_t held() const { return held_; }

 private:
  std::shared_ptr<AssemblyBudget::Account> account_;
  std::size_t held_ = 0;
};

}  // namespace parley::net
