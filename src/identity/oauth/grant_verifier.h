// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "identity/auth/token_store.h"
#include "identity/oauth/grant_store.h"

namespace parley::oauth {

// Verifies the access tokens of grants, for /mcp alone, beside the tokens of another verifier.
// Needs only a look-up in memory. Thread-safe.
class GrantVerifier final : public auth::Verifier {
 public:
  // Both outlive this object.
  GrantVerifier(auth::Verifier& tokens, const GrantStore& grants)
      : tokens_(tokens), grants_(grants) {}

  core::Result<auth::Identity> verify(std::string_view token, std::string_view peer) override;
  auth::Verdict judge(std::string_view token, std::string_view peer) override;
  bool may_continue(const auth::Identity& caller, std::string_view token,
                    std::string_view peer) override;
  bool refuses_guesses(std::string_view peer) override { return tokens_.refuses_guesses(peer); }
  core::Result<void> check_guest(const std::optional<core::GuestObstacle>& obstacle) override {
    return tokens_.check_guest(obstacle);
  }
  auth::TokenWatchers& watchers() override { return tokens_.watchers(); }

 private:
  auth::Verifier& tokens_;
  const GrantStore& grants_;
};

}  // namespace parley::oauth
