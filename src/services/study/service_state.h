// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/ask.h"
#include "base/core/contain.h"
#include "base/core/string_map.h"
#include "base/core/worker.h"
#include "services/study/journal.h"
#include "services/study/sqlite_study_service.h"
#include "services/study/study_index.h"

namespace parley::study {

// Finds a study of this owner. Errors: `not_found`.
core::Result<Study> find_owned(StudyIndex& index, const std::string& owner, const std::string& id);

// The state of the service, and the opening and ending of studies. Comments state the thread of
// each member: "writing" for `writes`, "reading" for `reads`. Tasks and journals keep the object
// alive.
struct SqliteStudyService::Impl : std::enable_shared_from_this<Impl> {
  using JournalPtr = std::shared_ptr<Journal>;
  template <typename T>
  using Done = StudyService::Done<T>;

  Impl(StudyOptions options_in, session::Hub& hub_in, event::SessionStore& store_in,
       core::Scheduler& writes_in, core::Scheduler& reads_in);

  core::Result<void> start();
  void write_out();
  void stop();

  // On the shard of the study.
  void open(StudyStart start, core::Scheduler& shard, Done<std::unique_ptr<Recorder>> done);
  void resume(const std::string& owner, const std::string& relay_session, core::Scheduler& shard,
              Done<std::unique_ptr<Recorder>> done);
  void close(std::unique_ptr<Recorder> recorder, StudyEnd end, Done<Study> done);
  void release(const JournalPtr& journal);

  // Runs `work` with the list on the reading thread, and posts its result to `done`.
  template <typename T, typename Work>
  void read(core::Scheduler& scheduler, Done<T> done, Work work) {
    core::ask(reads, "studies", scheduler, std::move(done),
              [self = shared_from_this(), work = std::move(work)]() mutable -> core::Result<T> {
                PARLEY_TRY(StudyIndex* const list, self->reading_list());
                return work(*list);
              });
  }
  // On the writing thread, once the list is complete.
  void when_recovered(core::Task task);
  // Completes the list and the files of the open studies of these owners. On the writing thread.
  void examine_open_ones(const OwnerFilter& owners, core::Task done);
  // Like read(), on the writing thread, after the list has been completed from the event store.
  template <typename T, typename Work>
  void write(core::Scheduler& scheduler, Done<T> done, Work work) {
    when_recovered([self = shared_from_this(), &scheduler, done = std::move(done),
                    work = std::move(work)]() mutable {
      core::Result<T> result =
          core::contain("studies", [&]() -> core::Result<T> { return work(*self->list_); });
      core::reply(scheduler, std::move(done), std::move(result));
    });
  }

  // On the reading thread (service_reading.cpp).
  core::Result<std::unique_ptr<LogSource>> open_log(const Study& study);
  core::Result<Summary> summary_of(const Study& study);
  core::Result<LogPart> read_part(const Study& study, LogPosition from);
  core::Result<VerifyReport> verify_log(const Study& study);
  // On the writing thread.
  core::Result<AssignedParticipant> assign(StudyIndex& list,
                                           const AssignmentRequest& request) const;

  const StudyOptions options;
  session::Hub& hub;
  event::SessionStore& store;
  core::Scheduler& writes;
  core::Scheduler& reads;
  LogCounters counters;
  std::unique_ptr<core::Worker> own_writes;  // null: the caller supplies the threads
  std::unique_ptr<core::Worker> own_reads;

 private:
  struct OpenJournal {
    JournalPtr journal;
    bool held = false;         // true: it has a recorder
    std::uint64_t holder = 0;  // number of recorders so far
  };
  // An open study, as the writing thread passes it to the shard.
  struct Ready {
    Study study;
    std::shared_ptr<StudyLog> log;  // null: no file is written
    bool abandoned = false;         // it had no recorder for `abandon_after`
    std::uint64_t bytes = 0;        // size of the log
  };
  // The result of attach(): the open study of a relay session.
  struct Found {
    JournalPtr journal;  // null: no study is open
    bool abandoned = false;
  };
  // An open study without a recorder, and the time since which it has none.
  struct Quiet {
    Study study;
    core::WallTime since;
  };
  using ReadyDone = absl::AnyInvocable<void(core::Result<std::optional<Ready>>)>;

