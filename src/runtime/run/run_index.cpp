// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run_index.h"

#include <algorithm>
#include <utility>

#include "base/core/result.h"
#include "base/sql/opening.h"
#include "base/sql/transaction.h"
#include "model/event/home_fence.h"
#include "model/event/session_store.h"

namespace parley::run {
namespace {

using core::Code;
using core::Result;
using sql::Database;
using sql::Statement;

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
    // Numbered in the order of choosing: the oldest are dropped.
    "CREATE TABLE numbered_models (number INTEGER PRIMARY KEY, owner TEXT NOT NULL,"
    " session TEXT NOT NULL, model TEXT NOT NULL, UNIQUE (owner, session)) STRICT;"
    "INSERT INTO numbered_models (owner, session, model)"
    " SELECT owner, session, model FROM chosen_models ORDER BY rowid;"
    "DROP TABLE chosen_models;"
    "ALTER TABLE numbered_models RENAME TO chosen_models;"
    "CREATE INDEX chosen_models_by_owner ON chosen_models (owner, number);",
};
constexpr sql::Schema kSchema{.steps = kSteps};

// One row per session, newest run first; the conditions of a query go between the two parts. The
// texts are looked up for the rows of the page alone.
constexpr const char* kSessionColumns =
    "WITH page AS (SELECT session, count(*) AS runs, min(started_at) AS began,"
    " max(coalesce(ended_at, started_at)) AS changed, max(number) AS newest"
    " FROM runs WHERE owner = ?1 ";
constexpr const char* kSessionOrder =
    " ORDER BY max(number) DESC LIMIT ?3)"
    " SELECT session, runs, began, changed,"
    " (SELECT message FROM runs AS r WHERE r.session = page.session ORDER BY number LIMIT 1),"
    " (SELECT reply FROM runs AS r WHERE r.session = page.session AND reply <> ''"
    "  ORDER BY number DESC LIMIT 1),"
    " (SELECT forked_from FROM runs AS r WHERE r.number = page.newest)"
    " FROM page ORDER BY newest DESC";

constexpr const char* kColumns =
    "SELECT id, session, owner, agent, kind, model, message, working_folder, forked_from, state,"
    " started_at, ended_at, first_seq, last_seq, steps, reply, error, prompt_tokens,"
    " completion_tokens, total_tokens, approvals, each_values, dry, lost_numbers FROM runs ";

Run run_of(const Statement& row) {
  Run run;
  run.id = row.string(0);
  run.session = row.string(1);
  run.owner = row.string(2);
  run.agent = row.string(3);
  run.kind = row.string(4);
  run.model = row.string(5);
  run.message = row.string(6);
  run.working_folder = row.string(7);
  run.forked_from = row.string(8);
  run.state = state_from_name(row.text(9)).value_or(RunState::failed);
  run.started_at = row.time(10);
  run.ended_at = row.optional_time(11);
  run.first_seq = row.number(12);
  run.last_seq = row.number(13);
  run.steps = row.number(14);
  run.reply = row.string(15);
  run.error = row.string(16);
  if (!row.is_null(17)) run.usage = runtime::Usage{row.number(17), row.number(18), row.number(19)};
  run.approvals = tool::approval_from_name(row.text(20));
  run.values_each_node = row.flag(21);
  run.dry = row.flag(22);
  run.lost_numbers = row.flag(23);
  return run;
}

RunSession session_of(const Statement& row) {
  RunSession session;
  session.id = row.string(0);
  session.runs = row.number(1);
  session.created_at = row.time(2);
  session.last_updated = row.time(3);
  session.first_user_message = row.string(4);
  if (!row.is_null(5)) session.last_reply = row.string(5);
  session.latest_source = row.text(6).empty() ? kSourceInput : kSourceFork;
  return session;
}

std::string select(const char* rest) { return std::string(kColumns) + rest; }

// A count of tokens, NULL for a run without usage.
std::optional<std::uint64_t> tokens(const Run& run, std::uint64_t runtime::Usage::*count) {
  return run.usage ? std::optional(*run.usage.*count) : std::nullopt;
}

// A page of at most `limit` of the rows, of which one more was read if there are more.
template <typename Page, typename T>
Result<Page> page_of(Result<std::vector<T>> rows, std::size_t limit) {
  if (!rows) return core::fail(std::move(rows.error()));
  Page page{std::move(*rows), false};
  auto& [all, more] = page;
  more = all.size() > limit;
  if (more) all.pop_back();
  return page;
}

class SqlRunIndex final : public RunIndex {
 public:
  explicit SqlRunIndex(sql::Database database) : database_(std::move(database)) {}

