// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/sqlite_session_store.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/core/result.h"
#include "base/sql/checkpointer.h"
#include "base/sql/data_dir.h"
#include "base/sql/opening.h"
#include "model/event/data_dir_lock.h"
#include "model/event/read_threads.h"
#include "model/event/schema.h"
#include "model/event/sqlite_session_reader.h"
#include "model/event/write_thread.h"

namespace parley::event {
namespace {

core::Error closed_error() {
  return {core::Code::unavailable, "The store is closed: the server is shutting down.", ""};
}

// Only a Checkpointer empties the log, so that no commit waits for a checkpoint.
sql::FileOptions file_options(const StoreOptions& options) {
  return {.vfs = options.vfs,
          .checkpoints = false,
          .sorts_in_memory = true,
          .page_cache_kib = options.page_cache_kib};
}

core::Result<sql::Database> connect_writer(const StoreOptions& options, core::Entropy& entropy) {
  return sql::open_file(store_path(options.data_dir), schema(), file_options(options),
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
  return sql::connect(store_path(options.data_dir), sql::OpenMode::read_write,
                      file_options(options));
}

// Two, so that a short read (a page, a row) need not wait for a long one (an export, a search).
constexpr int kReadThreads = 2;

core::Result<std::unique_ptr<SessionReader>> connect_reader(const StoreOptions& options) {
  sql::FileOptions reading = file_options(options);
  reading.queries_only = true;
  reading.page_cache_kib /= kReadThreads;
  PARLEY_TRY(sql::Database database,
             sql::connect(store_path(options.data_dir), sql::OpenMode::read_write, reading));
  return SqliteSessionReader::make(std::move(database));
}

}  // namespace

std::string store_path(const std::string& data_dir) { return data_dir + "/events.db"; }

// Members in order of creation; close() ends them in reverse order.
struct SqliteSessionStore::Impl {
  StoreOptions options;
  DataDirLock lock;
  std::string epoch;
  HomeEpoch home_epoch = 0;
  std::uint64_t max_lost_numbers = 0;
  std::unique_ptr<sql::Checkpointer> checkpointer;
  std::unique_ptr<ReadThreads> reads;
  std::unique_ptr<WriteThread> writes;
  bool closed = false;
};

SqliteSessionStore::SqliteSessionStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

SqliteSessionStore::~SqliteSessionStore() { close(); }

core::Result<std::unique_ptr<SqliteSessionStore>> SqliteSessionStore::open(
    const StoreOptions& options, const core::Clock& clock, core::Entropy& entropy) {
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  PARLEY_TRY_VOID(sql::make_data_dir(options.data_dir));
  PARLEY_TRY(DataDirLock lock, DataDirLock::acquire(options.data_dir));
  impl->lock = std::move(lock);
  sql::mend_private_files(options.data_dir);

  PARLEY_TRY(sql::Database database, connect_writer(options, entropy));
  PARLEY_TRY(std::string epoch, read_epoch(database));
  impl->epoch = std::move(epoch);
  PARLEY_TRY(const HomeEpoch home_epoch, own_home(database));
  impl->home_epoch = home_epoch;
  impl->max_lost_numbers = event::max_lost_numbers(options.group);
  PARLEY_TRY(std::unique_ptr<UnitWriter> writer,
             UnitWriter::make(std::move(database), options.max_cached_sessions, home_epoch));
  std::vector<std::unique_ptr<SessionReader>> readers;
  for (int i = 0; i < kReadThreads; ++i) {
    PARLEY_TRY(std::unique_ptr<SessionReader> reader, connect_reader(options));
    readers.push_back(std::move(reader));
  }
  PARLEY_TRY(sql::Database checkpoints, connect_checkpointer(options));

  impl->checkpointer = std::make_unique<sql::Checkpointer>(std::move(checkpoints), clock);
  impl->reads = std::make_unique<ReadThreads>(std::move(readers), options.max_waiting_reads);
  const WriteThread::Settings settings{options.group, options.retention, options.checkpoint_pages,
                                       options.restart_pages, options.on_stored};
  impl->writes =
      std::make_unique<WriteThread>(std::move(writer), settings, clock, *impl->checkpointer);
  // The constructor is private, so make_unique cannot reach it.
  return std::unique_ptr<SqliteSessionStore>(new SqliteSessionStore(std::move(impl)));
}

void SqliteSessionStore::push(QueuedUnit item) {
  if (impl_->writes->push(item)) return;
  core::reply(*item.scheduler, std::move(item.done), core::fail(closed_error()));
}

void SqliteSessionStore::commit(UnitPtr unit, core::Scheduler& scheduler, Done<Revision> done) {
  PARLEY_ASSERT(unit != nullptr && done, "a commit has no unit or no answer");
  QueuedUnit item;
  item.unit = std::move(unit);
  item.scheduler = &scheduler;
  item.done = std::move(done);
  push(std::move(item));
}

void SqliteSessionStore::append_flowing(UnitPtr unit, core::Scheduler& scheduler,
                                        Done<Revision> done) {
  PARLEY_ASSERT(unit != nullptr && !unit->events.empty() && done,
                "flowing events are none, or have no answer");
  QueuedUnit item;
  item.unit = std::move(unit);
  item.scheduler = &scheduler;
  item.done = std::move(done);
  item.flowing = true;
  push(std::move(item));
}

// Pushes a read of a session behind the commit of its flowing events that wait. Other reads force
// no commit.
void SqliteSessionStore::push_read(const std::string& session, core::Scheduler& scheduler,
                                   ReadTask read) {
  if (!impl_->writes->flowing_waits(session)) return impl_->reads->push(std::move(read));
  QueuedUnit item;
  item.scheduler = &scheduler;
  item.barrier = true;
  item.done = [reads = impl_->reads.get(),
               read = std::move(read)](const core::Result<Revision>& stored) mutable {
    // The read runs even if the flowing events could not be stored.
    static_cast<void>(stored);
    reads->push(std::move(read));
  };
  if (!impl_->writes->push(item)) item.done(Revision{0});
}

void SqliteSessionStore::read(ReadQuery query, core::Scheduler& scheduler, Done<EventPage> done) {
  const std::string session = query.session;
  auto work = [query = std::move(query)](SessionReader& reader) { return reader.read(query); };
  push_read(session, scheduler, make_read<EventPage>(scheduler, std::move(done), std::move(work)));
}

void SqliteSessionStore::count(std::string session, std::string type, core::Scheduler& scheduler,
                               Done<std::uint64_t> done) {
  auto work = [session, type = std::move(type)](SessionReader& reader) {
    return reader.count(session, type);
  };
  push_read(session, scheduler,
            make_read<std::uint64_t>(scheduler, std::move(done), std::move(work)));
}

void SqliteSessionStore::session(std::string id, core::Scheduler& scheduler,
                                 Done<SessionRow> done) {
  auto work = [id](SessionReader& reader) { return reader.session(id); };
  push_read(id, scheduler, make_read<SessionRow>(scheduler, std::move(done), std::move(work)));
}

void SqliteSessionStore::sessions(std::string owner, std::size_t limit, core::Scheduler& scheduler,
                                  Done<std::vector<SessionRow>> done) {
  auto work = [owner = std::move(owner), limit](SessionReader& reader) {
    return reader.sessions(owner, limit);
  };
  impl_->reads->push(
      make_read<std::vector<SessionRow>>(scheduler, std::move(done), std::move(work)));
}

void SqliteSessionStore::pending_sessions(core::Scheduler& scheduler,
                                          Done<std::vector<std::string>> done) {
  auto work = [](SessionReader& reader) { return reader.pending_sessions(); };
  impl_->reads->push(
      make_read<std::vector<std::string>>(scheduler, std::move(done), std::move(work)));
}

void SqliteSessionStore::pending(std::string session, core::Scheduler& scheduler,
                                 Done<std::vector<StoredInteraction>> done) {
  auto work = [session](SessionReader& reader) { return reader.pending(session); };
  push_read(session, scheduler,
            make_read<std::vector<StoredInteraction>>(scheduler, std::move(done), std::move(work)));
}

void SqliteSessionStore::interaction(std::string session, std::string key,
                                     core::Scheduler& scheduler,
                                     Done<std::optional<StoredInteraction>> done) {
  auto work = [session = std::move(session), key = std::move(key)](SessionReader& reader) {
    return reader.interaction(session, key);
  };
  impl_->reads->push(
      make_read<std::optional<StoredInteraction>>(scheduler, std::move(done), std::move(work)));
}

void SqliteSessionStore::inbox(InboxQuery query, core::Scheduler& scheduler, Done<InboxPage> done) {
  auto work = [query = std::move(query)](SessionReader& reader) { return reader.inbox(query); };
  impl_->reads->push(make_read<InboxPage>(scheduler, std::move(done), std::move(work)));
}

void SqliteSessionStore::inbox_interaction(std::string owner, std::string key, std::string first,
                                           core::Scheduler& scheduler,
                                           Done<std::optional<StoredInteraction>> done) {
  auto work = [owner = std::move(owner), key = std::move(key), first = std::move(first)](
                  SessionReader& reader) { return reader.inbox_interaction(owner, key, first); };
  impl_->reads->push(
      make_read<std::optional<StoredInteraction>>(scheduler, std::move(done), std::move(work)));
}

core::Result<std::unique_ptr<SessionReader>> SqliteSessionStore::make_reader() {
  return connect_reader(impl_->options);
}

HomeEpoch SqliteSessionStore::home_epoch(std::string_view /*session*/) const {
  return impl_->home_epoch;
}

std::string SqliteSessionStore::epoch() const { return impl_->epoch; }

std::uint64_t SqliteSessionStore::max_lost_numbers() const { return impl_->max_lost_numbers; }

void SqliteSessionStore::close() {
  if (std::exchange(impl_->closed, true)) return;
  impl_->writes->drain();  // may still push reads
  impl_->reads->stop();
  impl_->checkpointer->stop();
  impl_->writes->finish();
  impl_->lock.release();
}

core::Result<void> SqliteSessionStore::writable() const { return impl_->writes->writable(); }

StoreStats SqliteSessionStore::stats() const {
  StoreStats stats = impl_->writes->stats();
  stats.reads = impl_->reads->count();
  stats.checkpoints = impl_->checkpointer->done();
  stats.checkpoints_failed = impl_->checkpointer->failed();
  return stats;
}

}  // namespace parley::event
