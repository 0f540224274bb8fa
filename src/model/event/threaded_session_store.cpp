// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/threaded_session_store.h"

#include <utility>

#include "absl/hash/hash.h"
#include "base/core/ask.h"
#include "base/core/assert.h"
#include "model/event/unit_check.h"

namespace parley::event {
namespace {

core::Error closed_error() {
  return {core::Code::unavailable, "The store is closed: the server is shutting down.", ""};
}

}  // namespace

ThreadedSessionStore::ThreadedSessionStore(Identity identity)
    : epoch_(std::move(identity.epoch)), max_lost_numbers_(identity.max_lost_numbers) {}

void ThreadedSessionStore::start(std::vector<std::unique_ptr<UnitWriter>> writers,
                                 std::vector<std::unique_ptr<SessionReader>> readers,
                                 std::size_t max_waiting_reads,
                                 const WriteThread::Settings& settings, const core::Clock& clock) {
  PARLEY_ASSERT(writes_.empty() && !writers.empty() && !readers.empty(),
                "a store starts with " + std::to_string(writers.size()) + " writers and " +
                    std::to_string(readers.size()) + " readers, and has " +
                    std::to_string(writes_.size()) + " writing threads");
  reads_ = std::make_unique<ReadThreads>(std::move(readers), max_waiting_reads);
  WriteThread::Settings each = settings;
  for (std::unique_ptr<UnitWriter>& writer : writers) {
    writes_.push_back(std::make_unique<WriteThread>(std::move(writer), each, clock));
    each.retention = {};
  }
}

void ThreadedSessionStore::stop() {
  for (const auto& writes : writes_) writes->drain();  // may still push reads
  if (reads_) reads_->stop();                          // none, if there was no thread for them
}

void ThreadedSessionStore::finish() {
  for (const auto& writes : writes_) writes->finish();
}

WriteThread& ThreadedSessionStore::writes_of(std::string_view session) const {
  if (writes_.size() == 1) return *writes_.front();
  return *writes_[absl::HashOf(session) % writes_.size()];
}

void ThreadedSessionStore::push(std::string_view session, QueuedUnit item) {
  if (writes_of(session).push(item)) return;
  core::reply(*item.scheduler, std::move(item.done), core::fail(closed_error()));
}

void ThreadedSessionStore::commit(UnitPtr unit, core::Scheduler& scheduler, Done<Revision> done) {
  PARLEY_ASSERT(unit != nullptr && done, "a commit has no unit or no answer");
  const std::string_view session = named_session(*unit);
  QueuedUnit item;
  item.unit = std::move(unit);
  item.scheduler = &scheduler;
  item.done = std::move(done);
  push(session, std::move(item));
}

void ThreadedSessionStore::append_flowing(UnitPtr unit, core::Scheduler& scheduler,
                                          Done<Revision> done) {
  PARLEY_ASSERT(unit != nullptr && !unit->events.empty() && done,
                "flowing events are none, or have no answer");
  const std::string_view session = named_session(*unit);
  QueuedUnit item;
  item.unit = std::move(unit);
  item.scheduler = &scheduler;
  item.done = std::move(done);
  item.flowing = true;
  push(session, std::move(item));
}

// Pushes a read of a session behind the commit of its flowing events that wait. Other reads force
// no commit.
void ThreadedSessionStore::push_read(const std::string& session, core::Scheduler& scheduler,
                                     ReadTask read) {
  WriteThread& writes = writes_of(session);
  if (!writes.flowing_waits(session)) return reads_->push(std::move(read));
  QueuedUnit item;
  item.scheduler = &scheduler;
  item.barrier = true;
  item.done = [reads = reads_.get(),
               read = std::move(read)](const core::Result<Revision>& stored) mutable {
    // The read runs even if the flowing events could not be stored.
    static_cast<void>(stored);
    reads->push(std::move(read));
  };
  if (!writes.push(item)) item.done(Revision{0});
}

void ThreadedSessionStore::read(ReadQuery query, core::Scheduler& scheduler, Done<EventPage> done) {
  const std::string session = query.session;
  auto work = [query = std::move(query)](SessionReader& reader) { return reader.read(query); };
  push_read(session, scheduler, make_read<EventPage>(scheduler, std::move(done), std::move(work)));
}

void ThreadedSessionStore::count(std::string session, std::string type, core::Scheduler& scheduler,
                                 Done<std::uint64_t> done) {
  auto work = [session, type = std::move(type)](SessionReader& reader) {
    return reader.count(session, type);
  };
  push_read(session, scheduler,
            make_read<std::uint64_t>(scheduler, std::move(done), std::move(work)));
}

void ThreadedSessionStore::session(std::string id, core::Scheduler& scheduler,
                                   Done<SessionRow> done) {
  auto work = [id](SessionReader& reader) { return reader.session(id); };
  push_read(id, scheduler, make_read<SessionRow>(scheduler, std::move(done), std::move(work)));
}

void ThreadedSessionStore::sessions(std::string owner, std::size_t limit,
                                    core::Scheduler& scheduler,
                                    Done<std::vector<SessionRow>> done) {
  auto work = [owner = std::move(owner), limit](SessionReader& reader) {
    return reader.sessions(owner, limit);
  };
  reads_->push(make_read<std::vector<SessionRow>>(scheduler, std::move(done), std::move(work)));
}

void ThreadedSessionStore::pending_sessions(core::Scheduler& scheduler,
                                            Done<std::vector<PendingSession>> done) {
  auto work = [](SessionReader& reader) { return reader.pending_sessions(); };
  reads_->push(make_read<std::vector<PendingSession>>(scheduler, std::move(done), std::move(work)));
}

void ThreadedSessionStore::pending(std::string session, core::Scheduler& scheduler,
                                   Done<std::vector<StoredInteraction>> done) {
  auto work = [session](SessionReader& reader) { return reader.pending(session); };
  push_read(session, scheduler,
            make_read<std::vector<StoredInteraction>>(scheduler, std::move(done), std::move(work)));
}

void ThreadedSessionStore::interaction(std::string session, std::string key,
                                       core::Scheduler& scheduler,
                                       Done<std::optional<StoredInteraction>> done) {
  auto work = [session = std::move(session), key = std::move(key)](SessionReader& reader) {
    return reader.interaction(session, key);
  };
  reads_->push(
      make_read<std::optional<StoredInteraction>>(scheduler, std::move(done), std::move(work)));
}

void ThreadedSessionStore::inbox(InboxQuery query, core::Scheduler& scheduler,
                                 Done<InboxPage> done) {
  auto work = [query = std::move(query)](SessionReader& reader) { return reader.inbox(query); };
  reads_->push(make_read<InboxPage>(scheduler, std::move(done), std::move(work)));
}

void ThreadedSessionStore::inbox_interaction(std::string owner, std::string key, std::string first,
                                             core::Scheduler& scheduler,
                                             Done<std::optional<StoredInteraction>> done) {
  auto work = [owner = std::move(owner), key = std::move(key), first = std::move(first)](
                  SessionReader& reader) { return reader.inbox_interaction(owner, key, first); };
  reads_->push(
      make_read<std::optional<StoredInteraction>>(scheduler, std::move(done), std::move(work)));
}

core::Result<void> ThreadedSessionStore::writable() const {
  for (const auto& writes : writes_) PARLEY_TRY_VOID(writes->writable());
  return {};
}

StoreStats ThreadedSessionStore::stats() const {
  StoreStats all;
  for (const auto& writes : writes_) all += writes->stats();
  all.reads = reads_->count();
  return all;
}

}  // namespace parley::event
