// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/http_client/fetcher.h"
#include "runtime/model/model_registry.h"
#include "runtime/model/providers.h"

namespace parley::model {

// One entry of a provider's list of models.
struct ListedModel {
  std::string id;  // as the provider lists it, without the provider's name
  std::int64_t created = 0;
  std::string owned_by;
};
struct ProviderListing {
  std::string provider;
  std::vector<ListedModel> models;
  std::string error;  // empty: no error
};

// The models of the configured providers, and the built-in demonstration. A provider without
// configured models is asked for its list (GET BASE_URL/models); the answer is cached for kKeptFor,
// a failure for kFailureKeptFor. A provider without a key is listed, and find() answers
// `failed_precondition` for its models.
class ProviderRegistry final : public ModelRegistry {
 public:
  // Reads the keys. `fetcher`, `clock` and `entropy` must outlive the registry and the models that
  // it returned; `demonstration` may be null.
  ProviderRegistry(ModelSettings settings, const Environment& environment,
                   http_client::Fetcher& fetcher, const core::Clock& clock, core::Entropy& entropy,
                   std::shared_ptr<Model> demonstration);
  ~ProviderRegistry() override;

  core::Result<std::shared_ptr<Model>> find(const std::string& id) override;
  std::string default_id() const override;
  void list(core::Scheduler& scheduler, absl::AnyInvocable<void(Listing)> done) override;

  // The providers in the order of the configuration, without the demonstration. Asks and caches as
  // list() does.
  using ListingsDone = absl::AnyInvocable<void(std::vector<ProviderListing>)>;
  void list_providers(core::Scheduler& scheduler, ListingsDone done);
  const ModelSettings& settings() const;
  // Reason why a provider has no key; empty if it has one or needs none.
  std::string key_problem(const std::string& provider) const;

  // Limit (Models): time that a provider's list is kept. Reached: read again.
  static constexpr core::Millis kKeptFor = std::chrono::seconds(300);
  static constexpr core::Millis kFailureKeptFor = std::chrono::seconds(30);
  // Limit (Models): reading the list of a provider's models. Reached: reported as its failure.
  static constexpr core::Millis kListTimeout = std::chrono::seconds(5);
  // Limit (Models): bytes of a provider's list of models. Reached: reported as its failure.
  static constexpr std::size_t kMaxListBytes = 4U << 20U;
  // Limit of the models of one provider; further ones are dropped.
  // Limit (Models): models of a provider's list. Reached: the rest is left out.
  static constexpr std::size_t kMaxListed = 5'000;
  static constexpr std::size_t kMaxModels = 1'024;  // model objects that are cached

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace parley::model
