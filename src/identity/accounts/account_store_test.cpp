// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/accounts/account_store.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/core/guess_limit.h"
#include "base/sql/database.h"
#include "identity/accounts/login_verifier.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/sql/store_test.h"

namespace parley::accounts {
namespace {

using core::Result;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class AccountStoreTest : public sql::StoreTest {
 protected:
  AccountStoreTest() : store_(open(watchers_)), alice_(created("alice@example.org", "Alice")) {}

  // As another process opens it.
  std::unique_ptr<AccountStore> open() { return open(others_watchers_); }
  std::unique_ptr<AccountStore> open(auth::TokenWatchers& watchers) {
    auto opened = AccountStore::open(place_, clock_, entropy_, watchers);
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }
  User created(const std::string& email, const std::string& name) {
    const auto user = store_->create({email, name, "hash of " + email});
    EXPECT_TRUE(user) << user.error().message;
    return *user;
  }
  IssuedLogin login(const User& user) {
    const auto issued = store_->log_in(user.id, "hash of " + user.email);
    EXPECT_TRUE(issued) << issued.error().message;
    return *issued;
  }
  bool valid(const IssuedLogin& login) const {
    return store_->identify(login.access_token).has_value();
  }
  std::vector<std::string> closed() {
    std::vector<std::string> out;
    store_->poll([&out](const std::string& workspace) { out.push_back(workspace); });
    return out;
  }
  UserChange status(UserStatus to) {
    UserChange change;
    change.status = to;
    return change;
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{3};
  std::unique_ptr<auth::TokenStore> tokens_ =
      std::move(*auth::TokenStore::open(place_, clock_, entropy_));
  auth::TokenWatchers& watchers_ = tokens_->watchers();
  auth::TokenWatchers others_watchers_;
  std::unique_ptr<AccountStore> store_;
  User alice_;
};
INSTANTIATE_TEST_SUITE_P(Engines, AccountStoreTest, sql::each_engine(), sql::engine_name);

class AccountFileTest : public AccountStoreTest {};
INSTANTIATE_TEST_SUITE_P(Files, AccountFileTest, sql::only_sqlite(), sql::engine_name);

TEST_P(AccountStoreTest, Login_AfterRestart_KeepsWorkspaceOfUser) {
  const IssuedLogin first = login(alice_);
  const IssuedLogin second = login(alice_);
  EXPECT_TRUE(first.access_token.starts_with("prla_"));
  EXPECT_TRUE(first.refresh_token.starts_with("prlr_"));
  EXPECT_EQ(first.access_token.size(), 5U + 43U);
  store_.reset();
  store_ = open(watchers_);
  for (const IssuedLogin& one : {first, second}) {
    const auto identity = store_->identify(one.access_token);
    ASSERT_TRUE(identity);
    EXPECT_EQ(identity->workspace, alice_.workspace);
    EXPECT_EQ(identity->name, "Alice");
    EXPECT_EQ(identity->rights, rights_of(alice_));
    EXPECT_EQ(identity->expires_at, clock_.wall() + kAccessLife);
    EXPECT_EQ(store_->user_of(one.access_token)->id, alice_.id);
  }
  EXPECT_EQ(store_->user(alice_.id)->last_login_at, clock_.wall());
}

TEST_P(AccountStoreTest, AccessAndRefreshTokens_AreNotInterchangeable) {
  const IssuedLogin one = login(alice_);
  EXPECT_FALSE(store_->identify(one.refresh_token));
  EXPECT_FALSE(store_->user_of(one.refresh_token));
  EXPECT_FALSE(store_->refresh(one.access_token));
  // A changed prefix does not help either.
  EXPECT_FALSE(store_->identify("prla_" + one.refresh_token.substr(5)));
  EXPECT_FALSE(store_->refresh("prlr_" + one.access_token.substr(5)));
  EXPECT_TRUE(valid(one));
}

TEST_P(AccountFileTest, File_HoldsNoTokenAndIsPrivate) {
  const IssuedLogin one = login(alice_);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    EXPECT_THAT(bytes, Not(HasSubstr(one.access_token))) << entry.path();
    EXPECT_THAT(bytes, Not(HasSubstr(one.refresh_token))) << entry.path();
    struct stat info {};
    ASSERT_EQ(::stat(entry.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U) << entry.path();
  }
}

TEST_P(AccountStoreTest, Names_AreUniqueIgnoringCase_FreeAfterDeletion) {
  for (const NewUser& taken :
       {NewUser{"ALICE@example.org", "Other", "h"}, NewUser{"other@example.org", "aLICE", "h"}}) {
    const auto again = store_->create(taken);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, core::Code::already_exists);
  }
  EXPECT_EQ(store_->find("ALICE@EXAMPLE.ORG")->user.id, alice_.id);
  EXPECT_EQ(store_->find("alice")->user.id, alice_.id);
  const User bob = created("bob@example.org", "Bob");
  UserChange rename;
  rename.username = "alice";
  EXPECT_EQ(store_->change(bob.id, rename).error().field, "username");
  ASSERT_TRUE(store_->remove(alice_.id));
  EXPECT_FALSE(store_->find("alice"));
  const auto fresh = store_->create({"alice@example.org", "Alice", "h"});
  ASSERT_TRUE(fresh);
  EXPECT_GT(fresh->id, bob.id);
  EXPECT_NE(fresh->workspace, alice_.workspace);
}

TEST_P(AccountStoreTest, Refresh_ReplacesAccessToken) {
  const IssuedLogin one = login(alice_);
  clock_.advance(std::chrono::hours(23));
  const auto fresh = store_->refresh(one.refresh_token);
  ASSERT_TRUE(fresh);
  EXPECT_FALSE(valid(one));
  const auto identity = store_->identify(*fresh);
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->expires_at, clock_.wall() + kAccessLife);
  EXPECT_EQ(identity->workspace, alice_.workspace);
  clock_.advance(kRefreshLife);
  EXPECT_FALSE(store_->refresh(one.refresh_token));
}

TEST_P(AccountStoreTest, Logout_EndsOnlyThisLogin) {
  const IssuedLogin one = login(alice_);
  const IssuedLogin other = login(alice_);
  ASSERT_TRUE(store_->log_out(one.access_token));
  EXPECT_FALSE(valid(one));
  EXPECT_FALSE(store_->refresh(one.refresh_token));
  EXPECT_TRUE(valid(other));
  EXPECT_TRUE(store_->log_out(one.access_token));
}

TEST_P(AccountStoreTest, NewPasswordStatusOrRole_EndsEveryLogin) {
  UserChange password;
  password.password_hash = "hash of alice@example.org";
  UserChange role;
  role.admin = true;
  for (const UserChange& change :
       {password, role, status(UserStatus::locked), status(UserStatus::inactive)}) {
    ASSERT_TRUE(store_->change(alice_.id, status(UserStatus::active)));
    const IssuedLogin one = login(alice_);
    UserChange name;
    name.username = "Alicia";
    name.avatar_url = "/a.png";
    name.status = UserStatus::active;
    ASSERT_TRUE(store_->change(alice_.id, name));
    EXPECT_TRUE(valid(one));
    EXPECT_EQ(store_->identify(one.access_token)->name, "Alicia");
    ASSERT_TRUE(store_->change(alice_.id, change));
    EXPECT_FALSE(valid(one));
    EXPECT_FALSE(store_->refresh(one.refresh_token));
  }
}

TEST_P(AccountStoreTest, InactiveUser_CannotLogIn) {
  ASSERT_TRUE(store_->change(alice_.id, status(UserStatus::locked)));
  const auto locked = store_->log_in(alice_.id, "hash of alice@example.org");
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().code, core::Code::permission_denied);
  ASSERT_TRUE(store_->remove(alice_.id));
  EXPECT_EQ(store_->log_in(alice_.id, "").error().code, core::Code::unauthenticated);
}

