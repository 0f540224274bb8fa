// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/net/http/http.h"
#include "identity/accounts/account_service.h"
#include "identity/auth/token_store.h"

namespace parley::chat {

// Services behind the routes of users. Must outlive the router and every answer.
struct AccountContext {
  accounts::AccountService& service;
  auth::Verifier& verifier;  // verifies tokens and logins
};

// Adds the routes of logins, of the caller's own user, of its roles, and of users for
// administrators, below /api/v1 (contract of the chat, section 1.3). The holder of a Parley token
// is shown as a user too.
void install_accounts(net::Router& router, const AccountContext& context);

}  // namespace parley::chat
