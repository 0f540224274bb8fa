// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/sql/database.h"
#include "base/sql/migration.h"

namespace parley::app {

// A store of the server, for commands that treat all alike.
struct KnownStore {
  std::string_view name;  // its file is NAME.db, its schema parley_NAME
  sql::Schema schema;
  std::string_view without;  // behaviour of a server that does not find its file
  bool made_at_start = true;
  bool is_copied = true;  // false: it is made again from another one
  // The work after a copy of its rows, in the same transaction. Null: none.
  core::Result<void> (*after_copy)(sql::Database& database) = nullptr;

  std::string file() const { return std::string(name) + ".db"; }
};

// All but those below.
std::vector<KnownStore> known_stores();
KnownStore session_store();
// Its secrets are files where the other stores are.
KnownStore secret_store();
// The homes of owners, in a database alone. It names servers, so it is not copied.
KnownStore cluster_store();

}  // namespace parley::app
