// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/accounts/account_service.h"

#include <gmock/gmock.h>

#include <chrono>
#include <ctime>
#include <optional>
#include <thread>
#include <vector>

#include "base/core/temp_folder.h"
#include "base/sql/database.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::accounts {
namespace {

constexpr const char* kPassword = "correct horse 1";
constexpr std::chrono::seconds kPatience{120};

class AccountServiceTest : public ::testing::Test {
 protected:
  AccountServiceTest() {
    auto opened = AccountStore::open(folder_.file("data"), clock_, entropy_, watchers_);
    EXPECT_TRUE(opened);
    store_ = std::move(*opened);
    open();
    NewUser wanted{"alice@example.org", "Alice", *hash_password(kPassword, cost_)};
    alice_ = *store_->create(wanted);
  }
  void open() { service_ = std::make_unique<AccountService>(*store_, clock_, cost_); }

  // Waits for the answer that the threads of the service post.
  template <typename T>
  T got(std::optional<T>& answer) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!answer && std::chrono::steady_clock::now() < end) {
      scheduler_.run_ready();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(answer) << "no answer";
    return std::move(*answer);
  }
  using LoginAnswer = PasswordAnswer<IssuedLogin>;
  LoginAnswer log_in(const std::string& name, const std::string& password,
                     const std::string& peer = "10.0.0.1") {
    std::optional<LoginAnswer> answer;
    service_->log_in(name, password, peer, scheduler_,
                     [&answer](LoginAnswer got_it) { answer = std::move(got_it); });
    return got(answer);
  }

  const PasswordCost cost_ = PasswordCost::least();
  core::TempFolder folder_;
  core::FakeClock clock_;
  auth::TokenWatchers watchers_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{3};
  std::unique_ptr<AccountStore> store_;
  std::unique_ptr<AccountService> service_;
  User alice_;
};

TEST_F(AccountServiceTest, EmailOrUsername_LogsIn) {
  for (const char* name : {"alice@example.org", "ALICE@Example.org", "alice"}) {
    const LoginAnswer answer = log_in(name, kPassword);
    ASSERT_TRUE(answer.result) << name;
    EXPECT_TRUE(store_->identify(answer.result->access_token));
    EXPECT_EQ(answer.result->user.last_login_at, clock_.wall());
  }
  EXPECT_EQ(service_->logins(), 3U);
}

TEST_F(AccountServiceTest, WrongNameAndWrongPassword_AreAnsweredAlike) {
  const LoginAnswer password = log_in("alice", "wrong horse 1");
  const LoginAnswer name = log_in("nobody", kPassword);
  ASSERT_FALSE(password.result || name.result);
  EXPECT_EQ(password.result.error().code, core::Code::unauthenticated);
  EXPECT_EQ(password.result.error().message, name.result.error().message);
  EXPECT_EQ(service_->wrong_passwords(), 2U);
}

// One argon2id hash is computed in either case; the cost is high enough to be measured.
TEST_F(AccountServiceTest, UnknownName_TakesAsLongAsKnown) {
  const PasswordCost cost{3, 32U << 20U};
  UserChange change;
  change.password_hash = *hash_password(kPassword, cost);
  ASSERT_TRUE(store_->change(alice_.id, change));
  service_ = std::make_unique<AccountService>(*store_, clock_, cost);
  const auto time_of = [this](const char* name) {
    const std::clock_t begin = std::clock();  // of this process: others do not count
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(log_in(name, "wrong horse 1").result);
    return std::clock() - begin;
  };
  const auto known = time_of("alice");
  const auto unknown = time_of("nobody");
  // Without the hash the answer would take about a hundredth of this time.
  EXPECT_GT(unknown * 4, known);
  EXPECT_GT(known * 4, unknown);
}

TEST_F(AccountServiceTest, LockedUser_IsToldOnlyWithRightPassword) {
  UserChange change;
  change.status = UserStatus::locked;
  ASSERT_TRUE(store_->change(alice_.id, change));
  EXPECT_EQ(log_in("alice", "wrong horse 1").result.error().code, core::Code::unauthenticated);
  EXPECT_EQ(log_in("alice", kPassword).result.error().code, core::Code::permission_denied);
}

TEST_F(AccountServiceTest, GuessingFromSingleAddress_IsDelayedThenRefused) {
  for (std::size_t i = 0; i < core::kFreeGuesses; ++i) {
    EXPECT_EQ(log_in("name" + std::to_string(i), "wrong horse 1").wait, core::Millis(0));
  }
  for (std::size_t i = 0; i < core::kMaxWaitingOfAddress; ++i) {
    EXPECT_GT(log_in("other" + std::to_string(i), "wrong horse 1").wait, core::Millis(0));
  }
  const LoginAnswer refused = log_in("alice", kPassword);
  ASSERT_FALSE(refused.result);
  EXPECT_EQ(refused.result.error().code, core::Code::resource_exhausted);
  EXPECT_TRUE(log_in("alice", kPassword, "10.0.0.2").result);
  clock_.advance(core::kGuessMemory + core::kLongestWait * core::kMaxWaitingOfAddress);
  EXPECT_TRUE(log_in("alice", kPassword).result);
}

