// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/email_notifier.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/core/ask_worker.h"
#include "base/core/id.h"
#include "base/core/loopback.h"
#include "base/core/worker.h"
#include "base/http_client/curl_handles.h"
#include "services/notify/email_message.h"

namespace parley::notify {
namespace {

constexpr std::size_t kBoundaryBytes = 16;

tl::unexpected<core::Error> wrong(std::string message, std::string field) {
  return core::fail(core::Code::invalid_argument, std::move(message), std::move(field));
}

// The host of an SMTP URL; empty if it is none.
std::string smtp_host(const std::string& url) {
  const http_client::UrlHandle parts(curl_url());
  if (!parts || curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) !=
                    CURLUE_OK) {
    return {};
  }
  const std::string scheme = http_client::url_part(parts.get(), CURLUPART_SCHEME);
  const std::string path = http_client::url_part(parts.get(), CURLUPART_PATH);
  const bool clean = http_client::url_part(parts.get(), CURLUPART_USER).empty() &&
                     http_client::url_part(parts.get(), CURLUPART_QUERY).empty() &&
                     (path.empty() || path == "/");
  if ((scheme != "smtp" && scheme != "smtps") || !clean) return {};
  return http_client::url_part(parts.get(), CURLUPART_HOST);
}

class EmailNotifier final : public Notifier {
 public:
  EmailNotifier(EmailSettings settings, std::string host, Language language, core::Entropy& entropy,
                core::Scheduler& scheduler)
      : settings_(std::move(settings)),
        host_(std::move(host)),
        language_(language),
        entropy_(entropy),
        scheduler_(scheduler),
        worker_(scheduler.clock()) {}
  ~EmailNotifier() override { stopping_ = true; }

  const std::string& name() const override { return settings_.name; }
  std::string_view kind() const override { return "email"; }
  std::string destination() const override { return host_; }

  void deliver(const Notice& notice, const std::string&, Done done) override {
    const std::string domain = settings_.from.substr(settings_.from.find('@') + 1);
    const EmailEnvelope envelope{
        settings_.from, settings_.to, notice.id + "." + settings_.name + "@" + domain,
        core::random_hex(entropy_, kBoundaryBytes), scheduler_.clock().wall()};
    core::ask_worker<Delivery>(
        worker_, "e-mail", scheduler_,
        [done = std::move(done)](core::Result<Delivery> sent) mutable {
          done(sent ? std::move(*sent)
                    : Delivery{Delivery::Kind::retry, sent.error().message, std::nullopt});
        },
        [this, message = email_message(envelope, notice, language_)]() -> core::Result<Delivery> {
          return send_mail(settings_.server, settings_.from, settings_.to, message, stopping_);
        });
  }

 private:
  const EmailSettings settings_;
  const std::string host_;
  const Language language_;
  core::Entropy& entropy_;
  core::Scheduler& scheduler_;
  std::atomic<bool> stopping_{false};
  core::Worker worker_;  // ends first: it uses the other members
};

}  // namespace

core::Result<std::unique_ptr<Notifier>> make_email_notifier(EmailSettings settings,
                                                            Language language,
                                                            core::Entropy& entropy,
                                                            core::Scheduler& scheduler) {
  const std::string host = smtp_host(settings.server.url);
  if (host.empty()) {
    return wrong(
        "The server must be smtp://HOST or smtps://HOST, with a port if it is not the usual one.",
        "server");
  }
  if (!is_mail_address(settings.from)) {
    return wrong("\"from\" must be one address, for example parley@example.org.", "from");
  }
  const bool valid = std::all_of(settings.to.begin(), settings.to.end(),
                                 [](const std::string& one) { return is_mail_address(one); });
  if (!valid || settings.to.empty() || settings.to.size() > kMaxRecipients) {
    return wrong("\"to\" must be 1 to " + std::to_string(kMaxRecipients) +
                     " addresses, for example [\"ann@example.org\"].",
                 "to");
  }
  const bool encrypted = settings.server.starttls || settings.server.url.starts_with("smtps:");
  if (!encrypted && !settings.server.user.empty() && !core::is_loopback_host(host)) {
    return wrong("Without TLS the password would cross the network in the clear.", "starttls");
  }
  return std::make_unique<EmailNotifier>(std::move(settings), host, language, entropy, scheduler);
}

}  // namespace parley::notify
