// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "identity/accounts/account_store.h"
#include "identity/auth/token_store.h"

namespace parley::accounts {

// Verifies Parley's tokens and the access tokens of logins, for every dialect. Needs only a look-up
// in memory. Thread-safe.
class LoginVerifier final : public auth::Verifier {
 public:
  // Both outlive this object.
  LoginVerifier(auth::Verifier& tokens, AccountStore& accounts)
      : tokens_(tokens), accounts_(accounts) {}

  core::Result<auth::Identity> verify(std::string_view token, std::string_view peer) override;
  auth::Verdict judge(std::string_view token, std::string_view peer) override;
  bool refuses_guesses(std::string_view peer) override { return tokens_.refuses_guesses(peer); }
  core::Result<void> check_guest(const std::optional<core::GuestObstacle>& obstacle) override {
    return tokens_.check_guest(obstacle);
  }
  auth::TokenWatchers& watchers() override { return tokens_.watchers(); }

 private:
  auth::Verifier& tokens_;
  AccountStore& accounts_;
};

}  // namespace parley::accounts
