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
#include "accounts/account_store.h"
#include "accounts/password.h"
#include "auth/guess_limit.h"
#include "auth/guess_news.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "core/string_map.h"
#include "core/worker.h"

namespace parley::accounts {

// Passwords that wait to be hashed; one at a time is, which needs 64 MiB.
inline constexpr std::size_t kMaxWaitingHashes = 32;
inline constexpr std::size_t kMaxHashesOfAddress = 4;  // of them, from one address
// Calls that wait for the file of accounts.
inline constexpr std::size_t kMaxWaitingCalls = 64;

// The answer to somebody who gave a password, which goes out `wait` later: guessing takes time.
// Never wait in a loop's thread: set a timer.
template <typename T>
struct PasswordAnswer {
  core::Result<T> result;
  core::Millis wait{0};
};

// Work on accounts for front ends, off the loops: passwords are hashed on one thread, the file is
// used on another. Each callback runs once on the scheduler that is named, which outlives this.
// Thread-safe. All calls fail with `resource_exhausted` when too many wait, else as those of
// AccountStore.
//
// Wrong passwords are limited as wrong tokens are (auth/guess_limit.h), by address and by account;
// a right one waits among them. A name that nobody has takes as long as one that is known.
class AccountDesk {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;
  template <typename T>
  using PasswordDone = absl::AnyInvocable<void(PasswordAnswer<T>)>;

  // `store` and `clock` outlive this.
  AccountDesk(AccountStore& store, const core::Clock& clock, PasswordCost cost = {});
  ~AccountDesk();  // stop()
  AccountDesk(const AccountDesk&) = delete;
  AccountDesk& operator=(const AccountDesk&) = delete;

  // For what is answered from memory.
  const AccountStore& store() const { return store_; }

  // `name`: an email or a username. `peer`: an address without its port. Errors: `unauthenticated`
  // (the name or the password is wrong; the words do not say which), `permission_denied` (both are
  // right, and the user is not active).
  void log_in(std::string name, std::string password, std::string peer, core::Scheduler& scheduler,
              PasswordDone<IssuedLogin> done);
  void refresh(std::string refresh_token, core::Scheduler& scheduler, Done<std::string> done);
  void log_out(std::string access_token, core::Scheduler& scheduler, Done<void> done);
  // By the user itself, whose logins end by it.
  void change_own_password(const User& self, std::string old_password, std::string new_password,
                           std::string peer, core::Scheduler& scheduler, PasswordDone<void> done);

  // `wanted.password_hash` is made here.
  void create(NewUser wanted, std::string password, std::string peer, core::Scheduler& scheduler,
              Done<User> done);
  // The same of `change.password_hash`, where a password is given.
  void change(std::int64_t id, UserChange change, std::optional<std::string> password,
              std::string peer, core::Scheduler& scheduler, Done<User> done);
  void remove(std::int64_t id, core::Scheduler& scheduler, Done<void> done);

  // Since the start.
  std::uint64_t wrong_passwords() const { return by_address_.wrong_tokens(); }
  std::uint64_t logins() const { return logins_; }

  // Does what waits, then ends the threads.
  void stop();

 private:
  struct Attempt {
    std::optional<UserRow> row;
    std::string password;
    std::string peer;
    std::string account;  // names it for the limit of guesses, whether it exists or not
  };

  static Attempt attempt(std::optional<UserRow> row, std::string_view name, std::string password,
                         std::string peer);
  // Goes on with `then` on the thread that hashes, or at once where there is no room.
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
  auth::GuessLimit by_address_;
  auth::GuessLimit by_account_;
  auth::GuessNews news_{"passwords"};
  std::atomic<std::uint64_t> logins_{0};
  std::atomic<std::size_t> waiting_calls_{0};
  std::mutex mutex_;  // guards these two
  std::size_t waiting_hashes_ = 0;
  core::StringMap<std::size_t> hashes_of_address_;
  core::Worker disk_;
  core::Worker hashing_;  // last: it uses all the others
};

}  // namespace parley::accounts
