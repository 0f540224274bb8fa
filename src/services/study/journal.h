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
#include "model/session/session.h"
#include "services/study/recorder.h"
#include "services/study/study_log.h"

namespace parley::study {

// The shard's part of one open study: gathers records, appends them to the study's session as
// events, and passes their lines to the log once they are committed. As a participant of the
// session it receives the session's events in order. Used on the shard's thread. Create it with
// std::make_shared. Pending commits keep it alive after its recorder is destroyed.
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
    std::uint64_t bytes = 0;  // bytes that the log already has
  };

  // `log`: null if no file is written. `keep`: keeps the owner of the threads and counters alive.
  Journal(Study study, Setup setup, std::shared_ptr<StudyLog> log, LogCounters& counters,
          std::shared_ptr<void> keep);
  ~Journal() override;

  // Call once, before all other functions. Errors: those of Session::join().
  core::Result<void> join(session::Session& session);
  // Leaves the session. Call only after flush() has completed; record nothing afterwards.
  void leave();

  // Drops the callbacks of flush() without calling them, after the shards have stopped. Records are
  // not affected.
  void abandon() { waiters_.clear(); }

  const Study& study() const { return study_; }
  core::Scheduler& shard() const { return setup_.shard; }
  std::size_t record(const Record& record);  // as Recorder::record()
  std::size_t pending_bytes() const;
  std::size_t all_pending_bytes() const {
    return counters_.waiting_bytes.load(std::memory_order_relaxed);
  }
  // Calls `done` when all records so far are durable; its error is that of the first record lost
  // since the last flush().
  void flush(Done done);
  // The last eventIndex + 1. Valid only while no commit is pending.
  std::uint64_t record_count() const { return session_->visible_seq(); }
  bool is_full() const {
    return (setup_.max_records > 0 && given_records_ >= setup_.max_records) ||
           (setup_.max_bytes > 0 && given_bytes_ >= setup_.max_bytes);
  }
  // See Recorder::full().
  std::optional<core::Error> full() const;
  // Counts a record that is dropped because the study is full.
  void refuse_record() { counters_.records_refused.fetch_add(1, std::memory_order_relaxed); }
  // Number of records whose commit failed.
  std::uint64_t lost() const { return lost_; }

  const session::ParticipantInfo& info() const override { return info_; }
  void on_event(const event::Event& event) override;
  // Not needed: the relay closes its own connections, and then destroys the recorder.
  void on_leave_required(session::LeaveReason /*reason*/) override {}

 private:
  struct Waiter {
    std::uint64_t batch = 0;  // waits for this batch and all earlier ones
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
  // "study s-20260213-001", for assertions.
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
  std::size_t store_bytes_ = 0;       // bytes of uncommitted records
  // Bytes of lines posted to the log and not yet appended; shared with the posted tasks.
  std::shared_ptr<std::atomic<std::size_t>> file_bytes_;
  std::string lines_;
  std::uint64_t first_line_ = 0;
  std::uint64_t last_line_ = 0;
  std::uint64_t next_line_ = 0;  // lowest valid index of the next event
  std::vector<Waiter> waiters_;
  std::optional<core::Error> failure_;  // first failure since the last flush()
  std::uint64_t lost_ = 0;
  std::uint64_t given_records_ = 0;  // including earlier recorders
  std::uint64_t given_bytes_ = 0;
  bool left_ = false;  // leave() was called
  bool turn_posted_ = false;
  bool gathering_ = false;
};

}  // namespace parley::study
