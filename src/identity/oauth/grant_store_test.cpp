// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/grant_store.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "identity/oauth/grant_verifier.h"
#include "identity/oauth/oauth_context.h"
#include "identity/oauth/scope.h"
#include "tests/support/auth/fake_verifier.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/sql/store_test.h"

namespace parley::oauth {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class GrantStoreTest : public sql::StoreTest {
 protected:
  GrantStoreTest() { open(); }

  void open() {
    grants_.reset();
    grants_ = std::move(*GrantStore::open(place_, clock_, entropy_, tokens_.watchers()));
  }
  Consent consent(std::string token_id = "T", std::string workspace = "W") {
    Consent created;
    created.request.client_id = "agent";
    created.request.client_name = "Agent";
    created.request.resource = "https://p.example/mcp";
    created.request.scopes = kScopeRights;
    created.person.workspace = std::move(workspace);
    created.person.token_id = std::move(token_id);
    return created;
  }
  std::string code() { return *codes_.add(consent()); }
  IssuedTokens issue(std::string token_id = "T") {
    const std::string created = code();
    (void)codes_.take(created);
    return *grants_->create(consent(std::move(token_id)), created);
  }
  RefreshUse use(const IssuedTokens& tokens) { return {tokens.refresh_token, "agent"}; }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{1};
  auth::FakeVerifier tokens_;
  CodeStore codes_{clock_, entropy_};
  std::unique_ptr<GrantStore> grants_;
};
INSTANTIATE_TEST_SUITE_P(Engines, GrantStoreTest, sql::each_engine(), sql::engine_name);

class GrantFileTest : public GrantStoreTest {};
INSTANTIATE_TEST_SUITE_P(Files, GrantFileTest, sql::only_sqlite(), sql::engine_name);

TEST_P(GrantStoreTest, AccessToken_HasRightsOfItsScopes) {
  const IssuedTokens tokens = issue();
  EXPECT_EQ(tokens.expires_in, kAccessLife);
  const auto identity = grants_->identify(tokens.access_token);
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->workspace, "W");
  EXPECT_EQ(identity->rights, kScopeRights);
  EXPECT_FALSE(grants_->identify(tokens.refresh_token));
  clock_.advance(kAccessLife);
  EXPECT_FALSE(grants_->identify(tokens.access_token));
  EXPECT_TRUE(grants_->is_open(identity->token_id));
}

TEST_P(GrantStoreTest, Refresh_RotatesBothTokens) {
  const IssuedTokens first = issue();
  const auto second = grants_->refresh(use(first));
  ASSERT_TRUE(second);
  EXPECT_FALSE(grants_->identify(first.access_token));
  EXPECT_TRUE(grants_->identify(second->access_token));
  EXPECT_NE(first.refresh_token, second->refresh_token);
}

TEST_P(GrantStoreTest, UsedRefreshToken_EndsGrant) {
  const IssuedTokens first = issue();
  const auto second = grants_->refresh(use(first));
  EXPECT_EQ(grants_->refresh(use(first)).error().field, "invalid_grant");
  EXPECT_FALSE(grants_->identify(second->access_token));
  EXPECT_FALSE(grants_->refresh(use(*second)));
  EXPECT_EQ(grants_->reuses(), 1U);
}

TEST_P(GrantStoreTest, UsedCode_EndsGrant) {
  const std::string created = code();
  const auto tokens = grants_->create(consent(), created);
  EXPECT_TRUE(*grants_->end_reused(created));
  EXPECT_FALSE(grants_->identify(tokens->access_token));
  EXPECT_FALSE(*grants_->end_reused(created));
  EXPECT_FALSE(*grants_->end_reused("prloc_x"));
}

TEST_P(GrantStoreTest, RefreshByOtherClient_ChangesNothing) {
  const IssuedTokens tokens = issue();
  EXPECT_FALSE(grants_->refresh({tokens.refresh_token, "other"}));
  EXPECT_TRUE(grants_->identify(tokens.access_token));
}

