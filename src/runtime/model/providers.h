// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "runtime/model/media.h"

namespace parley::model {

// Configuration of a provider: [[models.providers]] of parley.toml.
struct ProviderSettings {
  std::string name;  // core::is_safe_id(), and not kDemonstrationProvider
  std::string base_url;
  std::string api_key_env;   // environment variable with the key
  std::string api_key_file;  // or file with the key; blanks around the key are ignored
  // The offered models. Empty: the provider is asked (GET BASE_URL/models).
  std::vector<std::string> models;
  std::uint64_t context_tokens = 128'000;
  // Media kinds that its models accept, by name (media_from_names()). Empty: the default of
  // media_of().
  std::vector<std::string> media;
  std::vector<std::string> text_models;  // models that accept text alone; patterns such as "qwen*"
  std::string proxy;
  std::string ca_file;
  core::Millis connect_timeout{10'000};
  // Limit (Models): time of an attempt without a byte, by default. Reached: retried;
  // `deadline_exceeded`.
  core::Millis idle_timeout{120'000};
  core::Millis total_timeout{600'000};
  std::optional<double> temperature;
};

struct ModelSettings {
  std::vector<ProviderSettings> providers;
  std::string default_model;  // "provider/name"; empty: see default_model_id()
};

// The built-in demonstration.
inline constexpr std::string_view kDemonstrationProvider = "offline";
inline constexpr std::string_view kDemonstrationModel = "offline/demo";

// Value of an environment variable; empty if it is not set.
using Environment = std::function<std::string(const std::string& name)>;

// OPENAI_API_KEY adds a provider `openai`, unless a provider of that name is configured:
// OPENAI_BASE_URL is its address (default: OpenAI's own). OPENAI_MODEL becomes the default model if
// neither a default model nor another provider is configured.
void add_well_known_providers(ModelSettings& settings, const Environment& environment);

// The model for requests that name none: the configured default; else the first model of the first
// provider that names any; else `demonstration`.
std::string default_model_id(const ModelSettings& settings, const std::string& demonstration);

// Media kinds that a model of a provider accepts. Default by kind of provider: images and files for
// OpenAI's own API, images for every other one.
MediaKinds media_of(const ProviderSettings& provider, std::string_view model);

// The key of a provider; empty if none is configured. Errors: `failed_precondition`, naming the
// variable or the file without a key; never the key itself.
core::Result<std::string> read_api_key(const ProviderSettings& provider,
                                       const Environment& environment);

}  // namespace parley::model
