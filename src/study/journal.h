// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "session/session.h"
#include "study/study_log.h"
#include "study/study_service.h"

namespace parley::study {

// The shard's side of one open study: gathers records, appends them to the study's session as
// events, and hands their lines to the log once they are committed. It is a participant of the
// session, and so sees its events in order. Belongs to the shard; made with std::make_shared. Lives
// until its records are stored, also if its recorder is destroyed before.
class Journal final : public session::Participant, public std::enable_shared_from_this<Journal> {
 public:
  using Done = absl::AnyInvocable<void(core::Result<void>)>;

  struct Setup {
    core::Scheduler& shard;
    core::Scheduler& worker;
    core::Millis gather;            // as StudyOptions::gather
    bool keep_records;              // as StudyOptions::keep_records
    std::uint64_t max_records = 0;  // as in StudyOptions
    std::uint64_t max_bytes = 0;
    std::uint64_t bytes = 0;  // that the log has from before
  };

  // `log` is null if no file is written. `keep` holds what the threads and counters belong to.
  Journal(Study study, Setup setup, std::shared_ptr<StudyLog> log, LogCounters& counters,
          std::shared_ptr<void> keep);
  ~Journal() override;

  // Once, before all else. Errors: as Session::join().
  core::Result<void> join(session::Session& session);
  // Leaves the session. Only after a flush(), and nothing may be recorded after it.
  void leave();

  // Drops the callbacks of flush() without calling them: the shards have stopped. Records stay as
  // they are.
  void abandon() { waiters_.clear(); }

  const Study& study() const { return study_; }
  core::Scheduler& shard() const { return setup_.shard; }
  std::size_t record(const Record& record);  // as Recorder::record()
  std::size_t pending_bytes() const;
  std::size_t all_pending_bytes() const {
    return counters_.waiting_bytes.load(std::memory_order_relaxed);
  }
  // `done` runs when all records so far are durable. Its error is that of the first record that was
  // lost since the last flush().
  void flush(Done done);
  // One more than the eventIndex of the last record, when nothing is being committed.
  std::uint64_t record_count() const { return session_->visible_seq(); }
  bool is_full() const {
    return (setup_.max_records > 0 && given_records_ >= setup_.max_records) ||
           (setup_.max_bytes > 0 && given_bytes_ >= setup_.max_bytes);
  }
  // As Recorder::full().
  std::optional<core::Error> full() const;
  // Counts a record that was given to a full study.
  void refuse_record() { counters_.records_refused.fetch_add(1, std::memory_order_relaxed); }
  // Records that the store did not take.
  std::uint64_t lost() const { return lost_; }

  const session::ParticipantInfo& info() const override { return info_; }
  void on_event(const event::Event& event) override;
  // The relay ends its own connections, and destroys the recorder then.
  void on_leave_required(session::LeaveReason /*reason*/) override {}

 private:
  struct Waiter {
    std::uint64_t batch = 0;  // waits for this one and all before it
    Done done;
  };

  void gather();
  void schedule_turn();
  void turn();
  void submit();
  void take_off(std::size_t bytes);
  void on_submitted(std::uint64_t batch, std::size_t count, const core::Result<std::uint64_t>& seq);
  void hand_over();
  void answer(Done done);
  // "study S20260213-0001", for assertions.
  std::string label() const { return "study " + study_.id; }

  const std::shared_ptr<void> keep_;  // first member: destroyed last
  Study study_;
  const Setup setup_;
  const std::shared_ptr<StudyLog> log_;
  LogCounters& counters_;
  session::ParticipantInfo info_;
  session::Session* session_ = nullptr;
  LineWriter writer_;

  std::vector<session::Session::NewEvent> batch_;
  std::size_t batch_bytes_ = 0;
  std::uint64_t last_batch_ = 0;
  std::set<std::uint64_t> in_store_;  // batches that are being committed
  std::size_t store_bytes_ = 0;       // of records that are not committed
  // Lines that the log has not taken yet; shared with the tasks that carry them.
  std::shared_ptr<std::atomic<std::size_t>> file_bytes_;
  std::string lines_;
  std::uint64_t first_line_ = 0;
  std::uint64_t last_line_ = 0;
  std::uint64_t next_line_ = 0;  // the lowest index that the next event may have
  std::vector<Waiter> waiters_;
  std::optional<core::Error> failure_;  // since the last flush()
  std::uint64_t lost_ = 0;
  std::uint64_t given_records_ = 0;  // with those of before
  std::uint64_t given_bytes_ = 0;
  bool left_ = false;  // leave() was called
  bool turn_posted_ = false;
  bool gathering_ = false;
};

}  // namespace parley::study
