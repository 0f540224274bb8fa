// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/postgres_session_store.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/sql/opening.h"
#include "base/sql/transaction.h"
#include "model/event/data_dir_lock.h"
#include "model/event/postgres_unit_writer.h"
#include "model/event/schema.h"
#include "model/event/sql_session_reader.h"
#include "model/event/sqlite_session_store.h"
#include "model/placement/home_map.h"
#include "model/placement/postgres_home_store.h"

namespace parley::event {
namespace {

constexpr int kWriteConnections = 4;
constexpr int kReadConnections = 2;
constexpr const char* kName = "events";

core::Result<sql::Database> connect_again(const StoreOptions& options) {
  return sql::connect_store(options.place, kName, schema());
}

core::Result<std::unique_ptr<SessionReader>> connect_for_reads(const StoreOptions& options) {
  PARLEY_TRY(sql::Database database, connect_again(options));
  return SqlSessionReader::make(std::move(database));
}

// The newest registrations stay, whether or not their writers have ended. A writer that loses its
// own makes another one.
constexpr std::int64_t kKeptRegistrations = 1'000;

// Waits for the commits of the earlier server that are in progress. The home epoch of all sessions
// refuses a server of a version that knows no slots.
core::Result<placement::EveryHome> take_over(sql::Database& database) {
  PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database));
  PARLEY_TRY_VOID(take_home(database));
  PARLEY_TRY(placement::EveryHome taken, placement::take_every_home(database));
  PARLEY_TRY_VOID(transaction.commit());
  return taken;
}

core::Result<void> drop_registrations(sql::Database& database) {
  return database.run(
      "DELETE FROM parley_writers WHERE id <= (SELECT max(id) FROM parley_writers) - ?1",
      kKeptRegistrations);
}

// The queues of all threads together have the limit of one.
GroupLimits limits_of_one(GroupLimits limits) {
  limits.max_queue /= kWriteConnections;
  return limits;
}

}  // namespace

struct PostgresSessionStore::Parts {
  StoreOptions options;
  DataDirLock lock;
  placement::HomeMap every_home;                      // of a server that is alone
  placement::NodeId alone = placement::kNobody;       // its id
  std::optional<PostgresUnitWriter::Shared> writers;  // what they share
  bool closed = false;
};

PostgresSessionStore::PostgresSessionStore(Identity identity, std::unique_ptr<Parts> parts)
    : ThreadedSessionStore(std::move(identity)), parts_(std::move(parts)) {}

PostgresSessionStore::~PostgresSessionStore() { close(); }

core::Result<std::unique_ptr<PostgresSessionStore>> PostgresSessionStore::open(
    const StoreOptions& options, const core::Clock& clock, core::Entropy& entropy) {
  auto parts = std::make_unique<Parts>();
  parts->options = options;
  PARLEY_TRY(parts->lock, DataDirLock::open(options.place.data_dir));
  if (std::filesystem::exists(store_path(options.place.data_dir))) {
    spdlog::warn("store: the stores in files of {} are not used: they are in a database now.",
                 options.place.data_dir);
  }

  Identity identity;
  PARLEY_TRY(sql::Database database,
             sql::open_store(options.place, kName, schema(), {},
                             [&](sql::Database& fresh) { return make_epoch(fresh, entropy); }));
  PARLEY_TRY(identity.epoch, read_epoch(database));
  const bool is_alone = options.homes == nullptr;
  parts->writers.emplace(is_alone ? parts->every_home : *options.homes, is_alone);
  PARLEY_TRY_VOID(drop_registrations(database));
  if (is_alone) {
    PARLEY_TRY_VOID(placement::make_cluster(options.place));
    PARLEY_TRY(const placement::EveryHome taken, take_over(database));
    parts->alone = taken.node;
    for (const placement::TakenSlot& each : taken.slots) {
      parts->every_home.set_epoch(each.slot, each.epoch);
    }
  }
  const GroupLimits limits = limits_of_one(options.group);
  identity.max_lost_numbers = event::max_lost_numbers(limits);
  std::vector<std::unique_ptr<UnitWriter>> writers;
  for (int i = 0; i < kWriteConnections; ++i) {
    PARLEY_TRY(sql::Database connection, connect_again(options));
    PARLEY_TRY(
        std::unique_ptr<PostgresUnitWriter> writer,
        PostgresUnitWriter::make(std::move(connection),
                                 options.max_cached_sessions / kWriteConnections, *parts->writers));
    writers.push_back(std::move(writer));
  }
  std::vector<std::unique_ptr<SessionReader>> readers;
  for (int i = 0; i < kReadConnections; ++i) {
    PARLEY_TRY(std::unique_ptr<SessionReader> reader, connect_for_reads(options));
    readers.push_back(std::move(reader));
  }
  // The constructor is private, so make_unique cannot reach it.
  std::unique_ptr<PostgresSessionStore> store(
      new PostgresSessionStore(std::move(identity), std::move(parts)));
  store->start(std::move(writers), std::move(readers), options.max_waiting_reads,
               {limits, options.retention, options.on_stored}, clock);
  return store;
}

core::Result<std::unique_ptr<SessionReader>> PostgresSessionStore::make_reader() {
  return connect_for_reads(parts_->options);
}

HomeEpoch PostgresSessionStore::home_epoch(std::string_view owner) const {
  const placement::Epoch epoch = parts_->writers->homes.epoch(placement::slot_of(owner));
  return epoch == 0 ? kNoHome : epoch;
}

void PostgresSessionStore::close() {
  if (std::exchange(parts_->closed, true)) return;
  stop();
  const bool answers = writable().has_value();
  finish();
  if (parts_->alone != placement::kNobody && answers) leave();
  parts_->lock.release();
}

// The next server may be a node of a cluster.
void PostgresSessionStore::leave() {
  const auto leave = [this]() -> core::Result<void> {
    PARLEY_TRY(sql::Database database, connect_again(parts_->options));
    return placement::leave_every_home(database, parts_->alone);
  };
  const core::Result<void> left = leave();
  if (!left) spdlog::warn("store: the database was not signed off: {}", left.error().message);
}

core::Result<std::unique_ptr<ThreadedSessionStore>> open_session_store(const StoreOptions& options,
                                                                       const core::Clock& clock,
                                                                       core::Entropy& entropy) {
  if (options.place.url.empty()) return SqliteSessionStore::open(options, clock, entropy);
  return PostgresSessionStore::open(options, clock, entropy);
}

}  // namespace parley::event
