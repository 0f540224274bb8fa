// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run_index.h"

#include <algorithm>
#include <utility>

#include "sql/opening.h"

namespace parley::run {

using core::Code;
using core::Result;
using sql::Database;
using sql::Statement;

namespace {

// Step i migrates version i to version i + 1. A released step is never changed.
constexpr const char* kSteps[] = {
    "CREATE TABLE runs (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
    " session TEXT NOT NULL, owner TEXT NOT NULL, agent TEXT NOT NULL, kind TEXT NOT NULL,"
    " model TEXT NOT NULL, message TEXT NOT NULL, working_folder TEXT NOT NULL,"
    " forked_from TEXT NOT NULL, state TEXT NOT NULL, started_at INTEGER NOT NULL,"
    " ended_at INTEGER, first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL,"
    " steps INTEGER NOT NULL, reply TEXT NOT NULL, error TEXT NOT NULL,"
    " prompt_tokens INTEGER, completion_tokens INTEGER, total_tokens INTEGER) STRICT;"
    "CREATE INDEX runs_by_owner ON runs (owner, number);"
    "CREATE INDEX runs_by_session ON runs (session, number);"
    "CREATE INDEX runs_unfinished ON runs (number) WHERE ended_at IS NULL;"
    "CREATE TABLE session_models (session TEXT PRIMARY KEY, model TEXT NOT NULL) STRICT;",
    // These parameters of a run also apply when it is resumed.
    "ALTER TABLE runs ADD COLUMN approvals TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE runs ADD COLUMN each_values INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE runs ADD COLUMN dry INTEGER NOT NULL DEFAULT 0;",
    // 1 if numbers were used by events that are not stored.
    "ALTER TABLE runs ADD COLUMN lost_numbers INTEGER NOT NULL DEFAULT 0;",
    // A token can choose a model for its session before the session exists.
    "CREATE TABLE chosen_models (owner TEXT NOT NULL, session TEXT NOT NULL, model TEXT NOT NULL,"
    " PRIMARY KEY (owner, session)) STRICT;"
    "INSERT INTO chosen_models SELECT DISTINCT runs.owner, runs.session, session_models.model"
    " FROM session_models JOIN runs ON runs.session = session_models.session;"
    "DROP TABLE session_models;",
    // The tools of a run besides the server's, for a resume.
    R"(CREATE TABLE kept_tools (session TEXT PRIMARY KEY, run TEXT NOT NULL,
        tools TEXT NOT NULL) STRICT;)",
};
constexpr sql::Schema kSchema{.steps = kSteps};

// One row per session, newest run first; the conditions of a query go between the two parts.
constexpr std::string_view kSessionColumns =
    "SELECT session, count(*), min(started_at), max(coalesce(ended_at, started_at)),"
    " (SELECT message FROM runs AS r WHERE r.session = runs.session ORDER BY number LIMIT 1),"
    " (SELECT reply FROM runs AS r WHERE r.session = runs.session AND reply <> ''"
    "  ORDER BY number DESC LIMIT 1),"
    " (SELECT forked_from FROM runs AS r WHERE r.session = runs.session"
    "  ORDER BY number DESC LIMIT 1)"
    " FROM runs WHERE owner = ?1 ";
constexpr std::string_view kSessionOrder = " ORDER BY max(number) DESC LIMIT ?3";

constexpr std::string_view kColumns =
    "SELECT id, session, owner, agent, kind, model, message, working_folder, forked_from, state,"
    " started_at, ended_at, first_seq, last_seq, steps, reply, error, prompt_tokens,"
    " completion_tokens, total_tokens, approvals, each_values, dry, lost_numbers FROM runs ";

std::string text_of(const Statement& row, int column) { return std::string(row.text(column)); }