TEST_F(AccountServiceTest, GuessingFromManyAddresses_IsDelayed) {
  const auto guess = [this](std::size_t i) {
    return log_in("alice", "wrong horse 1", "10.0.1." + std::to_string(i));
  };
  for (std::size_t i = 0; i < core::kFreeGuesses; ++i) {
    EXPECT_EQ(guess(i).wait, core::Millis(0));
  }
  EXPECT_EQ(guess(50).wait, core::kFirstWait);
  // The answer to the right password queues with theirs.
  const LoginAnswer right = log_in("alice@example.org", kPassword, "10.0.2.1");
  EXPECT_TRUE(right.result);
  EXPECT_GT(right.wait, core::kFirstWait);
  // Wrong passwords of an unknown name are counted in the same way: no difference is visible.
  for (std::size_t i = 0; i < core::kFreeGuesses; ++i) {
    log_in("nobody", "wrong horse 1", "10.0.3." + std::to_string(i));
  }
  EXPECT_EQ(log_in("NOBODY", "wrong horse 1", "10.0.3.99").wait, core::kFirstWait);
}

TEST_F(AccountServiceTest, WaitingHashes_AreLimitedByAddressAndTotal) {
  // Each hash takes some hundredths of a second: far more than a call takes.
  service_ = std::make_unique<AccountService>(*store_, clock_, PasswordCost{2, 16U << 20U});
  std::size_t answered = 0;
  std::size_t busy = 0;
  const auto ask = [&](const std::string& name, const std::string& peer) {
    service_->log_in(name, "wrong horse 1", peer, scheduler_, [&](const LoginAnswer& answer) {
      ++answered;
      if (answer.result.error().code == core::Code::resource_exhausted) ++busy;
    });
  };
  std::size_t asked = 0;
  for (; asked < kMaxHashesOfAddress + 2; ++asked) ask("n" + std::to_string(asked), "10.0.0.1");
  scheduler_.run_ready();
  EXPECT_GE(busy, 1U);
  for (std::size_t i = 0; i < kMaxWaitingHashes + 2; ++i, ++asked) {
    ask("n" + std::to_string(asked), "10.0.1." + std::to_string(i));
  }
  scheduler_.run_ready();
  EXPECT_GE(busy, 3U);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (answered < asked && std::chrono::steady_clock::now() < end) {
    scheduler_.run_ready();
    std::this_thread::yield();
  }
  EXPECT_EQ(answered, asked);
  // The slots are free again.
  EXPECT_EQ(log_in("one more", "wrong horse 1").result.error().code, core::Code::unauthenticated);
}

TEST_F(AccountServiceTest, CallsWaitingForFile_AreLimited) {
  auto other = sql::Database::open(folder_.file("data/accounts.db"), sql::OpenMode::read_write);
  ASSERT_TRUE(other && other->execute("BEGIN EXCLUSIVE"));
  std::size_t done = 0;
  std::size_t busy = 0;
  for (std::size_t i = 0; i <= kMaxWaitingCalls; ++i) {
    service_->log_out("prla_x", scheduler_, [&](const core::Result<void>& answer) {
      ++done;
      if (!answer && answer.error().code == core::Code::resource_exhausted) ++busy;
    });
  }
  scheduler_.run_ready();
  EXPECT_EQ(busy, 1U);
  ASSERT_TRUE(other->execute("COMMIT"));
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (done <= kMaxWaitingCalls && std::chrono::steady_clock::now() < end) {
    scheduler_.run_ready();
    std::this_thread::yield();
  }
  EXPECT_EQ(done, kMaxWaitingCalls + 1);
  EXPECT_EQ(busy, 1U);
}

TEST_F(AccountServiceTest, OwnPassword_NeedsOldPassword_EndsLogins) {
  const LoginAnswer before = log_in("alice", kPassword);
  const auto change = [this](const std::string& old_one, const std::string& fresh) {
    std::optional<PasswordAnswer<void>> answer;
    service_->change_own_password(
        alice_, old_one, fresh, "10.0.0.1", scheduler_,
        [&answer](PasswordAnswer<void> got_it) { answer = std::move(got_it); });
    return got(answer);
  };
  EXPECT_EQ(change("wrong horse 1", "another horse 2").result.error().field, "oldPassword");
  EXPECT_EQ(change(kPassword, "short").result.error().field, "newPassword");
  EXPECT_TRUE(store_->identify(before.result->access_token));
  EXPECT_TRUE(change(kPassword, "another horse 2").result);
  EXPECT_FALSE(store_->identify(before.result->access_token));
  EXPECT_FALSE(log_in("alice", kPassword).result);
  EXPECT_TRUE(log_in("alice", "another horse 2").result);
}

TEST_F(AccountServiceTest, CreatedUser_LogsInWithPassword) {
  const auto make = [this](const NewUser& wanted, const std::string& password) {
    std::optional<core::Result<User>> answer;
    service_->create(wanted, password, "10.0.0.1", scheduler_,
                     [&answer](core::Result<User> user) { answer = std::move(user); });
    return got(answer);
  };
  EXPECT_EQ(make({"bob@example.org", "Bob", ""}, "short").error().field, "password");
  EXPECT_EQ(make({"bob", "Bob", ""}, kPassword).error().field, "email");
  const auto bob = make({"bob@example.org", "Bob", ""}, kPassword);
  ASSERT_TRUE(bob);
  EXPECT_TRUE(log_in("bob", kPassword).result);
  std::optional<core::Result<User>> changed;
  service_->change(bob->id, {}, "another horse 2", "10.0.0.1", scheduler_,
                   [&changed](core::Result<User> user) { changed = std::move(user); });
  EXPECT_TRUE(got(changed));
  EXPECT_TRUE(log_in("bob", "another horse 2").result);
}

}  // namespace
}  // namespace parley::accounts
