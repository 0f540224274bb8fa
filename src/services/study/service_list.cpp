// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The part of the service that works on the list and on log files, on the writing thread.
#include <spdlog/spdlog.h>

#include <filesystem>

#include "base/core/assert.h"
#include "base/core/result.h"
#include "base/sql/data_dir.h"
#include "services/study/opened_record.h"
#include "services/study/recovery.h"
#include "services/study/service_state.h"

namespace parley::study {

using core::Code;
using core::Result;
using Impl = SqliteStudyService::Impl;

namespace {

// Limit of consecutive numbers that are skipped because a log file with that number exists.
constexpr std::size_t kMaxTakenNumbers = 10'000;

}  // namespace

Result<Study> find_owned(StudyIndex& index, const std::string& owner, const std::string& id) {
  PARLEY_TRY(std::optional<Study> study, index.find(id));
  if (!study || study->start.owner != owner) {
    return core::fail(Code::not_found, "No study has this id.", "id");
  }
  return std::move(*study);
}

Result<void> Impl::start() {
  Result<void> created = sql::make_data_dir(options.data_dir);
  if (!created) return created;
  PARLEY_TRY(list_, open_list(StudyIndex::Access::write));
  writes.post([self = shared_from_this()] { self->recover(); });
  return {};
}

Result<std::unique_ptr<StudyIndex>> Impl::open_list(StudyIndex::Access access) const {
  if (options.open_list) return options.open_list(access);
  const std::string vfs = access == StudyIndex::Access::write ? options.vfs : "";
  return StudyIndex::open(options.data_dir, access, vfs);
}

void Impl::stop() {
  if (stopped_.exchange(true)) return;
  core::StringMap<OpenJournal> journals;
  {
    const std::scoped_lock lock(mutex_);
    journals = std::exchange(journals_, {});
  }
  // Pending callbacks refer to their journal, and would keep it alive.
  for (auto& [placement_key, entry] : journals) entry.journal->abandon();
  if (own_reads) own_reads->stop();
  if (own_writes) own_writes->stop();
}

void Impl::when_recovered(core::Task task) {
  writes.post([self = shared_from_this(), task = std::move(task)]() mutable {
    if (self->recovered_) return task();
    self->after_recovery_.push_back(std::move(task));
  });
}

Result<StudyIndex*> Impl::reading_list() {
  if (!reading_list_) {
    PARLEY_TRY(reading_list_, open_list(StudyIndex::Access::read));
  }
  return reading_list_.get();
}

// --- new studies ----------------------------------------------------------------------------

Result<Study> Impl::put_in_list(StudyStart start) {
  PARLEY_TRY_VOID(make_room(start.owner));
  if (start.condition.empty() && start.scenario.empty() && !start.participant_id.empty()) {
    PARLEY_TRY(const auto given,
               list_->assignment(start.owner, start.study_id, start.participant_id));
    if (given) {
      start.condition = given->condition;
      start.scenario = given->scenario;
    }
  }
  Study study;
  study.started_at = writes.clock().wall();
  PARLEY_TRY(std::string id, free_id(study.started_at));
  study.id = std::move(id);
  study.session = study.id + "." + placement_key_of(start.owner, start.relay_session);
  study.start = std::move(start);
  study.log_enabled = options.write_logs;
  if (study.log_enabled) study.log_file = log_name(study.id);
  PARLEY_TRY_VOID(list_->insert(study));
  return study;
}

Result<std::string> Impl::free_id(core::WallTime now) {
  const std::string day = day_of(now);
  for (std::size_t i = 0; i < kMaxTakenNumbers; ++i) {
    PARLEY_TRY(const std::uint64_t number, list_->next_number(day));
    std::string id = study_id_of({day, number});
    if (!std::filesystem::exists(options.data_dir + "/" + log_name(id))) return id;
  }
  return core::fail(Code::resource_exhausted,
                    "All numbers of study sessions of this day are in use.");
}

Result<void> Impl::make_room(const std::string& owner) {
  PARLEY_TRY(const std::uint64_t open, list_->count_open(owner));
  if (open < options.max_open) return {};
  PARLEY_TRY(const std::vector<Study> studies, list_->open_ones_of(owner, open));
  for (const Study& study : studies) {
    if (journal_of(placement_key_of(owner, study.start.relay_session))) continue;
    retire(study);
    return {};
  }
  return core::fail(Code::resource_exhausted,
                    "This token has reached its limit of open study sessions: " +
                        std::to_string(options.max_open) + ". End one first.");
}

std::shared_ptr<StudyLog> Impl::log_of(const Study& study) {
  std::weak_ptr<StudyLog>& known = logs_[study.id];
  if (auto log = known.lock()) return log;
  auto log = std::make_shared<StudyLog>(
      StudyLog::Setup{study.id, study.session, options.data_dir + "/" + log_name(study.id),
                      options.sync_file},
      store, writes, counters);
  known = log;
  if (logs_.size() > 2 * options.max_open) {
    absl::erase_if(logs_, [](const auto& entry) { return entry.second.expired(); });
  }
  return log;
}

// --- open studies ---------------------------------------------------------------------------

void Impl::find_open(const std::string& placement_key, ReadyDone done) {
  Result<std::optional<Study>> study = list_->open_one(placement_key);
  if (!study) return done(core::fail(std::move(study.error())));
  if (!*study) return done(std::nullopt);
  examine(std::move(**study), std::move(done));
}

// Checks whether a study that is open in the list is also open in the event store.
void Impl::examine(Study study, ReadyDone done) {
  std::string session = study.session;
  store.session(std::move(session), writes,
                [self = shared_from_this(), study = std::move(study),
                 done = std::move(done)](Result<event::SessionRow> row) mutable {
                  if (row) return self->read_end(std::move(study), std::move(done));
                  if (row.error().code != Code::not_found) {
                    return done(core::fail(std::move(row.error())));
                  }
                  // The server was killed before the first record was stored.
                  Result<void> removed = self->list_->remove(study.id);
                  if (!removed) return done(core::fail(std::move(removed.error())));
                  self->quiet_.erase(study.id);
                  done(std::nullopt);
                });
}

void Impl::read_end(Study study, ReadyDone done) {
  event::ReadQuery query;
  query.session = study.session;
  query.before = INT64_MAX;
  query.limit = 1;
  store.read(std::move(query), writes,
             [self = shared_from_this(), study = std::move(study),
              done = std::move(done)](Result<event::EventPage> page) mutable {
               if (!page) return done(core::fail(std::move(page.error())));
               std::optional<event::Event> last;
               if (!page->events.empty()) last = std::move(page->events.back());
               self->level(std::move(study), std::move(last), std::move(done));
             });
}

void Impl::level(Study study, std::optional<event::Event> last, ReadyDone done) {
  std::shared_ptr<StudyLog> log = study.log_enabled ? log_of(study) : nullptr;
  auto levelled = [self = shared_from_this(), study = std::move(study), last = std::move(last), log,
                   done = std::move(done)](const Result<void>& result) mutable {
    // Logged only: the records are safe in the event store, and the log retries by itself.
    if (!result) spdlog::error("study {}: {}", study.id, result.error().message);
    if (!last || last->type != kClosedType) {
      // Without kept records the last record does not show when the recorder was destroyed.
      if (last && self->options.keep_records) {
        self->begin_quiet(study, last->at);
      } else if (!self->quiet_.contains(study.id)) {
        self->begin_quiet(study, self->writes.clock().wall());
      }
      const bool abandoned = self->is_abandoned(study);
      const std::uint64_t bytes = log ? log->size() : 0;
      return done(Ready{std::move(study), std::move(log), abandoned, bytes});
    }
    study.ended_at = last->at;
    study.end_reason = read_closed(last->payload).reason;
    study.record_count = last->seq;
    Result<void> ended = self->list_->end(study);
    if (!ended) return done(core::fail(std::move(ended.error())));
    self->quiet_.erase(study.id);
    done(std::nullopt);
  };
  if (log) {
    log->level(std::move(levelled));
  } else {
    levelled({});
  }
}

// --- after a start --------------------------------------------------------------------------

void Impl::recover() {
  const Result<std::unique_ptr<event::SessionReader>> reader = store.make_reader();
  const Result<RecoveredList> found =
      reader ? recover_list(*list_, **reader, options.data_dir, options.write_logs)
             : core::fail(reader.error());
  if (!found) {
    spdlog::error("studies: the list cannot be synchronised with the event store: {}",
                  found.error().message);
  } else if (found->found > 0) {
    spdlog::info("studies: {} added to the list from the event store", found->found);
  }
  examine_open_ones(options.is_home, [self = shared_from_this()] { self->end_recovery(); });
}

void Impl::examine_open_ones(const OwnerFilter& owners, core::Task done) {
  Result<std::vector<Study>> open = list_->open_ones();
  if (!open) {
    spdlog::error("studies: {}", open.error().message);
    return done();
  }
  std::erase_if(*open,
                [&owners](const Study& study) { return owners && !owners(study.start.owner); });
  examine_next(std::move(*open), std::move(done));
}

void Impl::examine_next(std::vector<Study> left, core::Task done) {
  if (left.empty()) return done();
  Study study = std::move(left.back());
  left.pop_back();
  examine(std::move(study),
          [self = shared_from_this(), left = std::move(left),
           done = std::move(done)](const Result<std::optional<Ready>>& ready) mutable {
            if (!ready) spdlog::error("studies: {}", ready.error().message);
            // Posted as a separate task, so that many studies do not cause deep recursion.
            self->writes.post([self, left = std::move(left), done = std::move(done)]() mutable {
              self->examine_next(std::move(left), std::move(done));
            });
          });
}

void Impl::end_recovery() {
  PARLEY_ASSERT(writes.in_thread() && !recovered_,
                "studies: recovered twice, or by another thread; " +
                    std::to_string(after_recovery_.size()) + " tasks wait");
  recovered_ = true;
  std::vector<core::Task> tasks = std::exchange(after_recovery_, {});
  for (core::Task& task : tasks) task();
}

}  // namespace parley::study
