// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/entropy.h"
#include "core/result.h"

namespace parley::auth {

// Whom a token stands for.
struct Identity {
  std::string token_id;  // names the workspace: everything of a token belongs to it
  std::string name;
  std::optional<core::WallTime> expires_at;
};

struct TokenInfo {
  Identity identity;
  core::WallTime created_at;
  std::optional<core::WallTime> revoked_at;
};

// Checks tokens. Thread-safe. The one interface that dialects see.
class Verifier {
 public:
  Verifier() = default;
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;
  virtual ~Verifier() = default;

  // Errors: `unauthenticated` (missing, unknown, expired or revoked: the message never says which
  // of the last three, and never repeats the token), `resource_exhausted` (too many failures from
  // `peer`, an address without its port).
  virtual core::Result<Identity> verify(std::string_view token, std::string_view peer) = 0;
};

// The tokens of a data directory, in DATA/tokens.db; only their SHA-256 is kept. Thread-safe. Other
// processes (parley token ...) may change the file at the same time; poll() takes that up.
class TokenStore : public Verifier {
 public:
  // Opens or makes the file (mode 0600).
  static core::Result<std::unique_ptr<TokenStore>> open(const std::string& data_dir,
                                                        const core::Clock& clock,
                                                        core::Entropy& entropy);

  // Makes a token and returns its text, which cannot be had again. Errors: `already_exists`
  // (the name is taken by a token that is not revoked), `invalid_argument` (name, expiry).
  virtual core::Result<std::string> create(std::string_view name,
                                           std::optional<core::WallTime> expires_at) = 0;
  virtual core::Result<std::vector<TokenInfo>> list() = 0;
  // By name or token id. Errors: `not_found`.
  virtual core::Result<void> revoke(std::string_view name_or_id) = 0;
  // Makes `token` valid as long as this object lives, without storing it. Its token_id is derived
  // from the token's hash, so the same token finds the same workspace after a restart.
  virtual Identity allow_for_this_run(std::string_view token, std::string_view name) = 0;
  // Takes up changes by other processes and expiry. Calls `on_gone` with the id of each token that
  // is no longer valid since the last call. Call about once a second.
  virtual void poll(const std::function<void(const std::string& token_id)>& on_gone) = 0;
};

}  // namespace parley::auth
