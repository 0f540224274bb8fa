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

// Runs in one page of a list.
inline constexpr std::size_t kMaxRunsPage = 500;

// Sessions in one page of a list: each costs two reads of the event store.
inline constexpr std::size_t kMaxSessionsPage = 200;

// Models that one token has chosen for its sessions.
inline constexpr std::size_t kMaxChosenModels = 10'000;

// The list of runs, DATA/runs.db. What was asked, done and said stands in the event store; this
// finds it. Survives kill -9; a loss of power may cost the newest rows. Synchronous; belongs to one
// thread. Errors: as sql::Database.
class RunIndex {
 public:
  static sql::FileKind file_kind();
  // Makes the file if it is not there. Errors: those of sql::file_version(), too.
  static core::Result<RunIndex> open(const std::string& path, const std::string& vfs = {});

  // Errors: `already_exists`, field "run_id".
  core::Result<void> insert(const Run& run);
  // Everything that changes while it goes on, and at its end.
  core::Result<void> update(const Run& run);
  core::Result<std::optional<Run>> find(std::string_view id);
  core::Result<RunPage> search(const RunQuery& query);
  // Those that go on, or went on when the process ended.
  core::Result<std::vector<Run>> unfinished();
  // What the list knows of sessions: all but their checkpoints. `latest_source` is that of a run
  // that has begun and done no more.
  core::Result<RunSessionPage> sessions(const RunSessionQuery& query);
  core::Result<std::optional<RunSession>> session(std::string_view owner, std::string_view session);
  // Takes the runs of a session out of the list, and what its owner chose for it.
  core::Result<void> remove_session(std::string_view owner, std::string_view session);
  // The newest run of a session.
  core::Result<std::optional<Run>> last_of(std::string_view session);

  // The model that `owner` chose for a session's next runs; empty: none. Over kMaxChosenModels the
  // oldest choice goes.
  core::Result<std::string> session_model(std::string_view owner, std::string_view session);
  // The tools of a run beside the server's (kept_tools.h); empty: none. Kept of the last run
  // of a session, until it has finished.
  core::Result<std::string> kept_tools(std::string_view run_id);
  core::Result<void> keep_tools(const Run& run, std::string_view tools);
  core::Result<void> set_session_model(std::string_view owner, std::string_view session,
                                       std::string_view model);

 private:
  explicit RunIndex(sql::Database database) : database_(std::move(database)) {}

  core::Result<void> drop_kept_tools(std::string_view session);
  core::Result<std::vector<RunSession>> read_sessions(sql::Statement& query);
  core::Result<std::vector<Run>> read_all(sql::Statement& query);
  core::Result<std::optional<Run>> read_one(sql::Statement& query);

  sql::Database database_;
};

}  // namespace parley::run
