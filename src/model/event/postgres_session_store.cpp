// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/postgres_session_store.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/sql/opening.h"
#include "base/sql/transaction.h"
#include "model/event/data_dir_lock.h"
#include "model/event/postgres_unit_writer.h"
#include "model/event/schema.h"
#include "model/event/sql_session_reader.h"
#include "model/event/sqlite_session_store.h"

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

// Waits for the commits of the earlier owner that are in progress, and ends the registrations of
// its writers.
core::Result<HomeEpoch> take_over(sql::Database& database) {
  PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database));
  PARLEY_TRY(const HomeEpoch epoch, take_home(database));
  PARLEY_TRY_VOID(database.run("DELETE FROM parley_writers"));
  PARLEY_TRY_VOID(transaction.commit());
  return epoch;
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
  std::atomic<std::uint64_t> commits{0};
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
  PARLEY_TRY(identity.home_epoch, take_over(database));
  const GroupLimits limits = limits_of_one(options.group);
  identity.max_lost_numbers = event::max_lost_numbers(limits);
  std::vector<std::unique_ptr<UnitWriter>> writers;
  for (int i = 0; i < kWriteConnections; ++i) {
    PARLEY_TRY(sql::Database connection, connect_again(options));
    PARLEY_TRY(std::unique_ptr<PostgresUnitWriter> writer,
               PostgresUnitWriter::make(std::move(connection),
                                        options.max_cached_sessions / kWriteConnections,
                                        identity.home_epoch, parts->commits));
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

void PostgresSessionStore::close() {
  if (std::exchange(parts_->closed, true)) return;
  stop();
  finish();
  parts_->lock.release();
}

core::Result<std::unique_ptr<ThreadedSessionStore>> open_session_store(const StoreOptions& options,
                                                                       const core::Clock& clock,
                                                                       core::Entropy& entropy) {
  if (options.place.url.empty()) return SqliteSessionStore::open(options, clock, entropy);
  return PostgresSessionStore::open(options, clock, entropy);
}

}  // namespace parley::event
