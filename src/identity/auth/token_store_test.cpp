// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/auth/token_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/core/guess_limit.h"
#include "base/sql/database.h"
#include "tests/support/auth/fake_verifier.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/store_fixture.h"
#include "tests/support/sql/store_test.h"

namespace parley::auth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class TokenStoreTest : public sql::StoreTest {
 protected:
  TokenStoreTest() : store_(open()) {}

  std::unique_ptr<TokenStore> open() {
    core::Result<std::unique_ptr<TokenStore>> opened = TokenStore::open(place_, clock_, entropy_);
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }
  static std::vector<std::string> gone(TokenStore& store) {
    std::vector<std::string> ids;
    store.poll([&ids](const EndedToken& ended) { ids.push_back(ended.token_id); });
    return ids;
  }
  core::Code refusal(std::string_view token, std::string_view peer = "10.0.0.1") {
    const core::Result<Identity> identity = store_->verify(token, peer);
    return identity ? core::Code::unknown : identity.error().code;
  }

  core::FakeClock clock_;
  core::SeededEntropy entropy_{3};
  std::unique_ptr<TokenStore> store_;
};
INSTANTIATE_TEST_SUITE_P(Engines, TokenStoreTest, sql::each_engine(), sql::engine_name);

class TokenFileTest : public TokenStoreTest {};
INSTANTIATE_TEST_SUITE_P(Files, TokenFileTest, sql::only_sqlite(), sql::engine_name);

TEST_P(TokenStoreTest, CreatedToken_IsValidAfterRestart) {
  const core::Result<std::string> token = store_->create({"laptop"});
  ASSERT_TRUE(token);
  EXPECT_EQ(token->size(), 4U + 43U);
  EXPECT_EQ(token->rfind("prl_", 0), 0U);
  const core::Result<Identity> before = store_->verify(*token, "10.0.0.1");
  ASSERT_TRUE(before);
  EXPECT_EQ(before->name, "laptop");
  EXPECT_EQ(before->token_id.size(), 16U);
  store_.reset();
  store_ = open();
  const core::Result<Identity> after = store_->verify(*token, "10.0.0.1");
  ASSERT_TRUE(after);
  EXPECT_EQ(after->token_id, before->token_id);
}

