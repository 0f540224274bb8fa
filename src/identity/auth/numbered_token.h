// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/core/result.h"
#include "identity/auth/token_store.h"

namespace parley::auth {

// Limit (Tokens): names that are tried for a token that the server makes: "phone", "phone 2", ...
// Reached: it makes none.
inline constexpr int kMaxNumberedNames = 100;

// Creates a token with the name of `wanted`, followed by a number if another one has it, and sets
// the name that was taken. Errors: those of TokenStore::create().
inline core::Result<std::string> create_numbered(TokenStore& tokens, NewToken& wanted) {
  const std::string name = wanted.name;
  core::Result<std::string> made = tokens.create(wanted);
  for (int number = 2; number <= kMaxNumberedNames; ++number) {
    if (made || made.error().code != core::Code::already_exists) break;
    wanted.name = name + " " + std::to_string(number);
    made = tokens.create(wanted);
  }
  return made;
}

}  // namespace parley::auth
