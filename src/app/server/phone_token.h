// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "identity/auth/token_store.h"

namespace parley::app {

// The file in the data directory with the token of the QR code that the terminal shows, mode 0600.
inline constexpr std::string_view kPhoneTokenFile = "phone-token";
// Its name in the list of tokens; a number follows if another token has the name.
inline constexpr std::string_view kPhoneTokenName = "phone";

// The text of the token with which a phone that scans the terminal's code signs in: of the
// workspace of `own`, with Rights::usual(), so that the code never holds the server's own token.
// Made at the first call, and again when it was revoked, has expired, or belongs to another
// workspace. Empty if `own` is no valid token. Errors: those of TokenStore::create() and
// core::write_private_file(). Waits for the disk.
core::Result<std::string> ensure_phone_token(const std::string& data_dir, auth::TokenStore& tokens,
                                             std::string_view own);

}  // namespace parley::app
