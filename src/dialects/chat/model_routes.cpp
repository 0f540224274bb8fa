// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Models as front ends list them (contract of the chat, section 1.3). Models and their keys are
// settings of the server: these routes change no model and return no key.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/core/json_writer.h"
#include "dialects/chat/front_end_call.h"
#include "services/front_end/digest.h"

namespace parley::chat {
namespace {

using core::Code;
using ModelListing = model::ModelRegistry::Listing;

constexpr std::string_view kCallingType = "api_llm";
constexpr const char* kAreSettings =
    "Models and providers can be changed only in the settings of the server: [[models.providers]] "
    "in parley.toml, and the environment variables with their keys. `parley models list` lists the "
    "models.";
// JSON text: names that begin with "$" explain the others.
constexpr std::string_view kConfigFormat =
    R"({"apiKey":"","$apiKey":"models.providers.api_key_env in parley.toml names its variable.",)"
    R"("temperature":0.7,"$temperature":"models.providers.temperature in parley.toml.",)"
    R"("maxTokens":32000,"$maxTokens":"models.providers.context_tokens in parley.toml.",)"
    R"("supportImageMultimodal":true,"$supportImageMultimodal":"models.providers.media in )"
    R"(parley.toml; so are supportAudioMultimodal, supportVideoMultimodal and )"
    R"(supportPdfFileMultimodal."})";
constexpr std::array<std::pair<std::string_view, model::MediaKind>, 4> kMediaFlags = {{
    {"supportImageMultimodal", model::MediaKind::image},
    {"supportAudioMultimodal", model::MediaKind::audio},
    {"supportVideoMultimodal", model::MediaKind::video},
    {"supportPdfFileMultimodal", model::MediaKind::file},
}};

using ListingUse = void (*)(ChatContext& context, const ModelListing& listing, FrontEndCall call);

void with_models(ChatContext& context, FrontEndCall call, ListingUse use) {
  core::Scheduler& home = call.scheduler();
  context.runs.models().list(
      home, [&context, call = std::move(call), use](const ModelListing& listing) mutable {
        use(context, listing, std::move(call));
      });
}

// True if the request is for a kind of list that contains models.
bool asks_for_models(const net::Request& request) {
  return request.query_param("modelCallingType").value_or(std::string(kCallingType)) ==
         kCallingType;
}

enum class ModelForm : std::uint8_t { choice, whole };

// JSON text: the kinds of media that the model takes beside text.
std::string config_of(model::MediaKinds media) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object();
  for (const auto& [name, kind] : kMediaFlags) json.key(name).boolean(media.has(kind));
  json.end_object();
  return out;
}

void write_model(core::JsonWriter& json, const model::ModelInfo& model, bool is_default,
                 ModelForm form) {
  std::string about =
      model.demonstration ? "A stand-in without a language model." : "Of " + model.provider + ".";
  if (is_default) about += " The default.";
  json.begin_object().key("id").string(front_end::number_of_name(model.id));
  json.key("modelName").string(model.id).key("modelDisplayName").string(model.name);
  json.key("modelIdentifier").string(model.id).key("modelType").string("LLM");
  json.key("modelCallingType").string(kCallingType).key("description").string(about);
  if (form == ModelForm::whole) {
    json.key("createTime").null().key("updateTime").null().key("accessType").string("REMOTE_API");
    json.key("providerId").string(front_end::number_of_name(model.provider));
    json.key("providerName").string(model.provider).key("providerType").string("openai");
    json.key("apiBaseUrl").null().key("modelConfig").string(config_of(model.media));
    json.key("isEnabled").boolean(true);
  }
  json.end_object();
}

void write_models(ChatContext& context, const ModelListing& listing, FrontEndCall& call,
                  ModelForm form) {
  const std::string fallback = context.runs.models().default_id();
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  if (asks_for_models(call.request)) {
    for (const model::ModelInfo& model : listing.models) {
      write_model(json, model, model.id == fallback, form);
    }
  }
  json.end_array();
  call.answer.data(out);
}

void list_enabled_models(ChatContext& context, FrontEndCall call) {
  with_models(context, std::move(call),
              [](ChatContext& with, const ModelListing& listing, FrontEndCall from) {
                write_models(with, listing, from, ModelForm::choice);
              });
}

