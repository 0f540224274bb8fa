// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/doctor_database.h"

#include <string>

#include "app/cli/store_version.h"
#include "base/sql/database.h"
#include "base/sql/database_facts.h"

namespace parley::app {
namespace {

using State = Finding::State;

// Connections that one server opens, about: those of the sessions and one for each other store.
constexpr std::uint64_t kConnectionsOfServer = 25;

Finding durability_of(const sql::DatabaseFacts& facts) {
  if (!facts.fsync) {
    return {State::fault, "durability",
            "fsync is off: a crash of the database's computer damages the database",
            "Set fsync = on in postgresql.conf."};
  }
  if (facts.synchronous_commit == "off") {
    return {State::fault, "durability",
            "synchronous_commit is off: a crash loses what was acknowledged",
            "Set synchronous_commit = on for the database or its user."};
  }
  return {State::good, "durability", "a commit waits for the disk"};
}

Finding standby_of(const sql::DatabaseFacts& facts) {
  const std::string others = std::to_string(facts.other_standbys);
  if (facts.synchronous_standbys == 0) {
    return {State::warning, "standby",
            "no synchronous one (" + others +
                " others): the loss of the database's disk loses what was acknowledged",
            "Set synchronous_standby_names, or back the database up."};
  }
  if (facts.synchronous_commit == "local") {
    return {State::warning, "standby", "synchronous_commit is local: commits do not wait for it",
            "Set synchronous_commit = on for the database or its user."};
  }
  return {State::good, "standby",
          std::to_string(facts.synchronous_standbys) + " synchronous, " + others + " others"};
}

Finding room_of(const sql::DatabaseFacts& facts) {
  const std::string text = std::to_string(facts.connections) + " of " +
                           std::to_string(facts.max_connections) + " connections are in use";
  if (facts.connections + kConnectionsOfServer <= facts.max_connections) {
    return {State::good, "connections", text};
  }
  return {State::warning, "connections",
          text + "; a server needs about " + std::to_string(kConnectionsOfServer),
          "Raise max_connections in postgresql.conf."};
}

std::vector<Finding> findings_of(const sql::DatabaseFacts& facts) {
  std::vector<Finding> out = {{State::good, "database",
                               facts.name + ", PostgreSQL " + facts.version + ", " +
                                   std::to_string(facts.bytes >> 20U) + " MiB"}};
  if (facts.is_standby) {
    out.push_back({State::fault, "database", "is a standby, which takes no writes",
                   "Name the primary in store.url, or all hosts with "
                   "target_session_attrs=read-write."});
  }
  if (!facts.makes_schemas) {
    out.push_back({State::warning, "rights",
                   "the user may not make schemas, which a first start and some new versions do",
                   "GRANT CREATE ON DATABASE " + facts.name + " TO its user."});
  }
  out.push_back(durability_of(facts));
  out.push_back(standby_of(facts));
  out.push_back(room_of(facts));
  return out;
}

Finding check_store(const sql::StorePlace& place, const KnownStore& store) {
  const StoreVersion found = version_of(place, store);
  const std::string text = "version " + std::to_string(found.version);
  switch (found.state) {
    case StoreVersion::State::missing:
      return {State::good, found.name, "does not exist yet"};
    case StoreVersion::State::current:
      return {State::good, found.name, text};
    case StoreVersion::State::older:
      return {State::warning, found.name,
              text + "; the next start of the server brings it to " + std::to_string(found.known)};
    case StoreVersion::State::refused:
      break;
  }
  return {State::fault, found.name, found.reason};
}

}  // namespace

std::vector<Finding> check_database_server(const sql::StorePlace& place,
                                           const std::vector<KnownStore>& stores) {
  auto database = sql::Database::connect({place.url, "parley_events", place.pooled});
  const auto facts = database ? sql::facts_of(*database) : core::fail(database.error());
  if (!facts) {
    return {{State::fault, "database", facts.error().message, "store.url names the database."}};
  }
  std::vector<Finding> out = findings_of(*facts);
  for (const KnownStore& store : stores) out.push_back(check_store(place, store));
  return out;
}

}  // namespace parley::app
