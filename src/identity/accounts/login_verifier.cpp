// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/accounts/login_verifier.h"

#include <utility>

namespace parley::accounts {
core::Result<auth::Identity> LoginVerifier::verify(std::string_view token, std::string_view peer) {
  if (!token.starts_with(kAccessPrefix)) return tokens_.verify(token, peer);
  core::Result<auth::Identity> identity = accounts_.identify(token);
  // A token chosen by the operator may have the prefix of an access token.
  if (identity || !tokens_.verify(token, peer)) return identity;
  return tokens_.verify(token, peer);
}

auth::Verdict LoginVerifier::judge(std::string_view token, std::string_view peer) {
  if (!token.starts_with(kAccessPrefix)) return tokens_.judge(token, peer);
  core::Result<auth::Identity> identity = accounts_.identify(token);
  if (identity) return {std::move(identity)};
  // Wrong tokens of both kinds are counted in one place.
  auth::Verdict verdict = tokens_.judge(token, peer);
  const bool wrong =
      !verdict.identity && verdict.identity.error().code == core::Code::unauthenticated;
  if (wrong) verdict.identity = std::move(identity);
  return verdict;
}

}  // namespace parley::accounts
