// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "model/event/commit_queue.h"
#include "model/event/read_threads.h"
#include "model/event/retention.h"
#include "model/event/session_reader.h"
#include "model/event/store_stats.h"

namespace parley::event {

struct StoreOptions {
  std::string data_dir;  // created if missing; the file is DATA/events.db
  std::string vfs;       // SQLite's VFS; empty: the default one
  GroupLimits group;
  Retention retention;
  std::size_t max_cached_sessions = 65'536;
  // Limit (The store): waiting reads. Reached: `resource_exhausted`.
  std::size_t max_waiting_reads = 10'000;  // further reads fail with `resource_exhausted`
  // The store calls this on its writing thread after each stored unit; it must not wait.
  std::function<void(const Unit&)> on_stored = {};
  int page_cache_kib = 16'384;   // for the writer, and as much for all readers together
  int checkpoint_pages = 4'000;  // pages added to the log that trigger a checkpoint on
                                 // its thread
  int restart_pages = 16'384;    // pages in the log from which the writer itself makes the
                                 // checkpoint, so that the log restarts even under constant load
};

// The store of one machine: one SQLite file in WAL mode with synchronous=FULL. One thread writes,
// in group commits; two read; one checkpoints. Holds the lock of the data directory from open() to
// close(). Each open() raises the home epoch of the file: where locks do not work, as on some
// network disks, the commits of the earlier server are refused. See docs/events.md and
// docs/decisions/0002-event-store.md.
class SqliteSessionStore final : public SessionStore {
 public:
  // `clock` and `entropy` outlive the store. Errors: `failed_precondition` (another server uses the
  // directory, or a newer Parley wrote it), `permission_denied`, `data_loss`, `resource_exhausted`.
  static core::Result<std::unique_ptr<SqliteSessionStore>> open(const StoreOptions& options,
                                                                const core::Clock& clock,
                                                                core::Entropy& entropy);
  ~SqliteSessionStore() override;  // close(), if it was not called

  using SessionStore::commit;
  void commit(UnitPtr unit, core::Scheduler& scheduler, Done<Revision> done) override;
  void append_flowing(UnitPtr unit, core::Scheduler& scheduler, Done<Revision> done) override;
  void read(ReadQuery query, core::Scheduler& scheduler, Done<EventPage> done) override;
  void count(std::string session, std::string type, core::Scheduler& scheduler,
             Done<std::uint64_t> done) override;
  void session(std::string id, core::Scheduler& scheduler, Done<SessionRow> done) override;
  void sessions(std::string owner, std::size_t limit, core::Scheduler& scheduler,
                Done<std::vector<SessionRow>> done) override;
  void pending_sessions(core::Scheduler& scheduler, Done<std::vector<std::string>> done) override;
  void pending(std::string session, core::Scheduler& scheduler,
               Done<std::vector<StoredInteraction>> done) override;
  void interaction(std::string session, std::string key, core::Scheduler& scheduler,
                   Done<std::optional<StoredInteraction>> done) override;
  void inbox(InboxQuery query, core::Scheduler& scheduler, Done<InboxPage> done) override;
  void inbox_interaction(std::string owner, std::string key, std::string first,
                         core::Scheduler& scheduler,
                         Done<std::optional<StoredInteraction>> done) override;
  core::Result<std::unique_ptr<SessionReader>> make_reader() override;
  HomeEpoch home_epoch(std::string_view session) const override;
  std::string epoch() const override;
  std::uint64_t max_lost_numbers() const override;
  void close() override;

  StoreStats stats() const;
  // For readiness: fails while the disk refuses writes (WriteThread::writable()). Any thread.
  core::Result<void> writable() const;

 private:
  struct Impl;
  explicit SqliteSessionStore(std::unique_ptr<Impl> impl);
  void push(QueuedUnit item);
  void push_read(const std::string& session, core::Scheduler& scheduler, ReadTask read);

  std::unique_ptr<Impl> impl_;
};

// Path of the store's file in a data directory.
std::string store_path(const std::string& data_dir);

}  // namespace parley::event
