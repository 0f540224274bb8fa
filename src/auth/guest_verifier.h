// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "auth/token_store.h"

namespace parley::auth {

// Lets callers without a token in as one fixed guest, where a protocol's existing clients send
// none; a token that is given is checked as everywhere. Thread-safe.
class GuestVerifier : public Verifier {
 public:
  // `guest`: whose workspace such callers share; std::nullopt: a token is required.
  GuestVerifier(Verifier& tokens, std::optional<Identity> guest)
      : tokens_(tokens), guest_(std::move(guest)) {}

  core::Result<Identity> verify(std::string_view token, std::string_view peer) override {
    if (token.empty() && guest_) return *guest_;
    return tokens_.verify(token, peer);
  }

 private:
  Verifier& tokens_;
  const std::optional<Identity> guest_;
};

}  // namespace parley::auth
