// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "runtime/model/model.h"

namespace parley::model {

struct ModelInfo {
  std::string id;  // "provider/name"
  std::string name;
  std::string provider;
  std::uint64_t context_tokens = 0;
  MediaKinds media = {};
  bool demonstration = false;  // the built-in demonstration, which is no language model
};

// The available models: those of the configured providers, and the built-in demonstration
// ("offline/demo"). Thread-safe.
class ModelRegistry {
 public:
  ModelRegistry() = default;
  ModelRegistry(const ModelRegistry&) = delete;
  ModelRegistry& operator=(const ModelRegistry&) = delete;
  virtual ~ModelRegistry() = default;

  // `id` is "provider/name", a name that only one provider has, or empty for the default. Errors:
  // `not_found`, naming the available models; `failed_precondition` (the provider has no key).
  virtual core::Result<std::shared_ptr<Model>> find(const std::string& id) = 0;
  // Id of the default model.
  virtual std::string default_id() const = 0;
  // Lists all models. Asks the providers that have no configured list, and caches their answers for
  // a while. A provider that fails has an entry in `failures`.
  struct Listing {
    std::vector<ModelInfo> models;
    std::vector<std::pair<std::string, std::string>> failures;  // provider, reason
  };
  virtual void list(core::Scheduler& scheduler, absl::AnyInvocable<void(Listing)> done) = 0;
};

}  // namespace parley::model