// The password was right when it was checked, and is changed before log_in().
TEST_P(AccountStoreTest, PasswordChangedDuringLogin_RefusesLogin) {
  UserChange change;
  change.password_hash = "another";
  ASSERT_TRUE(store_->change(alice_.id, change));
  EXPECT_FALSE(store_->log_in(alice_.id, "hash of alice@example.org"));
}

TEST_P(AccountStoreTest, OldestLogin_IsEvictedByNewest) {
  std::vector<IssuedLogin> logins;
  for (std::size_t i = 0; i < kMaxLoginsOfUser + 2; ++i) logins.push_back(login(alice_));
  EXPECT_FALSE(valid(logins[0]));
  EXPECT_FALSE(valid(logins[1]));
  for (std::size_t i = 2; i < logins.size(); ++i) EXPECT_TRUE(valid(logins[i])) << i;
}

TEST_P(AccountFileTest, NumberOfUsers_IsLimited_IgnoringDeleted) {
  auto database = sql::Database::open(folder_.file("accounts.db"), sql::OpenMode::read_write);
  const std::string most = std::to_string(kMaxUsers - 1);
  ASSERT_TRUE(database &&
              database->execute(("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                                 "WHERE i < " +
                                 most +
                                 ") INSERT INTO users SELECT i + 100, 'u' || i || '@x', 'u' || i, "
                                 "'', 'ACTIVE', 0, 'w' || i, 0, 'h', NULL, 1, 1 FROM n")
                                    .c_str()));
  const NewUser bob{"bob@example.org", "Bob", "h"};
  const auto refused = store_->create(bob);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::resource_exhausted);
  ASSERT_TRUE(store_->remove(alice_.id));
  EXPECT_TRUE(store_->create(bob));
}

