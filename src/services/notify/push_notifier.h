// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/http_client/fetcher.h"
#include "services/notify/elliptic_key.h"
#include "services/notify/notifier.h"
#include "services/notify/notify_store.h"

namespace parley::notify {

// Name of the notifier of all browsers.
inline constexpr std::string_view kPushName = "push";

inline constexpr std::string_view kVapidFile = "vapid.pem";

// The server's own key for push services (VAPID), in DATA/vapid.pem, mode 0600; made at the first
// call. Browsers' subscriptions belong to it. Waits for the disk. Errors: `data_loss`, those of
// files.
core::Result<std::shared_ptr<const EllipticKey>> vapid_key(const std::string& data_dir);

struct PushSettings {
  std::shared_ptr<const EllipticKey> key;
  std::string contact;                     // "mailto:..." or a https URL, for push services
  std::vector<std::string> private_hosts;  // hosts of push services that may be private
};

// Web Push to the subscriptions of a question's owner: each is a target. All outlive the notifier.
std::unique_ptr<Notifier> make_push_notifier(PushSettings settings, NotifyStore& store,
                                             http_client::Fetcher& fetcher, core::Entropy& entropy,
                                             core::Scheduler& scheduler);

}  // namespace parley::notify