  Result<void> insert(const Run& run, event::HomeEpoch home) override {
    return at_home(run, home, [&] { return add(run); });
  }

  Result<void> update(const Run& run, event::HomeEpoch home) override {
    return at_home(run, home, [&] { return change(run); });
  }

  Result<std::optional<Run>> find(std::string_view id) override {
    return database_.first(select("WHERE id = ?1"), run_of, id);
  }

  Result<std::optional<Run>> last_of(std::string_view session) override {
    return database_.first(select("WHERE session = ?1 ORDER BY"
                                  " ended_at IS NOT NULL AND first_seq = 0, number DESC LIMIT 1"),
                           run_of, session);
  }

  Result<RunPage> search(const RunQuery& query) override {
    const std::size_t limit = std::clamp<std::size_t>(query.limit, 1, kMaxRunsPage);
    std::string sql = select("WHERE owner = ?1");
    if (!query.session.empty()) sql += " AND session = ?2";
    if (query.state) sql += " AND state = ?3";
    if (!query.before.empty())
      sql += " AND number < (SELECT number FROM runs WHERE id = ?4 AND owner = ?1)";
    sql += " ORDER BY number DESC LIMIT ?5";
    return page_of<RunPage>(
        database_.rows(sql, run_of, query.owner, query.session,
                       query.state ? state_name(*query.state) : std::string_view(), query.before,
                       limit + 1),
        limit);
  }

  Result<RunSessionPage> sessions(const RunSessionQuery& query) override {
    const std::size_t limit = std::clamp<std::size_t>(query.limit, 1, kMaxSessionsPage);
    std::string sql = std::string(kSessionColumns) + "GROUP BY session";
    if (!query.before.empty()) {
      sql +=
          " HAVING max(number) < (SELECT max(number) FROM runs WHERE session = ?2 AND owner = ?1)";
    }
    return page_of<RunSessionPage>(
        database_.rows(sql.append(kSessionOrder), session_of, query.owner, query.before, limit + 1),
        limit);
  }

  Result<std::optional<RunSession>> session(std::string_view owner,
                                            std::string_view session) override {
    const std::string sql = std::string(kSessionColumns)
                                .append("AND session = ?2 GROUP BY session")
                                .append(kSessionOrder);
    return database_.first(sql, session_of, owner, session, 1);
  }

  Result<void> remove_session(std::string_view owner, std::string_view session) override {
    Result<void> done = drop_recorded_tools(session);
    for (const char* sql : {"DELETE FROM chosen_models WHERE owner = ?1 AND session = ?2",
                            "DELETE FROM runs WHERE owner = ?1 AND session = ?2"}) {
      if (done) done = database_.run(sql, owner, session);
    }
    return done;
  }

  Result<std::vector<Run>> unfinished() override {
    return database_.rows(
        select("WHERE ended_at IS NULL AND state IN ('running', 'waiting') ORDER BY number"),
        run_of);
  }

  Result<std::string> recorded_tools(std::string_view run_id) override {
    return first_text("SELECT tools FROM kept_tools WHERE run = ?1", run_id);
  }

  Result<void> keep_tools(const Run& run, std::string_view tools, event::HomeEpoch home) override {
    return at_home(run, home, [&] {
      return database_.run(
          "INSERT INTO kept_tools (session, run, tools) VALUES (?1, ?2, ?3)"
          " ON CONFLICT (session) DO UPDATE SET run = excluded.run, tools = excluded.tools",
          run.session, run.id, tools);
    });
  }

  Result<std::string> session_model(std::string_view owner, std::string_view session) override {
    return first_text("SELECT model FROM chosen_models WHERE owner = ?1 AND session = ?2", owner,
                      session);
  }