TEST_P(AccountStoreTest, ChangesOfAnotherProcess_AreTakenUpByPoll) {
  const IssuedLogin one = login(alice_);
  const auto other = open();
  int told = 0;
  const auto watch = watchers_.watch(alice_.workspace, scheduler_, [&told] { ++told; });
  ASSERT_TRUE(other->change(alice_.id, status(UserStatus::locked)));
  ASSERT_TRUE(other->create({"bob@example.org", "Bob", "h"}));
  EXPECT_TRUE(valid(one));
  EXPECT_THAT(closed(), ElementsAre(alice_.workspace));
  scheduler_.run_ready();
  EXPECT_EQ(told, 1);
  EXPECT_FALSE(valid(one));
  EXPECT_TRUE(store_->find("bob"));
  EXPECT_THAT(closed(), IsEmpty());
}

// A change by another process is not overwritten from memory.
TEST_P(AccountStoreTest, Login_DoesNotUndoLockOfOtherProcess) {
  const auto other = open();
  ASSERT_TRUE(other->change(alice_.id, status(UserStatus::locked)));
  EXPECT_FALSE(store_->log_in(alice_.id, "hash of alice@example.org"));
  EXPECT_EQ(other->user(alice_.id)->status, UserStatus::locked);
  ASSERT_TRUE(other->change(alice_.id, status(UserStatus::active)));
  UserChange name;
  name.username = "Al";
  ASSERT_TRUE(store_->change(alice_.id, name));
  EXPECT_EQ(store_->user(alice_.id)->status, UserStatus::active);
}

TEST_P(AccountStoreTest, EndOfLogin_IsToldToWorkspace_WhichStaysOpen) {
  const IssuedLogin one = login(alice_);
  const IssuedLogin two = login(alice_);
  int told = 0;
  const auto watch = watchers_.watch(alice_.workspace, scheduler_, [&told] { ++told; });
  for (const IssuedLogin& ended : {one, two}) {
    ASSERT_TRUE(store_->log_out(ended.access_token));
    scheduler_.run_ready();
  }
  EXPECT_EQ(told, 2);
  EXPECT_THAT(closed(), IsEmpty());
}

