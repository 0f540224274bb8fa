// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/sql/migration.h"
#include "base/sql/store_place.h"
#include "runtime/run/run.h"

namespace parley::run {

// Limit of the runs in one page of a list.
inline constexpr std::size_t kMaxRunsPage = 500;

// Limit of the sessions in one page of a list: each costs two reads of the event store.
// Limit (Runs): sessions in a page of `/v1/run-sessions`. Reached: the rest is in the next page.
inline constexpr std::size_t kMaxSessionsPage = 200;

// Limit of the models that one token has chosen for its sessions.
// Limit (Runs): models that one token has chosen for its sessions. Reached: the oldest choice is
// forgotten.
inline constexpr std::size_t kMaxChosenModels = 10'000;

// The list of runs, DATA/runs.db. The content of the runs is in the event store; this list finds
// it. Survives kill -9; a power loss may cost the newest rows. Synchronous; used on one thread.
// Errors: those of sql::Database.
class RunIndex {
 public:
  static const sql::Schema& schema();
  // Creates the file if it is missing. Errors: also those of sql::file_version().
  static core::Result<std::unique_ptr<RunIndex>> open(const sql::StorePlace& place,
                                                      const std::string& vfs = {});
  virtual ~RunIndex() = default;

  // A call with `home` stores only while this node is the home of the run's owner under that epoch
  // (SessionStore::home_epoch()), else `owned_elsewhere` with the field event::kHomeField. SQLite,
  // whose one server has every home, refuses kNoHome alone.
  //
  // Errors: `already_exists`, field "run_id".
  virtual core::Result<void> insert(const Run& run, event::HomeEpoch home) = 0;
  // Stores all columns that change during a run and at its end.
  virtual core::Result<void> update(const Run& run, event::HomeEpoch home) = 0;
  virtual core::Result<std::optional<Run>> find(std::string_view id) = 0;
  virtual core::Result<RunPage> search(const RunQuery& query) = 0;
  // Runs without an end: live ones, and those that were live when the process ended.
  virtual core::Result<std::vector<Run>> unfinished() = 0;
  // The sessions as far as the list knows them: all members but those of checkpoints.
  // `latest_source` is that of a run that has only begun.
  virtual core::Result<RunSessionPage> sessions(const RunSessionQuery& query) = 0;
  virtual core::Result<std::optional<RunSession>> session(std::string_view owner,
                                                          std::string_view session) = 0;
  // Removes the runs of a session from the list, and the model that its owner chose for it.
  virtual core::Result<void> remove_session(std::string_view owner, std::string_view session) = 0;
  // The newest run of a session; one that ended before it began only if there is no other.
  virtual core::Result<std::optional<Run>> last_of(std::string_view session) = 0;

  // The model that `owner` chose for a session's next runs; empty: none. Beyond kMaxChosenModels
  // the oldest choice is removed.
  virtual core::Result<std::string> session_model(std::string_view owner,
                                                  std::string_view session) = 0;
  // The tools of a run besides the server's (recorded_tools.h); empty: none. Stored for the last
  // run of a session, until it has finished.
  virtual core::Result<std::string> recorded_tools(std::string_view run_id) = 0;
  virtual core::Result<void> keep_tools(const Run& run, std::string_view tools,
                                        event::HomeEpoch home) = 0;
  virtual core::Result<void> set_session_model(std::string_view owner, std::string_view session,
                                               std::string_view model) = 0;
};

}  // namespace parley::run