Run run_of(const Statement& row) {
  Run run;
  run.id = text_of(row, 0);
  run.session = text_of(row, 1);
  run.owner = text_of(row, 2);
  run.agent = text_of(row, 3);
  run.kind = text_of(row, 4);
  run.model = text_of(row, 5);
  run.message = text_of(row, 6);
  run.working_folder = text_of(row, 7);
  run.forked_from = text_of(row, 8);
  run.state = state_from_name(row.text(9)).value_or(RunState::failed);
  run.started_at = core::from_unix_ms(row.integer(10));
  if (!row.is_null(11)) run.ended_at = core::from_unix_ms(row.integer(11));
  run.first_seq = row.number(12);
  run.last_seq = row.number(13);
  run.steps = row.number(14);
  run.reply = text_of(row, 15);
  run.error = text_of(row, 16);
  if (!row.is_null(17)) run.usage = runtime::Usage{row.number(17), row.number(18), row.number(19)};
  run.approvals = tool::approval_from_name(row.text(20));
  run.values_each_node = row.integer(21) != 0;
  run.dry = row.integer(22) != 0;
  run.lost_numbers = row.integer(23) != 0;
  return run;
}

// Binds the parameters from `at` on that insert() and update() share.
void bind_changing(Statement& statement, int at, const Run& run) {
  statement.bind(at, state_name(run.state));
  if (run.ended_at) {
    statement.bind(at + 1, core::to_unix_ms(*run.ended_at));
  } else {
    statement.bind_null(at + 1);
  }
  statement.bind(at + 2, run.first_seq).bind(at + 3, run.last_seq).bind(at + 4, run.steps);
  statement.bind(at + 5, run.reply).bind(at + 6, run.error).bind(at + 7, run.model);
  if (run.usage) {
    statement.bind(at + 8, run.usage->prompt_tokens).bind(at + 9, run.usage->completion_tokens);
    statement.bind(at + 10, run.usage->total_tokens);
  } else {
    statement.bind_null(at + 8).bind_null(at + 9).bind_null(at + 10);
  }
}

}  // namespace

Result<RunIndex> RunIndex::open(const std::string& path, const std::string& vfs) {
  Result<Database> database =
      sql::open_file(path, kSchema, {.vfs = vfs, .durability = sql::Durability::process});
  if (!database) return core::fail(std::move(database.error()));
  return RunIndex(std::move(*database));
}

sql::FileKind RunIndex::file_kind() { return kSchema.kind(); }

Result<void> RunIndex::insert(const Run& run) {
  const Result<std::optional<Run>> same = find(run.id);
  if (!same) return core::fail(same.error());
  if (*same) {
    return core::fail(Code::already_exists, "There is a run with this id. Choose another one.",
                      "run_id");
  }
  Result<Statement> insert = database_.prepare(
      "INSERT INTO runs (id, session, owner, agent, kind, message, working_folder, forked_from,"
      " started_at, state, ended_at, first_seq, last_seq, steps, reply, error, model,"
      " prompt_tokens, completion_tokens, total_tokens, approvals, each_values, dry,"
      " lost_numbers)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,"
      " ?19, ?20, ?21, ?22, ?23, ?24)");
  if (!insert) return core::fail(insert.error());
  insert->bind(1, run.id).bind(2, run.session).bind(3, run.owner).bind(4, run.agent);
  insert->bind(5, run.kind).bind(6, run.message).bind(7, run.working_folder);
  insert->bind(8, run.forked_from).bind(9, core::to_unix_ms(run.started_at));
  bind_changing(*insert, 10, run);
  insert->bind(21, run.approvals ? tool::approval_name(*run.approvals) : std::string_view());
  insert->bind(22, run.values_each_node ? 1 : 0).bind(23, run.dry ? 1 : 0);
  insert->bind(24, run.lost_numbers ? 1 : 0);
  const Result<void> done = insert->run();
  // This is now the last run of the session: no earlier one can be resumed.
  return done ? drop_kept_tools(run.session) : done;
}

Result<void> RunIndex::update(const Run& run) {
  Result<Statement> update = database_.prepare(
      "UPDATE runs SET state = ?2, ended_at = ?3, first_seq = ?4, last_seq = ?5, steps = ?6,"
      " reply = ?7, error = ?8, model = ?9, prompt_tokens = ?10, completion_tokens = ?11,"
      " total_tokens = ?12, lost_numbers = ?13 WHERE id = ?1");
  if (!update) return core::fail(update.error());
  update->bind(1, run.id);
  bind_changing(*update, 2, run);
  update->bind(13, run.lost_numbers ? 1 : 0);
  const Result<void> done = update->run();
  const bool over = run.state == RunState::finished;
  return done && over ? drop_kept_tools(run.session) : done;
}

