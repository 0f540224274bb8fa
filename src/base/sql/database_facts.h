// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/core/result.h"
#include "base/sql/database.h"

namespace parley::sql {

// Facts about a PostgreSQL database and its server, for its operator.
struct DatabaseFacts {
  std::string version;  // "15.8 (Debian 15.8-0+deb12u1)"
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t connections = 0;
  std::uint64_t max_connections = 0;
  bool is_standby = false;
  bool makes_schemas = false;  // the user may make what a new version needs
  // The wait of a commit: "on", "remote_apply", "remote_write", "local" or "off".
  std::string synchronous_commit;
  bool fsync = true;
  // Standbys that commits wait for, and others.
  std::uint64_t synchronous_standbys = 0;
  std::uint64_t other_standbys = 0;
};

core::Result<DatabaseFacts> facts_of(Database& database);

}  // namespace parley::sql
