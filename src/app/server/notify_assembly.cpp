// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/notify_assembly.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/server/tls_assembly.h"
#include "base/core/base64.h"
#include "base/core/result.h"
#include "base/core/worker.h"
#include "base/http_client/curl_fetcher.h"
#include "services/notify/channels.h"

namespace parley::app {
namespace {

// Drops the subscriptions and links of tokens and users that ended while the server was not
// running.
core::Result<void> forget_ended(notify::NotifyStore& store,
                                const NotifyDependencies& dependencies) {
  PARLEY_TRY(const auto owners, store.owners());
  if (owners.empty()) return {};
  PARLEY_TRY(const auto tokens, dependencies.tokens.list());
  const core::WallTime now = dependencies.clock.wall();
  std::set<std::string> ended;
  std::set<std::string> alive;
  for (const auth::TokenInfo& token : tokens) {
    const auto& until = token.identity.expires_at;
    const bool has_ended = token.revoked_at || (until && *until <= now);
    (has_ended ? ended : alive).insert(token.identity.workspace);
    if (has_ended) PARLEY_TRY_VOID(store.forget_token(token.identity.token_id));
  }
  for (const accounts::User& user : dependencies.accounts.users()) {
    (user.status == accounts::UserStatus::active ? alive : ended).insert(user.workspace);
  }
  for (const std::string& owner : owners) {
    if (ended.contains(owner) && !alive.contains(owner)) {
      PARLEY_TRY_VOID(store.forget_owner(owner));
    }
  }
  return {};
}

// The name of the token that made the workspace.
std::string name_of_workspace(auth::TokenStore& tokens, const std::string& workspace) {
  const auto known = tokens.list();
  if (!known) return {};
  for (const auth::TokenInfo& token : *known) {
    if (token.identity.token_id == workspace) return token.identity.name;
  }
  return {};
}

std::string origin_of(const Settings& settings) {
  if (!settings.public_url.empty()) return settings.public_url;
  return std::string(origin_scheme(settings)) + settings.listen.to_string();
}

}  // namespace

struct NotifyAssembly::Parts {
  explicit Parts(const core::Clock& clock) : worker(clock), fetcher(clock) {}

  core::Worker worker;
  http_client::CurlFetcher fetcher;
  std::unique_ptr<notify::NotificationService> service;
};

NotifyAssembly::NotifyAssembly(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

NotifyAssembly::~NotifyAssembly() { stop(); }

core::Result<std::unique_ptr<NotifyAssembly>> NotifyAssembly::open(
    const NotifyDependencies& dependencies) {
  const notify::NotifySettings& settings = dependencies.settings.notify;
  auto parts = std::make_unique<Parts>(dependencies.clock);
  PARLEY_TRY(auto store, notify::NotifyStore::open(dependencies.settings.stores()));
  PARLEY_TRY_VOID(forget_ended(*store, dependencies));
  std::shared_ptr<const notify::EllipticKey> key;
  if (settings.push) {
    PARLEY_TRY(key, notify::vapid_key(dependencies.settings.data));
  }
  PARLEY_TRY(auto channels,
             notify::make_channels(settings, {parts->fetcher, dependencies.entropy, parts->worker,
                                              *store, key, origin_of(dependencies.settings)}));
  notify::NotificationPlanner::Dependencies planner{parts->worker, dependencies.entropy, *store};
  planner.language = notify::language_of(settings);
  planner.owner_name = [&tokens = dependencies.tokens](const std::string& owner) {
    return name_of_workspace(tokens, owner);
  };
  const std::string push_key =
      key == nullptr ? std::string() : core::base64url_encode(key->public_bytes());
  parts->service = std::make_unique<notify::NotificationService>(
      notify::NotificationService::Dependencies{parts->worker, dependencies.entropy,
                                                dependencies.hub, push_key,
                                                settings.push_private_hosts},
      std::move(store), std::move(planner), std::move(channels));
  const notify::NotificationService& service = *parts->service;
  service.planner().each_lane(
      [&](const notify::Notifier& notifier, const notify::DeliveryLane& lane) {
        const net::Metrics::Labels labels = {{"notifier", notifier.name()},
                                             {"kind", std::string(notifier.kind())}};
        dependencies.metrics.gauge(
            "parley_notices_delivered", "Notices delivered since the start, by notifier",
            [&lane] { return static_cast<double>(lane.delivered()); }, labels);
        dependencies.metrics.gauge(
            "parley_notice_failures",
            "Failed attempts to deliver a notice since the start, by notifier",
            [&lane] { return static_cast<double>(lane.failures()); }, labels);
        dependencies.metrics.gauge(
            "parley_notices_waiting", "Notices that wait for an attempt or its end, by notifier",
            [&lane] { return static_cast<double>(lane.waiting()); }, labels);
      });
  dependencies.metrics.gauge("parley_notices_missed",
                             "Questions without a notice because too many opened at once",
                             [&service] { return static_cast<double>(service.missed()); });
  dependencies.metrics.gauge("parley_wrong_links", "Unknown answer links since the start",
                             [&service] { return static_cast<double>(service.wrong_links()); });
  dependencies.hub.watch(*parts->service);
  return std::unique_ptr<NotifyAssembly>(new NotifyAssembly(std::move(parts)));
}

notify::NotificationService& NotifyAssembly::service() { return *parts_->service; }

void NotifyAssembly::stop() { parts_->worker.stop(); }

}  // namespace parley::app
