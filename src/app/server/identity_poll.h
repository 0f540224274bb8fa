// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/server/notify_assembly.h"
#include "app/server/oauth_assembly.h"
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

// Reads what other processes have changed, and ends what belongs to tokens and users that have
// ended. Waits for the disk. Thread-safe.
void poll_identities(const Identities& of);

}  // namespace parley::app
