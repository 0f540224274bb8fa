// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/provider_registry.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/core/json_member.h"
#include "base/core/secret_text.h"
#include "base/core/utf8.h"
#include "runtime/model/openai_failure.h"
#include "runtime/model/openai_model.h"

namespace parley::model {
namespace {

using core::Code;

constexpr std::size_t kMaxModelNameBytes = 256;

struct Provider {
  ProviderSettings settings;
  std::shared_ptr<const OpenAiEndpoint> endpoint;
  std::string key_problem;
};

bool is_model_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxModelNameBytes && core::is_utf8(name) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; });
}

Provider make_provider(const ProviderSettings& settings, const Environment& environment) {
  auto endpoint = std::make_shared<OpenAiEndpoint>();
  endpoint->provider = settings.name;
  endpoint->base_url = settings.base_url;
  endpoint->proxy = settings.proxy;
  endpoint->ca_file = settings.ca_file;
  endpoint->connect_timeout = settings.connect_timeout;
  endpoint->idle_timeout = settings.idle_timeout;
  endpoint->total_timeout = settings.total_timeout;
  endpoint->temperature = settings.temperature;
  Provider provider;
  provider.settings = settings;
  if (auto key = read_api_key(settings, environment)) {
    endpoint->api_key = std::move(*key);
  } else {
    provider.key_problem = key.error().message;
  }
  provider.endpoint = std::move(endpoint);
  return provider;
}

// Reads {"data":[{"id","created","owned_by"}]}, or the list alone.
ProviderListing read_listing(const std::string& provider, std::string_view body) {
  ProviderListing listing{provider, {}, {}};
  boost::system::error_code problem;
  const boost::json::value parsed = boost::json::parse(body, problem);
  const boost::json::value* data = problem ? nullptr : &parsed;
  if (data != nullptr && data->is_object()) data = data->get_object().if_contains("data");
  if (data == nullptr || !data->is_array()) {
    listing.error = provider + ": the answer is not a list of models. Check base_url.";
    return listing;
  }
  for (const boost::json::value& one : data->get_array()) {
    if (listing.models.size() >= ProviderRegistry::kMaxListed) break;
    if (!one.is_object()) continue;
    ListedModel model;
    model.id = core::string_member(one.get_object(), "id");
    if (!is_model_name(model.id)) continue;
    model.owned_by = core::string_member(one.get_object(), "owned_by");
    const boost::json::value* created = one.get_object().if_contains("created");
    if (created != nullptr && created->is_int64()) model.created = created->get_int64();
    listing.models.push_back(std::move(model));
  }
  return listing;
}

// One round of requests to all providers that must be asked.
struct Gathering {
  std::vector<ProviderListing> listings;
  std::size_t waiting = 0;
  ProviderRegistry::ListingsDone done;
};

// Answer of a provider while it arrives.
struct Answer {
  int status = 0;
  std::string body;
};

}  // namespace

struct ProviderRegistry::Shared : std::enable_shared_from_this<Shared> {
  Shared(ModelSettings all, http_client::Fetcher& with, const core::Clock& now,
         core::Entropy& chance, std::shared_ptr<Model> built_in)
      : settings(std::move(all)),
        fetcher(with),
        clock(now),
        entropy(chance),
        demonstration(std::move(built_in)) {}

  const ModelSettings settings;
  http_client::Fetcher& fetcher;
  const core::Clock& clock;
  core::Entropy& entropy;
  const std::shared_ptr<Model> demonstration;
  std::vector<Provider> providers;
  std::string default_id;

  const Provider* provider_of(std::string_view name) const {
    for (const Provider& provider : providers) {
      if (provider.settings.name == name) return &provider;
    }
    return nullptr;
  }
  core::Result<std::shared_ptr<Model>> model_of(const Provider& provider, const std::string& name);
  core::Result<std::shared_ptr<Model>> find_by_name(const std::string& name);
  bool has_listed(const std::string& provider, const std::string& name);
  std::string available_models() const;
  std::optional<ProviderListing> known(const Provider& provider);
  void ask(const Provider& provider, core::Scheduler& scheduler,
           std::function<void(ProviderListing)> done);
  ProviderListing listing_of(const Provider& provider, const http_client::FetchEnd& end,
                             const Answer& answer) const;
  void keep(const ProviderListing& listing);

 private:
  struct Kept {
    ProviderListing listing;
    core::MonoTime until;
  };
  std::mutex mutex_;  // guards the members below
  std::map<std::string, Kept> kept_;
  std::map<std::string, std::shared_ptr<Model>> models_;
};