TEST_P(GrantStoreTest, Refresh_MayNarrowScopes) {
  RefreshUse narrow = use(issue());
  narrow.scopes = auth::Rights{auth::Right::read};
  const auto second = grants_->refresh(narrow);
  EXPECT_EQ(grants_->identify(second->access_token)->rights, auth::Rights({auth::Right::read}));
  RefreshUse wide = use(*second);
  wide.scopes = auth::Rights::all();
  EXPECT_EQ(grants_->refresh(wide).error().field, "invalid_scope");
  EXPECT_EQ(grants_->refresh(use(*second))->scopes, kScopeRights);
}

TEST_P(GrantStoreTest, UnusedRefreshToken_Expires) {
  const IssuedTokens tokens = issue();
  clock_.advance(kRefreshLife);
  EXPECT_FALSE(grants_->refresh(use(tokens)));
  ASSERT_TRUE(grants_->sweep());
  EXPECT_EQ(grants_->grants(), 0U);
}

TEST_P(GrantFileTest, Grants_SurviveRestartAsHashes) {
  const IssuedTokens tokens = issue();
  open();
  EXPECT_TRUE(grants_->identify(tokens.access_token));
  std::ifstream file(folder_.path() + "/oauth.db", std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  EXPECT_THAT(bytes.str(), Not(HasSubstr(tokens.access_token)));
  EXPECT_THAT(bytes.str(), Not(HasSubstr(tokens.refresh_token)));
}

TEST_P(GrantStoreTest, EndOfToken_EndsItsGrantsAndTells) {
  const IssuedTokens mine = issue("T");
  const IssuedTokens other = issue("U");
  int told = 0;
  const auth::TokenWatch watch = tokens_.watchers().watch("W", scheduler_, [&told] { ++told; });
  ASSERT_TRUE(grants_->end_token("T"));
  scheduler_.run_ready();
  EXPECT_EQ(told, 1);
  EXPECT_FALSE(grants_->identify(mine.access_token));
  EXPECT_TRUE(grants_->identify(other.access_token));
  EXPECT_EQ(grants_->create(consent("T"), code()).error().field, "invalid_grant");
  ASSERT_TRUE(grants_->keep([](const Grant& grant) { return grant.token_id == "V"; }));
  EXPECT_EQ(grants_->grants(), 0U);
}

TEST_P(GrantStoreTest, RemovedByOtherProcess_Ends) {
  const IssuedTokens first = issue();
  const IssuedTokens second = issue();
  ASSERT_TRUE(grants_->poll());
  EXPECT_EQ(grants_->grants(), 2U);
  const auto other = GrantFile::open(place_);
  ASSERT_TRUE((*other)->remove((*(*other)->grants()).front().id));
  ASSERT_TRUE(grants_->poll());
  EXPECT_FALSE(grants_->identify(first.access_token));
  EXPECT_TRUE(grants_->identify(second.access_token));
}

TEST_P(GrantStoreTest, WhatAnotherNodeIssues_IsKnownAfterPoll) {
  const auto other = GrantStore::open(place_, clock_, entropy_, tokens_.watchers());
  ASSERT_TRUE(other) << other.error().message;
  const IssuedTokens first = issue();
  EXPECT_FALSE((*other)->identify(first.access_token));
  ASSERT_TRUE((*other)->poll());
  EXPECT_TRUE((*other)->identify(first.access_token));
  const auto second = grants_->refresh({first.refresh_token, "agent"});
  ASSERT_TRUE(second) << second.error().message;
  const auto client = grants_->register_client({});
  ASSERT_TRUE(client) << client.error().message;
  ASSERT_TRUE((*other)->poll());
  EXPECT_FALSE((*other)->identify(first.access_token));
  EXPECT_TRUE((*other)->identify(second->access_token));
  EXPECT_EQ((*other)->clients(), 1U);
  const auto third = (*other)->refresh({second->refresh_token, "agent"});
  EXPECT_TRUE(third) << "the newest refresh token is known";
}

TEST_P(GrantStoreTest, Revoke_TakesEitherTokenOfClient) {
  const IssuedTokens first = issue();
  ASSERT_TRUE(grants_->revoke(first.access_token, "other"));
  EXPECT_EQ(grants_->grants(), 1U);
  ASSERT_TRUE(grants_->revoke(first.access_token, "agent"));
  EXPECT_EQ(grants_->grants(), 0U);
  ASSERT_TRUE(grants_->revoke(issue().refresh_token, "agent"));
  EXPECT_EQ(grants_->grants(), 0U);
}

TEST_P(GrantStoreTest, WorkspaceAtLimit_LosesOldestGrant) {
  const IssuedTokens first = issue();
  for (std::size_t i = 1; i < kMaxGrantsOfWorkspace; ++i) issue();
  EXPECT_TRUE(grants_->identify(first.access_token));
  issue();
  EXPECT_EQ(grants_->grants(), kMaxGrantsOfWorkspace);
}

TEST_P(GrantStoreTest, ParleyToken_LimitsLifeOfGrant) {
  Consent brief = consent();
  brief.person.expires_at = clock_.wall() + std::chrono::minutes(5);
  const auto tokens = grants_->create(brief, code());
  EXPECT_EQ(tokens->expires_in, core::Millis(std::chrono::minutes(5)));
  clock_.advance(std::chrono::minutes(5));
  EXPECT_FALSE(grants_->refresh(use(*tokens)));
}

TEST_P(GrantStoreTest, RegisteredClients_AreKept) {
  const auto client = grants_->register_client({"", "App", {"x://a", "x://b"}});
  ASSERT_TRUE(client);
  open();
  const auto known = grants_->registered(client->id);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->name, "App");
  EXPECT_EQ(known->redirects.size(), 2U);
  EXPECT_EQ(known->kind, ClientKind::registered);
}

