// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "services/notify/answers.h"
#include "services/notify/notifier.h"
#include "services/notify/smtp.h"

namespace parley::notify {

struct EmailSettings {
  std::string name;
  SmtpServer server;
  std::string from;
  std::vector<std::string> to;
};

// Recipients of one notifier.
inline constexpr std::size_t kMaxRecipients = 20;

// Notices as e-mail. Each notifier has a thread of its own, so that a server that hangs delays no
// other one. Errors: `invalid_argument` with the field.
core::Result<std::unique_ptr<Notifier>> make_email_notifier(EmailSettings settings,
                                                            Language language,
                                                            core::Entropy& entropy,
                                                            core::Scheduler& scheduler);

}  // namespace parley::notify