core::Result<std::shared_ptr<Model>> ProviderRegistry::Shared::model_of(const Provider& provider,
                                                                        const std::string& name) {
  const ProviderSettings& own = provider.settings;
  const bool listed = own.models.empty() ||
                      std::find(own.models.begin(), own.models.end(), name) != own.models.end();
  if (!listed || !is_model_name(name)) {
    return core::fail(
        Code::not_found,
        "The provider " + own.name + " has no model \"" + name + "\". " + available_models(),
        "model");
  }
  if (!provider.key_problem.empty()) {
    return core::fail(Code::failed_precondition, provider.key_problem, "model");
  }
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<Model>& model = models_[own.name + "/" + name];
  if (!model) {
    model = std::make_shared<OpenAiModel>(provider.endpoint, name, own.context_tokens, fetcher,
                                          entropy, media_of(own, name));
  }
  std::shared_ptr<Model> found = model;
  if (models_.size() > kMaxModels) models_.clear();
  return found;
}

core::Result<std::shared_ptr<Model>> ProviderRegistry::Shared::find_by_name(
    const std::string& name) {
  std::vector<const Provider*> owners;
  for (const Provider& provider : providers) {
    const std::vector<std::string>& models = provider.settings.models;
    const bool named = std::find(models.begin(), models.end(), name) != models.end();
    if (named || has_listed(provider.settings.name, name)) owners.push_back(&provider);
  }
  if (owners.size() == 1) return model_of(*owners.front(), name);
  if (owners.empty()) {
    return core::fail(Code::not_found, "There is no model \"" + name + "\". " + available_models(),
                      "model");
  }
  return core::fail(Code::not_found,
                    "More than one provider has a model \"" + name +
                        "\": name it as provider/name, for example " +
                        owners.front()->settings.name + "/" + name + ".",
                    "model");
}

bool ProviderRegistry::Shared::has_listed(const std::string& provider, const std::string& name) {
  const std::scoped_lock lock(mutex_);
  const auto found = kept_.find(provider);
  if (found == kept_.end()) return false;
  const std::vector<ListedModel>& models = found->second.listing.models;
  return std::any_of(models.begin(), models.end(),
                     [&name](const ListedModel& model) { return model.id == name; });
}

std::string ProviderRegistry::Shared::available_models() const {
  std::vector<std::string> names;
  if (demonstration) names.push_back(demonstration->id());
  for (const Provider& provider : providers) {
    const std::string prefix = provider.settings.name + "/";
    if (provider.settings.models.empty()) names.push_back(prefix + "NAME");
    for (const std::string& name : provider.settings.models) names.push_back(prefix + name);
  }
  if (names.empty()) return "No provider is configured.";
  constexpr std::size_t kMaxShown = 12;
  std::string out = "Available: ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == kMaxShown) return out + ", and more.";
    out.append(i == 0 ? "" : ", ").append(names[i]);
  }
  return out + ".";
}

// Models of a provider that are known without a request.
std::optional<ProviderListing> ProviderRegistry::Shared::known(const Provider& provider) {
  const ProviderSettings& own = provider.settings;
  if (!own.models.empty()) {
    ProviderListing listing{own.name, {}, provider.key_problem};
    for (const std::string& name : own.models) listing.models.push_back({name, 0, own.name});
    return listing;
  }
  if (!provider.key_problem.empty()) return ProviderListing{own.name, {}, provider.key_problem};
  const std::scoped_lock lock(mutex_);
  const auto found = kept_.find(own.name);
  if (found == kept_.end() || found->second.until <= clock.mono()) return std::nullopt;
  return found->second.listing;
}

void ProviderRegistry::Shared::keep(const ProviderListing& listing) {
  const std::scoped_lock lock(mutex_);
  const core::Millis time = listing.error.empty() ? kKeptFor : kFailureKeptFor;
  kept_[listing.provider] = {listing, clock.mono() + time};
}

void ProviderRegistry::Shared::ask(const Provider& provider, core::Scheduler& scheduler,
                                   std::function<void(ProviderListing)> done) {
  http_client::FetchRequest request;
  request.url = provider.endpoint->base_url + "/models";
  request.headers = endpoint_headers(*provider.endpoint);
  request.headers.emplace_back("Accept: application/json");
  request.proxy = provider.endpoint->proxy;
  request.ca_file = provider.endpoint->ca_file;
  request.connect_timeout = kListTimeout;
  request.idle_timeout = kListTimeout;
  request.total_timeout = kListTimeout;
  request.max_bytes = kMaxListBytes;
  const auto answer = std::make_shared<Answer>();
  http_client::FetchEvents events;
  events.on_head = [answer](const http_client::FetchHead& head) { answer->status = head.status; };
  events.on_body = [answer](std::string_view bytes) { answer->body += bytes; };
  fetcher.fetch(std::move(request), std::move(events), scheduler, {},
                [self = shared_from_this(), &provider, answer,
                 done = std::move(done)](const http_client::FetchEnd& end) {
                  ProviderListing listing = self->listing_of(provider, end, *answer);
                  self->keep(listing);
                  done(std::move(listing));
                });
}

