// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/core/guess_limit.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/core/string_map.h"
#include "base/core/worker.h"
#include "identity/accounts/account_store.h"
#include "identity/accounts/password.h"
#include "identity/auth/guess_warning.h"

namespace parley::accounts {

// Limit of the passwords that wait to be hashed. They are hashed one at a time, each with 64 MiB.
// Limit (Users and logins): passwords that wait to be hashed. Reached: `resource_exhausted`.
inline constexpr std::size_t kMaxWaitingHashes = 32;
// Limit (Users and logins): passwords of one address (IPv6: its /64) that wait. Reached:
// `resource_exhausted`.
inline constexpr std::size_t kMaxHashesOfAddress = 4;  // waiting hashes from one address
// Limit of the calls that wait for the file of accounts.
// Limit (Users and logins): calls that wait for the file of accounts. Reached:
// `resource_exhausted`.
inline constexpr std::size_t kMaxWaitingCalls = 64;

// The answer to a caller that gave a password. `wait`: delay before the answer is sent, which makes
// guessing slow. Never wait in a loop's thread: set a timer.
template <typename T>
struct PasswordAnswer {
  core::Result<T> result;
  core::Millis wait{0};
};

// Work on accounts for front ends, off the loops: one thread hashes passwords, another uses the
// file. Each callback runs once on the passed scheduler, which outlives this object. Thread-safe.
// Errors of all calls: `resource_exhausted` (too many calls wait), and those of AccountStore.
//
// Wrong passwords are limited like wrong tokens (base/core/guess_limit.h), by address and by
// account; the answer to a right password waits behind theirs. An unknown name takes as long as a
// known one.
class AccountService {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;
  template <typename T>
  using PasswordDone = absl::AnyInvocable<void(PasswordAnswer<T>)>;

  // `store` and `clock` outlive this object.
  AccountService(AccountStore& store, const core::Clock& clock, PasswordCost cost = {});
  ~AccountService();  // stop()
  AccountService(const AccountService&) = delete;
  AccountService& operator=(const AccountService&) = delete;

  // For reads that are answered from memory.
  const AccountStore& store() const { return store_; }

  // `name`: an email or a username. `peer`: an address without its port. Errors: `unauthenticated`
  // (the name or the password is wrong; the message does not say which), `permission_denied` (both
  // are right, and the user is not active).
  void log_in(std::string name, std::string password, std::string peer, core::Scheduler& scheduler,
              PasswordDone<IssuedLogin> done);
  void refresh(std::string refresh_token, core::Scheduler& scheduler, Done<std::string> done);
  void log_out(std::string access_token, core::Scheduler& scheduler, Done<void> done);
  // Changes the password at the user's request; ends all logins of the user.
  void change_own_password(const User& self, std::string old_password, std::string new_password,
                           std::string peer, core::Scheduler& scheduler, PasswordDone<void> done);

  // Sets `wanted.password_hash` from `password`.
  void create(NewUser wanted, std::string password, std::string peer, core::Scheduler& scheduler,
              Done<User> done);
  // Sets `change.password_hash` from `password`, if one is given.
  void change(std::int64_t id, UserChange change, std::optional<std::string> password,
              std::string peer, core::Scheduler& scheduler, Done<User> done);
  void remove(std::int64_t id, core::Scheduler& scheduler, Done<void> done);

  // Since the start.
  std::uint64_t wrong_passwords() const { return by_address_.wrong_tokens(); }
  std::uint64_t logins() const { return logins_; }

  // Completes the waiting calls, then ends the threads.
  void stop();

 private:
  struct Attempt {
    std::optional<UserRow> row;
    std::string password;
    std::string peer;
    std::string
        account;  // key of the account in the limit of guesses, whether the account exists or not
  };

  static Attempt attempt(std::optional<UserRow> row, std::string_view name, std::string password,
                         std::string peer);
  // Runs `then` on the hashing thread, or at once if the call is refused.
  void check(Attempt attempt, PasswordDone<void> then);
  PasswordAnswer<void> judge(const Attempt& attempt, bool right);
  void hash(std::string password, const std::string& peer, Done<std::string> then);
  core::Result<void> take_slot(const std::string& peer);
  void give_slot(const std::string& peer);
  template <typename T, typename Work>
  void on_disk(core::Scheduler& scheduler, Done<T> done, Work work);

  AccountStore& store_;
  const core::Clock& clock_;
  const PasswordCost cost_;
  core::GuessLimit by_address_;
  core::GuessLimit by_account_;
  auth::GuessWarning warning_{"passwords"};
  std::atomic<std::uint64_t> logins_{0};
  std::atomic<std::size_t> waiting_calls_{0};
  std::mutex mutex_;  // guards the two members below
  std::size_t waiting_hashes_ = 0;
  core::StringMap<std::size_t> hashes_of_address_;
  core::Worker disk_;
  core::Worker hashing_;  // declared last: uses the other members
};

}  // namespace parley::accounts
