// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/search/search_index.h"

#include <algorithm>
#include <utility>

#include "base/core/result.h"
#include "base/sql/database.h"
#include "base/sql/opening.h"
#include "base/sql/text_index.h"
#include "base/sql/transaction.h"

namespace parley::search {
namespace {

using core::Result;
using sql::Database;
using sql::Statement;

constexpr const char* kSteps[] = {R"(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE sessions (session TEXT PRIMARY KEY, seq INTEGER NOT NULL);
CREATE TABLE entries (
  id INTEGER PRIMARY KEY, owner TEXT NOT NULL, session TEXT NOT NULL, seq INTEGER NOT NULL,
  kind INTEGER NOT NULL, state INTEGER NOT NULL, key TEXT NOT NULL, ref TEXT NOT NULL,
  text TEXT NOT NULL, answer TEXT NOT NULL, project TEXT NOT NULL, project_name TEXT NOT NULL,
  agent TEXT NOT NULL, person TEXT NOT NULL, at INTEGER NOT NULL, closed_at INTEGER);
CREATE UNIQUE INDEX entries_place ON entries (session, seq);
CREATE INDEX entries_ref ON entries (session, ref);
CREATE INDEX entries_of_owner ON entries (owner, at, id);
)",
                                  R"(
ALTER TABLE entries ADD COLUMN permission INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entries ADD COLUMN action_agent TEXT NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN action_tool TEXT NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN action_kind INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entries ADD COLUMN subject TEXT NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN verdict INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entries ADD COLUMN channel TEXT NOT NULL DEFAULT '';
CREATE INDEX entries_decided ON entries (owner, at, id) WHERE verdict <> 0;
CREATE INDEX entries_like ON entries (owner, subject, at) WHERE verdict <> 0 AND subject <> '';
-- The entries of before have no verdicts: prepare() makes the index again.
UPDATE meta SET value = '' WHERE key = 'epoch';
)"};
constexpr sql::Schema kSchema{.steps = kSteps};

constexpr const char* kColumns =
    "id, owner, session, seq, kind, state, key, ref, text, answer, project, agent, person, at, "
    "closed_at, permission, action_agent, action_tool, action_kind, subject, verdict, channel";
// Values: ?2 owner, ?3 kinds, ?4 states, ?5 project, ?6 agent, ?7 person, ?8 from, ?9 to, ?10 and
// ?11 the place of the last hit.
constexpr const char* kCondition =
    "owner = ?2 AND (?3 & (1 << CAST(kind AS INTEGER))) <> 0 AND (?4 & (1 << CAST(state AS "
    "INTEGER))) <> 0"
    " AND (?5 = '' OR project = ?5 OR project_name = ?5) AND (?6 = '' OR agent = ?6)"
    " AND (?7 = '' OR person = ?7) AND at >= ?8 AND at < ?9 AND (at < ?10 OR (at = ?10 AND id < "
    "?11))";
// Decided permission prompts. Values: ?1 owner, ?2 subject, ?3 kind and ?4 tool of the like. The
// two are apart so that each has its index.
constexpr const char* kAlike =
    "owner = ?1 AND verdict <> 0 AND subject <> '' AND subject = ?2 AND action_kind = ?3"
    " AND (?3 = 0 OR action_tool = ?4)";
constexpr const char* kDecided = "owner = ?1 AND verdict <> 0 AND ?2 = '' AND ?3 = 0 AND ?4 = ''";
static_assert(static_cast<int>(session::ActionKind::command) == 0);
constexpr const char* kNewestFirst = " ORDER BY at DESC, id DESC LIMIT ?12";

constexpr core::WallTime kAlways = core::WallTime::max();

sql::TextIndex words() { return sql::TextIndex("entry_words"); }

Entry entry_in(const Statement& row) {
  Entry entry;
  entry.id = row.integer(0);
  entry.owner = row.string(1);
  entry.session = row.string(2);
  entry.seq = row.number(3);
  entry.kind = static_cast<Kind>(row.integer(4));
  entry.state = static_cast<State>(row.integer(5));
  entry.key = row.string(6);
  entry.ref = row.string(7);
  entry.text = row.string(8);
  entry.answer = row.string(9);
  entry.project = row.string(10);
  entry.agent = row.string(11);
  entry.person = row.string(12);
  entry.at = row.time(13);
  entry.closed_at = row.optional_time(14);
  entry.is_permission = row.integer(15) != 0;
  if (std::string subject = row.string(19); !subject.empty()) {
    entry.action =
        session::Action{row.string(16), row.string(17),
                        static_cast<session::ActionKind>(row.integer(18)), std::move(subject)};
  }
  entry.verdict = static_cast<Verdict>(row.integer(20));
  entry.channel = row.string(21);
  return entry;
}

std::string name_of(const std::string& project) {
  const std::size_t end = project.find_last_not_of('/');
  if (end == std::string::npos) return project;
  const std::size_t slash = project.rfind('/', end);
  return project.substr(slash == std::string::npos ? 0 : slash + 1, end - slash);
}

std::string indexed_text(const Entry& entry) {
  return entry.text + "\n" + entry.answer + "\n" + name_of(entry.project) + "\n" + entry.agent +
         "\n" + entry.person;
}

class SqlSearchIndex final : public SearchIndex {
 public:
  explicit SqlSearchIndex(Database database) : database_(std::move(database)) {}

