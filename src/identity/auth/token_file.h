// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/sql/migration.h"
#include "base/sql/store_place.h"
#include "identity/auth/token_store.h"

namespace parley::auth {

// A row of DATA/tokens.db: the facts about a token, and its SHA-256 (32 raw bytes).
struct TokenRow {
  TokenInfo info;
  std::string hash;
};

// DATA/tokens.db: the table of tokens, its format in docs/events.md. One connection, one thread at
// a time; other processes may use the file meanwhile.
class TokenFile {
 public:
  static const sql::Schema& schema();
  // Makes the directory (0700) and the file (0600) if they are missing. Errors: those of
  // sql::make_data_dir() and sql::open_store().
  static core::Result<std::unique_ptr<TokenFile>> open(const sql::StorePlace& place);
  virtual ~TokenFile() = default;

  // Errors: `already_exists` (a token that is not revoked has the name).
  virtual core::Result<void> insert(const TokenRow& row) = 0;
  // In order of creation.
  virtual core::Result<std::vector<TokenRow>> rows() = 0;
  // Revokes the token with this id, or else the one with this name, if it is not revoked. False:
  // there is none.
  virtual core::Result<bool> revoke(std::string_view name_or_id, core::WallTime at) = 0;
  // Renames the token with this id, or else the one with this name, if it is not revoked. False:
  // there is none. Errors: `already_exists`.
  virtual core::Result<bool> rename(std::string_view name_or_id, std::string_view name) = 0;
  // The last uses of tokens, in one commit.
  struct Seen {
    std::string token_id;
    core::WallTime at;
  };
  virtual core::Result<void> set_seen(std::span<const Seen> seen) = 0;
  // A number that changes when another connection has changed the file.
  virtual core::Result<std::int64_t> data_version() = 0;
};

}  // namespace parley::auth