TEST_P(AccountStoreTest, WorkspaceOfLockedOrDeletedUser_IsClosedOnce) {
  ASSERT_TRUE(store_->change(alice_.id, status(UserStatus::locked)));
  EXPECT_THAT(closed(), ElementsAre(alice_.workspace));
  ASSERT_TRUE(store_->remove(alice_.id));
  EXPECT_THAT(closed(), IsEmpty());
  const User bob = created("bob@example.org", "Bob");
  ASSERT_TRUE(open()->remove(bob.id));
  EXPECT_THAT(closed(), ElementsAre(bob.workspace));
}

TEST_P(AccountStoreTest, ExpiredAccessToken_IsToldOnce) {
  const IssuedLogin one = login(alice_);
  int told = 0;
  const auto watch = watchers_.watch(alice_.workspace, scheduler_, [&told] { ++told; });
  clock_.advance(kAccessLife - core::Millis(1));
  EXPECT_THAT(closed(), IsEmpty());
  EXPECT_TRUE(valid(one));
  clock_.advance(core::Millis(1));
  EXPECT_FALSE(valid(one));
  EXPECT_THAT(closed(), IsEmpty());
  EXPECT_THAT(closed(), IsEmpty());
  scheduler_.run_ready();
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(store_->refresh(one.refresh_token));
}

TEST_P(AccountStoreTest, WorkspaceOfToken_IsSharedByOneUser) {
  NewUser wanted{"bob@example.org", "Bob", "hash of bob@example.org"};
  wanted.workspace = "0123456789abcdef";
  const auto bob = store_->create(wanted);
  ASSERT_TRUE(bob);
  wanted.email = "carol@example.org";
  wanted.username = "Carol";
  EXPECT_EQ(store_->create(wanted).error().field, "workspace");
  const IssuedLogin one = login(*bob);
  EXPECT_EQ(store_->identify(one.access_token)->workspace, "0123456789abcdef");
  ASSERT_TRUE(store_->change(bob->id, status(UserStatus::locked)));
  EXPECT_FALSE(valid(one));
  EXPECT_THAT(closed(), IsEmpty());
}

TEST_P(AccountFileTest, FileOfNewerVersion_IsRefusedByName) {
  store_.reset();
  {
    auto database = sql::Database::open(folder_.file("accounts.db"), sql::OpenMode::read_write);
    ASSERT_TRUE(database && database->execute("PRAGMA user_version = 99"));
  }
  const auto refused = AccountStore::open(place_, clock_, entropy_, watchers_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("accounts.db"));
}

// A file with one user, on a disk that takes no further login.
class FullAccountFile final : public AccountFile {
 public:
  explicit FullAccountFile(UserRow user) : user_(std::move(user)) {}
  Result<void> transaction(absl::FunctionRef<Result<void>()> work) override { return work(); }
  Result<std::vector<UserRow>> users() override { return std::vector{user_}; }
  Result<UserRow> user(std::int64_t /*id*/) override { return user_; }
  Result<std::uint64_t> count_users() override { return 1; }
  Result<std::int64_t> insert(const UserRow& /*row*/) override { return full(); }
  Result<void> update(const UserRow& /*row*/) override { return {}; }
  Result<std::vector<LoginRow>> logins() override { return std::vector<LoginRow>(); }
  Result<std::vector<LoginRow>> logins_of(std::int64_t /*user*/) override { return logins(); }
  Result<void> insert(const LoginRow& /*row*/) override { return full(); }
  Result<void> set_access(const LoginRow& /*row*/) override { return {}; }
  Result<void> remove_login(std::int64_t /*id*/) override { return {}; }
  Result<void> remove_logins_of(std::int64_t /*user*/) override { return {}; }
  Result<std::int64_t> data_version() override { return 1; }