  // On the shard of the study (service_state.cpp).
  bool make_busy(const std::string& placement_key);
  void end_busy(const std::string& placement_key);
  std::optional<OpenJournal> journal_of(const std::string& placement_key);
  std::unique_ptr<Recorder> hold(const JournalPtr& journal);
  void detach(const JournalPtr& journal);
  void leave_if_free(const JournalPtr& journal, std::uint64_t holder);
  void attach(const std::string& placement_key, core::Scheduler& shard, Done<Found> done);
  void replace(const Found& old, StudyStart start, core::Scheduler& shard, Done<JournalPtr> done);
  void make_new(StudyStart start, core::Scheduler& shard, Done<JournalPtr> done);
  void join(Ready ready, core::Scheduler& shard, Done<JournalPtr> done);
  void record_opening(const JournalPtr& journal, Done<JournalPtr> done);
  void finish(const JournalPtr& journal, StudyEnd end, Done<Study> done);
  void write_closing(const JournalPtr& journal, StudyEnd end, Done<Study> done);
  void mark_ended(const JournalPtr& journal, const StudyEnd& end, std::uint64_t records,
                  Done<Study> done);
  void retire(const Study& study);

  // On the writing thread (service_quiet.cpp).
  void begin_quiet(Study study, core::WallTime since);
  bool is_abandoned(const Study& study) const;
  void arm_sweep();
  void sweep();

  // On the writing thread (service_list.cpp).
  core::Result<Study> put_in_list(StudyStart start);
  core::Result<void> make_room(const std::string& owner);
  core::Result<std::string> free_id(core::WallTime now);
  std::shared_ptr<StudyLog> log_of(const Study& study);
  void find_open(const std::string& placement_key, ReadyDone done);
  void examine(Study study, ReadyDone done);
  void read_end(Study study, ReadyDone done);
  void level(Study study, std::optional<event::Event> last, ReadyDone done);
  void recover();
  void examine_next(std::vector<Study> left, core::Task done);
  void end_recovery();

  // On the reading thread.
  core::Result<std::unique_ptr<StudyIndex>> open_list(StudyIndex::Access access) const;
  core::Result<StudyIndex*> reading_list();
  core::Result<event::SessionReader*> session_reader();
  core::Result<LogPart> read_stored_part(const Study& study, std::uint64_t after);

  std::unique_ptr<StudyIndex> list_;                      // writing thread
  core::StringMap<std::weak_ptr<StudyLog>> logs_;         // writing thread
  bool recovered_ = false;                                // writing thread
  core::StringMap<Quiet> quiet_;                          // by id; writing thread
  core::TimerId sweep_timer_ = 0;                         // writing thread
  std::vector<core::Task> after_recovery_;                // writing thread
  std::unique_ptr<StudyIndex> reading_list_;              // reading thread
  std::unique_ptr<event::SessionReader> session_reader_;  // reading thread
  core::StringMap<Summary> summaries_;                    // of ended studies; reading thread
  std::mutex mutex_;                                      // guards the two members below
  core::StringMap<OpenJournal> journals_;  // by placement_key: journals that are joined
  core::StringMap<bool> busy_;             // by placement_key: being opened, resumed or closed
  std::atomic<bool> stopped_{false};
};

// The recorder that the relay gets. A journal has at most one at a time.
class JournalRecorder final : public Recorder {
 public:
  JournalRecorder(std::shared_ptr<SqliteStudyService::Impl> service,
                  std::shared_ptr<Journal> journal)
      : service_(std::move(service)), journal_(std::move(journal)) {}
  ~JournalRecorder() override {
    if (journal_) service_->release(journal_);
  }

  const Study& study() const override { return journal_->study(); }
  std::size_t record(const Record& record) override {
    if (!journal_->is_full()) return journal_->record(record);
    journal_->refuse_record();
    return 0;
  }
  bool is_full() const override { return journal_->is_full(); }
  std::optional<core::Error> full() const override { return journal_->full(); }
  std::size_t pending_bytes() const override { return journal_->pending_bytes(); }
  std::size_t all_pending_bytes() const override { return journal_->all_pending_bytes(); }
  void flush(absl::AnyInvocable<void(core::Result<void>)> done) override {
    journal_->flush(std::move(done));
  }
  // Takes the journal out of the recorder, so that its destruction does not release the journal.
  std::shared_ptr<Journal> take() { return std::exchange(journal_, nullptr); }

 private:
  std::shared_ptr<SqliteStudyService::Impl> service_;
  std::shared_ptr<Journal> journal_;
};

}  // namespace parley::study
