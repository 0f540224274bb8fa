// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/access/authority.h"

namespace parley::access {

std::string asker_id(const auth::Identity& caller) {
  return caller.token_id.empty() ? caller.user : caller.token_id;
}

session::Authority authority_of(const auth::Identity& caller) {
  return session::Authority::of_token(
      asker_id(caller),
      {caller.rights.has(auth::Right::answer), caller.rights.has(auth::Right::read)}, caller.name);
}

session::Authority window_of(const auth::Identity& caller) {
  return session::Authority::of_window(asker_id(caller), caller.name);
}

}  // namespace parley::access
