// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/result.h"
#include "runtime/model/media.h"

namespace parley::model {

// A provider as it is configured: [[models.providers]] of parley.toml.
struct ProviderSettings {
  std::string name;  // core::is_safe_id(), and not kDemonstrationProvider
  std::string base_url;
  std::string api_key_env;   // the variable that holds the key
  std::string api_key_file;  // or the file; blanks around the key are no part of it
  // The models there are. Empty: the provider is asked (GET BASE_URL/models).
  std::vector<std::string> models;
  std::uint64_t context_tokens = 128'000;
  // The kinds that its models take beside text, by name (media_from_names()). Empty: by its kind.
  std::vector<std::string> media;
  std::vector<std::string> text_models;  // of its models, those that take text alone; "qwen*"
  std::string proxy;
  std::string ca_file;
  core::Millis connect_timeout{10'000};
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

// What an environment variable holds; empty if there is none.
using Environment = std::function<std::string(const std::string& name)>;

// OPENAI_API_KEY makes a provider `openai` by itself, unless one of that name is configured:
// OPENAI_BASE_URL is where (default: OpenAI's own), OPENAI_MODEL the model to take.
void add_well_known_providers(ModelSettings& settings, const Environment& environment);

// The model that is taken where none is named: the configured one; else the first that the first
// provider names; else the demonstration, `demonstration`.
std::string default_model_id(const ModelSettings& settings, const std::string& demonstration);

// The kinds that a model of a provider takes beside text. By kind of provider: OpenAI's own API
// images and files, every other one images.
MediaKinds media_of(const ProviderSettings& provider, std::string_view model);

// The key of a provider; empty if it is to have none. Errors: `failed_precondition`, naming the
// variable or the file that has none; never the key.
core::Result<std::string> read_api_key(const ProviderSettings& provider,
                                       const Environment& environment);

}  // namespace parley::model
