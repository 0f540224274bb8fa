// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/sqlite_session_store.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "base/core/result.h"
#include "base/sql/checkpointer.h"
#include "base/sql/opening.h"
#include "model/event/data_dir_lock.h"
#include "model/event/schema.h"
#include "model/event/sql_session_reader.h"
#include "model/event/sqlite_unit_writer.h"

namespace parley::event {
namespace {

// Only a Checkpointer empties the log, so that no commit waits for a checkpoint.
sql::FileOptions file_options(const StoreOptions& options) {
  return {.vfs = options.vfs,
          .checkpoints = false,
          .sorts_in_memory = true,
          .page_cache_kib = options.page_cache_kib};
}

core::Result<sql::Database> connect_writer(const StoreOptions& options, core::Entropy& entropy) {
  return sql::open_file(store_path(options.place.data_dir), schema(), file_options(options),
                        [&](sql::Database& fresh) { return make_epoch(fresh, entropy); });
}

// Raises the home epoch of the file. With a full disk the old epoch is kept, so that the store can
// be read; then only the lock of the directory excludes other servers.
core::Result<HomeEpoch> own_home(sql::Database& database) {
  core::Result<HomeEpoch> taken = take_home(database);
  if (taken || taken.error().code != core::Code::resource_exhausted) return taken;
  spdlog::warn("store: the epoch of the home node cannot be raised: {}", taken.error().message);
  return read_home_epoch(database);
}

core::Result<sql::Database> connect_checkpointer(const StoreOptions& options) {
  return sql::connect(store_path(options.place.data_dir), sql::OpenMode::read_write,
                      file_options(options));
}

// Two, so that a short read (a page, a row) need not wait for a long one (an export, a search).
constexpr int kReadThreads = 2;

core::Result<std::unique_ptr<SessionReader>> connect_reader(const StoreOptions& options) {
  sql::FileOptions reading = file_options(options);
  reading.queries_only = true;
  reading.page_cache_kib /= kReadThreads;
  PARLEY_TRY(sql::Database database,
             sql::connect(store_path(options.place.data_dir), sql::OpenMode::read_write, reading));
  return SqlSessionReader::make(std::move(database));
}

}  // namespace

std::string store_path(const std::string& data_dir) { return data_dir + "/events.db"; }

// Members in order of creation; close() ends them in reverse order.
struct SqliteSessionStore::Parts {
  StoreOptions options;
  DataDirLock lock;
  HomeEpoch home_epoch = 0;
  std::unique_ptr<sql::Checkpointer> checkpointer;
  bool closed = false;
};

SqliteSessionStore::SqliteSessionStore(Identity identity, std::unique_ptr<Parts> parts)
    : ThreadedSessionStore(std::move(identity)), parts_(std::move(parts)) {}

SqliteSessionStore::~SqliteSessionStore() { close(); }

core::Result<std::unique_ptr<SqliteSessionStore>> SqliteSessionStore::open(
    const StoreOptions& options, const core::Clock& clock, core::Entropy& entropy) {
  auto parts = std::make_unique<Parts>();
  parts->options = options;
  PARLEY_TRY(parts->lock, DataDirLock::open(options.place.data_dir));

  Identity identity;
  PARLEY_TRY(sql::Database database, connect_writer(options, entropy));
  PARLEY_TRY(identity.epoch, read_epoch(database));
  PARLEY_TRY(parts->home_epoch, own_home(database));
  identity.max_lost_numbers = event::max_lost_numbers(options.group);
  PARLEY_TRY(
      std::unique_ptr<SqliteUnitWriter> writer,
      SqliteUnitWriter::make(std::move(database), options.max_cached_sessions, parts->home_epoch));
  std::vector<std::unique_ptr<SessionReader>> readers;
  for (int i = 0; i < kReadThreads; ++i) {
    PARLEY_TRY(std::unique_ptr<SessionReader> reader, connect_reader(options));
    readers.push_back(std::move(reader));
  }
  PARLEY_TRY(sql::Database checkpoints, connect_checkpointer(options));
  parts->checkpointer = std::make_unique<sql::Checkpointer>(std::move(checkpoints), clock);
  writer->set_checkpoints(
      {parts->checkpointer.get(), options.checkpoint_pages, options.restart_pages});

  // The constructor is private, so make_unique cannot reach it.
  std::unique_ptr<SqliteSessionStore> store(
      new SqliteSessionStore(std::move(identity), std::move(parts)));
  std::vector<std::unique_ptr<UnitWriter>> writers;
  writers.push_back(std::move(writer));
  store->start(std::move(writers), std::move(readers), options.max_waiting_reads,
               {options.group, options.retention, options.on_stored}, clock);
  return store;
}

core::Result<std::unique_ptr<SessionReader>> SqliteSessionStore::make_reader() {
  return connect_reader(parts_->options);
}

HomeEpoch SqliteSessionStore::home_epoch(std::string_view /*owner*/) const {
  return parts_->home_epoch;
}

void SqliteSessionStore::close() {
  if (std::exchange(parts_->closed, true)) return;
  stop();
  parts_->checkpointer->stop();
  finish();
  parts_->lock.release();
}

StoreStats SqliteSessionStore::stats() const {
  StoreStats stats = ThreadedSessionStore::stats();
  stats.checkpoints = parts_->checkpointer->done();
  stats.checkpoints_failed = parts_->checkpointer->failed();
  return stats;
}

}  // namespace parley::event