Result<std::optional<Run>> RunIndex::find(std::string_view id) {
  Result<Statement> query = database_.prepare(std::string(kColumns) + "WHERE id = ?1");
  if (!query) return core::fail(query.error());
  query->bind(1, id);
  return read_one(*query);
}

Result<std::optional<Run>> RunIndex::last_of(std::string_view session) {
  Result<Statement> query =
      database_.prepare(std::string(kColumns) + "WHERE session = ?1 ORDER BY number DESC LIMIT 1");
  if (!query) return core::fail(query.error());
  query->bind(1, session);
  return read_one(*query);
}

Result<RunPage> RunIndex::search(const RunQuery& query) {
  const std::size_t limit = std::clamp<std::size_t>(query.limit, 1, kMaxRunsPage);
  std::string sql = std::string(kColumns) + "WHERE owner = ?1";
  if (!query.session.empty()) sql += " AND session = ?2";
  if (query.state) sql += " AND state = ?3";
  if (!query.before.empty())
    sql += " AND number < (SELECT number FROM runs WHERE id = ?4 AND owner = ?1)";
  sql += " ORDER BY number DESC LIMIT ?5";
  Result<Statement> rows = database_.prepare(sql);
  if (!rows) return core::fail(rows.error());
  rows->bind(1, query.owner);
  if (!query.session.empty()) rows->bind(2, query.session);
  if (query.state) rows->bind(3, state_name(*query.state));
  if (!query.before.empty()) rows->bind(4, query.before);
  rows->bind(5, static_cast<std::uint64_t>(limit + 1));
  Result<std::vector<Run>> runs = read_all(*rows);
  if (!runs) return core::fail(std::move(runs.error()));
  RunPage page{std::move(*runs), false};
  page.more = page.runs.size() > limit;
  if (page.more) page.runs.pop_back();
  return page;
}

Result<RunSessionPage> RunIndex::sessions(const RunSessionQuery& query) {
  const std::size_t limit = std::clamp<std::size_t>(query.limit, 1, kMaxSessionsPage);
  std::string sql = std::string(kSessionColumns) + "GROUP BY session";
  if (!query.before.empty()) {
    sql += " HAVING max(number) < (SELECT max(number) FROM runs WHERE session = ?2 AND owner = ?1)";
  }
  Result<Statement> rows = database_.prepare(sql.append(kSessionOrder));
  if (!rows) return core::fail(rows.error());
  rows->bind(1, query.owner);
  if (!query.before.empty()) rows->bind(2, query.before);
  rows->bind(3, static_cast<std::uint64_t>(limit + 1));
  Result<std::vector<RunSession>> sessions = read_sessions(*rows);
  if (!sessions) return core::fail(std::move(sessions.error()));
  RunSessionPage page{std::move(*sessions), false};
  page.more = page.sessions.size() > limit;
  if (page.more) page.sessions.pop_back();
  return page;
}

Result<std::optional<RunSession>> RunIndex::session(std::string_view owner,
                                                    std::string_view session) {
  const std::string sql = std::string(kSessionColumns)
                              .append("AND session = ?2 GROUP BY session")
                              .append(kSessionOrder);
  Result<Statement> row = database_.prepare(sql);
  if (!row) return core::fail(row.error());
  row->bind(1, owner).bind(2, session).bind(3, 1);
  Result<std::vector<RunSession>> found = read_sessions(*row);
  if (!found) return core::fail(std::move(found.error()));
  return found->empty() ? std::nullopt : std::optional(std::move(found->front()));
}

