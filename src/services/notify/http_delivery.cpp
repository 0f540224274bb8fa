// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/http_delivery.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/number_text.h"
#include "base/core/time_text.h"
#include "base/http_client/public_address.h"
#include "base/http_client/url.h"

namespace parley::notify {
namespace {

constexpr std::size_t kMaxAnswerBytes = 64U << 10U;

struct Attempt {
  int status = 0;
  std::optional<core::Millis> retry_after;
  Notifier::Done done;
};

Delivery end_of(const Attempt& attempt, const http_client::FetchEnd& end, const std::string& host) {
  using Kind = Delivery::Kind;
  if (attempt.status == 0) {
    const bool final = end.kind == http_client::FetchEnd::Kind::refused ||
                       end.kind == http_client::FetchEnd::Kind::invalid;
    return {final ? Kind::failed : Kind::retry, end.failure, std::nullopt};
  }
  const int status = attempt.status;
  if (status >= 200 && status < 300) return {};
  const std::string answered = host + " answered " + std::to_string(status);
  if (status >= 300 && status < 400) {
    return {Kind::failed, answered + ", a redirect, which is not followed.", std::nullopt};
  }
  if (status == 404 || status == 410) return {Kind::gone, answered + ".", std::nullopt};
  if (status == 408 || status == 429 || status >= 500) {
    return {Kind::retry, answered + ".", attempt.retry_after};
  }
  return {Kind::failed, answered + ".", std::nullopt};
}

}  // namespace

bool may_be_private(const std::string& host, const std::vector<std::string>& allowed) {
  const auto literal = http_client::is_public_literal(host);
  if (literal == false || (!literal && http_client::is_local_name(host))) return true;
  return std::find(allowed.begin(), allowed.end(), host) != allowed.end();
}

std::optional<core::Millis> retry_after(std::string_view value, core::WallTime now) {
  constexpr std::uint32_t kLongestSeconds = 86'400;
  value = core::trimmed(value);
  if (const auto seconds = core::parse_number<std::uint32_t>(value)) {
    return std::chrono::seconds(std::min(*seconds, kLongestSeconds));
  }
  const auto at = core::parse_http_date(value);
  if (!at) return std::nullopt;
  return std::clamp(*at - now, core::Millis(0),
                    core::Millis(std::chrono::seconds(kLongestSeconds)));
}

void deliver_by_http(http_client::Fetcher& fetcher, core::Scheduler& scheduler,
                     http_client::FetchRequest request, Notifier::Done done) {
  request.method = "POST";
  request.connect_timeout = kConnectPatience;
  request.idle_timeout = kAttemptPatience;
  request.total_timeout = kAttemptPatience;
  request.max_bytes = kMaxAnswerBytes;
  request.max_redirects = 0;
  const auto parts = http_client::split_url(request.url);
  const std::string host = parts ? parts->host : std::string("The server");
  auto attempt = std::make_shared<Attempt>();
  attempt->done = std::move(done);
  http_client::FetchEvents events;
  events.on_head = [attempt, &scheduler](const http_client::FetchHead& head) {
    attempt->status = head.status;
    if (const auto wait = head.header("retry-after")) {
      attempt->retry_after = retry_after(*wait, scheduler.clock().wall());
    }
  };
  fetcher.fetch(std::move(request), std::move(events), scheduler, {},
                [attempt, host](const http_client::FetchEnd& end) {
                  attempt->done(end_of(*attempt, end, host));
                });
}

}  // namespace parley::notify
