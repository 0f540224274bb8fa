// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "accounts/account_desk.h"
#include "auth/token_store.h"
#include "net/http/http.h"

namespace parley::chat {

// Ground of the routes of users. Outlives the router and every answer.
struct AccountContext {
  accounts::AccountDesk& desk;
  auth::Verifier& verifier;  // of tokens and logins
};

// Adds logins, the caller's own user, its roles, and the users for administrators, below /api/v1
// (contract of the chat, section 1.3). A Parley token is a user there, too.
void install_accounts(net::Router& router, const AccountContext& context);

}  // namespace parley::chat
