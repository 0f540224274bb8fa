// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/smtp.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/core/duration_text.h"
#include "base/http_client/curl_handles.h"

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

}  // namespace parley::notify
