// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/core/scheduler.h"
#include "base/http_client/fetcher.h"
#include "services/notify/notifier.h"

namespace parley::notify {

// Time limits of an attempt.
// Limit (Notifications): connection of an attempt. Reached: tried again.
inline constexpr core::Millis kConnectPatience{10'000};
// Limit (Notifications): an attempt (e-mail: settings). Reached: tried again.
inline constexpr core::Millis kAttemptPatience{30'000};

// True if the server may send to a private address for `host` of a URL in the settings: the setting
// names one itself ("10.0.0.5", "localhost", "ntfy.lan"), or `allowed` has the host. Any other name
// must lead to the public internet, wherever its DNS entry points.
bool may_be_private(const std::string& host, const std::vector<std::string>& allowed);

// One POST: redirects are not followed, since one could lead to a private address or give a secret
// away. 2xx is a success; 404 and 410 are `gone`; 408, 429, 5xx and a lost connection are worth a
// retry. `request` gets the time limits. `done` runs on `scheduler`.
void deliver_by_http(http_client::Fetcher& fetcher, core::Scheduler& scheduler,
                     http_client::FetchRequest request, Notifier::Done done);

// Retry-After (RFC 9110 section 10.2.3) as a wait from now; std::nullopt: none that can be read.
std::optional<core::Millis> retry_after(std::string_view value, core::WallTime now);

}  // namespace parley::notify
