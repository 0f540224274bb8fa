// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "accounts/login_verifier.h"

#include <utility>

namespace parley::accounts {
namespace {

// A workspace may belong to a token and to a user: both are watched.
struct BothWatches final : auth::TokenWatch {
  std::unique_ptr<auth::TokenWatch> of_tokens;
  std::unique_ptr<auth::TokenWatch> of_logins;
};

}  // namespace

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

std::unique_ptr<auth::TokenWatch> LoginVerifier::watch(std::string_view token_id,
                                                       core::Scheduler& scheduler,
                                                       core::Task gone) {
  const auto shared = std::make_shared<core::Task>(std::move(gone));
  auto both = std::make_unique<BothWatches>();
  both->of_tokens = tokens_.watch(token_id, scheduler, [shared] { (*shared)(); });
  both->of_logins = accounts_.watch(token_id, scheduler, [shared] { (*shared)(); });
  return both;
}

}  // namespace parley::accounts
