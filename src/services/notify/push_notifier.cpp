// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/push_notifier.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <utility>

#include "base/core/ask.h"
#include "base/core/private_files.h"
#include "base/core/result.h"
#include "base/http_client/url.h"
#include "services/notify/delivery_lane.h"
#include "services/notify/http_delivery.h"
#include "services/notify/push_message.h"

namespace parley::notify {
namespace {

constexpr core::Millis kVapidLife = std::chrono::hours(12);
constexpr std::size_t kSaltBytes = 16;
// A message that no device has fetched by then is dropped by the push service.
constexpr std::chrono::seconds kShortestLife{60};
// Refusals in a row after which a device is removed.
// Limit (Notifications): refusals (401, 403) of a device in a row. Reached: the device is removed.
constexpr int kMaxRefusals = 10;

class PushNotifier final : public Notifier {
 public:
  PushNotifier(PushSettings settings, NotifyStore& store, http_client::Fetcher& fetcher,
               core::Entropy& entropy, core::Scheduler& scheduler)
      : settings_(std::move(settings)),
        store_(store),
        fetcher_(fetcher),
        entropy_(entropy),
        scheduler_(scheduler) {}

  const std::string& name() const override { return name_; }
  std::string_view kind() const override { return "push"; }
  std::string destination() const override { return {}; }

  std::vector<std::string> targets(const std::string& owner) override {
    const auto known = store_.subscriptions(owner);
    if (!known) {
      spdlog::error("notify.db cannot be read: {}", known.error().message);
      return {};
    }
    std::vector<std::string> ids;
    for (const PushSubscription& one : *known) ids.push_back(one.id);
    return ids;
  }

  void deliver(const Notice& notice, const std::string& target, Done done) override {
    const core::Millis left = notice.deadline - scheduler_.clock().wall();
    send(target, push_payload(notice), notice.id, left, "high", std::move(done));
  }

  bool withdraws() const override { return true; }
  void withdraw(const std::string& id, const std::string& key, const std::string& target,
                Done done) override {
    send(target, closed_payload(key), id, kWithdrawalLife, "normal", std::move(done));
  }

 private:
  // A service that refuses this server's key (401, 403) for a device will always do so; a clock
  // that goes wrong for a while must not cost the device.
  Delivery counted(const std::string& target, Delivery delivery) {
    if (delivery.kind != Delivery::Kind::failed) {
      refusals_.erase(target);
      return delivery;
    }
    if (++refusals_[target] < kMaxRefusals) return delivery;
    refusals_.erase(target);
    delivery.kind = Delivery::Kind::gone;
    return delivery;
  }

  void send(const std::string& target, const std::string& payload, const std::string& id,
            core::Millis life, std::string_view urgency, Done done) {
    auto request = request_for(target, payload, id, life, urgency);
    if (request) {
      return deliver_by_http(fetcher_, scheduler_, std::move(*request),
                             [this, target, done = std::move(done)](Delivery delivery) mutable {
                               done(counted(target, std::move(delivery)));
                             });
    }
    const bool missing = request.error().code == core::Code::not_found;
    const auto kind = missing ? Delivery::Kind::gone : Delivery::Kind::failed;
    core::reply(scheduler_, std::move(done), Delivery{kind, request.error().message, std::nullopt});
  }

  core::Result<http_client::FetchRequest> request_for(const std::string& target,
                                                      const std::string& payload,
                                                      const std::string& id, core::Millis life,
                                                      std::string_view urgency) {
    PARLEY_TRY(const std::optional<PushSubscription> to, store_.subscription(target));
    if (!to) return core::fail(core::Code::not_found, "The device is no longer registered.");
    PARLEY_TRY(const http_client::UrlParts parts, http_client::split_url(to->endpoint));
    std::string salt(kSaltBytes, '\0');
    entropy_.fill(std::as_writable_bytes(std::span(salt)));
    http_client::FetchRequest request;
    PARLEY_TRY(request.body,
               encrypt_push(payload, to->p256dh, to->auth, EllipticKey::generate(), salt));
    const auto seconds = std::max(std::chrono::ceil<std::chrono::seconds>(life), kShortestLife);
    request.url = to->endpoint;
    request.headers = {
        "Content-Type: application/octet-stream",
        "Content-Encoding: aes128gcm",
        "TTL: " + std::to_string(seconds.count()),
        "Urgency: " + std::string(urgency),
        "Topic: " + push_topic(id),
        "Authorization: " + vapid_authorization(*settings_.key, audience(parts), settings_.contact,
                                                scheduler_.clock().wall() + kVapidLife),
    };
    const auto& hosts = settings_.private_hosts;
    request.public_only = std::find(hosts.begin(), hosts.end(), parts.host) == hosts.end();
    return request;
  }

  // The origin as browsers write it: without the usual port.
  static std::string audience(const http_client::UrlParts& parts) {
    const bool usual = parts.port == (parts.scheme == "https" ? "443" : "80");
    return parts.scheme + "://" + parts.host + (usual ? std::string() : ":" + parts.port);
  }

  std::map<std::string, int> refusals_;  // in a row, by target
  const std::string name_{kPushName};
  const PushSettings settings_;
  NotifyStore& store_;
  http_client::Fetcher& fetcher_;
  core::Entropy& entropy_;
  core::Scheduler& scheduler_;
};

}  // namespace

core::Result<std::shared_ptr<const EllipticKey>> vapid_key(const std::string& data_dir) {
  const std::string path = data_dir + "/" + std::string(kVapidFile);
  if (std::ifstream in(path, std::ios::binary); in) {
    std::ostringstream text;
    text << in.rdbuf();
    auto read = EllipticKey::from_pem(text.str());
    if (!read)
      return core::fail(core::Code::data_loss,
                        std::string(kVapidFile) + ": " + read.error().message);
    return std::make_shared<const EllipticKey>(std::move(*read));
  }
  auto created = std::make_shared<const EllipticKey>(EllipticKey::generate());
  PARLEY_TRY_VOID(core::write_private_file(path, created->pem()));
  return created;
}

std::unique_ptr<Notifier> make_push_notifier(PushSettings settings, NotifyStore& store,
                                             http_client::Fetcher& fetcher, core::Entropy& entropy,
                                             core::Scheduler& scheduler) {
  return std::make_unique<PushNotifier>(std::move(settings), store, fetcher, entropy, scheduler);
}

}  // namespace parley::notify
