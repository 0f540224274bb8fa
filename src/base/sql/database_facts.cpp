// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/database_facts.h"

namespace parley::sql {

core::Result<DatabaseFacts> facts_of(Database& database) {
  DatabaseFacts facts;
  const auto read = [&facts](const Statement& row) {
    facts.version = row.string(0);
    facts.name = row.string(1);
    facts.bytes = row.number(2);
    facts.connections = row.number(3);
    facts.max_connections = row.number(4);
    facts.is_standby = row.flag(5);
    facts.makes_schemas = row.flag(6);
    facts.synchronous_commit = row.string(7);
    facts.fsync = row.text(8) == "on";
  };
  PARLEY_TRY_VOID(database.each(
      "SELECT current_setting('server_version'), current_database()::text,"
      " pg_database_size(current_database()), (SELECT count(*) FROM pg_stat_activity),"
      " current_setting('max_connections')::bigint, pg_is_in_recovery(),"
      " has_database_privilege(current_database(), 'CREATE'),"
      " current_setting('synchronous_commit'), current_setting('fsync')",
      read));
  // Without the right to see it, the state of a standby is NULL.
  const auto count = [&facts](const Statement& row) {
    ++(row.text(0) == "sync" || row.text(0) == "quorum" ? facts.synchronous_standbys
                                                        : facts.other_standbys);
  };
  PARLEY_TRY_VOID(database.each("SELECT sync_state FROM pg_stat_replication", count));
  return facts;
}

}  // namespace parley::sql
