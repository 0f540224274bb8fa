// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/http_client/fetcher.h"
#include "services/notify/email_notifier.h"
#include "services/notify/notification_planner.h"
#include "services/notify/ntfy_notifier.h"
#include "services/notify/push_notifier.h"
#include "services/notify/webhook_notifier.h"

namespace parley::notify {

// A rule as it is written in the settings.
struct RuleText {
  std::string when;  // "at_once", "unseen", "deadline"
  core::Millis after{0};
  std::string quiet_hours;  // empty: those of all notifiers
  std::vector<std::string> projects;
  std::vector<std::string> agents;
  std::vector<std::string> tokens;
};

template <typename T>
struct Configured {
  T notifier;
  RuleText rule;
};

// The notifiers of a server, as configured.
struct NotifySettings {
  std::string language;     // "en", "zh"
  std::string quiet_hours;  // of notifiers without their own
  std::vector<std::string> private_hosts;
  std::vector<std::string> push_private_hosts;
  bool push = true;
  std::string push_contact;  // empty: the server's origin
  RuleText push_rule;
  std::vector<Configured<NtfySettings>> ntfy;
  std::vector<Configured<WebhookSettings>> webhooks;
  std::vector<Configured<EmailSettings>> emails;
};

struct ChannelDependencies {
  http_client::Fetcher& fetcher;
  core::Entropy& entropy;
  core::Scheduler& scheduler;
  NotifyStore& store;
  std::shared_ptr<const EllipticKey> push_key;  // null: no Web Push
  std::string origin;                           // of the server, for push services
};

Language language_of(const NotifySettings& settings);

// Errors: `invalid_argument`: a sentence that names the notifier and the setting.
core::Result<std::vector<NotificationPlanner::Channel>> make_channels(
    const NotifySettings& settings, const ChannelDependencies& dependencies);

}  // namespace parley::notify
