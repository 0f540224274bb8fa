// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/oauth_assembly.h"

#include <set>
#include <utility>

#include "base/core/loopback.h"
#include "base/core/result.h"
#include "base/core/worker.h"
#include "base/http_client/curl_fetcher.h"
#include "base/http_client/url.h"
#include "identity/oauth/client.h"
#include "identity/oauth/grant_store.h"
#include "identity/oauth/grant_verifier.h"
#include "identity/oauth/oauth_context.h"
#include "identity/oauth/routes.h"
#include "identity/oauth/scope.h"

namespace parley::app {
namespace {

constexpr core::Millis kSweepInterval = std::chrono::minutes(1);

// The ids of the tokens that are valid now.
core::Result<std::set<std::string>> valid_tokens(const OauthDependencies& dependencies) {
  PARLEY_TRY(const std::vector<auth::TokenInfo> tokens, dependencies.tokens.list());
  const core::WallTime now = dependencies.clock.wall();
  std::set<std::string> out;
  for (const auth::TokenInfo& token : tokens) {
    const auto& end = token.identity.expires_at;
    if (!token.revoked_at && (!end || now < *end)) out.insert(token.identity.token_id);
  }
  if (!dependencies.settings.token.empty()) {
    const auto of_this_run = dependencies.tokens.verify(dependencies.settings.token, "");
    if (of_this_run) out.insert(of_this_run->token_id);
  }
  return out;
}

}  // namespace

std::optional<core::Error> oauth_fault(const Settings& settings) {
  if (!settings.mcp_oauth) return std::nullopt;
  const auto clients = oauth::parse_preregistered(settings.mcp_oauth_clients);
  if (!clients) {
    core::Error error = clients.error();
    error.field = "mcp.oauth_clients";
    return error;
  }
  bool fits = settings.listen.is_loopback();
  if (!settings.public_url.empty()) {
    const auto parts = http_client::split_url(settings.public_url);
    fits = parts && (parts->scheme == "https" || core::is_loopback_host(parts->host));
  }
  if (fits) return std::nullopt;
  return core::Error{core::Code::invalid_argument,
                     "mcp.oauth is on, but agents have no safe address to log in at.", "mcp.oauth"};
}

struct OauthAssembly::Parts {
  explicit Parts(const OauthDependencies& dependencies)
      : worker(dependencies.clock), fetcher(dependencies.clock) {}

  void sweep() {
    context->sweep();
    worker.after(kSweepInterval, [this] { sweep(); });
  }

  core::Worker worker;
  std::unique_ptr<oauth::GrantStore> grants;
  std::unique_ptr<oauth::GrantVerifier> verifier;
  std::unique_ptr<oauth::Context> context;
  http_client::CurlFetcher fetcher;  // declared last: its exchanges end before the context
};

OauthAssembly::OauthAssembly(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

OauthAssembly::~OauthAssembly() { stop(); }

core::Result<std::unique_ptr<OauthAssembly>> OauthAssembly::open(
    const OauthDependencies& dependencies) {
  auto parts = std::make_unique<Parts>(dependencies);
  PARLEY_TRY(parts->grants,
             oauth::GrantStore::open(dependencies.settings.stores(), dependencies.clock,
                                     dependencies.entropy, dependencies.tokens.watchers()));
  PARLEY_TRY(std::vector<oauth::Client> clients,
             oauth::parse_preregistered(dependencies.settings.mcp_oauth_clients));
  parts->verifier = std::make_unique<oauth::GrantVerifier>(dependencies.verifier, *parts->grants);
  parts->context = std::make_unique<oauth::Context>(
      oauth::Dependencies{dependencies.tokens, *parts->grants, &parts->fetcher, parts->worker,
                          dependencies.clock, dependencies.entropy, dependencies.metrics},
      oauth::Options{dependencies.settings.public_url, std::move(clients),
                     dependencies.settings.mcp_oauth_registration});
  PARLEY_TRY(const std::set<std::string> valid, valid_tokens(dependencies));
  oauth::ClientRegistry& book = parts->context->clients();
  const std::string& origin = dependencies.settings.public_url;
  PARLEY_TRY_VOID(parts->grants->keep([&](const oauth::Grant& grant) {
    const bool ours = origin.empty() || grant.resource == oauth::Place{origin}.resource();
    return ours && valid.contains(grant.token_id) && book.may_stay(grant.client_id);
  }));
  parts->worker.post([kept = parts.get()] { kept->sweep(); });
  return std::unique_ptr<OauthAssembly>(new OauthAssembly(std::move(parts)));
}

void OauthAssembly::install(net::Router& router) { oauth::install(router, *parts_->context); }

auth::Verifier& OauthAssembly::verifier() { return *parts_->verifier; }

mcp_http::LoginHint OauthAssembly::login_hint() {
  return {[&context = *parts_->context](const net::Request& request) {
            const std::optional<oauth::Place> place = context.place_of(request);
            return place ? place->metadata() : std::string();
          },
          std::string(oauth::kAllScopes)};
}

void OauthAssembly::poll() { parts_->context->poll(); }

void OauthAssembly::forget_token(const std::string& token_id) {
  parts_->context->forget_token(token_id);
}

void OauthAssembly::stop() { parts_->worker.stop(); }

}  // namespace parley::app
