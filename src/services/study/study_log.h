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
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "model/event/session_store.h"
#include "services/study/log_file.h"
#include "services/study/log_line.h"

namespace parley::study {

// Counters of the logs since the start, except `waiting_bytes`, which is current. Thread-safe.
struct LogCounters {
  std::atomic<std::uint64_t> records{0};          // committed
  std::atomic<std::uint64_t> records_lost{0};     // not stored: the commit failed
  std::atomic<std::uint64_t> records_cut{0};      // too large: stored without their payload
  std::atomic<std::uint64_t> records_refused{0};  // dropped: the study has reached a limit
  std::atomic<std::uint64_t> file_failures{0};    // failed writes or syncs of log files
  std::atomic<std::uint64_t> records_behind{0};   // written to a file later, from the event store
  std::atomic<std::uint64_t> waiting_bytes{0};    // bytes of uncommitted records
};

// Keeps the file of one study complete. The event store is authoritative: lines that are missing
// from the file, because the server was killed, the disk was full or the file was removed, are
// written from the store. Every call and callback is on the thread of `worker`. Create it with
// std::make_shared.
class StudyLog : public std::enable_shared_from_this<StudyLog> {
 public:
  using Done = absl::AnyInvocable<void(core::Result<void>)>;

  struct Setup {
    std::string study_id;
    std::string session;  // id of its session in the event store
    std::string path;     // path of the file
    SyncFile sync = sync_file_data;
  };

  // Limit of the time between an append and its sync.
  static constexpr core::Millis kSyncInterval{1'000};
  // A failed attempt to complete a file is repeated after kSyncInterval; the interval doubles with
  // each failure, up to this limit.
  static constexpr core::Millis kMaxRetryInterval = std::chrono::minutes(1);

  StudyLog(Setup setup, event::SessionStore& store, core::Scheduler& worker, LogCounters& counters);
  ~StudyLog();
  StudyLog(const StudyLog&) = delete;
  StudyLog& operator=(const StudyLog&) = delete;

  // Writes the lines that are missing from the file, from the store, and syncs the file.
  void level(Done done);
  // Appends lines of committed events, in order. `first` and `last`: indexes of the first and last
  // line.
  void append(std::uint64_t first, std::uint64_t last, std::string lines);
  // Bytes of the file, after level().
  std::uint64_t size() const { return file_.size(); }
  // Calls `done` when all appended lines are in the file and synced.
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
  // "study s-20260213-001, log at line 12", for assertions.
  std::string label() const;
  void arm();
  void on_time();

  const Setup setup_;
  event::SessionStore& store_;
  core::Scheduler& worker_;
  LogCounters& counters_;
  LineWriter writer_;
  LogFile file_;
  bool spoiled_ = false;         // the file must be renamed before it is opened again
  std::uint64_t durable_ = 0;    // bytes of the file that are known to be on the disk
  std::uint64_t announced_ = 0;  // number of lines that exist: the last index + 1
  bool behind_ = true;           // lines are missing from the file, or it is not open
  bool levelling_ = false;
  bool dirty_ = false;
  std::uint32_t failures_ = 0;  // consecutive failures
  std::vector<Done> waiters_;
  core::TimerId timer_ = 0;
};

}  // namespace parley::study
