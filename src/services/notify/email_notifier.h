// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "services/notify/answers.h"
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

struct EmailSettings {
  std::string name;
  SmtpServer server;
  std::string from;
  std::vector<std::string> to;
};

// Recipients of one notifier.
// Limit (Notifications): recipients of an e-mail notifier. Reached: the server does not start.
inline constexpr std::size_t kMaxRecipients = 20;

// Notices as e-mail. Each notifier has a thread of its own, so that a server that hangs delays no
// other one. Errors: `invalid_argument` with the field.
core::Result<std::unique_ptr<Notifier>> make_email_notifier(EmailSettings settings,
                                                            Language language,
                                                            core::Entropy& entropy,
                                                            core::Scheduler& scheduler);

}  // namespace parley::notify
