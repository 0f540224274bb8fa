// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/work_gate.h"
#include "model/session/hub.h"
#include "services/study/study_index.h"
#include "services/study/study_log.h"
#include "services/study/study_service.h"

namespace parley::study {

// True for an owner whose studies are meant. Any thread.
using OwnerFilter = std::function<bool(std::string_view owner)>;

struct StudyOptions {
  std::string data_dir;    // logs go to DATA/logs/study, the list to DATA/studies.db
  bool write_logs = true;  // false: records are events only
  LogFiles log_files = LogFiles::whole;
  bool keep_records = true;  // false: only study.opened and study.closed are stored
  std::string vfs;           // SQLite's VFS for studies.db; empty: the default one
  // Opens the list instead; empty: DATA/studies.db.
  std::function<core::Result<std::unique_ptr<StudyIndex>>(StudyIndex::Access)> open_list = {};
  SyncFile sync_file = sync_file_data;  // syncs the logs
  // Time for which records are gathered into one commit, so that a burst of calls and results costs
  // few commits; 0: until the end of the turn. kill -9 loses gathered records.
  core::Millis gather{0};
  core::Millis abandon_after = std::chrono::minutes(30);
  std::uint64_t max_records = 1'000'000;    // per study; 0: no limit
  std::uint64_t max_bytes = 256ULL << 20U;  // payloads per study; 0: no limit
  // Limit (Studies): participants of a study of the kit. Reached: `resource_exhausted`.
  std::uint64_t max_participants = 100'000;  // participants with an assignment, per study of a kit
  core::WorkGate* gate = nullptr;  // consulted before a study is opened; null: always open
  // Limit (Studies): open study sessions of a token. Reached: the oldest without a recording client
  // is ended as `abandoned`; if there is none `resource_exhausted`.
  std::size_t max_open = 1'000;  // open studies per owner, see below
  // In a cluster: the owners whose home this node is now. Null: all.
  OwnerFilter is_home = nullptr;
};

// Studies over the hub's sessions and the event store, with a list in SQLite. One thread writes
// files and list, another one reads logs, so that no shard waits for the disk. At its start the
// service completes the list and the files of open studies from the event store.
//
// An open study that has no recorder for `abandon_after` is ended with the reason "abandoned" and
// cannot be resumed; a restart does not reset this time.
//
// If an owner has `max_open` open studies, opening another one ends the oldest of those without a
// recorder, with the reason "abandoned"; if all have a recorder, opening is refused.
//
// In a cluster the service completes and ends studies of owners whose home this node is.
class SqliteStudyService final : public StudyService {
 public:
  // The arguments must outlive the service. Destroy it after the shards have stopped and the event
  // store is closed, but before the hub is destroyed. Errors: those of the database.
  static core::Result<std::unique_ptr<SqliteStudyService>> open(const StudyOptions& options,
                                                                session::Hub& hub,
                                                                event::SessionStore& store,
                                                                const core::Clock& clock);
  // For tests: the caller supplies the two threads as `writes` and `reads`.
  static core::Result<std::unique_ptr<SqliteStudyService>> open(const StudyOptions& options,
                                                                session::Hub& hub,
                                                                event::SessionStore& store,
                                                                core::Scheduler& writes,
                                                                core::Scheduler& reads);
  ~SqliteStudyService() override;  // stop()

  // This node has become the home of these owners and does not serve them yet: completes their open
  // studies, as at the start. Any thread; `done` on another.
  void take_up(OwnerFilter owners, core::Task done);
  // Posts tasks to the shards that pass gathered records to the store; does not wait. Call before
  // the store is closed. Any thread.
  void write_out();
  // Writes and syncs pending lines, and ends the threads. Call after the shards and the event store
  // have stopped.
  void stop();

  void open(StudyStart start, core::Scheduler& scheduler,
            Done<std::unique_ptr<Recorder>> done) override;
  void resume(std::string owner, std::string relay_session, core::Scheduler& scheduler,
              Done<std::unique_ptr<Recorder>> done) override;
  void close(std::unique_ptr<Recorder> recorder, StudyEnd end, Done<Study> done) override;
  void find(std::string owner, std::string id, core::Scheduler& scheduler,
            Done<Study> done) override;

  void search(StudyQuery query, core::Scheduler& scheduler, Done<StudyPage> done) override;
  void summarize(StudyQuery query, core::Scheduler& scheduler, Done<SummaryPage> done) override;
  void read_log(std::string owner, std::string id, LogPosition from, core::Scheduler& scheduler,
                Done<LogPart> done) override;
  void tool_calls(std::string owner, std::string id, core::Scheduler& scheduler,
                  Done<std::string> done) override;
  void verify(std::string owner, std::string id, core::Scheduler& scheduler,
              Done<VerifyReport> done) override;
  void assign(AssignmentRequest request, core::Scheduler& scheduler,
              Done<AssignedParticipant> done) override;

  const LogCounters& counters() const;

  struct Impl;  // public for the tasks of its threads

 private:
  explicit SqliteStudyService(std::shared_ptr<Impl> impl);

  std::shared_ptr<Impl> impl_;
};

}  // namespace parley::study
