// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "identity/auth/token_store.h"
#include "identity/oauth/authorize_request.h"

namespace parley::oauth {

// Limit (Logins of agents): life of a login code, for one use. Reached: `invalid_grant`; a second
// use ends the grant.
inline constexpr core::Millis kCodeLife = std::chrono::seconds(60);
// Limit (Logins of agents): login codes that wait. Reached: 429.
inline constexpr std::size_t kMaxCodes = 1'000;  // of the server
// Limit (Logins of agents): login codes of a workspace that wait. Reached: 429.
inline constexpr std::size_t kMaxCodesOfWorkspace = 20;

inline constexpr std::string_view kCodePrefix = "prloc_";

// The part of a code or a refresh token that its grant recognizes: all secrets of one grant have
// the same family, which no one else knows. Empty if the text does not have this form.
std::string_view family_of(std::string_view secret);
// A new secret of a family: `prefix`, the family, ".", and 256 random bits.
std::string family_secret(std::string_view prefix, std::string_view family, core::Entropy& entropy);

// The consent of a person.
struct Consent {
  AuthorizeRequest request;  // its scopes are those that the person's token has the rights for
  auth::Identity person;     // the holder of the Parley token
};

// The authorization codes that wait for their exchange, in memory. Thread-safe.
class CodeStore {
 public:
  CodeStore(const core::Clock& clock, core::Entropy& entropy) : clock_(clock), entropy_(entropy) {}

  // Makes a code. Errors: `resource_exhausted` (kMaxCodes, kMaxCodesOfWorkspace).
  core::Result<std::string> add(Consent consent);
  // The consent of a code, which is used up. std::nullopt: unknown, used, or older than kCodeLife.
  std::optional<Consent> take(std::string_view code);
  // Drops the codes of a Parley token.
  void forget_token(std::string_view token_id);
  std::size_t size() const;

 private:
  struct Entry {
    Consent consent;
    core::MonoTime until;
  };

  void drop_old();

  const core::Clock& clock_;
  core::Entropy& entropy_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;  // by SHA-256 of the code
};

}  // namespace parley::oauth
