// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "app/cli/commands.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/entropy.h"
#include "base/core/json_writer.h"
#include "base/http_client/curl_fetcher.h"
#include "base/http_client/curl_loop.h"
#include "runtime/model/provider_registry.h"

namespace parley::app {
namespace {

using model::ListedModel;
using model::ProviderListing;

// The answers of the settings' providers, each queried once.
struct Asked {
  std::vector<ProviderListing> listings;
  std::string default_model;
};

ProviderListing demonstration() {
  constexpr std::string_view kProvider = model::kDemonstrationProvider;
  const std::string name(model::kDemonstrationModel.substr(kProvider.size() + 1));
  return {std::string(kProvider), {{name, 0, "parley"}}, {}};
}

Asked ask_providers(const model::ModelSettings& settings) {
  const core::SystemClock clock;
  core::SystemEntropy entropy;
  http_client::CurlLoop loop(clock);
  http_client::CurlFetcher fetcher(clock);
  model::ProviderRegistry registry(settings, process_environment(), fetcher, clock, entropy,
                                   nullptr);
  std::optional<std::vector<ProviderListing>> listings;
  registry.list_providers(
      loop, [&listings](std::vector<ProviderListing> all) { listings = std::move(all); });
  while (!listings) loop.run_once(std::chrono::seconds(1));
  Asked out;
  out.listings = std::move(*listings);
  out.listings.push_back(demonstration());
  out.default_model = model::default_model_id(settings, std::string(model::kDemonstrationModel));
  return out;
}

void write_listing(core::JsonWriter& json, const ProviderListing& listing) {
  json.begin_object().key("provider").string(listing.provider).key("models").begin_array();
  for (const ListedModel& one : listing.models) {
    json.begin_object().key("id").string(one.id).key("created").number(one.created);
    json.key("owned_by").string(one.owned_by).end_object();
  }
  json.end_array().key("error");
  listing.error.empty() ? json.null() : json.string(listing.error);
}

std::string as_text(const Asked& asked, const ProviderListing& listing) {
  std::string out;
  for (const ListedModel& one : listing.models) {
    const std::string id = listing.provider + "/" + one.id;
    out += id + (id == asked.default_model ? "  (default)" : "");
    if (id == model::kDemonstrationModel) out += "  (built-in demonstration, no language model)";
    out += "\n";
  }
  return out;
}

void complain_about(const ProviderListing& listing) {
  if (listing.error.empty()) return;
  complain(
      {"The models of " + listing.provider + " cannot be listed.", listing.error,
       "Check the provider in [[models.providers]] of parley.toml, or list its models there."});
}

std::string key_state(const model::ProviderSettings& provider) {
  if (provider.api_key_env.empty() && provider.api_key_file.empty()) return "none";
  return model::read_api_key(provider, process_environment()) ? "set" : "missing";
}

std::string key_source(const model::ProviderSettings& provider) {
  if (!provider.api_key_env.empty()) return "environment variable " + provider.api_key_env;
  if (!provider.api_key_file.empty()) return "file " + provider.api_key_file;
  return {};
}

std::string provider_as_json(const model::ProviderSettings& provider,
                             const ProviderListing& listing) {
  std::string out;
  core::JsonWriter json(out);
  write_listing(json, listing);
  json.key("base_url").string(provider.base_url);
  json.key("key").string(key_state(provider)).key("key_source").string(key_source(provider));
  json.key("context_tokens").number(provider.context_tokens);
  json.key("media").string(model::media_of(provider, "").names());
  json.key("text_models").strings(provider.text_models).end_object();
  return out + "\n";
}

std::string provider_as_text(const Asked& asked, const model::ProviderSettings& provider,
                             const ProviderListing& listing) {
  std::string out = "provider:  " + provider.name + "\n";
  if (!provider.base_url.empty()) out += "base URL:  " + provider.base_url + "\n";
  const std::string source = key_source(provider);
  out += "key:       " + key_state(provider) + (source.empty() ? "" : " (" + source + ")") + "\n";
  out += "context:   " + std::to_string(provider.context_tokens) + " tokens\n";
  out += "media:     " + model::media_of(provider, "").names() + "\n";
  for (const std::string& each : provider.text_models) out += "text only: " + each + "\n";
  return out + "models:\n" + as_text(asked, listing);
}

}  // namespace

int list_models(const Settings& settings, bool json) {
  const Asked asked = ask_providers(settings.models);
  std::string out;
  if (json) {
    core::JsonWriter writer(out);
    writer.begin_array();
    for (const ProviderListing& listing : asked.listings) {
      write_listing(writer, listing);
      writer.end_object();
    }
    writer.end_array();
    return print(out + "\n") ? kExitOk : kExitFailure;
  }
  for (const ProviderListing& listing : asked.listings) out += as_text(asked, listing);
  if (!print_text(out)) return kExitFailure;
  for (const ProviderListing& listing : asked.listings) complain_about(listing);
  return kExitOk;
}

int show_provider(const Settings& settings, const std::string& name, bool json) {
  model::ModelSettings only;
  std::string known(model::kDemonstrationProvider);
  for (const model::ProviderSettings& provider : settings.models.providers) {
    if (provider.name == name) only.providers.push_back(provider);
    known += ", " + provider.name;
  }
  if (only.providers.empty() && name != model::kDemonstrationProvider) {
    complain({"There is no provider \"" + name + "\".", "Known providers: " + known + ".",
              "`parley models list` lists the models of all providers."});
    return kExitFailure;
  }
  Asked asked = ask_providers(only);
  asked.default_model =
      model::default_model_id(settings.models, std::string(model::kDemonstrationModel));
  model::ProviderSettings provider;
  provider.name = name;
  if (!only.providers.empty()) provider = only.providers.front();
  const ProviderListing& listing = asked.listings.front();
  const bool written = json ? print(provider_as_json(provider, listing))
                            : print_text(provider_as_text(asked, provider, listing));
  if (!json) complain_about(listing);
  return written && listing.error.empty() ? kExitOk : kExitFailure;
}

}  // namespace parley::app
