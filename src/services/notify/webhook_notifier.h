// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/http_client/fetcher.h"
#include "services/notify/notifier.h"

namespace parley::notify {

struct WebhookSettings {
  std::string name;
  std::string url;
  std::string secret;  // signs each request; never sent
};

// Least length of the secret.
inline constexpr std::size_t kMinWebhookSecretBytes = 16;

// "v1=" and the HMAC-SHA256, in hexadecimal, of "TIMESTAMP.BODY". The timestamp is in seconds since
// 1970; a receiver refuses old ones, so that a recorded request cannot be repeated.
std::string webhook_signature(std::string_view secret, std::string_view timestamp,
                              std::string_view body);

// Notices as signed JSON, one POST each. Errors: `invalid_argument`.
core::Result<std::unique_ptr<Notifier>> make_webhook_notifier(
    WebhookSettings settings, const std::vector<std::string>& private_hosts,
    http_client::Fetcher& fetcher, core::Scheduler& scheduler);

}  // namespace parley::notify
