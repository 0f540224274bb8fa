// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "event/session_store.h"
#include "study/log_file.h"
#include "study/log_line.h"

namespace parley::study {

// Counters of the writing of logs since the start. Thread-safe.
struct LogCounters {
  std::atomic<std::uint64_t> records{0};          // committed
  std::atomic<std::uint64_t> records_lost{0};     // that the event store refused
  std::atomic<std::uint64_t> records_cut{0};      // too large: kept without their payload
  std::atomic<std::uint64_t> records_refused{0};  // of studies that have as many as they may have
  std::atomic<std::uint64_t> file_failures{0};    // writes or syncs of log files
  std::atomic<std::uint64_t> records_behind{0};   // written to a file from the event store, later
  std::atomic<std::uint64_t> waiting_bytes{0};    // of records that are not committed now
};

// Keeps the file of one study complete. The event store is the truth: lines that the file lacks,
// because the server was killed, the disk was full or the file was removed, are written from the
// store. Every call and callback is on the thread of `worker`; made with std::make_shared.
class StudyLog : public std::enable_shared_from_this<StudyLog> {
 public:
  using Done = absl::AnyInvocable<void(core::Result<void>)>;

  struct Setup {
    std::string study_id;
    std::string session;  // of the event store
    std::string path;     // of the file
    SyncFile sync = sync_file_data;
  };

  // A file that is not synced for a second is.
  static constexpr core::Millis kSyncInterval{1'000};
  // A failed attempt to complete a file is repeated after kSyncInterval, then after twice as long
  // each time, up to this.
  static constexpr core::Millis kMaxRetryInterval = std::chrono::minutes(1);

  StudyLog(Setup setup, event::SessionStore& store, core::Scheduler& worker, LogCounters& counters);
  ~StudyLog();
  StudyLog(const StudyLog&) = delete;
  StudyLog& operator=(const StudyLog&) = delete;

  // Writes all lines of the store that the file lacks, and syncs it.
  void level(Done done);
  // Lines of events that are committed, in order; `first` and `last` are their indexes.
  void append(std::uint64_t first, std::uint64_t last, std::string lines);
  // Bytes of the file, after level().
  std::uint64_t size() const { return file_.size(); }
  // Calls `done` when all that was appended is in the file and synced.
  void sync(Done done);

 private:
  void start_levelling();
  void read_on();
  void take_page(core::Result<event::EventPage> page);
  void end_levelling(core::Result<void> result);
  core::Result<void> open_file();
  core::Result<void> drop_spoiled();
  core::Result<void> set_aside(const std::string& ending);
  void settle();
  void sync_now();
  void count_failure();
  // "study S20260213-0001, log at line 12", for assertions.
  std::string label() const;
  void arm();
  void on_time();

  const Setup setup_;
  event::SessionStore& store_;
  core::Scheduler& worker_;
  LogCounters& counters_;
  LineWriter writer_;
  LogFile file_;
  bool spoiled_ = false;         // the file must be set aside before it is opened again
  std::uint64_t durable_ = 0;    // bytes of the file that are known to be on the disk
  std::uint64_t announced_ = 0;  // lines that exist: one more than the last index
  bool behind_ = true;           // the file lacks lines that the store has, or is not open
  bool levelling_ = false;
  bool dirty_ = false;
  std::uint32_t failures_ = 0;  // tries in a row
  std::vector<Done> waiters_;
  core::TimerId timer_ = 0;
};

}  // namespace parley::study
