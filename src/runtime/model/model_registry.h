// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/scheduler.h"
#include "runtime/model/model.h"

namespace parley::model {

struct ModelInfo {
  std::string id;  // "provider/name"
  std::string name;
  std::string provider;
  std::uint64_t context_tokens = 0;
  MediaKinds media = {};
  bool demonstration = false;  // the built-in one: no language model at all
};

// The models that there are: those of the configured providers, and the built-in demonstration
// ("offline/demo"). Thread-safe.
class ModelRegistry {
 public:
  ModelRegistry() = default;
  ModelRegistry(const ModelRegistry&) = delete;
  ModelRegistry& operator=(const ModelRegistry&) = delete;
  virtual ~ModelRegistry() = default;

  // `id` is "provider/name", or a name that one provider has, or empty: the default. Errors:
  // `not_found`, naming what there is; `failed_precondition` (the provider has no key).
  virtual core::Result<std::shared_ptr<Model>> find(const std::string& id) = 0;
  // The id of the default.
  virtual std::string default_id() const = 0;
  // All of them; asks the providers that are to be asked, and keeps what they said for a while. A
  // provider that fails has an entry in `failures`.
  struct Listing {
    std::vector<ModelInfo> models;
    std::vector<std::pair<std::string, std::string>> failures;  // provider, what is wrong
  };
  virtual void list(core::Scheduler& scheduler, absl::AnyInvocable<void(Listing)> done) = 0;
};

}  // namespace parley::model
