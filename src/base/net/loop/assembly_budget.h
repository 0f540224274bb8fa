// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/core/string_map.h"

namespace parley::net {

// The budget in bytes of a server for what its connections hold for their peers: incomplete
// requests and WebSocket messages, bytes that the peers do not take, and TLS. One limit for all
// connections and one for each account. Unknown senders have one account per address
// (base/core/address_key.h) and a common limit. Thread-safe.
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
  // Connections that were ended at a limit by HeldMemory.
  std::uint64_t ended() const { return ended_.load(std::memory_order_relaxed); }

 private:
  friend class AssemblyShare;
  friend class HeldMemory;
  struct Account;

  std::shared_ptr<Account> account(const std::string& name, bool known);
  void forget(const std::string& name);

  const Limits limits_;
  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t> unknown_bytes_{0};  // the part of bytes_ that unknown senders hold
  std::atomic<std::uint64_t> ended_{0};
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

// The memory of one stream that counts to an account: see Stream::count_to(). Used on the stream's
// thread. Each function returns false if a limit is reached: then nothing is held, and the
// connection has to be ended.
class HeldMemory {
 public:
  bool count_to(AssemblyBudget& budget, std::string_view account, std::string_view address);
  // Bytes held by the layers above the stream.
  bool hold_above(std::size_t bytes, std::string_view address);
  // Bytes that the peer has not taken: `own` ones, and ones that other connections may share, which
  // count only of unknown senders.
  bool hold_unsent(std::size_t own, std::size_t shared, std::string_view address);
  bool holds() const { return share_.held() > 0; }
  // The connection has ended: nothing is counted from now on.
  void end();

 private:
  bool update(std::string_view address);

  AssemblyBudget* budget_ = nullptr;  // null: nothing is counted
  std::string account_;
  AssemblyShare share_;
  std::size_t above_ = 0;
  std::size_t own_ = 0;
  std::size_t shared_ = 0;
};

}  // namespace parley::net