TEST_P(TokenFileTest, Disk_HoldsOnlyHash) {
  const core::Result<std::string> token = store_->create({"laptop"});
  ASSERT_TRUE(token);
  store_.reset();
  std::ifstream file(folder_.path() + "/tokens.db", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_THAT(bytes, HasSubstr("laptop"));
  EXPECT_THAT(bytes, Not(HasSubstr(token->substr(4))));
  store_ = open();
}

TEST_P(TokenFileTest, File_IsPrivate) {
  struct stat status {};
  ASSERT_EQ(::stat((folder_.path() + "/tokens.db").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_P(TokenStoreTest, WrongAndMissingTokens_AreRefusedWithoutEcho) {
  EXPECT_EQ(refusal(""), core::Code::unauthenticated);
  const core::Result<Identity> wrong = store_->verify("prl_secret-guess", "10.0.0.1");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, core::Code::unauthenticated);
  EXPECT_THAT(wrong.error().message, Not(HasSubstr("secret-guess")));
}

TEST_P(TokenStoreTest, ExpiredRevokedAndUnknown_GetSameAnswer) {
  const auto expiring = store_->create({"expiring", clock_.wall() + core::Millis(10)});
  const auto revoked = store_->create({"revoked"});
  ASSERT_TRUE(expiring && revoked);
  ASSERT_TRUE(store_->revoke("revoked"));
  clock_.advance(core::Millis(10));
  const std::string unknown = store_->verify("prl_x", "10.0.0.1").error().message;
  EXPECT_EQ(store_->verify(*expiring, "10.0.0.1").error().message, unknown);
  EXPECT_EQ(store_->verify(*revoked, "10.0.0.1").error().message, unknown);
}

TEST_P(TokenStoreTest, Expiry_IsToldByPollOnce) {
  const auto token = store_->create({"short", clock_.wall() + core::Millis(1'000)});
  ASSERT_TRUE(token);
  const std::string id = store_->verify(*token, "10.0.0.1")->workspace;
  EXPECT_THAT(gone(*store_), IsEmpty());
  clock_.advance(core::Millis(1'000));
  EXPECT_EQ(refusal(*token), core::Code::unauthenticated);
  EXPECT_THAT(gone(*store_), ElementsAre(id));
  EXPECT_THAT(gone(*store_), IsEmpty());
}

TEST_P(TokenStoreTest, Poll_TakesUpChangesOfOtherProcess) {
  const std::unique_ptr<TokenStore> other = open();
  const auto token = other->create({"shared"});
  ASSERT_TRUE(token);
  EXPECT_EQ(refusal(*token), core::Code::unauthenticated);
  EXPECT_THAT(gone(*store_), IsEmpty());
  const core::Result<Identity> identity = store_->verify(*token, "10.0.0.1");
  ASSERT_TRUE(identity);
  ASSERT_TRUE(other->revoke(identity->workspace));
  EXPECT_THAT(gone(*store_), ElementsAre(identity->workspace));
  EXPECT_EQ(refusal(*token), core::Code::unauthenticated);
}

TEST_P(TokenStoreTest, OwnRevocation_WorksAtOnce_IsToldByPoll) {
  const auto token = store_->create({"mine"});
  ASSERT_TRUE(token);
  const std::string id = store_->verify(*token, "10.0.0.1")->workspace;
  ASSERT_TRUE(store_->revoke("mine"));
  EXPECT_EQ(refusal(*token), core::Code::unauthenticated);
  EXPECT_THAT(gone(*store_), ElementsAre(id));
  EXPECT_EQ(store_->revoke("mine").error().code, core::Code::not_found);
}

TEST_P(TokenStoreTest, Id_TakesPrecedenceOverName) {
  const auto first = store_->create({"first"});
  ASSERT_TRUE(first);
  const std::string id = store_->verify(*first, "10.0.0.1")->workspace;
  const auto second = store_->create({id});
  ASSERT_TRUE(second);
  ASSERT_TRUE(store_->revoke(id));
  EXPECT_FALSE(store_->verify(*first, "10.0.0.1"));
  EXPECT_TRUE(store_->verify(*second, "10.0.0.1"));
}

TEST_P(TokenStoreTest, Name_IsTakenUntilRevocation) {
  ASSERT_TRUE(store_->create({"laptop"}));
  EXPECT_EQ(store_->create({"laptop"}).error().code, core::Code::already_exists);
  ASSERT_TRUE(store_->revoke("laptop"));
  EXPECT_TRUE(store_->create({"laptop"}));
  const core::Result<std::vector<TokenInfo>> infos = store_->list();
  ASSERT_TRUE(infos);
  ASSERT_EQ(infos->size(), 2U);
  EXPECT_TRUE((*infos)[0].revoked_at);
  EXPECT_FALSE((*infos)[1].revoked_at);
}

TEST_P(TokenStoreTest, Names_ArePrintableAndShort) {
  for (const char* name : {"", " a", "a ", "a\nb", "a\x7f", "\xc2\x85", "\xff"}) {
    const auto refused = store_->create({name});
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, core::Code::invalid_argument);
    EXPECT_EQ(refused.error().field, "name");
  }
  EXPECT_FALSE(store_->create({std::string(65, 'a')}));
  EXPECT_TRUE(store_->create({std::string(64, 'a')}));
  EXPECT_TRUE(store_->create({"笔记本 1"}));
}

TEST_P(TokenStoreTest, NewToken_MustNotBeExpired) {
  const auto refused = store_->create({"late", clock_.wall()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().field, "expires");
}

TEST_P(TokenStoreTest, RunToken_HasStableId_AndIsNotStored) {
  const Identity identity = store_->allow_for_this_run("demo", "command line");
  EXPECT_EQ(store_->verify("demo", "10.0.0.1")->workspace, identity.workspace);
  ASSERT_TRUE(store_->create({"other"}));
  EXPECT_TRUE(store_->verify("demo", "10.0.0.1"));
  EXPECT_EQ(store_->list()->size(), 1U);
  store_.reset();
  store_ = open();
  EXPECT_EQ(refusal("demo"), core::Code::unauthenticated);
  EXPECT_EQ(store_->allow_for_this_run("demo", "command line").token_id, identity.workspace);
}

TEST_P(TokenStoreTest, StoredTokenAllowedForRun_SurvivesRevocation) {
  const auto token = store_->create({"stored"});
  ASSERT_TRUE(token);
  const std::string id = store_->verify(*token, "10.0.0.1")->workspace;
  EXPECT_EQ(store_->allow_for_this_run(*token, "command line").token_id, id);
  ASSERT_TRUE(store_->revoke("stored"));
  EXPECT_THAT(gone(*store_), IsEmpty());
  EXPECT_TRUE(store_->verify(*token, "10.0.0.1"));
}

TEST_P(TokenStoreTest, SharedWorkspace_EndsWithItsLastToken) {
  const auto laptop = store_->create({"laptop"});
  const std::string workspace = store_->verify(*laptop, "")->workspace;
  const auto phone = store_->create({"phone", {}, {}, workspace});
  ASSERT_TRUE(phone);
  EXPECT_EQ(store_->verify(*phone, "")->workspace, workspace);
  EXPECT_NE(store_->verify(*phone, "")->token_id, workspace);
  core::FakeScheduler scheduler(clock_);
  int told = 0;
  const TokenWatch watch = store_->watchers().watch(workspace, scheduler, [&told] { ++told; });
  std::vector<bool> ended;
  for (const char* name : {"laptop", "phone"}) {
    ASSERT_TRUE(store_->revoke(name));
    store_->poll([&ended](const EndedToken& token) { ended.push_back(token.workspace_ended); });
  }
  scheduler.run_ready();
  EXPECT_THAT(ended, ElementsAre(false, true));
  EXPECT_EQ(told, 2);
}

TEST_P(TokenStoreTest, RunToken_KeepsWorkspaceOfStoredToken) {
  const auto laptop = store_->create({"laptop"});
  const std::string workspace = store_->verify(*laptop, "")->workspace;
  const auto phone = store_->create({"phone", {}, {}, workspace});
  EXPECT_EQ(store_->allow_for_this_run(*phone, "command line").workspace, workspace);
  EXPECT_EQ(store_->verify(*phone, "")->rights, Rights::all());
}

TEST_P(TokenStoreTest, Renamed_KeepsIdAndText) {
  const auto token = store_->create({"laptop"});
  ASSERT_TRUE(store_->create({"phone"}));
  const std::string id = store_->verify(*token, "")->token_id;
  EXPECT_EQ(store_->rename("laptop", "phone").error().code, core::Code::already_exists);
  EXPECT_EQ(store_->rename("laptop", " x").error().field, "name");
  EXPECT_EQ(store_->rename("nobody", "x").error().code, core::Code::not_found);
  const auto renamed = store_->rename(id, "old laptop");
  ASSERT_TRUE(renamed);
  EXPECT_EQ(renamed->identity.token_id, id);
  EXPECT_EQ(store_->verify(*token, "")->name, "old laptop");
}

TEST_P(TokenStoreTest, LastSeen_IsKeptToTheMinute) {
  const auto token = store_->create({"laptop"});
  EXPECT_FALSE(store_->list()->at(0).seen_at);
  EXPECT_TRUE(store_->verify(*token, ""));  // not a request
  EXPECT_FALSE(store_->list()->at(0).seen_at);
  const core::WallTime first = clock_.wall();
  EXPECT_TRUE(store_->verify(*token, "10.0.0.1"));
  EXPECT_EQ(store_->list()->at(0).seen_at, first);
  clock_.advance(core::Millis(30'000));
  EXPECT_TRUE(store_->verify(*token, "10.0.0.1"));
  EXPECT_EQ(store_->list()->at(0).seen_at, first);
  clock_.advance(core::Millis(30'000));
  EXPECT_TRUE(store_->verify(*token, "10.0.0.1"));
  EXPECT_THAT(gone(*store_), IsEmpty());
  store_.reset();
  store_ = open();
  EXPECT_EQ(store_->list()->at(0).seen_at, first + core::Millis(60'000));
}

TEST_P(TokenStoreTest, Guessing_GrowsSlower_AndLocksNoRightTokenOut) {
  const auto token = store_->create({"laptop"});
  ASSERT_TRUE(token);
  for (std::size_t i = 0; i < core::kFreeGuesses; ++i) {
    EXPECT_EQ(store_->judge("wrong-" + std::to_string(i), "10.0.0.1").wait, core::Millis(0));
  }
  EXPECT_EQ(store_->judge("wrong-too", "10.0.0.1").wait, core::kFirstWait);
  const Verdict next = store_->judge("wrong", "10.0.0.1");
  EXPECT_EQ(next.identity.error().code, core::Code::unauthenticated);
  EXPECT_EQ(next.wait, 3 * core::kFirstWait);  // queued behind the one before
  EXPECT_EQ(store_->judge("wrong", "10.0.0.2").wait, core::Millis(0));
  const Verdict right = store_->judge(*token, "10.0.0.1");
  EXPECT_TRUE(right.identity);
  EXPECT_EQ(right.wait, core::Millis(0));
  EXPECT_EQ(store_->wrong_tokens(), core::kFreeGuesses + 3);
}

TEST_P(TokenStoreTest, Guessing_OverManyConnections_IsRefusedUnseen) {
  store_->allow_for_this_run("4711", "this-run");
  for (std::size_t i = 0; i < core::kFreeGuesses + core::kMaxWaitingOfAddress; ++i) {
    const Verdict verdict = store_->judge("wrong-" + std::to_string(i), "::1");
    EXPECT_EQ(verdict.identity.error().code, core::Code::unauthenticated);
  }
  EXPECT_TRUE(store_->refuses_guesses("::1"));
  for (const std::string_view guess : {"wrong", "4711"}) {
    const Verdict verdict = store_->judge(guess, "::1");
    ASSERT_FALSE(verdict.identity) << guess;
    EXPECT_EQ(verdict.identity.error().code, core::Code::resource_exhausted);
    EXPECT_EQ(verdict.wait, core::Millis(0));
  }
}

TEST_P(TokenStoreTest, ShortToken_WaitsOnlyDuringGuessing) {
  const Identity identity = store_->allow_for_this_run("4711", "this-run");
  EXPECT_TRUE(identity.guessable);
  EXPECT_FALSE(store_->allow_for_this_run("sixteen-bytes-ok", "this-run").guessable);
  EXPECT_EQ(store_->judge("4711", "10.0.0.1").wait, core::Millis(0));
  for (std::size_t i = 0; i <= core::kFreeGuesses; ++i) {
    store_->judge("wrong-" + std::to_string(i), "10.0.0.1");
  }
  const Verdict waits = store_->judge("4711", "10.0.0.1");
  EXPECT_TRUE(waits.identity);
  EXPECT_EQ(waits.wait, 2 * core::kFirstWait);
  EXPECT_EQ(store_->judge("4711", "10.0.0.2").wait, core::Millis(0));
  clock_.advance(core::kGuessMemory);
  EXPECT_EQ(store_->judge("4711", "10.0.0.1").wait, core::Millis(0));
}

// A page that logs in with a wrong token again and again, as the first client does when it is
// opened as /?token=TOKEN.
TEST_P(TokenStoreTest, RepeatedLoginWithWrongToken_DoesNotDelayShortToken) {
  store_->allow_for_this_run("test-token", "this-run");
  for (int second = 0; second < 120; ++second) {
    EXPECT_EQ(store_->judge("test", "127.0.0.1").identity.error().code,
              core::Code::unauthenticated);
    const Verdict right = store_->judge("test-token", "127.0.0.1");
    EXPECT_TRUE(right.identity) << second;
    EXPECT_EQ(right.wait, core::Millis(0)) << second;
    EXPECT_FALSE(store_->refuses_guesses("127.0.0.1"));
    clock_.advance(std::chrono::seconds(1));
  }
}

TEST_P(TokenStoreTest, RightsOfNewToken_AreKept) {
  const auto usual = store_->create({"usual"});
  const auto runner = store_->create({"runner", {}, Rights{Right::run, Right::read}});
  const auto first = store_->create({std::string(kDefaultTokenName)});
  ASSERT_TRUE(usual && runner && first);
  store_ = open();
  EXPECT_EQ(store_->verify(*usual, "")->rights.text(), "ask,answer,read");
  EXPECT_EQ(store_->verify(*runner, "")->rights.text(), "read,run");
  EXPECT_EQ(store_->verify(*first, "")->rights, Rights::all());
  EXPECT_EQ(store_->allow_for_this_run("by-hand", "this-run").rights, Rights::all());
  EXPECT_EQ(store_->create({"none", {}, Rights{}}).error().field, "rights");
}

TEST_P(TokenFileTest, FileWithoutRights_KeepsFormerRights) {
  store_.reset();
  const std::string old = folder_.path() + "/old";
  std::filesystem::create_directory(old);
  {
    auto database = sql::Database::open(old + "/tokens.db", sql::OpenMode::create);
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->execute(
        "CREATE TABLE tokens (number INTEGER PRIMARY KEY, token_id TEXT NOT NULL, name TEXT NOT "
        "NULL,"
        " hash BLOB NOT NULL UNIQUE, created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at"
        " INTEGER); INSERT INTO tokens (token_id, name, hash, created_at) VALUES"
        " ('1', 'default', x'01', 1), ('2', 'laptop', x'02', 1);"
        "PRAGMA application_id = 1349676148; PRAGMA user_version = 1;"));
  }
  for (int restart = 0; restart < 2; ++restart) {
    const auto opened = TokenStore::open(old, clock_, entropy_);
    ASSERT_TRUE(opened) << opened.error().message;
    const auto list = (*opened)->list();
    ASSERT_TRUE(list);
    ASSERT_EQ(list->size(), 2U);
    EXPECT_EQ(list->at(0).identity.rights, Rights::all());
    EXPECT_EQ(list->at(1).identity.rights, Rights::all().without(Right::admin));
    EXPECT_EQ(list->at(1).identity.workspace, "2");
  }
}

TEST_P(TokenStoreTest, ManyThreads_VerifyWhileTokensChange) {
  const auto token = store_->create({"steady"});
  ASSERT_TRUE(token);
  std::atomic<bool> stop{false};
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop) refused += store_->verify(*token, "10.0.0.1") ? 0 : 1;
    });
  }
  for (int i = 0; i < 20; ++i) {
    const std::string name = "t" + std::to_string(i);
    EXPECT_TRUE(store_->create({name}));
    EXPECT_TRUE(store_->revoke(name));
    gone(*store_);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused, 0);
}

TEST_P(TokenFileTest, FileOfOtherProgram_IsRefused) {
  const std::string other = folder_.path() + "/other";
  std::filesystem::create_directory(other);
  std::ofstream(other + "/tokens.db")
      << "this is a text file, and long enough to be looked at " << std::string(1'000, '.');
  const auto refused = TokenStore::open(other, clock_, entropy_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::data_loss);
}

TEST(FakeVerifier, Verifier_KnowsGivenTokens) {
  FakeVerifier verifier;
  verifier.allow("t", "id");
  EXPECT_EQ(verifier.verify("t", "")->workspace, "id");
  verifier.forget("t");
  EXPECT_EQ(verifier.verify("t", "").error().code, core::Code::unauthenticated);
}

}  // namespace
}  // namespace parley::auth