ProviderListing ProviderRegistry::Shared::listing_of(const Provider& provider,
                                                     const http_client::FetchEnd& end,
                                                     const Answer& answer) const {
  const std::string& name = provider.settings.name;
  if (end.kind != http_client::FetchEnd::Kind::complete)
    return {name, {}, name + ": " + end.failure};
  if (answer.status < 200 || answer.status > 299) {
    const std::string message = failure_of(answer.status, answer.body).error.message;
    return {name, {}, name + ": " + core::without_secret(message, provider.endpoint->api_key)};
  }
  return read_listing(name, answer.body);
}

ProviderRegistry::ProviderRegistry(ModelSettings settings, const Environment& environment,
                                   http_client::Fetcher& fetcher, const core::Clock& clock,
                                   core::Entropy& entropy, std::shared_ptr<Model> demonstration)
    : shared_(std::make_shared<Shared>(std::move(settings), fetcher, clock, entropy,
                                       std::move(demonstration))) {
  for (const ProviderSettings& provider : shared_->settings.providers) {
    shared_->providers.push_back(make_provider(provider, environment));
  }
  shared_->default_id = default_model_id(
      shared_->settings, shared_->demonstration ? shared_->demonstration->id() : std::string());
}

ProviderRegistry::~ProviderRegistry() = default;

const ModelSettings& ProviderRegistry::settings() const { return shared_->settings; }

std::string ProviderRegistry::key_problem(const std::string& provider) const {
  const Provider* found = shared_->provider_of(provider);
  return found == nullptr ? std::string() : found->key_problem;
}

std::string ProviderRegistry::default_id() const { return shared_->default_id; }

core::Result<std::shared_ptr<Model>> ProviderRegistry::find(const std::string& id) {
  const std::string& wanted = id.empty() ? shared_->default_id : id;
  const std::shared_ptr<Model>& demonstration = shared_->demonstration;
  if (demonstration &&
      (wanted == demonstration->id() || wanted == kDemonstrationProvider ||
       demonstration->id() == std::string(kDemonstrationProvider) + "/" + wanted)) {
    return demonstration;
  }
  const std::size_t slash = wanted.find('/');
  if (slash != std::string::npos) {
    const Provider* provider = shared_->provider_of(std::string_view(wanted).substr(0, slash));
    if (provider != nullptr) return shared_->model_of(*provider, wanted.substr(slash + 1));
  }
  return shared_->find_by_name(wanted);
}

void ProviderRegistry::list_providers(core::Scheduler& scheduler, ListingsDone done) {
  const auto gathering = std::make_shared<Gathering>();
  gathering->listings.resize(shared_->providers.size());
  gathering->done = std::move(done);
  gathering->waiting = 1;
  const auto one_less = [gathering] {
    if (--gathering->waiting == 0) gathering->done(std::move(gathering->listings));
  };
  for (std::size_t i = 0; i < shared_->providers.size(); ++i) {
    const Provider& provider = shared_->providers[i];
    if (auto listing = shared_->known(provider)) {
      gathering->listings[i] = std::move(*listing);
      continue;
    }
    ++gathering->waiting;
    shared_->ask(provider, scheduler, [gathering, i, one_less](ProviderListing listing) {
      gathering->listings[i] = std::move(listing);
      one_less();
    });
  }
  scheduler.post(one_less);
}

void ProviderRegistry::list(core::Scheduler& scheduler, absl::AnyInvocable<void(Listing)> done) {
  list_providers(scheduler, [shared = shared_, done = std::move(done)](
                                const std::vector<ProviderListing>& listings) mutable {
    Listing out;
    if (shared->demonstration) {
      const std::string& id = shared->demonstration->id();
      const std::size_t slash = id.find('/');
      out.models.push_back({id, id.substr(slash + 1), id.substr(0, slash),
                            shared->demonstration->context_tokens(), shared->demonstration->media(),
                            true});
    }
    for (const ProviderListing& listing : listings) {
      const ProviderSettings& own = shared->provider_of(listing.provider)->settings;
      for (const ListedModel& model : listing.models) {
        out.models.push_back({listing.provider + "/" + model.id, model.id, listing.provider,
                              own.context_tokens, media_of(own, model.id), false});
      }
      if (!listing.error.empty()) out.failures.emplace_back(listing.provider, listing.error);
    }
    done(std::move(out));
  });
}

}  // namespace parley::model
