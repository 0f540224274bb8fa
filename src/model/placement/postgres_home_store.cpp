// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/placement/postgres_home_store.h"

#include <array>
#include <string>
#include <utility>

#include "base/sql/opening.h"
#include "base/sql/postgres_engine.h"
#include "base/sql/transaction.h"

namespace parley::placement {
namespace {

using core::Code;

constexpr std::string_view kClusterSchema = "parley_cluster";
constexpr std::int64_t kClusterApplicationId = 0x50726c63;  // "Prlc"

constexpr std::array<const char*, 1> kClusterSteps = {R"sql(
CREATE TABLE nodes (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  instance TEXT NOT NULL,
  link TEXT NOT NULL,
  version TEXT NOT NULL,
  draining INTEGER NOT NULL DEFAULT 0,
  joined TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  expires TIMESTAMPTZ NOT NULL
);
CREATE TABLE homes (
  slot INTEGER NOT NULL PRIMARY KEY,
  node INTEGER NOT NULL DEFAULT 0,
  epoch INTEGER NOT NULL DEFAULT 0
);
)sql"};

// The name of a server that is no node of a cluster; there is one at most. Not a name that a node
// can have.
constexpr const char* kAlone = "";

core::Result<void> make_homes(sql::Database& database) {
  return database.run("INSERT INTO homes (slot) SELECT generate_series(0, ?1::bigint - 1)", kSlots);
}

// The end of a lease that begins now. The store's clock, read when the row is written, not when the
// transaction began.
std::string lease_end() {
  return "clock_timestamp() + interval '" + std::to_string(kLease.count()) + " milliseconds'";
}

// A condition that is true while a lease stands. A lease that ends later than every lease that
// begins now is of a clock that has gone back since, and is over.
std::string stands(std::string_view expires) {
  const std::string end(expires);
  return "(" + end + " >= clock_timestamp() AND (" + end + " = 'infinity' OR " + end +
         " <= clock_timestamp() + interval '" + std::to_string(2 * kLease.count()) +
         " milliseconds'))";
}

sql::Array array_of(std::span<const Slot> slots) {
  sql::Array out(sql::Array::Of::integers);
  for (const Slot slot : slots) out.add(static_cast<std::int64_t>(slot));
  return out;
}

}  // namespace

sql::Schema cluster_schema() {
  return {.application_id = kClusterApplicationId, .steps = kClusterSteps};
}

core::Result<void> make_cluster(const sql::StorePlace& place) {
  const core::Result<sql::Database> database =
      sql::open_store(place, kClusterStore, cluster_schema(), {}, make_homes);
  return database ? core::Result<void>() : core::fail(database.error());
}

// The lock keeps nodes from joining and from taking slots meanwhile.
core::Result<EveryHome> take_every_home(sql::Database& database) {
  PARLEY_TRY_VOID(
      database.run("SELECT pg_advisory_xact_lock(" + sql::write_lock(kClusterSchema) + ")"));
  PARLEY_TRY(const std::vector<std::string> live,
             database.rows(
                 "SELECT name FROM parley_cluster.nodes WHERE name <> ?1 AND " + stands("expires") +
                     " ORDER BY name",
                 [](const sql::Statement& row) { return row.string(0); }, kAlone));
  if (!live.empty()) {
    return core::fail(Code::failed_precondition,
                      "Nodes of a cluster use the database, \"" + live.front() +
                          "\" among them. Stop them first.",
                      "store.url");
  }
  PARLEY_TRY_VOID(database.execute("DELETE FROM parley_cluster.nodes"));
  EveryHome taken;
  PARLEY_TRY(taken.node,
             database.integer("INSERT INTO parley_cluster.nodes (name, instance, link, version,"
                              " expires) VALUES (?1, '', '', '', 'infinity') RETURNING id",
                              kAlone));
  const auto read = [](const sql::Statement& row) {
    return TakenSlot{static_cast<Slot>(row.integer(0)), row.number(1)};
  };
  PARLEY_TRY(taken.slots, database.rows("UPDATE parley_cluster.homes SET node = ?1,"
                                        " epoch = epoch + 1 RETURNING slot, epoch",
                                        read, taken.node));
  if (taken.slots.size() == kSlots) return taken;
  return core::fail(Code::data_loss,
                    "The table of homes has " + std::to_string(taken.slots.size()) +
                        " slots in place of " + std::to_string(kSlots) + ".",
                    "slot");
}

core::Result<void> leave_every_home(sql::Database& database, NodeId node) {
  return database.run("DELETE FROM parley_cluster.nodes WHERE id = ?1", node);
}

core::Result<std::unique_ptr<PostgresHomeStore>> PostgresHomeStore::open(
    const sql::StorePlace& place) {
  PARLEY_TRY(sql::Database database,
             sql::open_store(place, kClusterStore, cluster_schema(), {}, make_homes));
  // The constructor is private, so make_unique cannot reach it.
  return std::unique_ptr<PostgresHomeStore>(new PostgresHomeStore(std::move(database)));
}

core::Result<NodeId> PostgresHomeStore::join(const NodeDescription& node) {
  PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
  PARLEY_TRY_VOID(replace_earlier(node));
  PARLEY_TRY_VOID(
      database_.run("DELETE FROM nodes WHERE expires < clock_timestamp() - interval '1 day'"));
  PARLEY_TRY(const NodeId id,
             database_.integer("INSERT INTO nodes (name, instance, link, version, expires)"
                               " VALUES (?1, ?2, ?3, ?4, " +
                                   lease_end() + ") RETURNING id",
                               node.name, node.instance, node.link, node.version));
  PARLEY_TRY_VOID(transaction.commit());
  name_ = node.name;
  return id;
}

// The row locks wait for renewals in progress.
core::Result<void> PostgresHomeStore::replace_earlier(const NodeDescription& node) {
  PARLEY_TRY_VOID(
      database_.run("SELECT 1 FROM nodes WHERE name = ?1 OR instance = ?2 ORDER BY id FOR UPDATE",
                    node.name, node.instance));
  PARLEY_TRY(
      const std::int64_t others,
      database_.integer(
          "SELECT count(*) FROM nodes WHERE name = ?1 AND instance <> ?2 AND " + stands("expires"),
          node.name, node.instance));
  PARLEY_TRY(const std::int64_t alone,
             database_.integer("SELECT count(*) FROM nodes WHERE name = ?1", kAlone));
  if (alone > 0) {
    return core::fail(Code::failed_precondition,
                      "A server that is no node of a cluster uses the database, or was killed."
                      " Start it again if it was, and stop it.",
                      "cluster.node");
  }
  if (others > 0) {
    return core::fail(Code::already_exists,
                      "Another node of this cluster has the name \"" + node.name +
                          "\". Give each node a name of its own.",
                      "cluster.node");
  }
  return database_.run("DELETE FROM nodes WHERE name = ?1 OR instance = ?2", node.name,
                       node.instance);
}

core::Result<void> PostgresHomeStore::extend(NodeId node) {
  PARLEY_TRY_VOID(
      database_.run("UPDATE nodes SET expires = " + lease_end() + " WHERE id = ?1", node));
  if (database_.changes() > 0) return {};
  PARLEY_TRY(const std::int64_t others,
             database_.integer("SELECT count(*) FROM nodes WHERE name = ?1", name_));
  if (others > 0) {
    return core::fail(Code::already_exists,
                      "Another start of the node \"" + name_ +
                          "\" has taken its place. Its data directory may be used twice.",
                      "cluster.node");
  }
  return core::fail(Code::not_found, "This node is no member of the cluster any more.", "node");
}

core::Result<View> PostgresHomeStore::renew(NodeId node) {
  PARLEY_TRY_VOID(extend(node));
  return view();
}

core::Result<View> PostgresHomeStore::view() {
  View view;
  const auto read_node = [&view](const sql::Statement& row) {
    view.read_at = core::from_unix_ms(row.integer(7));
    return Node{row.integer(0),
                {row.string(1), row.string(2), row.string(3), row.string(4)},
                row.flag(5),
                row.flag(6)};
  };
  PARLEY_TRY(view.nodes,
             database_.rows("SELECT id, name, instance, link, version,"
                            " CASE WHEN " +
                                stands("expires") +
                                " THEN 1 ELSE 0 END, draining,"
                                " (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
                                " FROM nodes ORDER BY id",
                            read_node));
  view.homes.resize(kSlots);
  PARLEY_TRY_VOID(database_.each(
      "SELECT slot, node, epoch FROM homes",
      [&view](const sql::Statement& row) -> core::Result<void> {
        const auto slot = row.number(0);
        if (slot >= kSlots) {
          return core::fail(Code::data_loss,
                            "The table of homes has a slot " + std::to_string(slot) + ".", "slot");
        }
        view.homes[slot] = {row.integer(1), row.number(2)};
        return {};
      }));
  return view;
}

core::Result<sql::Array> PostgresHomeStore::lock(const sql::Array& slots) {
  const std::string of_slot = "(" + std::string(kSlotLockClass) + ", t.slot::int)";
  sql::Array locked(sql::Array::Of::integers);
  const auto note = [&locked](const sql::Statement& row) { locked.add(row.integer(0)); };
  PARLEY_TRY_VOID(
      database_.each("SELECT t.slot FROM unnest(?1) AS t(slot)"
                     " WHERE pg_try_advisory_xact_lock" +
                         of_slot,
                     note, slots));
  if (!locked.empty()) return locked;
  PARLEY_TRY_VOID(database_.each("SELECT t.slot, pg_advisory_xact_lock" + of_slot +
                                     " FROM (SELECT min(u.slot) AS slot FROM unnest(?1)"
                                     " AS u(slot)) t",
                                 note, slots));
  return locked;
}

// Renewals of the former homes wait for the locks of their rows, and show the slots as lost.
core::Result<std::vector<TakenSlot>> PostgresHomeStore::take(NodeId node,
                                                             std::span<const Slot> slots) {
  if (slots.empty()) return std::vector<TakenSlot>();
  PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin_sharing(database_));
  const std::string wait = "SET LOCAL lock_timeout = '" + std::to_string(kTakeWait.count()) + "ms'";
  PARLEY_TRY_VOID(database_.execute(wait.c_str()));
  PARLEY_TRY(const sql::Array locked, lock(array_of(slots)));
  PARLEY_TRY_VOID(
      database_.run("SELECT 1 FROM nodes WHERE id IN (SELECT node FROM homes"
                    " WHERE slot = ANY(?1)) ORDER BY id FOR SHARE",
                    locked));
  const auto read = [](const sql::Statement& row) {
    return TakenSlot{static_cast<Slot>(row.integer(0)), row.number(1)};
  };
  PARLEY_TRY(std::vector<TakenSlot> taken,
             database_.rows("UPDATE homes SET node = ?2, epoch = epoch + 1 WHERE slot = ANY(?1)"
                            " AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = homes.node AND " +
                                stands("n.expires") +
                                ")"
                                " AND EXISTS (SELECT 1 FROM nodes n WHERE n.id = ?2 AND " +
                                stands("n.expires") + ") RETURNING slot, epoch",
                            read, locked, node));
  PARLEY_TRY_VOID(transaction.commit());
  return taken;
}

core::Result<void> PostgresHomeStore::give_back(NodeId node, std::span<const Slot> slots) {
  if (slots.empty()) return {};
  const sql::Array all = array_of(slots);
  return database_.run("UPDATE homes SET node = 0 WHERE slot = ANY(?1) AND node = ?2", all, node);
}

core::Result<void> PostgresHomeStore::set_draining(NodeId node, bool is_draining) {
  return database_.run("UPDATE nodes SET draining = ?2 WHERE id = ?1", node, is_draining ? 1 : 0);
}

core::Result<void> PostgresHomeStore::leave(NodeId node) {
  return database_.run("DELETE FROM nodes WHERE id = ?1", node);
}

}  // namespace parley::placement
