// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "runtime/run/run.h"
#include "sql/database.h"
#include "sql/migration.h"

namespace parley::run {

// Limit of the runs in one page of a list.
inline constexpr std::size_t kMaxRunsPage = 500;

// Limit of the sessions in one page of a list: each costs two reads of the event store.
inline constexpr std::size_t kMaxSessionsPage = 200;

// Limit of the models that one token has chosen for its sessions.
inline constexpr std::size_t kMaxChosenModels = 10'000;

// The list of runs, DATA/runs.db. The content of the runs is in the event store; this list finds
// it. Survives kill -9; a power loss may cost the newest rows. Synchronous; used on one thread.
// Errors: those of sql::Database.
class RunIndex {
 public:
  static sql::FileKind file_kind();
  // Creates the file if it is missing. Errors: also those of sql::file_version().
  static core::Result<RunIndex> open(const std::string& path, const std::string& vfs = {});

  // Errors: `already_exists`, field "run_id".
  core::Result<void> insert(const Run& run);
  // Stores all columns that change during a run and at its end.
  core::Result<void> update(const Run& run);
  core::Result<std::optional<Run>> find(std::string_view id);
  core::Result<RunPage> search(const RunQuery& query);
  // Runs without an end: live ones, and those that were live when the process ended.
  core::Result<std::vector<Run>> unfinished();
  // The sessions as far as the list knows them: all members but those of checkpoints.
  // `latest_source` is that of a run that has only begun.
  core::Result<RunSessionPage> sessions(const RunSessionQuery& query);
  core::Result<std::optional<RunSession>> session(std::string_view owner, std::string_view session);
  // Removes the runs of a session from the list, and the model that its owner chose for it.
  core::Result<void> remove_session(std::string_view owner, std::string_view session);
  // The newest run of a session.
  core::Result<std::optional<Run>> last_of(std::string_view session);

  // The model that `owner` chose for a session's next runs; empty: none. Beyond kMaxChosenModels
  // the oldest choice is removed.
  core::Result<std::string> session_model(std::string_view owner, std::string_view session);
  // The tools of a run besides the server's (kept_tools.h); empty: none. Stored for the last run of
  // a session, until it has finished.
  core::Result<std::string> kept_tools(std::string_view run_id);
  core::Result<void> keep_tools(const Run& run, std::string_view tools);
  core::Result<void> set_session_model(std::string_view owner, std::string_view session,
                                       std::string_view model);

 private:
  explicit RunIndex(sql::Database database) : database_(std::move(database)) {}

  core::Result<void> drop_kept_tools(std::string_view session);
  // The first column of the first row; empty: no row.
  template <typename... Values>
  core::Result<std::string> first_text(std::string_view sql, const Values&... values);

  sql::Database database_;
};

}  // namespace parley::run
