// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "study/service_state.h"

#include <spdlog/spdlog.h>

#include "study/opened_record.h"

namespace parley::study {

using core::Code;
using core::Result;

namespace {

std::string affinity_of(const Study& study) {
  return study::affinity_of(study.start.owner, study.start.relay_session);
}

const StudyEnd kAbandoned{"abandoned", false};

core::Error busy_error() {
  return {Code::failed_precondition,
          "A study session of this relay session is open, or being opened or closed.", "sessionId"};
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

// --- who has what ---------------------------------------------------------------------------

bool Impl::make_busy(const std::string& affinity) {
  const std::scoped_lock lock(mutex_);
  return busy_.emplace(affinity, true).second;
}

void Impl::end_busy(const std::string& affinity) {
  const std::scoped_lock lock(mutex_);
  busy_.erase(affinity);
}

std::optional<Impl::Seat> Impl::seat_of(const std::string& affinity) {
  const std::scoped_lock lock(mutex_);
  const auto it = seats_.find(affinity);
  return it == seats_.end() ? std::nullopt : std::optional(it->second);
}

std::unique_ptr<Recorder> Impl::hold(const JournalPtr& journal) {
  const std::scoped_lock lock(mutex_);
  Seat& seat = seats_[affinity_of(journal->study())];
  seat.journal = journal;
  seat.held = true;
  ++seat.holder;
  return std::make_unique<JournalRecorder>(shared_from_this(), journal);
}

// The journal's place is free again, and nobody finds it any more. Nothing happens the second time.
void Impl::let_go(const JournalPtr& journal) {
  {
    const std::scoped_lock lock(mutex_);
    const auto it = seats_.find(affinity_of(journal->study()));
    if (it == seats_.end() || it->second.journal != journal) return;
    seats_.erase(it);
  }
  journal->leave();
}

void Impl::release(const JournalPtr& journal) {
  std::uint64_t holder = 0;
  {
    const std::scoped_lock lock(mutex_);
    const auto it = seats_.find(affinity_of(journal->study()));
    if (it == seats_.end() || it->second.journal != journal) return;
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
  const std::optional<Seat> seat = seat_of(affinity_of(journal->study()));
  // Somebody has taken the study up meanwhile, or is about to.
  if (!seat || seat->journal != journal || seat->held || seat->holder != holder) return;
  {
    const std::scoped_lock lock(mutex_);
    if (busy_.contains(affinity_of(journal->study()))) return;
  }
  let_go(journal);
  // Not the time of the last record: none is taken while a limit holds.
  writes.post([self = shared_from_this(), study = journal->study()]() mutable {
    const core::WallTime since = self->writes.clock().wall();
    self->begin_quiet(std::move(study), since);
  });
}

void Impl::write_out() {
  const std::scoped_lock lock(mutex_);
  for (const auto& [affinity, seat] : seats_) {
    seat.journal->shard().post([journal = seat.journal] {
      journal->flush([](const Result<void>& /*logged where it failed*/) {});
    });
  }
}

// --- open and resume ------------------------------------------------------------------------

void Impl::open(StudyStart start, core::Scheduler& shard, Done<std::unique_ptr<Recorder>> done) {
  const std::string affinity = study::affinity_of(start.owner, start.relay_session);
  if (Result<void> may = core::admit_work(options.gate); !may) {
    return shard.post([done = std::move(done), error = std::move(may.error())]() mutable {
      done(core::fail(std::move(error)));
    });
  }
  if (!make_busy(affinity)) {
    return shard.post([done = std::move(done)]() mutable { done(core::fail(busy_error())); });
  }
  auto opened = [self = shared_from_this(), affinity,
                 done = std::move(done)](Result<JournalPtr> journal) mutable {
    self->end_busy(affinity);
    if (!journal) return done(core::fail(std::move(journal.error())));
    done(self->hold(*journal));
  };
  take_up(affinity, shard,
          [self = shared_from_this(), affinity, start = std::move(start), &shard,
           opened = std::move(opened)](Result<Found> old) mutable {
            if (!old) return opened(core::fail(std::move(old.error())));
            if (old->journal == nullptr) {
              return self->make_new(std::move(start), shard, std::move(opened));
            }
            const std::optional<Seat> seat = self->seat_of(affinity);
            if (seat && seat->held) return opened(core::fail(busy_error()));
            self->replace(*old, std::move(start), shard, std::move(opened));
          });
}

void Impl::resume(const std::string& owner, const std::string& relay_session,
                  core::Scheduler& shard, Done<std::unique_ptr<Recorder>> done) {
  const std::string affinity = study::affinity_of(owner, relay_session);
  if (!make_busy(affinity)) {
    return shard.post([done = std::move(done)]() mutable { done(core::fail(busy_error())); });
  }
  take_up(
      affinity, shard,
      [self = shared_from_this(), affinity, done = std::move(done)](Result<Found> found) mutable {
        if (found && found->abandoned) {
          return self->finish(found->journal, kAbandoned,
                              [self, affinity, journal = found->journal,
                               done = std::move(done)](const Result<Study>& ended) mutable {
                                self->end_busy(affinity);
                                if (!ended) self->let_go(journal);
                                if (!ended) return done(core::fail(ended.error()));
                                done(nullptr);
                              });
        }
        self->end_busy(affinity);
        if (!found) return done(core::fail(std::move(found.error())));
        if (found->journal == nullptr) return done(nullptr);
        const std::optional<Seat> seat = self->seat_of(affinity);
        if (seat && seat->held) return done(core::fail(busy_error()));
        done(self->hold(found->journal));
      });
}

void Impl::take_up(const std::string& affinity, core::Scheduler& shard, Done<Found> done) {
  if (const std::optional<Seat> seat = seat_of(affinity)) {
    return shard.post([done = std::move(done), journal = seat->journal]() mutable {
      done(Found{std::move(journal), false});
    });
  }
  when_recovered([self = shared_from_this(), affinity, &shard, done = std::move(done)]() mutable {
    self->find_open(affinity, [self, &shard,
                               done = std::move(done)](Result<std::optional<Ready>> ready) mutable {
      shard.post([self, &shard, done = std::move(done), ready = std::move(ready)]() mutable {
        if (!ready) return done(core::fail(std::move(ready.error())));
        if (!*ready) return done(Found());
        const bool abandoned = (*ready)->abandoned;
        self->join(std::move(**ready), shard,
                   [abandoned, done = std::move(done)](Result<JournalPtr> journal) mutable {
                     if (!journal) return done(core::fail(std::move(journal.error())));
                     done(Found{std::move(*journal), abandoned});
                   });
      });
    });
  });
}

// Ends what was left open in this relay session, then begins anew.
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
      // A log ends on its own thread: closing its file may wait for the disk.
      self->writes.post([log = std::move(ready.log)] {});
      return done(core::fail(std::move(session.error())));
    }
    const std::string affinity = affinity_of(ready.study);
    auto journal = std::make_shared<Journal>(
        std::move(ready.study),
        Journal::Setup{shard, self->writes, self->options.gather, self->options.keep_records,
                       self->options.max_records, self->options.max_bytes, ready.bytes},
        std::move(ready.log), self->counters, self);
    const Result<void> joined = journal->join(**session);
    if (!joined) return done(core::fail(joined.error()));
    {
      const std::scoped_lock lock(self->mutex_);
      self->seats_[affinity] = Seat{journal, false, 0};
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
        self->let_go(journal);
        self->when_recovered([self, id = journal->study().id] {
          const Result<void> removed = self->list_->remove(id);
          if (!removed) spdlog::error("study {}: {}", id, removed.error().message);
        });
        done(core::fail(std::move(result.error())));
      });
}

// --- close ----------------------------------------------------------------------------------

void Impl::close(std::unique_ptr<Recorder> recorder, StudyEnd end, Done<Study> done) {
  // Every recorder is of this service.
  const JournalPtr journal = static_cast<JournalRecorder&>(*recorder).take();
  const std::string affinity = affinity_of(journal->study());
  make_busy(affinity);
  finish(journal, std::move(end),
         [self = shared_from_this(), affinity, journal,
          done = std::move(done)](Result<Study> study) mutable {
           self->end_busy(affinity);
           if (!study) self->release(journal);
           done(std::move(study));
         });
}

void Impl::finish(const JournalPtr& journal, StudyEnd end, Done<Study> done) {
  // What was lost until now is said in the last record, and does not keep it from being written.
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
  Study study = journal->study();
  core::Scheduler& shard = journal->shard();
  study.state = StudyState::ended;
  study.ended_at = shard.clock().wall();
  study.end_reason = end.reason;
  study.record_count = records;
  let_go(journal);
  write<Study>(
      shard, std::move(done),
      [self = shared_from_this(), study = std::move(study)](StudyIndex& list) -> Result<Study> {
        Result<void> ended = list.end(study);
        if (!ended) return core::fail(std::move(ended.error()));
        self->quiet_.erase(study.id);
        return study;
      });
}

// Ends a study that nobody records. Any thread.
void Impl::retire(const Study& study) {
  // A study that another node owns is ended there.
  (void)hub.post_home(study.session, [self = shared_from_this(), affinity = affinity_of(study),
                                      id = study.id](session::Shard& shard) {
    if (!self->make_busy(affinity)) return;
    self->take_up(affinity, shard.scheduler(), [self, affinity, id](const Result<Found>& found) {
      const std::optional<Seat> seat = self->seat_of(affinity);
      if (!found || found->journal == nullptr || found->journal->study().id != id ||
          (seat && seat->held)) {
        return self->end_busy(affinity);
      }
      self->finish(found->journal, kAbandoned,
                   [self, affinity, journal = found->journal](const Result<Study>& ended) {
                     self->end_busy(affinity);
                     // The next attempt reads from the store whether the end was recorded.
                     if (!ended) self->let_go(journal);
                     if (!ended)
                       spdlog::error("a study cannot be ended: {}", ended.error().message);
                   });
    });
  });
}

}  // namespace parley::study
