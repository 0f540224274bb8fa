// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "app/server/settings.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/net/http/metrics.h"
#include "identity/accounts/account_store.h"
#include "identity/auth/token_store.h"
#include "model/session/hub.h"
#include "services/notify/notification_service.h"

namespace parley::app {

// Services below notifications. They must outlive the assembly.
struct NotifyDependencies {
  const Settings& settings;
  session::Hub& hub;
  auth::TokenStore& tokens;
  const accounts::AccountStore& accounts;
  const core::Clock& clock;
  core::Entropy& entropy;
  net::Metrics& metrics;
};

// The notifications of a server: its notifiers, their store, and the thread on which they work.
class NotifyAssembly {
 public:
  // Watches the hub from now on; call before the recovery of pending questions. Errors: those of
  // the database; `invalid_argument` for settings that cannot be used.
  static core::Result<std::unique_ptr<NotifyAssembly>> open(const NotifyDependencies& dependencies);
  ~NotifyAssembly();

  notify::NotificationService& service();
  // Ends the thread. Call after the shards have stopped.
  void stop();

 private:
  struct Parts;
  explicit NotifyAssembly(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace parley::app
