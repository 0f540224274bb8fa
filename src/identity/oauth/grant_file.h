// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/sql/migration.h"
#include "base/sql/store_place.h"
#include "identity/auth/rights.h"
#include "identity/oauth/client.h"

namespace parley::oauth {

// The access of one client to one workspace, as a row of DATA/oauth.db. Only the SHA-256 of its
// secrets is stored.
struct Grant {
  std::int64_t id = 0;
  std::string family_hash;  // SHA-256 of the family of its secrets
  std::string token_id;     // of the Parley token that consented
  std::string workspace;
  std::string client_id;
  std::string client_name;
  std::string resource;
  auth::Rights scopes;         // consented
  auth::Rights access_scopes;  // of the access token: `scopes` or fewer
  std::string access_hash;
  core::WallTime access_until;
  std::string refresh_hash;
  core::WallTime refresh_until;
  std::optional<core::WallTime> token_until;  // end of the Parley token
  core::WallTime created_at;
};

struct RegisteredClient {
  Client client;
  core::WallTime registered_at;
};

// DATA/oauth.db: grants and registered clients, its format in docs/events.md. One connection, one
// thread at a time; other processes may change it at the same time.
class GrantFile {
 public:
  static const sql::Schema& schema();
  // Makes the directory (0700) and the file (0600) if they are missing. Errors: those of
  // sql::make_data_dir() and sql::open_store().
  static core::Result<std::unique_ptr<GrantFile>> open(const sql::StorePlace& place);
  virtual ~GrantFile() = default;

  virtual core::Result<std::vector<Grant>> grants() = 0;  // in order of creation
  // Returns the id of the new grant.
  virtual core::Result<std::int64_t> insert(const Grant& grant) = 0;
  // Stores the tokens of a grant: the columns that a refresh changes.
  virtual core::Result<void> set_tokens(const Grant& grant) = 0;
  virtual core::Result<void> remove(std::int64_t id) = 0;

  virtual core::Result<std::vector<RegisteredClient>> clients() = 0;  // in order of registration
  virtual core::Result<void> insert(const RegisteredClient& client) = 0;
  virtual core::Result<void> remove_client(const std::string& id) = 0;

  // A number that changes when another connection has changed the file.
  virtual core::Result<std::int64_t> data_version() = 0;
};

}  // namespace parley::oauth
