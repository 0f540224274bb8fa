// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/grant_verifier.h"

#include <utility>

namespace parley::oauth {

core::Result<auth::Identity> GrantVerifier::verify(std::string_view token, std::string_view peer) {
  if (token.starts_with(kAccessPrefix)) {
    if (core::Result<auth::Identity> identity = grants_.identify(token)) return identity;
  }
  return tokens_.verify(token, peer);
}

auth::Verdict GrantVerifier::judge(std::string_view token, std::string_view peer) {
  if (token.starts_with(kAccessPrefix)) {
    if (core::Result<auth::Identity> identity = grants_.identify(token)) {
      return {std::move(identity)};
    }
  }
  // Wrong tokens of both kinds are counted in one place.
  return tokens_.judge(token, peer);
}

bool GrantVerifier::may_continue(const auth::Identity& caller, std::string_view token,
                                 std::string_view peer) {
  return grants_.is_open(caller.token_id) || tokens_.may_continue(caller, token, peer);
}

}  // namespace parley::oauth