  Result<std::uint64_t> position(const std::string& session) override {
    return database_.count("SELECT coalesce(max(seq), 0) FROM sessions WHERE session = ?1",
                           session);
  }

  Result<void> take(const Batch& batch) override {
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
    PARLEY_TRY_VOID(drop("session = ?1 AND seq < ?2", batch.session, batch.first_seq));
    for (const Change& change : batch.changes) {
      if (const auto* entry = std::get_if<Entry>(&change)) {
        PARLEY_TRY_VOID(add(*entry));
      } else if (const auto* end = std::get_if<EntryEnd>(&change)) {
        PARLEY_TRY_VOID(close(batch.session, *end));
      }
    }
    PARLEY_TRY_VOID(
        database_.run("INSERT INTO sessions (session, seq) VALUES (?1, ?2)"
                      " ON CONFLICT (session) DO UPDATE SET seq = excluded.seq",
                      batch.session, batch.to));
    return transaction.commit();
  }

  Result<void> forget(const std::string& session) override {
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
    PARLEY_TRY_VOID(drop("session = ?1", session));
    PARLEY_TRY_VOID(database_.run("DELETE FROM sessions WHERE session = ?1", session));
    return transaction.commit();
  }

  // Makes the tables of words, and empties an index of another epoch.
  Result<void> prepare(const std::string& epoch) {
    PARLEY_TRY_VOID(words().make(database_));
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
    PARLEY_TRY(
        const std::uint64_t same,
        database_.count("SELECT count(*) FROM meta WHERE key = 'epoch' AND value = ?1", epoch));
    if (same > 0) return {};
    PARLEY_TRY_VOID(drop("?1 <> ''", epoch));
    PARLEY_TRY_VOID(database_.run("DELETE FROM sessions"));
    PARLEY_TRY_VOID(
        database_.run("INSERT INTO meta (key, value) VALUES ('epoch', ?1)"
                      " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                      epoch));
    return transaction.commit();
  }

  Result<Page> search(const Query& query) override {
    const std::string expression =
        sql::TextIndex::expression(database_.engine(), query.words, sql::TextIndex::Match::all);
    // Words without a letter or a digit match nothing.
    if (expression.empty() && !query.words.empty()) return Page();
    const std::string from =
        expression.empty()
            ? std::string("SELECT ") + kColumns + " FROM entries WHERE ?1 = '' AND " + kCondition
            : words().matching(database_, kColumns, "entries", kCondition);
    const Place before = query.before.value_or(Place{kAlways, 0});
    const std::size_t limit = std::min(query.limit, kMaxPage);
    PARLEY_TRY(std::vector<Entry> found,
               database_.rows(from + kNewestFirst, entry_in, expression, query.owner, query.kinds,
                              query.states, query.project, query.agent, query.person,
                              query.from.value_or(core::WallTime()), query.to.value_or(kAlways),
                              before.at, before.id, limit + 1));
    return page_of(std::move(found), limit);
  }

  Result<Page> decisions(const DecisionQuery& query) override {
    const session::Action like = query.like.value_or(session::Action());
    const Place before = query.before.value_or(Place{kAlways, 0});
    const std::size_t limit = std::min(query.limit, kMaxPage);
    PARLEY_TRY(std::vector<Entry> found,
               database_.rows(std::string("SELECT ") + kColumns + " FROM entries WHERE " +
                                  (query.like ? kAlike : kDecided) +
                                  " AND (?5 & (1 << CAST(verdict AS INTEGER))) <> 0"
                                  " AND (?6 = '' OR project = ?6 OR project_name = ?6)"
                                  " AND (?7 = '' OR agent = ?7) AND at >= ?8 AND at < ?9"
                                  " AND (at < ?10 OR (at = ?10 AND id < ?11))" +
                                  kNewestFirst,
                              entry_in, query.owner, like.subject, static_cast<int>(like.kind),
                              like.tool, query.verdicts, query.project, query.agent,
                              query.from.value_or(core::WallTime()), query.to.value_or(kAlways),
                              before.at, before.id, limit + 1));
    return page_of(std::move(found), limit);
  }

  Result<Tally> tally(const std::string& owner, const session::Action& like) override {
    const auto count = [&](Verdict verdict) {
      return database_.count(
          std::string("SELECT count(*) FROM entries WHERE ") + kAlike + " AND verdict = ?5", owner,
          like.subject, static_cast<int>(like.kind), like.tool, static_cast<int>(verdict));
    };
    Tally tally;
    PARLEY_TRY(tally.allowed, count(Verdict::allowed));
    PARLEY_TRY(tally.lasting, count(Verdict::lasting));
    PARLEY_TRY(tally.denied, count(Verdict::denied));
    return tally;
  }

  Result<std::vector<Habit>> habits(const std::string& owner) override {
    return database_.rows(
        "SELECT action_agent, min(action_tool), subject, count(*), min(at), max(at) FROM entries"
        " WHERE owner = ?1 AND verdict <> 0 AND subject <> '' AND action_kind = ?2"
        " GROUP BY action_agent, subject"
        " HAVING count(*) >= ?3 AND max(verdict) < ?4"
        " ORDER BY count(*) DESC, max(at) DESC LIMIT ?5",
        [](const Statement& row) {
          return Habit{row.string(0), row.string(1), row.string(2),
                       row.number(3), row.time(4),   row.time(5)};
        },
        owner, static_cast<int>(session::ActionKind::command), kHabitCount,
        static_cast<int>(Verdict::denied), kMaxPage);
  }

  Result<std::vector<Fact>> facts(const std::string& owner, core::WallTime from,
                                  core::WallTime to) override {
    return database_.rows(
        "SELECT at, closed_at, state, project_name, agent, person FROM entries"
        " WHERE owner = ?1 AND kind = ?2 AND at >= ?3 AND at < ?4 ORDER BY at DESC LIMIT ?5",
        [](const Statement& row) {
          return Fact{row.time(0),   row.optional_time(1), static_cast<State>(row.integer(2)),
                      row.string(3), row.string(4),        row.string(5)};
        },
        owner, static_cast<int>(Kind::question), from, to, kMaxFacts);
  }

  Result<std::uint64_t> count_pending(const std::string& owner) override {
    return database_.count(
        "SELECT count(*) FROM entries WHERE owner = ?1 AND kind = ?2 AND state = ?3", owner,
        static_cast<int>(Kind::question), static_cast<int>(State::pending));
  }

 private:
  static Page page_of(std::vector<Entry> found, std::size_t limit) {
    Page page;
    page.more = found.size() > limit;
    if (page.more) found.pop_back();
    page.entries = std::move(found);
    return page;
  }

  template <typename... Values>
  Result<void> drop(const std::string& condition, const Values&... values) {
    PARLEY_TRY(const std::vector<std::int64_t> gone,
               database_.rows(
                   "SELECT id FROM entries WHERE " + condition,
                   [](const Statement& row) { return row.integer(0); }, values...));
    for (const std::int64_t id : gone) {
      PARLEY_TRY_VOID(words().remove(database_, id));
      PARLEY_TRY_VOID(database_.run("DELETE FROM entries WHERE id = ?1", id));
    }
    return {};
  }

  Result<void> add(const Entry& entry) {
    const session::Action action = entry.action.value_or(session::Action());
    PARLEY_TRY(const std::int64_t id,
               database_.integer(
                   "INSERT INTO entries (owner, session, seq, kind, state, key, ref, text, answer,"
                   " project, project_name, agent, person, at, closed_at, permission, action_agent,"
                   " action_tool, action_kind, subject) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
                   " ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20) RETURNING id",
                   entry.owner, entry.session, entry.seq, static_cast<int>(entry.kind),
                   static_cast<int>(entry.state), entry.key, entry.ref, entry.text, entry.answer,
                   entry.project, name_of(entry.project), entry.agent, entry.person, entry.at,
                   entry.closed_at, entry.is_permission ? 1 : 0, action.agent, action.tool,
                   static_cast<int>(action.kind), action.subject));
    return words().put(database_, id, indexed_text(entry));
  }

  // An end without a reference is that of the latest run.
  Result<void> close(const std::string& session, const EntryEnd& end) {
    PARLEY_TRY(std::optional<Entry> found,
               database_.first(std::string("SELECT ") + kColumns +
                                   " FROM entries WHERE session = ?1 AND state = ?2 AND"
                                   " ((?3 <> '' AND ref = ?3) OR (?3 = '' AND kind <> ?4))"
                                   " ORDER BY seq DESC LIMIT 1",
                               entry_in, session, static_cast<int>(State::pending), end.ref,
                               static_cast<int>(Kind::question)));
    if (!found) return {};
    found->answer = end.answer;
    found->person = end.person;
    const Verdict verdict = found->is_permission ? end.verdict : Verdict::none;
    PARLEY_TRY_VOID(database_.run(
        "UPDATE entries SET state = ?2, answer = ?3, person = ?4, closed_at = ?5, verdict = ?6,"
        " channel = ?7 WHERE id = ?1",
        found->id, static_cast<int>(end.state), end.answer, end.person, end.at,
        static_cast<int>(verdict), end.channel));
    PARLEY_TRY_VOID(words().remove(database_, found->id));
    return words().put(database_, found->id, indexed_text(*found));
  }

  Database database_;
};

}  // namespace

const sql::Schema& SearchIndex::schema() { return kSchema; }

Result<std::unique_ptr<SearchIndex>> SearchIndex::open(const sql::StorePlace& place,
                                                       const std::string& epoch) {
  PARLEY_TRY(Database database,
             sql::open_store(place, "search", kSchema, {.durability = sql::Durability::process}));
  auto index = std::make_unique<SqlSearchIndex>(std::move(database));
  PARLEY_TRY_VOID(index->prepare(epoch));
  return index;
}

}  // namespace parley::search
