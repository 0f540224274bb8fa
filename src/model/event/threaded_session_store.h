// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "model/event/commit_queue.h"
#include "model/event/read_threads.h"
#include "model/event/session_store.h"
#include "model/event/store_stats.h"
#include "model/event/write_thread.h"

namespace parley::event {

// The common part of stores with threads of their own: threads that write, each with a queue and a
// connection, and threads that read. All units of a session are written by one thread.
class ThreadedSessionStore : public SessionStore {
 public:
  using SessionStore::commit;
  void commit(UnitPtr unit, core::Scheduler& scheduler, Done<Revision> done) final;
  void append_flowing(UnitPtr unit, core::Scheduler& scheduler, Done<Revision> done) final;
  void read(ReadQuery query, core::Scheduler& scheduler, Done<EventPage> done) final;
  void count(std::string session, std::string type, core::Scheduler& scheduler,
             Done<std::uint64_t> done) final;
  void session(std::string id, core::Scheduler& scheduler, Done<SessionRow> done) final;
  void sessions(std::string owner, std::size_t limit, core::Scheduler& scheduler,
                Done<std::vector<SessionRow>> done) final;
  void pending_sessions(core::Scheduler& scheduler, Done<std::vector<PendingSession>> done) final;
  void pending(std::string session, core::Scheduler& scheduler,
               Done<std::vector<StoredInteraction>> done) final;
  void interaction(std::string session, std::string key, core::Scheduler& scheduler,
                   Done<std::optional<StoredInteraction>> done) final;
  void inbox(InboxQuery query, core::Scheduler& scheduler, Done<InboxPage> done) final;
  void inbox_interaction(std::string owner, std::string key, std::string first,
                         core::Scheduler& scheduler,
                         Done<std::optional<StoredInteraction>> done) final;
  std::string epoch() const final { return epoch_; }
  std::uint64_t max_lost_numbers() const final { return max_lost_numbers_; }

  virtual StoreStats stats() const;
  // For readiness: fails while writes are refused (WriteThread::writable()). Any thread.
  core::Result<void> writable() const;

 protected:
  // Of one opening of the store.
  struct Identity {
    std::string epoch;
    std::uint64_t max_lost_numbers = 0;
  };
  explicit ThreadedSessionStore(Identity identity);

  // Starts the threads: one for each writer, one for each reader. `clock` outlives the store. The
  // first writer's thread runs the slices of retention.
  void start(std::vector<std::unique_ptr<UnitWriter>> writers,
             std::vector<std::unique_ptr<SessionReader>> readers, std::size_t max_waiting_reads,
             const WriteThread::Settings& settings, const core::Clock& clock);
  // Commits the waiting units and serves the waiting reads, then ends the threads.
  void stop();
  // Closes the connections of the writers.
  void finish();

 private:
  WriteThread& writes_of(std::string_view session) const;
  void push(std::string_view session, QueuedUnit item);
  void push_read(const std::string& session, core::Scheduler& scheduler, ReadTask read);

  const std::string epoch_;
  const std::uint64_t max_lost_numbers_;
  std::unique_ptr<ReadThreads> reads_;
  std::vector<std::unique_ptr<WriteThread>> writes_;
};

}  // namespace parley::event