 private:
  static tl::unexpected<core::Error> full() {
    return core::fail(core::Code::resource_exhausted, "The disk is full.");
  }
  const UserRow user_;
};

TEST_P(AccountStoreTest, FullDisk_RefusesLogin_UserStays) {
  auto store = AccountStore::with_file(std::make_unique<FullAccountFile>(*store_->find("Alice")),
                                       clock_, entropy_, watchers_);
  ASSERT_TRUE(store);
  const auto refused = (*store)->log_in(alice_.id, (*store)->find("Alice")->password_hash);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::resource_exhausted);
  EXPECT_EQ((*store)->create({"bob@example.org", "Bob", "h"}).error().code,
            core::Code::resource_exhausted);
  EXPECT_EQ((*store)->users().size(), 1U);
}

class LoginVerifierTest : public AccountStoreTest {
 protected:
  LoginVerifier verifier_{*tokens_, *store_};
};
INSTANTIATE_TEST_SUITE_P(Engines, LoginVerifierTest, sql::each_engine(), sql::engine_name);

TEST_P(LoginVerifierTest, TokensAndLogins_AreValid_RefreshTokensAreNot) {
  const std::string token = *tokens_->create({"phone"});
  const IssuedLogin one = login(alice_);
  EXPECT_EQ(verifier_.verify(token, "")->name, "phone");
  EXPECT_EQ(verifier_.verify(one.access_token, "")->name, "Alice");
  EXPECT_EQ(verifier_.judge(one.access_token, "10.0.0.1").identity->name, "Alice");
  for (const std::string& wrong : {one.refresh_token, std::string("prla_x"), std::string("x"),
                                   std::string(), one.access_token + "x"}) {
    EXPECT_EQ(verifier_.verify(wrong, "").error().code, core::Code::unauthenticated);
    EXPECT_EQ(verifier_.judge(wrong, "").identity.error().code, core::Code::unauthenticated);
  }
}

TEST_P(LoginVerifierTest, GuessingAccessTokens_TakesTime) {
  for (std::size_t i = 0; i < core::kFreeGuesses; ++i) {
    const std::string guess = "prla_guess-" + std::to_string(i);
    EXPECT_EQ(verifier_.judge(guess, "10.0.0.1").wait, core::Millis(0));
  }
  EXPECT_EQ(verifier_.judge("prla_guess", "10.0.0.1").wait, core::kFirstWait);
  EXPECT_EQ(tokens_->wrong_tokens(), core::kFreeGuesses + 1);
  EXPECT_EQ(verifier_.judge(login(alice_).access_token, "10.0.0.1").wait, core::Millis(0));
}

TEST_P(LoginVerifierTest, ManualToken_MayLookLikeAccessToken) {
  tokens_->allow_for_this_run("prla_given-by-hand-to-this-server", "this-run");
  EXPECT_EQ(verifier_.verify("prla_given-by-hand-to-this-server", "")->name, "this-run");
  EXPECT_EQ(verifier_.judge("prla_given-by-hand-to-this-server", "").identity->name, "this-run");
}

TEST_P(LoginVerifierTest, EndsOfTokensAndLogins_ReachSameWatch) {
  const std::string token = *tokens_->create({"phone"});
  NewUser wanted{"bob@example.org", "Bob", "hash of bob@example.org"};
  wanted.workspace = tokens_->verify(token, "")->workspace;
  const User bob = *store_->create(wanted);
  int told = 0;
  const auto watch = watchers_.watch(*wanted.workspace, scheduler_, [&told] { ++told; });
  ASSERT_TRUE(store_->log_out(login(bob).access_token));
  scheduler_.run_ready();
  EXPECT_EQ(told, 1);
  ASSERT_TRUE(tokens_->revoke("phone"));
  tokens_->poll([](const auth::EndedToken&) {});
  scheduler_.run_ready();
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace parley::accounts
