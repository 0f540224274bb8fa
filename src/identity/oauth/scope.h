// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "identity/auth/rights.h"

namespace parley::oauth {

// The scopes of access tokens: "parley:ask" (the tools) and "parley:read" (the resources); each is
// the right with its name. "parley:all" in a request stands for both.
inline constexpr auth::Rights kScopeRights = {auth::Right::ask, auth::Right::read};
inline constexpr std::string_view kAllScopes = "parley:ask parley:read";

// The rights that a list of scopes asks for; empty: both. Unknown scopes are ignored. Errors:
// `invalid_scope` (none is known).
core::Result<auth::Rights> parse_scopes(std::string_view text);

// "parley:ask parley:read"; rights without a scope are left out.
std::string scope_text(auth::Rights rights);

// The rights of `a` that `b` has as well, of those with a scope.
auth::Rights common_scopes(auth::Rights a, auth::Rights b);

}  // namespace parley::oauth
