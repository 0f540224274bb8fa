// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The rows of the table that belong to models and their providers.
#include <charconv>

#include "server/settings_rows.h"

namespace parley::app {
namespace {

using Type = SettingType;

model::ProviderSettings& last(Settings& s) { return s.models.providers.back(); }

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

std::optional<double> decimal_of(const SettingValue& value) {
  const std::string& text = text_of(value);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<Setting> identity_fields() {
  return {
      {"models.providers.name",
       Type::text,
       "",
       0,
       0,
       {},
       "How the provider is called: a model is PROVIDER/NAME. Must be there.",
       [](Settings& s, const SettingValue& v) { last(s).name = text_of(v); }},
      {"models.providers.base_url",
       Type::url,
       "",
       0,
       0,
       {},
       "Where its API is, without /chat/completions. Must be there.",
       [](Settings& s, const SettingValue& v) { last(s).base_url = without_slash(text_of(v)); }},
      {"models.providers.api_key_env",
       Type::text,
       "",
       0,
       0,
       {},
       "The environment variable with the key. Neither this nor a file: no key is sent.",
       [](Settings& s, const SettingValue& v) { last(s).api_key_env = text_of(v); }},
      {"models.providers.api_key_file",
       Type::path,
       "",
       0,
       0,
       {},
       "The file with the key.",
       [](Settings& s, const SettingValue& v) { last(s).api_key_file = text_of(v); }},
  };
}

std::vector<Setting> model_fields() {
  return {
      {"models.providers.models",
       Type::names,
       "",
       0,
       0,
       {},
       "Its models. Empty: the provider is asked for them.",
       [](Settings& s, const SettingValue& v) {
         last(s).models = std::get<std::vector<std::string>>(v);
       }},
      {"models.providers.context_tokens",
       Type::integer,
       "128000",
       1'000,
       100'000'000,
       {},
       "What request and reply may have together; longer conversations are shortened.",
       [](Settings& s, const SettingValue& v) {
         last(s).context_tokens = static_cast<std::uint64_t>(number_of(v));
       }},
      {"models.providers.media",
       Type::names,
       "",
       0,
       0,
       {},
       "What its models take beside text: image, audio, video, file (PDF documents), or none. "
       "Other attachments are described to the model in words. Empty: image, and file of OpenAI's "
       "own API.",
       [](Settings& s, const SettingValue& v) {
         last(s).media = std::get<std::vector<std::string>>(v);
       }},
      {"models.providers.text_models",
       Type::names,
       "",
       0,
       0,
       {},
       "Those of its models that take text alone, whatever media says. A name may end in *.",
       [](Settings& s, const SettingValue& v) {
         last(s).text_models = std::get<std::vector<std::string>>(v);
       }},
      {"models.providers.temperature",
       Type::decimal,
       "",
       0,
       2,
       {},
       "Sent with each request. Empty: the provider's own.",
       [](Settings& s, const SettingValue& v) { last(s).temperature = decimal_of(v); }},
  };
}

std::vector<Setting> transport_fields() {
  return {
      {"models.providers.proxy",
       Type::secret,
       "",
       0,
       0,
       {},
       "The proxy to use, for example http://proxy.example.org:3128. Empty: that of the "
       "environment. Loopback addresses are reached directly.",
       [](Settings& s, const SettingValue& v) { last(s).proxy = text_of(v); }},
      {"models.providers.ca_file",
       Type::path,
       "",
       0,
       0,
       {},
       "PEM file with the certificates to trust instead of the system's.",
       [](Settings& s, const SettingValue& v) { last(s).ca_file = text_of(v); }},
      {"models.providers.connect_timeout",
       Type::duration,
       "10s",
       100,
       kHour,
       {},
       "For a connection to stand.",
       [](Settings& s, const SettingValue& v) { last(s).connect_timeout = time_of(v); }},
      {"models.providers.idle_timeout",
       Type::duration,
       "2m",
       kSecond,
       kHour,
       {},
       "A model that sends nothing for this long has failed.",
       [](Settings& s, const SettingValue& v) { last(s).idle_timeout = time_of(v); }},
      {"models.providers.total_timeout",
       Type::duration,
       "10m",
       kSecond,
       kDay,
       {},
       "For a whole reply.",
       [](Settings& s, const SettingValue& v) { last(s).total_timeout = time_of(v); }},
  };
}

}  // namespace

std::vector<Setting> provider_settings() {
  return {
      {"models.default",
       Type::text,
       "",
       0,
       0,
       {},
       "The model of runs that name none: PROVIDER/NAME. Empty: the first that a provider names, "
       "else the built-in demonstration, offline/demo.",
       [](Settings& s, const SettingValue& v) { s.models.default_model = text_of(v); }},
  };
}

SettingGroup provider_group() {
  std::vector<Setting> fields = identity_fields();
  for (const auto& more : {model_fields(), transport_fields()}) {
    fields.insert(fields.end(), more.begin(), more.end());
  }
  return {"models.providers", std::move(fields),
          [](Settings& s) { s.models.providers.emplace_back(); }};
}

}  // namespace parley::app
