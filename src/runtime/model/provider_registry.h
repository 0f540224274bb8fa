// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/entropy.h"
#include "http_client/fetcher.h"
#include "runtime/model/model_registry.h"
#include "runtime/model/providers.h"

namespace parley::model {

// What a provider lists.
struct ListedModel {
  std::string id;  // as the provider has it, without the provider's name
  std::int64_t created = 0;
  std::string owned_by;
};
struct ProviderListing {
  std::string provider;
  std::vector<ListedModel> models;
  std::string error;  // empty: there is none
};

// The models of the configured providers, and the built-in demonstration. A provider that names no
// models is asked for them (GET BASE_URL/models); what it says is kept for kKeptFor, that it failed
// for kFailureKeptFor. A provider without its key is listed, and failed_precondition when asked
// for.
class ProviderRegistry final : public ModelRegistry {
 public:
  // Reads the keys. `fetcher`, `clock` and `entropy` outlive it and the models that it gave;
  // `demonstration` may be null.
  ProviderRegistry(ModelSettings settings, const Environment& environment,
                   http_client::Fetcher& fetcher, const core::Clock& clock, core::Entropy& entropy,
                   std::shared_ptr<Model> demonstration);
  ~ProviderRegistry() override;

  core::Result<std::shared_ptr<Model>> find(const std::string& id) override;
  std::string default_id() const override;
  void list(core::Scheduler& scheduler, absl::AnyInvocable<void(Listing)> done) override;

  // The providers in the order of the configuration, without the demonstration. As list().
  using ListingsDone = absl::AnyInvocable<void(std::vector<ProviderListing>)>;
  void list_providers(core::Scheduler& scheduler, ListingsDone done);
  const ModelSettings& settings() const;
  // Why a provider has no key; empty if it has one or needs none.
  std::string key_problem(const std::string& provider) const;

  static constexpr core::Millis kKeptFor = std::chrono::seconds(300);
  static constexpr core::Millis kFailureKeptFor = std::chrono::seconds(30);
  static constexpr core::Millis kListTimeout = std::chrono::seconds(5);
  static constexpr std::size_t kMaxListBytes = 4U << 20U;
  static constexpr std::size_t kMaxListed = 5'000;  // models of one provider; the rest is left out
  static constexpr std::size_t kMaxModels = 1'024;  // model objects that are kept

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace parley::model
