// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/guest_obstacle.h"
#include "identity/auth/token_store.h"

namespace parley::auth {

// The origins from which callers without a token are admitted.
enum class GuestsFrom : std::uint8_t {
  here,      // from this computer, without a proxy
  anywhere,  // any origin, by decision of the operator
};

// Admits callers without a token as guests, for protocols whose existing clients send none; a token
// that is sent is checked as everywhere. Thread-safe.
class GuestVerifier : public Verifier {
 public:
  // `token`: guests share its workspace as long as it is valid; empty: no guests, a token is
  // required.
  GuestVerifier(Verifier& tokens, std::string token, GuestsFrom from = GuestsFrom::here)
      : tokens_(tokens), token_(std::move(token)), from_(from) {}

  core::Result<void> check_guest(const std::optional<core::GuestObstacle>& obstacle) override {
    if (!obstacle || !guest()) return {};
    if (obstacle->foreign_page) {
      return core::fail(core::Code::permission_denied,
                        "A token is required: guests are refused because " + obstacle->why + ".");
    }
    if (from_ == GuestsFrom::anywhere) return {};
    return core::fail(core::Code::unauthenticated,
                      "A token is required: guests are refused because " + obstacle->why + ".");
  }

  core::Result<Identity> verify(std::string_view token, std::string_view peer) override {
    if (token.empty()) {
      if (std::optional<Identity> known = guest()) return std::move(*known);
    }
    return tokens_.verify(token, peer);
  }
  Verdict judge(std::string_view token, std::string_view peer) override {
    if (token.empty()) {
      if (std::optional<Identity> known = guest()) return {std::move(*known)};
    }
    return tokens_.judge(token, peer);
  }
  TokenWatchers& watchers() override { return tokens_.watchers(); }
  bool refuses_guesses(std::string_view peer) override { return tokens_.refuses_guesses(peer); }

 private:
  std::optional<Identity> guest() {
    if (token_.empty()) return std::nullopt;
    core::Result<Identity> identity = tokens_.verify(token_, "");
    if (!identity) return std::nullopt;
    identity->name = "guest";
    identity->token_id.clear();
    identity->rights = {Right::study};
    identity->guessable = false;  // a token that was not sent cannot have been guessed
    return std::move(*identity);
  }

  Verifier& tokens_;
  const std::string token_;
  const GuestsFrom from_;
};

}  // namespace parley::auth
