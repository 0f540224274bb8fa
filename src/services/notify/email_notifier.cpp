// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/email_notifier.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "base/core/ask.h"
#include "base/core/duration_text.h"
#include "base/core/id.h"
#include "base/core/loopback.h"
#include "base/core/worker.h"
#include "base/http_client/curl_handles.h"
#include "services/notify/email_message.h"

namespace parley::notify {

namespace {

struct Upload {
  const std::string& text;
  std::size_t sent = 0;
};

std::size_t give_bytes(char* to, std::size_t size, std::size_t count, void* from) {
  auto& upload = *static_cast<Upload*>(from);
  const std::size_t bytes = std::min(size * count, upload.text.size() - upload.sent);
  std::copy_n(upload.text.data() + upload.sent, bytes, to);
  upload.sent += bytes;
  return bytes;
}

std::size_t drop_bytes(char*, std::size_t size, std::size_t count, void*) { return size * count; }

// Called at least once a second; not 0 ends the transfer.
int stop_if_wanted(void* stopping, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::atomic<bool>*>(stopping)->load() ? 1 : 0;
}

Delivery mail_end(CURLcode result, long reply, const SmtpServer& server, const char* error) {
  using Kind = Delivery::Kind;
  const std::string text = *error != '\0' ? error : curl_easy_strerror(result);
  switch (result) {
    case CURLE_OK:
      return {};
    case CURLE_LOGIN_DENIED:
      return {Kind::failed, "The mail server refused the user or the password."};
    case CURLE_USE_SSL_FAILED:
      return {Kind::failed, "The mail server offers no STARTTLS."};
    case CURLE_URL_MALFORMAT:
    case CURLE_SSL_CACERT_BADFILE:
      return {Kind::failed, text + "."};
    case CURLE_OPERATION_TIMEDOUT:
      return {Kind::retry, "The mail server did not answer in time (" +
                               core::exact_text(server.total_timeout) + ")."};
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
      return {Kind::retry, "The mail server cannot be reached: " + text + "."};
    default:
      break;
  }
  // 5yz is a permanent answer, 4yz one for the moment (RFC 5321 section 4.2.1).
  const bool permanent = reply >= 500 && reply < 600;
  const std::string answered = reply >= 400 ? " It answered " + std::to_string(reply) + "." : "";
  return {permanent ? Kind::failed : Kind::retry,
          "The mail server took no message: " + text + "." + answered};
}

}  // namespace

Delivery send_mail(const SmtpServer& server, const std::string& from,
                   const std::vector<std::string>& to, const std::string& message,
                   const std::atomic<bool>& stopping) {
  const http_client::EasyHandle easy(curl_easy_init());
  if (!easy) return {Delivery::Kind::retry, "There is no memory for a message."};
  http_client::HeaderList recipients;
  for (const std::string& one : to) {
    http_client::append_header(recipients, ("<" + one + ">").c_str());
  }
  Upload upload{message};
  std::array<char, CURL_ERROR_SIZE> error{};
  CURL* const curl = easy.get();
  const std::string sender = "<" + from + ">";
  curl_easy_setopt(curl, CURLOPT_URL, server.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl, CURLOPT_USE_SSL,
                   static_cast<long>(server.starttls ? CURLUSESSL_ALL : CURLUSESSL_NONE));
  if (!server.ca_file.empty()) {
    curl_easy_setopt(curl, CURLOPT_CAINFO, server.ca_file.c_str());
    curl_easy_setopt(curl, CURLOPT_CAPATH, nullptr);
  }
  if (!server.user.empty()) {
    curl_easy_setopt(curl, CURLOPT_USERNAME, server.user.c_str());
    curl_easy_setopt(curl, CURLOPT_PASSWORD, server.password.c_str());
  }
  curl_easy_setopt(curl, CURLOPT_MAIL_FROM, sender.c_str());
  curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, recipients.get());
  curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(curl, CURLOPT_READFUNCTION, &give_bytes);
  curl_easy_setopt(curl, CURLOPT_READDATA, &upload);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &drop_bytes);
  curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(message.size()));
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &stop_if_wanted);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, const_cast<std::atomic<bool>*>(&stopping));
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  // Without this, a name look-up in progress would hold the thread after `stopping`.
  curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error.data());
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(server.connect_timeout.count()));
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(server.total_timeout.count()));
  curl_easy_setopt(
      curl, CURLOPT_SERVER_RESPONSE_TIMEOUT,
      static_cast<long>(std::max<std::int64_t>(server.total_timeout.count() / 1'000, 1)));
  const CURLcode result = curl_easy_perform(curl);
  long reply = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &reply);
  return mail_end(result, reply, server, error.data());
}

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
    core::ask(
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
