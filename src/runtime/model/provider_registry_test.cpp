// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/provider_registry.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/core/fake_scheduler.h"
#include "tests/support/http_client/fake_fetcher.h"

namespace parley::model {
namespace {

using core::Code;
using http_client::FakeFetcher;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kRegistryKey = "sk-very-secret";

class Demonstration final : public Model {
 public:
  const std::string& id() const override { return id_; }
  std::uint64_t context_tokens() const override { return 1'000; }
  void ask(ModelRequest, ModelEvents, core::Scheduler&, const core::CancelToken&, Done) override {}

 private:
  std::string id_ = "offline/demo";
};

ProviderSettings provider(std::string name, std::vector<std::string> models = {}) {
  ProviderSettings out;
  out.name = std::move(name);
  out.base_url = "https://" + out.name + ".example.org/v1";
  out.models = std::move(models);
  return out;
}

FakeFetcher::Answer listing(std::string body, int status = 200) {
  FakeFetcher::Answer answer;
  answer.status = status;
  answer.pieces = {std::move(body)};
  return answer;
}

class ProviderRegistryTest : public ::testing::Test {
 protected:
  ProviderRegistry& make() {
    registry_ = std::make_unique<ProviderRegistry>(settings_, environment(), fetcher_, clock_,
                                                   entropy_, std::make_shared<Demonstration>());
    return *registry_;
  }
  Environment environment() {
    return [this](const std::string& name) {
      const auto found = environment_.find(name);
      return found == environment_.end() ? std::string() : found->second;
    };
  }
  ModelRegistry::Listing list() {
    std::optional<ModelRegistry::Listing> out;
    registry_->list(scheduler_, [&](ModelRegistry::Listing got) { out = std::move(got); });
    EXPECT_FALSE(out.has_value()) << "told inside the call";
    scheduler_.run_ready();
    return out.value_or(ModelRegistry::Listing{});
  }
  std::vector<std::string> ids() {
    std::vector<std::string> out;
    for (const ModelInfo& model : list().models) out.push_back(model.id);
    return out;
  }
  std::string found(const std::string& id) {
    const auto model = registry_->find(id);
    if (!model) return std::string(core::code_name(model.error().code));
    return (*model)->id();
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{7};
  FakeFetcher fetcher_;
  ModelSettings settings_;
  std::map<std::string, std::string> environment_;
  std::unique_ptr<ProviderRegistry> registry_;
};

TEST_F(ProviderRegistryTest, NoProviders_DemoModelIsThere) {
  make();
  EXPECT_EQ(registry_->default_id(), "offline/demo");
  EXPECT_EQ(found(""), "offline/demo");
  EXPECT_EQ(found("demo"), "offline/demo");
  const ModelRegistry::Listing all = list();
  ASSERT_EQ(all.models.size(), 1U);
  EXPECT_TRUE(all.models[0].demonstration);
  EXPECT_EQ(all.models[0].provider, "offline");
  EXPECT_EQ(all.models[0].name, "demo");
}

TEST_F(ProviderRegistryTest, Model_IsFoundByProviderAndNameOrUniqueName) {
  settings_.providers = {provider("acme", {"large", "org/small"}), provider("other", {"large"})};
  make();
  EXPECT_EQ(registry_->default_id(), "acme/large");
  EXPECT_EQ(found(""), "acme/large");
  EXPECT_EQ(found("other/large"), "other/large");
  EXPECT_EQ(found("org/small"), "acme/org/small");
  EXPECT_EQ(found("acme/org/small"), "acme/org/small");
  EXPECT_EQ(found("large"), "not_found");
  EXPECT_EQ(found("acme/none"), "not_found");
  EXPECT_EQ(found("none"), "not_found");
  EXPECT_THAT(registry_->find("none").error().message,
              HasSubstr("offline/demo, acme/large, acme/org/small, other/large"));
  EXPECT_THAT(registry_->find("large").error().message, HasSubstr("acme/large"));
  EXPECT_EQ(registry_->find("acme/large")->get(), registry_->find("acme/large")->get());
}

TEST_F(ProviderRegistryTest, Default_IsConfiguredModel) {
  settings_.providers = {provider("acme", {"a", "b"})};
  settings_.default_model = "acme/b";
  make();
  EXPECT_EQ(registry_->default_id(), "acme/b");
  EXPECT_EQ(found(""), "acme/b");
}

TEST_F(ProviderRegistryTest, UnlistedModels_AreRequestedAndCached) {
  settings_.providers = {provider("acme")};
  settings_.providers[0].api_key_env = "ACME_KEY";
  settings_.providers[0].context_tokens = 32'000;
  environment_["ACME_KEY"] = std::string(" ") + kRegistryKey + "\n";
  make();
  const std::string body =
      R"({"object":"list","data":[{"id":"m1","created":17,"owned_by":"me"},{"id":"bad id"},7]})";
  fetcher_.will_answer(listing(body));
  const ModelRegistry::Listing all = list();
  ASSERT_EQ(all.models.size(), 2U);
  EXPECT_EQ(all.models[1].id, "acme/m1");
  EXPECT_EQ(all.models[1].context_tokens, 32'000U);
  EXPECT_FALSE(all.models[1].demonstration);
  const http_client::FetchRequest& request = fetcher_.exchanges.at(0)->request;
  EXPECT_EQ(request.url, "https://acme.example.org/v1/models");
  EXPECT_EQ(request.total_timeout, ProviderRegistry::kListTimeout);
  EXPECT_THAT(request.headers, Contains(std::string("Authorization: Bearer ") + kRegistryKey));
  EXPECT_EQ(found("m1"), "acme/m1");
  EXPECT_EQ(found("acme/m2"), "acme/m2");
  clock_.advance(ProviderRegistry::kKeptFor - core::Millis(1));
  EXPECT_EQ(ids().size(), 2U);
  EXPECT_EQ(fetcher_.exchanges.size(), 1U);
  clock_.advance(core::Millis(1));
  fetcher_.will_answer(listing(R"([{"id":"m3"}])"));
  EXPECT_THAT(ids(), Contains("acme/m3"));
  EXPECT_EQ(fetcher_.exchanges.size(), 2U);
}

TEST_F(ProviderRegistryTest, FailedProvider_IsTold_OthersStay) {
  settings_.providers = {provider("one"), provider("two"), provider("three", {"x"})};
  settings_.providers[0].api_key_env = "KEY";
  environment_["KEY"] = kRegistryKey;
  make();
  fetcher_.will_answer(listing(std::string(R"({"error":"bad key )") + kRegistryKey + "\"}", 401));
  FakeFetcher::Answer unreachable;
  unreachable.status = 0;
  unreachable.end = http_client::FetchEnd::Kind::unreachable;
  unreachable.failure = "It cannot be reached.";
  fetcher_.will_answer(unreachable);
  const ModelRegistry::Listing all = list();
  EXPECT_EQ(all.models.size(), 2U);
  ASSERT_EQ(all.failures.size(), 2U);
  EXPECT_EQ(all.failures[0].first, "one");
  EXPECT_THAT(all.failures[0].second, HasSubstr("bad key ***"));
  EXPECT_THAT(all.failures[0].second, Not(HasSubstr(kRegistryKey)));
  EXPECT_EQ(all.failures[1].second, "two: It cannot be reached.");
  EXPECT_EQ(list().failures.size(), 2U);
  EXPECT_EQ(fetcher_.exchanges.size(), 2U);
  clock_.advance(ProviderRegistry::kFailureKeptFor);
  fetcher_.will_answer(listing("<html>"));
  fetcher_.will_answer(listing(R"({"data":[]})"));
  const ModelRegistry::Listing later = list();
  ASSERT_EQ(later.failures.size(), 1U);
  EXPECT_THAT(later.failures[0].second, HasSubstr("base_url"));
}

TEST_F(ProviderRegistryTest, ProviderWithoutKey_IsTold_NotAsked) {
  settings_.providers = {provider("acme"), provider("named", {"m"})};
  settings_.providers[0].api_key_env = "ACME_KEY";
  settings_.providers[1].api_key_file = "/no/such/file";
  make();
  const ModelRegistry::Listing all = list();
  ASSERT_EQ(all.failures.size(), 2U);
  EXPECT_THAT(all.failures[0].second, HasSubstr("ACME_KEY is not set"));
  EXPECT_THAT(all.failures[1].second, HasSubstr("/no/such/file"));
  EXPECT_TRUE(fetcher_.exchanges.empty());
  EXPECT_EQ(found("acme/any"), "failed_precondition");
  EXPECT_EQ(found("named/m"), "failed_precondition");
}

TEST_F(ProviderRegistryTest, Key_IsReadFromFile) {
  const std::string path = ::testing::TempDir() + "parley_provider_key";
  std::ofstream(path) << kRegistryKey << "\n";
  ProviderSettings settings = provider("acme");
  settings.api_key_file = path;
  EXPECT_EQ(read_api_key(settings, environment()).value_or(""), kRegistryKey);
  std::ofstream(path) << "two words";
  const auto bad = read_api_key(settings, environment());
  ASSERT_FALSE(bad.has_value());
  EXPECT_THAT(bad.error().message, Not(HasSubstr("two words")));
  std::remove(path.c_str());
  EXPECT_EQ(read_api_key(provider("free"), environment()).value_or("?"), "");
}

TEST_F(ProviderRegistryTest, WellKnownVariables_MakeProvider) {
  add_well_known_providers(settings_, environment());
  EXPECT_TRUE(settings_.providers.empty());
  environment_["OPENAI_API_KEY"] = kRegistryKey;
  add_well_known_providers(settings_, environment());
  ASSERT_EQ(settings_.providers.size(), 1U);
  EXPECT_EQ(settings_.providers[0].base_url, "https://api.openai.com/v1");
  EXPECT_EQ(settings_.default_model, "openai/gpt-4o-mini");
  settings_ = {};
  environment_["OPENAI_BASE_URL"] = "http://127.0.0.1:8080/v1/";
  add_well_known_providers(settings_, environment());
  EXPECT_EQ(settings_.providers.at(0).base_url, "http://127.0.0.1:8080/v1");
  EXPECT_EQ(settings_.default_model, "");
  settings_ = {};
  environment_["OPENAI_MODEL"] = "local";
  add_well_known_providers(settings_, environment());
  EXPECT_EQ(settings_.default_model, "openai/local");
  settings_ = {};
  settings_.providers = {provider("openai")};
  add_well_known_providers(settings_, environment());
  EXPECT_EQ(settings_.providers.size(), 1U);
  EXPECT_EQ(settings_.providers[0].base_url, "https://openai.example.org/v1");
}

}  // namespace
}  // namespace parley::model