void list_models(ChatContext& context, FrontEndCall call) {
  with_models(context, std::move(call),
              [](ChatContext& with, const ModelListing& listing, FrontEndCall from) {
                write_models(with, listing, from, ModelForm::whole);
              });
}

void get_model(ChatContext& context, FrontEndCall call) {
  with_models(context, std::move(call),
              [](ChatContext& with, const ModelListing& listing, FrontEndCall from) {
                const std::string_view id = from.request.path_param("id");
                const auto found = std::find_if(
                    listing.models.begin(), listing.models.end(),
                    [&](const auto& model) { return front_end::number_of_name(model.id) == id; });
                if (found == listing.models.end()) {
                  return from.answer.refuse({Code::not_found, "There is no such model.", "id"});
                }
                std::string out;
                core::JsonWriter json(out);
                write_model(json, *found, found->id == with.runs.models().default_id(),
                            ModelForm::whole);
                from.answer.data(out);
              });
}

void get_config_format(ChatContext& /*context*/, FrontEndCall call) {
  if (!asks_for_models(call.request)) {
    return call.answer.refuse({Code::invalid_argument,
                               "\"modelCallingType\" must be " + std::string(kCallingType) + ".",
                               "modelCallingType"});
  }
  call.answer.text(kConfigFormat);
}

void write_provider(core::JsonWriter& json, const std::string& name) {
  json.begin_object().key("id").string(front_end::number_of_name(name));
  json.key("createTime").null().key("updateTime").null();
  json.key("providerName").string(name).key("providerType").string("openai");
  json.key("apiBaseUrl").null().key("description").string("");
  json.key("isEnabled").boolean(true).end_object();
}

std::set<std::string> providers_of(const ModelListing& listing) {
  std::set<std::string> names;
  for (const model::ModelInfo& model : listing.models) names.insert(model.provider);
  for (const auto& [provider, why] : listing.failures) names.insert(provider);
  return names;
}

void list_providers(ChatContext& context, FrontEndCall call) {
  with_models(context, std::move(call),
              [](ChatContext& /*with*/, const ModelListing& listing, FrontEndCall from) {
                std::string out;
                core::JsonWriter json(out);
                json.begin_array();
                for (const std::string& name : providers_of(listing)) write_provider(json, name);
                json.end_array();
                from.answer.data(out);
              });
}

void get_provider(ChatContext& context, FrontEndCall call) {
  with_models(context, std::move(call),
              [](ChatContext& /*with*/, const ModelListing& listing, FrontEndCall from) {
                const std::string_view id = from.request.path_param("id");
                for (const std::string& name : providers_of(listing)) {
                  if (front_end::number_of_name(name) != id) continue;
                  std::string out;
                  core::JsonWriter json(out);
                  write_provider(json, name);
                  return from.answer.data(out);
                }
                from.answer.refuse({Code::not_found, "There is no such provider.", "id"});
              });
}

void refuse_change(ChatContext& /*context*/, FrontEndCall call) {
  call.answer.refuse({Code::failed_precondition, kAreSettings, ""});
}

}  // namespace

void install_models(net::Router& router, ChatContext& context) {
  add_route(router, context, "GET", "/api/v1/models", list_models);
  add_route(router, context, "GET", "/api/v1/models/enabled", list_enabled_models);
  add_route(router, context, "GET", "/api/v1/models/config-format", get_config_format);
  add_route(router, context, "GET", "/api/v1/models/{id}", get_model);
  add_route(router, context, "POST", "/api/v1/models", refuse_change);
  add_route(router, context, "PUT", "/api/v1/models/{id}", refuse_change);
  add_route(router, context, "DELETE", "/api/v1/models/{id}", refuse_change);
  add_route(router, context, "POST", "/api/v1/models/{id}/enable", refuse_change);
  add_route(router, context, "POST", "/api/v1/models/{id}/disable", refuse_change);
  add_route(router, context, "GET", "/api/v1/model-providers", list_providers);
  add_route(router, context, "POST", "/api/v1/model-providers", refuse_change);
  add_route(router, context, "GET", "/api/v1/model-providers/{id}", get_provider);
  add_route(router, context, "PUT", "/api/v1/model-providers/{id}", refuse_change);
  add_route(router, context, "DELETE", "/api/v1/model-providers/{id}", refuse_change);
}

}  // namespace parley::chat
