// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/loop/assembly_budget.h"

#include <utility>

#include "base/core/address_key.h"
#include "base/core/assert.h"

namespace parley::net {
namespace {

// Adds `bytes` if the sum stays within `limit`; false otherwise.
bool take_room(std::atomic<std::size_t>& sum, std::size_t bytes, std::size_t limit) {
  const std::size_t before = sum.fetch_add(bytes, std::memory_order_relaxed);
  if (before + bytes <= limit) return true;
  sum.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

void return_room(std::atomic<std::size_t>& sum, std::size_t bytes, const std::string& account) {
  const std::size_t before = sum.fetch_sub(bytes, std::memory_order_relaxed);
  PARLEY_ASSERT(before >= bytes, "assembly budget: account " + account + " returns " +
                                     std::to_string(bytes) + " bytes of " + std::to_string(before));
}

}  // namespace

// Lives as long as any connection counts to it.
struct AssemblyBudget::Account {
  Account(std::shared_ptr<AssemblyBudget> of, std::string named, bool is_known)
      : budget(std::move(of)),
        name(std::move(named)),
        known(is_known),
        limit(known ? budget->limits_.per_account : budget->limits_.unknown_address) {}
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;
  ~Account() {
    PARLEY_ASSERT(bytes.load() == 0, "assembly budget: account " + name + " is gone with " +
                                         std::to_string(bytes.load()) + " bytes");
    budget->forget(name);
  }

  bool take(std::size_t more) {
    if (!take_room(bytes, more, limit)) return false;
    if (known || take_room(budget->unknown_bytes_, more, budget->limits_.unknown)) {
      if (take_room(budget->bytes_, more, budget->limits_.total)) return true;
      if (!known) budget->unknown_bytes_.fetch_sub(more, std::memory_order_relaxed);
    }
    bytes.fetch_sub(more, std::memory_order_relaxed);
    return false;
  }
  void release(std::size_t less) {
    return_room(bytes, less, name);
    if (!known) return_room(budget->unknown_bytes_, less, name);
    return_room(budget->bytes_, less, name);
  }

  std::shared_ptr<AssemblyBudget> budget;
  std::string name;
  bool known;
  std::size_t limit;
  std::atomic<std::size_t> bytes{0};
};

std::shared_ptr<AssemblyBudget::Account> AssemblyBudget::account(const std::string& name,
                                                                 bool known) {
  const std::scoped_lock lock(mutex_);
  const auto found = accounts_.find(name);
  if (found != accounts_.end()) {
    if (std::shared_ptr<Account> account = found->second.lock()) return account;
  }
  auto account = std::make_shared<Account>(shared_from_this(), name, known);
  accounts_.insert_or_assign(account->name, account);
  return account;
}

void AssemblyBudget::forget(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  const auto found = accounts_.find(name);
  // A new account of this name may exist by now.
  if (found != accounts_.end() && found->second.expired()) accounts_.erase(found);
}

void AssemblyShare::use(AssemblyBudget& budget, std::string_view account,
                        std::string_view address) {
  const bool known = !account.empty();
  // The address of a connection never changes.
  if (account_ && account_->budget.get() == &budget && account_->known == known &&
      (!known || std::string_view(account_->name).substr(1) == account)) {
    return;
  }
  hold(0);
  PARLEY_ASSERT(held_ == 0,
                "assembly budget: " + std::to_string(held_) + " bytes would change their account");
  // The first character distinguishes an address from an account of the same name.
  const std::string key = known ? "k" + std::string(account) : "u" + core::address_key(address);
  account_ = budget.account(key, known);
}

bool AssemblyShare::hold(std::size_t bytes) {
  PARLEY_ASSERT(account_ || held_ == 0,
                "assembly budget: " + std::to_string(held_) + " bytes are held of no account");
  if (!account_ || bytes == held_) return true;
  if (bytes < held_) {
    account_->release(held_ - bytes);
  } else if (!account_->take(bytes - held_)) {
    hold(0);
    return false;
  }
  held_ = bytes;
  return true;
}

bool HeldMemory::count_to(AssemblyBudget& budget, std::string_view account,
                          std::string_view address) {
  if (budget_ == &budget && account_ == account) return true;
  budget_ = &budget;
  account_ = account;
  if (holds()) share_.use(budget, account, address);
  return update(address);
}

bool HeldMemory::hold_above(std::size_t bytes, std::string_view address) {
  above_ = bytes;
  return update(address);
}

bool HeldMemory::hold_unsent(std::size_t own, std::size_t shared, std::string_view address) {
  own_ = own;
  shared_ = shared;
  return update(address);
}

void HeldMemory::end() {
  share_.hold(0);
  budget_ = nullptr;
}

bool HeldMemory::update(std::string_view address) {
  const std::size_t bytes = above_ + own_ + (account_.empty() ? shared_ : 0);
  if (budget_ == nullptr || bytes == share_.held()) return true;
  share_.use(*budget_, account_, address);
  if (share_.hold(bytes)) return true;
  budget_->ended_.fetch_add(1, std::memory_order_relaxed);
  end();
  return false;
}

}  // namespace parley::net
