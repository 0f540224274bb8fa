// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "services/notify/notifier.h"

namespace parley::notify {

struct SmtpServer {
  std::string url = {};  // "smtp://HOST:587", "smtps://HOST"
  std::string user = {};
  std::string password = {};
  bool starttls = true;      // for smtp: required; the connection fails without it
  std::string ca_file = {};  // PEM certificates to trust instead of the system's
  core::Millis connect_timeout{10'000};
  core::Millis total_timeout{30'000};  // of a whole message, the connection included
};

// Sends one message and waits for its end. Blocks: only on a thread of its own. Ends soon after
// `stopping` has become true.
Delivery send_mail(const SmtpServer& server, const std::string& from,
                   const std::vector<std::string>& to, const std::string& message,
                   const std::atomic<bool>& stopping);

}  // namespace parley::notify