TEST_P(GrantStoreTest, Verifier_TakesBothKindsOfToken) {
  tokens_.allow("static", "W2");
  GrantVerifier verifier(tokens_, *grants_);
  const IssuedTokens tokens = issue();
  EXPECT_EQ(verifier.verify("static", "")->workspace, "W2");
  const auto identity = verifier.judge(tokens.access_token, "").identity;
  ASSERT_TRUE(identity);
  EXPECT_FALSE(tokens_.verify(tokens.access_token, "")) << "other dialects";
  EXPECT_FALSE(verifier.judge("prlo_wrong", "").identity);
  ASSERT_TRUE(grants_->refresh(use(tokens)));
  EXPECT_FALSE(verifier.verify(tokens.access_token, ""));
  EXPECT_TRUE(verifier.may_continue(*identity, tokens.access_token, "")) << "a renewed token";
  ASSERT_TRUE(grants_->end_token("T"));
  EXPECT_FALSE(verifier.may_continue(*identity, tokens.access_token, ""));
}

TEST_P(GrantStoreTest, Code_WorksOnceWithinMinute) {
  const std::string first = code();
  EXPECT_TRUE(codes_.take(first));
  EXPECT_FALSE(codes_.take(first));
  const std::string late = code();
  clock_.advance(kCodeLife);
  EXPECT_FALSE(codes_.take(late));
  const std::string forgotten = code();
  codes_.forget_token("T");
  EXPECT_FALSE(codes_.take(forgotten));
}

TEST_P(GrantStoreTest, Codes_AreLimited) {
  for (std::size_t i = 0; i < kMaxCodesOfWorkspace; ++i) code();
  EXPECT_EQ(codes_.add(consent()).error().code, core::Code::resource_exhausted);
  EXPECT_TRUE(codes_.add(consent("T", "W2")));
}

TEST_P(GrantStoreTest, FormSeal_KeepsOutChangesAndAge) {
  const FormSigner sign(entropy_);
  std::string signed_text = sign.sign("content", clock_.wall());
  EXPECT_EQ(*sign.open(signed_text, clock_.wall()), "content");
  EXPECT_FALSE(FormSigner(entropy_).open(signed_text, clock_.wall()));
  EXPECT_FALSE(sign.open(signed_text, clock_.wall() + kFormLife + core::Millis(1)));
  signed_text.back() = signed_text.back() == 'A' ? 'B' : 'A';
  EXPECT_FALSE(sign.open(signed_text, clock_.wall()));
  EXPECT_FALSE(sign.open("", clock_.wall()));
}

}  // namespace
}  // namespace parley::oauth
