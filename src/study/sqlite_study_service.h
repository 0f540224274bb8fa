// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/clock.h"
#include "core/work_gate.h"
#include "session/hub.h"
#include "study/study_archive.h"
#include "study/study_log.h"

namespace parley::study {

struct StudyOptions {
  std::string data_dir;                 // logs go to DATA/logs/study, the list to DATA/studies.db
  bool write_logs = true;               // false: records are events only
  bool keep_records = true;             // false: none but study.opened and study.closed
  std::string vfs;                      // of SQLite, for studies.db; empty: the system's
  SyncFile sync_file = sync_file_data;  // of the logs
  // The time for which records are gathered into one commit, so that a burst of calls and results
  // costs few commits; 0: until the end of the turn. Gathered records are lost by kill -9.
  core::Millis gather{0};
  core::Millis abandon_after = std::chrono::minutes(30);
  std::uint64_t max_records = 1'000'000;     // of one study; 0: any number
  std::uint64_t max_bytes = 256ULL << 20U;   // of the payloads of one study; 0: any number
  std::uint64_t max_participants = 100'000;  // of one study of a kit, that are given a condition
  core::WorkGate* gate = nullptr;            // asked before a study is opened; null: all are
  std::size_t max_open = 1'000;              // open studies of one owner, see below
};

// Studies over the hub's sessions and the event store, listed in SQLite. One thread writes files
// and list, another one reads logs, so no shard waits for a disk. At its start the service
// completes the list and the files of open studies from the event store.
//
// An open study without a recorder for `abandon_after` is ended with the reason "abandoned", also
// across a restart; it cannot be resumed afterwards.
//
// When an owner has `max_open` open studies, opening another one ends the oldest without a
// recorder, with the reason "abandoned"; if all have one, opening is refused.
class SqliteStudyService final : public StudyArchive {
 public:
  // Everything given outlives this. Destroy it after the shards have stopped and the event store is
  // closed, but before the hub is destroyed. Errors: as the database fails.
  static core::Result<std::unique_ptr<SqliteStudyService>> open(const StudyOptions& options,
                                                                session::Hub& hub,
                                                                event::SessionStore& store,
                                                                const core::Clock& clock);
  // With threads of the caller, for tests: `writes` and `reads` stand for the two threads.
  static core::Result<std::unique_ptr<SqliteStudyService>> open(const StudyOptions& options,
                                                                session::Hub& hub,
                                                                event::SessionStore& store,
                                                                core::Scheduler& writes,
                                                                core::Scheduler& reads);
  ~SqliteStudyService() override;  // stop()

  // Posts to the shards that gathered records go to the store; does not wait. Call before the store
  // is closed. Any thread.
  void write_out();
  // Writes and syncs the lines that wait. Call when shards and event store have stopped.
  void stop();

  void open(StudyStart start, core::Scheduler& scheduler,
            Done<std::unique_ptr<Recorder>> done) override;
  void resume(std::string owner, std::string relay_session, core::Scheduler& scheduler,
              Done<std::unique_ptr<Recorder>> done) override;
  void close(std::unique_ptr<Recorder> recorder, StudyEnd end, Done<Study> done) override;
  void list(std::string owner, std::size_t limit, core::Scheduler& scheduler,
            Done<std::vector<Study>> done) override;
  void find(std::string owner, std::string id, core::Scheduler& scheduler,
            Done<Study> done) override;

  void search(StudyQuery query, core::Scheduler& scheduler, Done<StudyPage> done) override;
  void summarize(StudyQuery query, core::Scheduler& scheduler, Done<SummaryPage> done) override;
  void read_log(std::string owner, std::string id, std::uint64_t from, core::Scheduler& scheduler,
                Done<LogPart> done) override;
  void tool_calls(std::string owner, std::string id, core::Scheduler& scheduler,
                  Done<std::string> done) override;
  void verify(std::string owner, std::string id, core::Scheduler& scheduler,
              Done<VerifyReport> done) override;
  void assign(AssignmentRequest request, core::Scheduler& scheduler,
              Done<AssignedParticipant> done) override;

  const LogCounters& counters() const;

  struct Impl;  // known to the tasks of its threads

 private:
  explicit SqliteStudyService(std::shared_ptr<Impl> impl);

  std::shared_ptr<Impl> impl_;
};

}  // namespace parley::study
