// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/http_client/fetcher.h"
#include "services/notify/answers.h"
#include "services/notify/notifier.h"

namespace parley::notify {

struct NtfySettings {
  std::string name = {};
  std::string url = {};    // of the topic: "https://ntfy.sh/TOPIC"
  std::string token = {};  // or user and password; may be empty
  std::string user = {};
  std::string password = {};
  int priority = 4;  // 1 to 5
};

// Actions that an ntfy client shows.
// Limit (Notifications): options of a notice of ntfy. Reached: reached through the page.
inline constexpr std::size_t kMaxNtfyActions = 3;

// Notices as messages of an ntfy server (docs.ntfy.sh, "publish as JSON"): a tap opens the
// question, answers are buttons that send one POST from the phone. Errors: `invalid_argument` for
// settings that cannot be used. Fetcher and scheduler outlive the notifier.
core::Result<std::unique_ptr<Notifier>> make_ntfy_notifier(
    NtfySettings settings, const std::vector<std::string>& private_hosts, Language language,
    http_client::Fetcher& fetcher, core::Scheduler& scheduler);

}  // namespace parley::notify
