// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "app/server/notify_assembly.h"
#include "app/server/oauth_assembly.h"
#include "base/core/scheduler.h"
#include "identity/accounts/account_store.h"
#include "identity/auth/token_store.h"
#include "model/session/hub.h"

namespace parley::app {

// The tokens, users and logins of a server, and what ends with them.
struct Identities {
  auth::TokenStore& tokens;
  accounts::AccountStore& accounts;
  session::Hub& hub;
  NotifyAssembly* notifications = nullptr;  // null: no notices are sent
  OauthAssembly* oauth = nullptr;           // null: agents do not log in
};

// A read on a thread that may wait, which all who ask before it begins share. Thread-safe.
class SharedRead {
 public:
  // Both outlive the threads that ask.
  SharedRead(core::Scheduler& thread, std::function<void()> read)
      : thread_(thread), read_(std::move(read)) {}

  // `done` on the thread, after a read that begins later than this call, whether it fails or not.
  void ask(core::Task done);

 private:
  void serve();

  core::Scheduler& thread_;
  const std::function<void()> read_;
  std::mutex mutex_;
  std::vector<core::Task> waiting_;  // guarded
};

// Reads what other processes have changed, and ends what belongs to tokens and users that have
// ended. Waits for the disk. Thread-safe.
void poll_identities(const Identities& of);

}  // namespace parley::app
