// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "identity/auth/token_store.h"
#include "model/session/gate.h"

namespace parley::access {

// The id under which a caller asks: of its token, of its grant (the same for all access tokens of
// it), or of its user. Empty: a guest.
std::string asker_id(const auth::Identity& caller);

// The authority of a caller over the interactions of its workspace: the only conversion of rights
// into it.
session::Authority authority_of(const auth::Identity& caller);
// The authority of the caller's own window, in which it asks its person and passes on the answers.
session::Authority window_of(const auth::Identity& caller);

}  // namespace parley::access
