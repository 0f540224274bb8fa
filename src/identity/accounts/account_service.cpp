// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/accounts/account_service.h"

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "base/core/address_key.h"
#include "base/core/ascii.h"
#include "base/core/ask.h"
#include "base/core/contain.h"
#include "base/core/utf8.h"

namespace parley::accounts {
namespace {

using core::Code;
using core::Result;

core::Error busy() {
  return {Code::resource_exhausted, "Too many account requests are waiting. Try again later.", {}};
}

core::Error wrong_password() {
  return {Code::unauthenticated, "The name or the password is wrong.", {}};
}

core::Error too_many_guesses() {
  return {
      Code::resource_exhausted, "Too many wrong passwords were given. Try again in a minute.", {}};
}

}  // namespace

AccountService::AccountService(AccountStore& store, const core::Clock& clock, PasswordCost cost)
    : store_(store),
      clock_(clock),
      cost_(cost),
      by_address_(clock),
      by_account_(clock),
      disk_(clock),
      hashing_(clock) {}

AccountService::~AccountService() { stop(); }

void AccountService::stop() {
  hashing_.stop();  // before disk_: hashing posts to it
  disk_.stop();
}

// --- hashing -------------------------------------------------------------------------------------

Result<void> AccountService::take_slot(const std::string& peer) {
  const std::scoped_lock lock(mutex_);
  const std::string address = core::address_key(peer);
  const auto known = hashes_of_address_.find(address);
  const std::size_t of_address = known == hashes_of_address_.end() ? 0 : known->second;
  if (waiting_hashes_ >= kMaxWaitingHashes || of_address >= kMaxHashesOfAddress) {
    return core::fail(busy());
  }
  ++waiting_hashes_;
  ++hashes_of_address_[address];
  return {};
}

void AccountService::give_slot(const std::string& peer) {
  const std::scoped_lock lock(mutex_);
  --waiting_hashes_;
  const auto found = hashes_of_address_.find(core::address_key(peer));
  if (--found->second == 0) hashes_of_address_.erase(found);
}

AccountService::Attempt AccountService::attempt(std::optional<UserRow> row, std::string_view name,
                                                std::string password, std::string peer) {
  const std::string_view begin = name.substr(0, std::min(name.size(), kMaxEmailBytes));
  std::string account =
      row ? "user " + std::to_string(row->user.id) : "name " + core::lowered(begin);
  return {std::move(row), std::move(password), std::move(peer), std::move(account)};
}

PasswordAnswer<void> AccountService::judge(const Attempt& attempt, bool right) {
  if (!right) warning_.wrong(clock_.mono(), attempt.peer);
  const auto of_address =
      right ? by_address_.guessable(attempt.peer) : by_address_.wrong(attempt.peer);
  const auto of_account =
      right ? by_account_.guessable(attempt.account) : by_account_.wrong(attempt.account);
  if (!of_address || !of_account) return {core::fail(too_many_guesses())};
  PasswordAnswer<void> answer;
  answer.wait = std::max(*of_address, *of_account);
  if (!right) answer.result = core::fail(wrong_password());
  return answer;
}

void AccountService::check(Attempt attempt, PasswordDone<void> then) {
  if (by_address_.full(attempt.peer) || by_account_.full(attempt.account)) {
    return then({core::fail(too_many_guesses())});
  }
  if (Result<void> slot = take_slot(attempt.peer); !slot) return then({std::move(slot)});
  hashing_.post([this, attempt = std::move(attempt), then = std::move(then)]() mutable {
    const Result<bool> right = core::contain("passwords", [&]() -> Result<bool> {
      if (attempt.row) return is_password(attempt.password, attempt.row->password_hash);
      // Hashes for an unknown name too, so that the time of the answer does not reveal it.
      (void)hash_password(attempt.password, cost_);
      return false;
    });
    give_slot(attempt.peer);
    if (!right) return then({core::fail(right.error())});
    then(judge(attempt, *right));
  });
}

void AccountService::hash(std::string password, const std::string& peer, Done<std::string> then) {
  if (Result<void> slot = take_slot(peer); !slot) return then(core::fail(slot.error()));
  hashing_.post([this, password = std::move(password), peer, then = std::move(then)]() mutable {
    Result<std::string> hashed =
        core::contain("passwords", [&] { return hash_password(password, cost_); });
    give_slot(peer);
    then(std::move(hashed));
  });
}

template <typename T, typename Work>
void AccountService::on_disk(core::Scheduler& scheduler, Done<T> done, Work work) {
  if (waiting_calls_.fetch_add(1) >= kMaxWaitingCalls) {
    --waiting_calls_;
    return core::reply(scheduler, std::move(done), core::fail(busy()));
  }
  core::ask(disk_, "accounts", scheduler, std::move(done),
            [this, work = std::move(work)]() mutable {
              const absl::Cleanup leave = [this] { --waiting_calls_; };
              return work();
            });
}

// --- calls ---------------------------------------------------------------------------------------

void AccountService::log_in(std::string name, std::string password, std::string peer,
                            core::Scheduler& scheduler, PasswordDone<IssuedLogin> done) {
  using Answer = PasswordAnswer<IssuedLogin>;
  Attempt created = attempt(store_.find(name), name, std::move(password), std::move(peer));
  const std::int64_t id = created.row ? created.row->user.id : 0;
  std::string known = created.row ? created.row->password_hash : std::string();
  check(std::move(created), [this, &scheduler, id, known = std::move(known),
                             done = std::move(done)](PasswordAnswer<void> checked) mutable {
    if (!checked.result) {
      return core::reply(scheduler, std::move(done),
                         Answer{core::fail(checked.result.error()), checked.wait});
    }
    on_disk<IssuedLogin>(
        scheduler,
        [wait = checked.wait, done = std::move(done)](Result<IssuedLogin> issued) mutable {
          done(Answer{std::move(issued), wait});
        },
        [this, id, known = std::move(known)] {
          Result<IssuedLogin> issued = store_.log_in(id, known);
          if (issued) ++logins_;
          return issued;
        });
  });
}

void AccountService::refresh(std::string refresh_token, core::Scheduler& scheduler,
                             Done<std::string> done) {
  on_disk<std::string>(scheduler, std::move(done),
                       [this, token = std::move(refresh_token)] { return store_.refresh(token); });
}

void AccountService::log_out(std::string access_token, core::Scheduler& scheduler,
                             Done<void> done) {
  on_disk<void>(scheduler, std::move(done),
                [this, token = std::move(access_token)] { return store_.log_out(token); });
}

void AccountService::change_own_password(const User& self, std::string old_password,
                                         std::string new_password, std::string peer,
                                         core::Scheduler& scheduler, PasswordDone<void> done) {
  using Answer = PasswordAnswer<void>;
  if (Result<void> checked = check_password(new_password, "newPassword"); !checked) {
    return core::reply(scheduler, std::move(done), Answer{std::move(checked)});
  }
  Attempt created = attempt(store_.find(self.email), self.email, std::move(old_password), peer);
  check(std::move(created), [this, &scheduler, id = self.id, peer, fresh = std::move(new_password),
                             done = std::move(done)](Answer checked) mutable {
    if (!checked.result) {
      if (checked.result.error().code == Code::unauthenticated) {
        // Not `unauthenticated` (401), which would tell a front end that its login has ended.
        checked.result =
            core::fail(Code::failed_precondition, "\"oldPassword\" is wrong.", "oldPassword");
      }
      return core::reply(scheduler, std::move(done), std::move(checked));
    }
    change(id, {}, std::move(fresh), peer, scheduler,
           [wait = checked.wait, done = std::move(done)](const Result<User>& changed) mutable {
             if (!changed) return done(Answer{core::fail(changed.error()), wait});
             done(Answer{{}, wait});
           });
  });
}

void AccountService::create(NewUser wanted, std::string password, std::string peer,
                            core::Scheduler& scheduler, Done<User> done) {
  for (const Result<void>& checked :
       {check_email(wanted.email), check_username(wanted.username), check_password(password)}) {
    if (!checked) return core::reply(scheduler, std::move(done), core::fail(checked.error()));
  }
  hash(std::move(password), peer,
       [this, &scheduler, wanted = std::move(wanted),
        done = std::move(done)](Result<std::string> hashed) mutable {
         if (!hashed) {
           return core::reply(scheduler, std::move(done), core::fail(hashed.error()));
         }
         wanted.password_hash = std::move(*hashed);
         on_disk<User>(scheduler, std::move(done),
                       [this, wanted = std::move(wanted)] { return store_.create(wanted); });
       });
}

void AccountService::change(std::int64_t id, UserChange change, std::optional<std::string> password,
                            std::string peer, core::Scheduler& scheduler, Done<User> done) {
  const auto store = [this, id, &scheduler](UserChange whole, Done<User> then) {
    on_disk<User>(scheduler, std::move(then),
                  [this, id, whole = std::move(whole)] { return store_.change(id, whole); });
  };
  if (!password) return store(std::move(change), std::move(done));
  if (Result<void> checked = check_password(*password); !checked) {
    return core::reply(scheduler, std::move(done), core::fail(checked.error()));
  }
  hash(std::move(*password), peer,
       [store, &scheduler, change = std::move(change),
        done = std::move(done)](Result<std::string> hashed) mutable {
         if (!hashed) {
           return core::reply(scheduler, std::move(done), core::fail(hashed.error()));
         }
         change.password_hash = std::move(*hashed);
         store(std::move(change), std::move(done));
       });
}

void AccountService::remove(std::int64_t id, core::Scheduler& scheduler, Done<void> done) {
  on_disk<void>(scheduler, std::move(done), [this, id] { return store_.remove(id); });
}

}  // namespace parley::accounts
