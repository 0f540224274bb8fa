// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/client_registry.h"

#include <gtest/gtest.h>

#include "base/core/temp_folder.h"
#include "tests/support/auth/fake_verifier.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/http_client/fake_fetcher.h"

namespace parley::oauth {
namespace {

constexpr const char* kId = "https://app.example.org/client.json";
constexpr const char* kAppDocument =
    R"({"client_id":"https://app.example.org/client.json","client_name":"App",)"
    R"("redirect_uris":["http://localhost/cb"]})";

class ClientRegistryTest : public ::testing::Test {
 protected:
  core::Result<Client> find(std::string_view id) {
    const auto found =
        std::make_shared<core::Result<Client>>(core::fail(core::Code::internal, "no answer"));
    registry_.find(id, scheduler_,
                   [found](core::Result<Client> result) { *found = std::move(result); });
    scheduler_.run_ready();
    return *found;
  }
  void answer(std::string cache = {}, int status = 200, std::string type = "application/json",
              std::string body = kAppDocument) {
    fetcher_.will_answer({status,
                          {{"content-type", std::move(type)}, {"cache-control", std::move(cache)}},
                          {std::move(body)}});
  }

  core::TempFolder folder_;
  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{1};
  auth::FakeVerifier tokens_;
  http_client::FakeFetcher fetcher_;
  std::unique_ptr<GrantStore> grants_ =
      std::move(*GrantStore::open(folder_.path(), clock_, entropy_, tokens_.watchers()));
  ClientRegistry registry_{
      {{"agent", "agent", {"http://127.0.0.1/cb"}}}, *grants_, &fetcher_, clock_};
};

TEST_F(ClientRegistryTest, Preregistered_NeedsNoFetch) {
  EXPECT_EQ(find("agent")->name, "agent");
  EXPECT_EQ(find("other").error().field, "invalid_client");
  EXPECT_TRUE(fetcher_.exchanges.empty());
  EXPECT_TRUE(registry_.may_stay("agent"));
  EXPECT_FALSE(registry_.may_stay("other"));
}

TEST_F(ClientRegistryTest, Document_IsFetchedGuarded) {
  answer();
  EXPECT_EQ(find(kId)->name, "App");
  const http_client::FetchRequest& request = fetcher_.exchanges.front()->request;
  EXPECT_TRUE(request.public_only);
  EXPECT_EQ(request.max_redirects, 0);
  EXPECT_EQ(request.max_bytes, kMaxDocumentBytes);
  EXPECT_EQ(request.total_timeout, kDocumentTime);
}

TEST_F(ClientRegistryTest, UnreadableDocument_NamesTheOtherWays) {
  answer({}, 404);
  const std::string message = find(kId).error().message;
  for (const char* way : {"mcp.oauth_clients", "--client-id", "mcp.oauth_registration", "dcr"}) {
    EXPECT_NE(message.find(way), std::string::npos) << way;
  }
}

TEST_F(ClientRegistryTest, Document_IsKeptAsItsAnswerSays) {
  answer("public, max-age=600");
  EXPECT_TRUE(find(kId));
  clock_.advance(std::chrono::seconds(599));
  EXPECT_TRUE(find(kId));
  EXPECT_EQ(fetcher_.exchanges.size(), 1U);
  clock_.advance(std::chrono::seconds(2));
  answer("no-store, max-age=600");
  EXPECT_TRUE(find(kId));
  clock_.advance(kLeastDocumentLife);
  answer();
  EXPECT_TRUE(find(kId));
  EXPECT_EQ(fetcher_.exchanges.size(), 3U);
}

TEST_F(ClientRegistryTest, FaultyAnswers_AreRefused) {
  answer("", 302);
  EXPECT_EQ(find(kId).error().field, "invalid_client");
  answer("", 200, "text/html");
  EXPECT_EQ(find(kId).error().field, "invalid_client");
  answer("", 200, "application/json", "{}");
  EXPECT_EQ(find(kId).error().field, "invalid_client");
  fetcher_.will_answer({0, {}, {}, http_client::FetchEnd::Kind::refused, "private"});
  EXPECT_EQ(find(kId).error().field, "invalid_client");
}

TEST_F(ClientRegistryTest, Fetches_AreLimited) {
  for (std::size_t i = 0; i < kMaxFetches; ++i) find(kId);
  EXPECT_EQ(find(kId).error().code, core::Code::resource_exhausted);
  for (const auto& exchange : fetcher_.exchanges) exchange->end();
  scheduler_.run_ready();
  for (std::size_t i = kMaxFetches; i < kMaxFetchesInMinute; ++i) {
    answer("", 404);
    EXPECT_EQ(find(kId).error().field, "invalid_client");
  }
  EXPECT_EQ(find(kId).error().code, core::Code::resource_exhausted);
  clock_.advance(std::chrono::minutes(1));
  answer();
  EXPECT_TRUE(find(kId));
}

}  // namespace
}  // namespace parley::oauth
