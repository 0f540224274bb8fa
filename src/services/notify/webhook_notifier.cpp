// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/webhook_notifier.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <utility>

#include "base/core/assert.h"
#include "base/core/hex.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "base/core/time_text.h"
#include "base/http_client/url.h"
#include "services/notify/http_delivery.h"

namespace parley::notify {
namespace {

std::string webhook_body(const Notice& notice) {
  return core::json_object([&](core::JsonWriter& json) {
    json.key("v").number(1).key("kind").string(notice_kind_name(notice.kind));
    json.key("id").string(notice.id).key("key").string(notice.key);
    json.key("title").string(notice.title).key("body").string(notice.body);
    json.key("project").string(notice.project).key("agent").string(notice.agent);
    json.key("opened_at").string(core::time_text_ms(notice.opened_at));
    json.key("deadline").string(core::time_text_ms(notice.deadline));
    json.key("url").string(notice.page_url()).key("answer_url").string(notice.write_url());
    json.key("options").objects(notice.options, [&](core::JsonWriter& to, const auto& option) {
      to.key("label").string(option.label).key("url").string(notice.base + option.path);
      to.key("safe").boolean(option.safe);
    });
  });
}

class WebhookNotifier final : public Notifier {
 public:
  WebhookNotifier(WebhookSettings settings, std::string host, bool may_be_private_host,
                  http_client::Fetcher& fetcher, core::Scheduler& scheduler)
      : settings_(std::move(settings)),
        host_(std::move(host)),
        private_(may_be_private_host),
        fetcher_(fetcher),
        scheduler_(scheduler) {}

  const std::string& name() const override { return settings_.name; }
  std::string_view kind() const override { return "webhook"; }
  std::string destination() const override { return host_; }

  void deliver(const Notice& notice, const std::string&, Done done) override {
    http_client::FetchRequest request;
    request.url = settings_.url;
    request.body = webhook_body(notice);
    const std::string timestamp = std::to_string(core::to_unix_s(scheduler_.clock().wall()));
    request.headers = {
        "Content-Type: application/json",
        "X-Parley-Id: " + notice.id,
        "X-Parley-Timestamp: " + timestamp,
        "X-Parley-Signature: " + webhook_signature(settings_.secret, timestamp, request.body),
    };
    request.public_only = !private_;
    deliver_by_http(fetcher_, scheduler_, std::move(request),
                    [done = std::move(done)](Delivery delivery) mutable {
                      if (delivery.kind == Delivery::Kind::gone) {
                        delivery.kind = Delivery::Kind::failed;
                      }
                      done(std::move(delivery));
                    });
  }

 private:
  const WebhookSettings settings_;
  const std::string host_;
  const bool private_;
  http_client::Fetcher& fetcher_;
  core::Scheduler& scheduler_;
};

}  // namespace

std::string webhook_signature(std::string_view secret, std::string_view timestamp,
                              std::string_view body) {
  const std::string text = std::string(timestamp) + "." + std::string(body);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const unsigned char* created =
      HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  PARLEY_ASSERT(created != nullptr, "OpenSSL has no HMAC-SHA256");
  return "v1=" + core::hex_of_digest(digest, size);
}

core::Result<std::unique_ptr<Notifier>> make_webhook_notifier(
    WebhookSettings settings, const std::vector<std::string>& private_hosts,
    http_client::Fetcher& fetcher, core::Scheduler& scheduler) {
  PARLEY_TRY(const http_client::UrlParts parts, http_client::split_url(settings.url));
  if (settings.secret.size() < kMinWebhookSecretBytes) {
    return core::fail(
        core::Code::invalid_argument,
        "The secret must have at least " + std::to_string(kMinWebhookSecretBytes) + " characters.",
        "secret");
  }
  const bool allowed = may_be_private(parts.host, private_hosts);
  return std::make_unique<WebhookNotifier>(std::move(settings), parts.host, allowed, fetcher,
                                           scheduler);
}

}  // namespace parley::notify
