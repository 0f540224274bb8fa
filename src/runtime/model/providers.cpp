// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/providers.h"

#include <algorithm>
#include <fstream>

#include "base/core/ascii.h"

namespace parley::model {
namespace {

constexpr std::string_view kOpenAiUrl = "https://api.openai.com/v1";
constexpr std::string_view kOpenAiHost = "https://api.openai.com";
constexpr std::string_view kOpenAiModel = "gpt-4o-mini";
constexpr std::size_t kMaxKeyBytes = 8U << 10U;

core::Result<std::string> checked_key(const std::string& text, const std::string& where) {
  std::string key = std::string(core::trimmed(text));
  const bool printable =
      std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (key.empty()) {
    return core::fail(core::Code::failed_precondition, where + " has no key.");
  }
  if (!printable || key.size() > kMaxKeyBytes) {
    return core::fail(core::Code::failed_precondition,
                      "The content of " + where +
                          " is not a key: a key must be one word of printable ASCII characters.");
  }
  return key;
}

}  // namespace

void add_well_known_providers(ModelSettings& settings, const Environment& environment) {
  const std::string key = std::string(core::trimmed(environment("OPENAI_API_KEY")));
  const bool named =
      std::any_of(settings.providers.begin(), settings.providers.end(),
                  [](const ProviderSettings& provider) { return provider.name == "openai"; });
  if (key.empty() || named) return;
  ProviderSettings provider;
  provider.name = "openai";
  provider.api_key_env = "OPENAI_API_KEY";
  provider.base_url = std::string(core::trimmed(environment("OPENAI_BASE_URL")));
  const bool elsewhere = !provider.base_url.empty() && provider.base_url != kOpenAiUrl;
  if (!elsewhere) provider.base_url = kOpenAiUrl;
  while (provider.base_url.ends_with('/')) provider.base_url.pop_back();
  std::string name = std::string(core::trimmed(environment("OPENAI_MODEL")));
  if (name.empty() && !elsewhere) name = kOpenAiModel;
  if (settings.default_model.empty() && settings.providers.empty() && !name.empty()) {
    settings.default_model = "openai/" + name;
  }
  settings.providers.push_back(std::move(provider));
}

std::string default_model_id(const ModelSettings& settings, const std::string& demonstration) {
  if (!settings.default_model.empty()) return settings.default_model;
  for (const ProviderSettings& provider : settings.providers) {
    if (!provider.models.empty()) return provider.name + "/" + provider.models.front();
  }
  return demonstration;
}

MediaKinds media_of(const ProviderSettings& provider, std::string_view model) {
  const bool text_only = std::any_of(provider.text_models.begin(), provider.text_models.end(),
                                     [model](std::string_view name) {
                                       if (!name.ends_with('*')) return name == model;
                                       name.remove_suffix(1);
                                       return model.starts_with(name);
                                     });
  if (text_only) return {};
  if (!provider.media.empty()) return media_from_names(provider.media).value_or(MediaKinds());
  MediaKinds out;
  out.add(MediaKind::image);
  const std::string_view url = provider.base_url;
  if (url == kOpenAiUrl || url.starts_with(std::string(kOpenAiHost) + "/")) {
    out.add(MediaKind::file);
  }
  return out;
}

core::Result<std::string> read_api_key(const ProviderSettings& provider,
                                       const Environment& environment) {
  if (!provider.api_key_env.empty()) {
    const std::string text = environment(provider.api_key_env);
    if (text.empty()) {
      return core::fail(core::Code::failed_precondition,
                        "The provider " + provider.name + " has no key: the environment variable " +
                            provider.api_key_env + " is not set.");
    }
    return checked_key(text, "the environment variable " + provider.api_key_env);
  }
  if (provider.api_key_file.empty()) return std::string();
  std::ifstream in(provider.api_key_file, std::ios::binary);
  std::string text(kMaxKeyBytes + 2, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  if (text.empty()) {
    return core::fail(core::Code::failed_precondition,
                      "The provider " + provider.name + " has no key: the file " +
                          provider.api_key_file + " cannot be read, or is empty.");
  }
  return checked_key(text, "the file " + provider.api_key_file);
}

}  // namespace parley::model
