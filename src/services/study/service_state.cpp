// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/service_state.h"

#include <spdlog/spdlog.h>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/core/result.h"
#include "services/study/opened_record.h"

namespace parley::study {

using core::Code;
using core::Result;

namespace {

std::string placement_key_of(const Study& study) {
  return study::placement_key_of(study.start.owner, study.start.relay_session);
}

const StudyEnd kAbandoned{"abandoned", false};

core::Error busy_error() {
  return {
      Code::failed_precondition,
      "This relay session already has a study session that is open, or is being opened or closed.",
      "sessionId"};
}

Record internal_record(std::string_view type, const std::string& payload) {
  Record record;
  record.direction = kInternal;
  record.type = type;
  record.payload = payload;
  return record;
}

}  // namespace

using Impl = SqliteStudyService::Impl;

Impl::Impl(StudyOptions options_in, session::Hub& hub_in, event::SessionStore& store_in,
           core::Scheduler& writes_in, core::Scheduler& reads_in)
    : options(std::move(options_in)),
      hub(hub_in),
      store(store_in),
      writes(writes_in),
      reads(reads_in) {}

// --- journals and their recorders -----------------------------------------------------------

bool Impl::make_busy(const std::string& placement_key) {
  const std::scoped_lock lock(mutex_);
  return busy_.emplace(placement_key, true).second;
}

void Impl::end_busy(const std::string& placement_key) {
  const std::scoped_lock lock(mutex_);
  const std::size_t erased = busy_.erase(placement_key);
  PARLEY_ASSERT(erased == 1, "studies: " + placement_key + " is free twice");
}

std::optional<Impl::OpenJournal> Impl::journal_of(const std::string& placement_key) {
  const std::scoped_lock lock(mutex_);
  const auto it = journals_.find(placement_key);
  return it == journals_.end() ? std::nullopt : std::optional(it->second);
}

std::unique_ptr<Recorder> Impl::hold(const JournalPtr& journal) {
  const std::scoped_lock lock(mutex_);
  OpenJournal& entry = journals_[placement_key_of(journal->study())];
  PARLEY_ASSERT(!entry.held && (entry.journal == nullptr || entry.journal == journal),
                "study " + journal->study().id + ": recorded by two at a time, recorder " +
                    std::to_string(entry.holder + 1));
  entry.journal = journal;
  entry.held = true;
  ++entry.holder;
  return std::make_unique<JournalRecorder>(shared_from_this(), journal);
}

// Removes the journal from `journals_`. Idempotent.
void Impl::detach(const JournalPtr& journal) {
  {
    const std::scoped_lock lock(mutex_);
    const auto it = journals_.find(placement_key_of(journal->study()));
    if (it == journals_.end() || it->second.journal != journal) return;
    journals_.erase(it);
  }
  journal->leave();
}

void Impl::release(const JournalPtr& journal) {
  std::uint64_t holder = 0;
  {
    const std::scoped_lock lock(mutex_);
    const auto it = journals_.find(placement_key_of(journal->study()));
    if (it == journals_.end() || it->second.journal != journal) return;
    it->second.held = false;
    holder = it->second.holder;
  }
  journal->flush([self = shared_from_this(), journal, holder](const Result<void>& result) {
    if (!result) {
      spdlog::error("study {}: {}", journal->study().id, result.error().message);
    }
    self->leave_if_free(journal, holder);
  });
}

void Impl::leave_if_free(const JournalPtr& journal, std::uint64_t holder) {
  const std::optional<OpenJournal> entry = journal_of(placement_key_of(journal->study()));
  // Returns if the study has a new recorder or a new journal.
  if (!entry || entry->journal != journal || entry->held || entry->holder != holder) return;
  {
    const std::scoped_lock lock(mutex_);
    if (busy_.contains(placement_key_of(journal->study()))) return;
  }
  detach(journal);
  // Counts from now, not from the last record, because a study at a limit accepts no records.
  writes.post([self = shared_from_this(), study = journal->study()]() mutable {
    const core::WallTime since = self->writes.clock().wall();
    self->begin_quiet(std::move(study), since);
  });
}

void Impl::write_out() {
  const std::scoped_lock lock(mutex_);
  for (const auto& [placement_key, entry] : journals_) {
    entry.journal->shard().post([journal = entry.journal] {
      journal->flush([](const Result<void>& /*logged where it failed*/) {});
    });
  }
}

// --- open and resume ------------------------------------------------------------------------

void Impl::open(StudyStart start, core::Scheduler& shard, Done<std::unique_ptr<Recorder>> done) {
  const std::string placement_key = study::placement_key_of(start.owner, start.relay_session);
  if (Result<void> may = core::admit_work(options.gate); !may) {
    return core::reply(shard, std::move(done), core::fail(std::move(may.error())));
  }
  if (!make_busy(placement_key)) {
    return core::reply(shard, std::move(done), core::fail(busy_error()));
  }
  auto opened = [self = shared_from_this(), placement_key,
                 done = std::move(done)](Result<JournalPtr> journal) mutable {
    self->end_busy(placement_key);
    if (!journal) return done(core::fail(std::move(journal.error())));
    done(self->hold(*journal));
  };
  attach(placement_key, shard,
         [self = shared_from_this(), placement_key, start = std::move(start), &shard,
          opened = std::move(opened)](Result<Found> old) mutable {
           if (!old) return opened(core::fail(std::move(old.error())));
           if (old->journal == nullptr) {
             return self->make_new(std::move(start), shard, std::move(opened));
           }
           const std::optional<OpenJournal> entry = self->journal_of(placement_key);
           if (entry && entry->held) return opened(core::fail(busy_error()));
           self->replace(*old, std::move(start), shard, std::move(opened));
         });
}

void Impl::resume(const std::string& owner, const std::string& relay_session,
                  core::Scheduler& shard, Done<std::unique_ptr<Recorder>> done) {
  const std::string placement_key = study::placement_key_of(owner, relay_session);
  if (!make_busy(placement_key)) {
    return core::reply(shard, std::move(done), core::fail(busy_error()));
  }
  attach(placement_key, shard,
         [self = shared_from_this(), placement_key,
          done = std::move(done)](Result<Found> found) mutable {
           if (found && found->abandoned) {
             return self->finish(found->journal, kAbandoned,
                                 [self, placement_key, journal = found->journal,
                                  done = std::move(done)](const Result<Study>& ended) mutable {
                                   self->end_busy(placement_key);
                                   if (!ended) self->detach(journal);
                                   if (!ended) return done(core::fail(ended.error()));
                                   done(nullptr);
                                 });
           }
           self->end_busy(placement_key);
           if (!found) return done(core::fail(std::move(found.error())));
           if (found->journal == nullptr) return done(nullptr);
           const std::optional<OpenJournal> entry = self->journal_of(placement_key);
           if (entry && entry->held) return done(core::fail(busy_error()));
           done(self->hold(found->journal));
         });
}

void Impl::attach(const std::string& placement_key, core::Scheduler& shard, Done<Found> done) {
  if (const std::optional<OpenJournal> entry = journal_of(placement_key)) {
    return core::reply(shard, std::move(done), Found{entry->journal, false});
  }
  when_recovered(
      [self = shared_from_this(), placement_key, &shard, done = std::move(done)]() mutable {
        self->find_open(
            placement_key, core::reply_on(shard, [self, &shard, done = std::move(done)](
                                                     Result<std::optional<Ready>> ready) mutable {
              if (!ready) return done(core::fail(std::move(ready.error())));
              if (!*ready) return done(Found());
              const bool abandoned = (*ready)->abandoned;
              self->join(std::move(**ready), shard,
                         [abandoned, done = std::move(done)](Result<JournalPtr> journal) mutable {
                           if (!journal) return done(core::fail(std::move(journal.error())));
                           done(Found{std::move(*journal), abandoned});
                         });
            }));
      });
}

// Ends the open study of this relay session, then makes a new one.
void Impl::replace(const Found& old, StudyStart start, core::Scheduler& shard,
                   Done<JournalPtr> done) {
  finish(old.journal, old.abandoned ? kAbandoned : StudyEnd{"replaced", false},
         [self = shared_from_this(), start = std::move(start), &shard,
          done = std::move(done)](Result<Study> ended) mutable {
           if (!ended) return done(core::fail(std::move(ended.error())));
           self->make_new(std::move(start), shard, std::move(done));
         });
}

void Impl::make_new(StudyStart start, core::Scheduler& shard, Done<JournalPtr> done) {
  when_recovered([self = shared_from_this(), start = std::move(start), &shard,
                  done = std::move(done)]() mutable {
    Result<Study> study = self->put_in_list(std::move(start));
    std::shared_ptr<StudyLog> log;
    if (study && study->log_enabled) log = self->log_of(*study);
    shard.post([self, &shard, done = std::move(done), study = std::move(study),
                log = std::move(log)]() mutable {
      if (!study) return done(core::fail(std::move(study.error())));
      self->join({std::move(*study), std::move(log), false, 0}, shard,
                 [self, done = std::move(done)](Result<JournalPtr> journal) mutable {
                   if (!journal) return done(core::fail(std::move(journal.error())));
                   self->record_opening(*journal, std::move(done));
                 });
    });
  });
}

void Impl::join(Ready ready, core::Scheduler& shard, Done<JournalPtr> done) {
  const session::SessionKey key{ready.study.session, "external-agent", ready.study.start.owner};
  hub.with_session(key, [self = shared_from_this(), ready = std::move(ready), &shard,
                         done = std::move(done)](Result<session::Session*> session) mutable {
    if (!session) {
      // A log is destroyed on its own thread, because closing its file may wait for the disk.
      self->writes.post([log = std::move(ready.log)] {});
      return done(core::fail(std::move(session.error())));
    }
    const std::string placement_key = placement_key_of(ready.study);
    auto journal = std::make_shared<Journal>(
        std::move(ready.study),
        Journal::Setup{shard, self->writes, self->options.gather, self->options.keep_records,
                       self->options.max_records, self->options.max_bytes, ready.bytes},
        std::move(ready.log), self->counters, self);
    const Result<void> joined = journal->join(**session);
    if (!joined) return done(core::fail(joined.error()));
    {
      const std::scoped_lock lock(self->mutex_);
      const bool fresh =
          self->journals_.insert_or_assign(placement_key, OpenJournal{journal, false, 0}).second;
      PARLEY_ASSERT(fresh,
                    "study " + journal->study().id + ": a second journal for " + placement_key);
    }
    done(std::move(journal));
  });
}

void Impl::record_opening(const JournalPtr& journal, Done<JournalPtr> done) {
  const std::string payload = opened_payload(journal->study().start);
  journal->record(internal_record(kOpenedType, payload));
  journal->flush(
      [self = shared_from_this(), journal, done = std::move(done)](Result<void> result) mutable {
        if (result) return done(journal);
        self->detach(journal);
        self->when_recovered([self, id = journal->study().id] {
          const Result<void> removed = self->list_->remove(id);
          if (!removed) spdlog::error("study {}: {}", id, removed.error().message);
        });
        done(core::fail(std::move(result.error())));
      });
}

// --- close ----------------------------------------------------------------------------------

void Impl::close(std::unique_ptr<Recorder> recorder, StudyEnd end, Done<Study> done) {
  // Safe: only this service makes recorders.
  const JournalPtr journal = static_cast<JournalRecorder&>(*recorder).take();
  const std::string placement_key = placement_key_of(journal->study());
  // If the study is busy already, the other request in progress will be refused, because the study
  // has a recorder.
  const bool busy = make_busy(placement_key);
  finish(journal, std::move(end),
         [self = shared_from_this(), placement_key, busy, journal,
          done = std::move(done)](Result<Study> study) mutable {
           if (busy) self->end_busy(placement_key);
           if (!study) self->release(journal);
           done(std::move(study));
         });
}

void Impl::finish(const JournalPtr& journal, StudyEnd end, Done<Study> done) {
  // Records lost until now are counted in the last record and do not prevent it from being written.
  journal->flush([self = shared_from_this(), journal, end = std::move(end),
                  done = std::move(done)](const Result<void>& /*earlier*/) mutable {
    self->write_closing(journal, std::move(end), std::move(done));
  });
}

void Impl::write_closing(const JournalPtr& journal, StudyEnd end, Done<Study> done) {
  const std::uint64_t records = journal->record_count() + 1;
  const std::string payload = closed_payload(end, records, journal->lost());
  journal->record(internal_record(kClosedType, payload));
  journal->flush([self = shared_from_this(), journal, end = std::move(end), records,
                  done = std::move(done)](Result<void> result) mutable {
    if (!result) return done(core::fail(std::move(result.error())));
    self->mark_ended(journal, end, records, std::move(done));
  });
}

void Impl::mark_ended(const JournalPtr& journal, const StudyEnd& end, std::uint64_t records,
                      Done<Study> done) {
  PARLEY_ASSERT(journal->record_count() == records,
                "study " + journal->study().id + ": its last record tells of " +
                    std::to_string(records) + " records, and " +
                    std::to_string(journal->record_count()) + " are stored");
  Study study = journal->study();
  core::Scheduler& shard = journal->shard();
  study.state = StudyState::ended;
  study.ended_at = shard.clock().wall();
  study.end_reason = end.reason;
  study.record_count = records;
  detach(journal);
  write<Study>(
      shard, std::move(done),
      [self = shared_from_this(), study = std::move(study)](StudyIndex& list) -> Result<Study> {
        PARLEY_TRY_VOID(list.end(study));
        self->quiet_.erase(study.id);
        return study;
      });
}

// Ends a study that has no recorder. Call on any thread.
void Impl::retire(const Study& study) {
  // If another node serves its owner, that node ends it.
  if (!hub.check_home(study.start.owner)) return;
  hub.post_home(study.session, [self = shared_from_this(), placement_key = placement_key_of(study),
                                id = study.id](session::Shard& shard) {
    if (!self->make_busy(placement_key)) return;
    self->attach(
        placement_key, shard.scheduler(), [self, placement_key, id](const Result<Found>& found) {
          const std::optional<OpenJournal> entry = self->journal_of(placement_key);
          if (!found || found->journal == nullptr || found->journal->study().id != id ||
              (entry && entry->held)) {
            return self->end_busy(placement_key);
          }
          self->finish(found->journal, kAbandoned,
                       [self, placement_key, journal = found->journal](const Result<Study>& ended) {
                         self->end_busy(placement_key);
                         // After a failure the next attempt reads from the store whether the end
                         // was recorded.
                         if (!ended) self->detach(journal);
                         if (!ended)
                           spdlog::error("a study cannot be ended: {}", ended.error().message);
                       });
        });
  });
}

}  // namespace parley::study