  // A model chosen again becomes the newest.
  Result<void> set_session_model(std::string_view owner, std::string_view session,
                                 std::string_view model) override {
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
    Result<void> done = database_.run("DELETE FROM chosen_models WHERE owner = ?1 AND session = ?2",
                                      owner, session);
    if (done) {
      done = database_.run("INSERT INTO chosen_models (owner, session, model) VALUES (?1, ?2, ?3)",
                           owner, session, model);
    }
    if (done) {
      done = database_.run(
          "DELETE FROM chosen_models WHERE owner = ?1 AND number <= (SELECT number FROM "
          "chosen_models WHERE owner = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)",
          owner, kMaxChosenModels);
    }
    return done ? transaction.commit() : done;
  }

 private:
  // Calls `write` if this node is the home of the run's owner, which stays so until it is stored.
  template <typename Write>
  Result<void> at_home(const Run& run, event::HomeEpoch home, Write write) {
    if (home == event::kNoHome) return core::fail(event::owned_elsewhere());
    if (database_.engine() == sql::Engine::sqlite) return write();
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
    PARLEY_TRY_VOID(event::share_home(database_, run.owner, home));
    PARLEY_TRY_VOID(write());
    return transaction.commit();
  }

  Result<void> add(const Run& run) {
    PARLEY_TRY(const std::optional<Run> same, find(run.id));
    if (same) {
      return core::fail(Code::already_exists,
                        "A run with this id already exists. Choose another id.", "run_id");
    }
    const Result<void> done = database_.run(
        "INSERT INTO runs (id, session, owner, agent, kind, message, working_folder, forked_from,"
        " started_at, state, ended_at, first_seq, last_seq, steps, reply, error, model,"
        " prompt_tokens, completion_tokens, total_tokens, approvals, each_values, dry,"
        " lost_numbers)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,"
        " ?19, ?20, ?21, ?22, ?23, ?24)",
        run.id, run.session, run.owner, run.agent, run.kind, run.message, run.working_folder,
        run.forked_from, run.started_at, state_name(run.state), run.ended_at, run.first_seq,
        run.last_seq, run.steps, run.reply, run.error, run.model,
        tokens(run, &runtime::Usage::prompt_tokens),
        tokens(run, &runtime::Usage::completion_tokens), tokens(run, &runtime::Usage::total_tokens),
        run.approvals ? tool::approval_name(*run.approvals) : std::string_view(),
        run.values_each_node, run.dry, run.lost_numbers);
    // This is now the last run of the session: no earlier one can be resumed.
    return done && !run.ended_at ? drop_recorded_tools(run.session) : done;
  }

  Result<void> change(const Run& run) {
    const Result<void> done = database_.run(
        "UPDATE runs SET state = ?2, ended_at = ?3, first_seq = ?4, last_seq = ?5, steps = ?6,"
        " reply = ?7, error = ?8, model = ?9, prompt_tokens = ?10, completion_tokens = ?11,"
        " total_tokens = ?12, lost_numbers = ?13 WHERE id = ?1",
        run.id, state_name(run.state), run.ended_at, run.first_seq, run.last_seq, run.steps,
        run.reply, run.error, run.model, tokens(run, &runtime::Usage::prompt_tokens),
        tokens(run, &runtime::Usage::completion_tokens), tokens(run, &runtime::Usage::total_tokens),
        run.lost_numbers);
    const bool over = run.state == RunState::finished;
    return done && over ? drop_recorded_tools(run.session) : done;
  }

  // The first column of the first row; empty: no row.
  template <typename... Values>
  Result<std::string> first_text(std::string_view sql, const Values&... values) {
    auto text = database_.first(
        sql, [](const Statement& row) { return row.string(0); }, values...);
    if (!text) return core::fail(std::move(text.error()));
    return std::move(*text).value_or("");
  }

  Result<void> drop_recorded_tools(std::string_view session) {
    return database_.run("DELETE FROM kept_tools WHERE session = ?1", session);
  }

  sql::Database database_;
};

}  // namespace

Result<std::unique_ptr<RunIndex>> RunIndex::open(const sql::StorePlace& place,
                                                 const std::string& vfs) {
  PARLEY_TRY(Database database,
             sql::open_store(place, "runs", kSchema,
                             {.vfs = vfs, .durability = sql::Durability::process}));
  return std::unique_ptr<RunIndex>(new SqlRunIndex(std::move(database)));
}

const sql::Schema& RunIndex::schema() { return kSchema; }

}  // namespace parley::run