Result<std::vector<RunSession>> RunIndex::read_sessions(Statement& query) {
  std::vector<RunSession> out;
  while (true) {
    const Result<bool> row = query.step();
    if (!row) return core::fail(row.error());
    if (!*row) return out;
    RunSession session;
    session.id = text_of(query, 0);
    session.runs = query.number(1);
    session.created_at = core::from_unix_ms(query.integer(2));
    session.last_updated = core::from_unix_ms(query.integer(3));
    session.first_user_message = text_of(query, 4);
    if (!query.is_null(5)) session.last_reply = text_of(query, 5);
    session.latest_source = query.text(6).empty() ? kSourceInput : kSourceFork;
    out.push_back(std::move(session));
  }
}

Result<void> RunIndex::remove_session(std::string_view owner, std::string_view session) {
  for (const char* sql : {"DELETE FROM kept_tools WHERE session = ?2",
                          "DELETE FROM chosen_models WHERE owner = ?1 AND session = ?2",
                          "DELETE FROM runs WHERE owner = ?1 AND session = ?2"}) {
    Result<Statement> statement = database_.prepare(sql);
    if (!statement) return core::fail(statement.error());
    Result<void> done = statement->bind(1, owner).bind(2, session).run();
    if (!done) return done;
  }
  return {};
}

Result<std::vector<Run>> RunIndex::unfinished() {
  Result<Statement> query = database_.prepare(
      std::string(kColumns) +
      "WHERE ended_at IS NULL AND state IN ('running', 'waiting') ORDER BY number");
  if (!query) return core::fail(query.error());
  return read_all(*query);
}

Result<std::string> RunIndex::kept_tools(std::string_view run_id) {
  Result<Statement> query = database_.prepare("SELECT tools FROM kept_tools WHERE run = ?1");
  if (!query) return core::fail(query.error());
  const Result<bool> row = query->bind(1, run_id).step();
  if (!row) return core::fail(row.error());
  return *row ? text_of(*query, 0) : std::string();
}

Result<void> RunIndex::keep_tools(const Run& run, std::string_view tools) {
  Result<Statement> put = database_.prepare(
      "INSERT OR REPLACE INTO kept_tools (session, run, tools) VALUES (?1, ?2, ?3)");
  if (!put) return core::fail(put.error());
  return put->bind(1, run.session).bind(2, run.id).bind(3, tools).run();
}

Result<void> RunIndex::drop_kept_tools(std::string_view session) {
  Result<Statement> drop = database_.prepare("DELETE FROM kept_tools WHERE session = ?1");
  if (!drop) return core::fail(drop.error());
  return drop->bind(1, session).run();
}

Result<std::string> RunIndex::session_model(std::string_view owner, std::string_view session) {
  Result<Statement> query =
      database_.prepare("SELECT model FROM chosen_models WHERE owner = ?1 AND session = ?2");
  if (!query) return core::fail(query.error());
  const Result<bool> row = query->bind(1, owner).bind(2, session).step();
  if (!row) return core::fail(row.error());
  return *row ? text_of(*query, 0) : std::string();
}

Result<void> RunIndex::set_session_model(std::string_view owner, std::string_view session,
                                         std::string_view model) {
  Result<Statement> put = database_.prepare(
      "INSERT OR REPLACE INTO chosen_models (owner, session, model) VALUES (?1, ?2, ?3)");
  if (!put) return core::fail(put.error());
  Result<void> done = put->bind(1, owner).bind(2, session).bind(3, model).run();
  if (!done) return done;
  Result<Statement> prune = database_.prepare(
      "DELETE FROM chosen_models WHERE owner = ?1 AND rowid IN (SELECT rowid FROM chosen_models"
      " WHERE owner = ?1 ORDER BY rowid DESC LIMIT -1 OFFSET ?2)");
  if (!prune) return core::fail(prune.error());
  return prune->bind(1, owner).bind(2, kMaxChosenModels).run();
}

Result<std::vector<Run>> RunIndex::read_all(Statement& query) {
  std::vector<Run> runs;
  while (true) {
    const Result<bool> row = query.step();
    if (!row) return core::fail(row.error());
    if (!*row) return runs;
    runs.push_back(run_of(query));
  }
}

Result<std::optional<Run>> RunIndex::read_one(Statement& query) {
  const Result<bool> row = query.step();
  if (!row) return core::fail(row.error());
  return *row ? std::optional(run_of(query)) : std::nullopt;
}

}  // namespace parley::run
