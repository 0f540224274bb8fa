// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "study/study_index.h"

#include <algorithm>
#include <utility>

#include "sql/opening.h"
#include "study/study_service.h"

namespace parley::study {

using core::Code;
using core::Result;
using sql::Database;
using sql::Statement;

namespace {

constexpr const char* kSteps[] = {
    "CREATE TABLE studies (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
    " session TEXT NOT NULL, affinity TEXT NOT NULL, owner TEXT NOT NULL,"
    " relay_session TEXT NOT NULL, study_id TEXT NOT NULL, participant_id TEXT NOT NULL,"
    " condition TEXT NOT NULL, scenario TEXT NOT NULL, implicit INTEGER NOT NULL,"
    " ended INTEGER NOT NULL, started_at INTEGER NOT NULL, ended_at INTEGER,"
    " end_reason TEXT NOT NULL, log_enabled INTEGER NOT NULL, record_count INTEGER NOT NULL)"
    " STRICT;"
    "CREATE INDEX studies_by_owner ON studies (owner, number);"
    "CREATE INDEX studies_open ON studies (affinity) WHERE ended = 0;"
    "CREATE TABLE days (day TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT;"
    "CREATE TABLE assignments (owner TEXT NOT NULL, study_id TEXT NOT NULL,"
    " participant_id TEXT NOT NULL, condition TEXT NOT NULL, scenario TEXT NOT NULL,"
    " position INTEGER NOT NULL, PRIMARY KEY (owner, study_id, participant_id)) STRICT;"};
constexpr sql::Schema kSchema{.steps = kSteps};

constexpr std::string_view kColumns =
    "SELECT number, id, session, owner, relay_session, study_id, participant_id, condition,"
    " scenario, implicit, ended, started_at, ended_at, end_reason, log_enabled, record_count"
    " FROM studies ";

std::string text_of(const Statement& row, int column) { return std::string(row.text(column)); }

Study study_of(const Statement& row) {
  Study study;
  study.id = text_of(row, 1);
  study.session = text_of(row, 2);
  study.start.owner = text_of(row, 3);
  study.start.relay_session = text_of(row, 4);
  study.start.study_id = text_of(row, 5);
  study.start.participant_id = text_of(row, 6);
  study.start.condition = text_of(row, 7);
  study.start.scenario = text_of(row, 8);
  study.start.implicit = row.integer(9) != 0;
  study.state = row.integer(10) != 0 ? StudyState::ended : StudyState::open;
  study.started_at = core::from_unix_ms(row.integer(11));
  if (!row.is_null(12)) study.ended_at = core::from_unix_ms(row.integer(12));
  study.end_reason = text_of(row, 13);
  study.log_enabled = row.integer(14) != 0;
  if (study.log_enabled) study.log_file = log_name(study.id);
  study.record_count = row.number(15);
  return study;
}

}  // namespace

Result<StudyIndex> StudyIndex::open(const std::string& path, Access access,
                                    const std::string& vfs) {
  Result<Database> database = access == Access::write
                                  ? sql::open_file(path, kSchema, {.vfs = vfs})
                                  : Database::open(path, sql::OpenMode::read_only, vfs);
  if (!database) return core::fail(std::move(database.error()));
  return StudyIndex(std::move(*database));
}

sql::FileKind StudyIndex::file_kind() { return kSchema.kind(); }

Result<std::uint64_t> StudyIndex::next_number(const std::string& day) {
  Result<Statement> bump = database_.prepare(
      "INSERT INTO days (day, last) VALUES (?1, 1) ON CONFLICT (day) DO UPDATE SET last = last + 1"
      " RETURNING last");
  if (!bump) return core::fail(bump.error());
  const Result<bool> row = bump->bind(1, day).step();
  if (!row) return core::fail(row.error());
  const std::uint64_t number = bump->number(0);
  // The change is complete when the statement has come to its end.
  const Result<bool> end = bump->step();
  if (!end) return core::fail(end.error());
  return number;
}

Result<void> StudyIndex::take_number(const StudyNumber& number) {
  Result<Statement> take = database_.prepare(
      "INSERT INTO days (day, last) VALUES (?1, ?2) ON CONFLICT (day) DO UPDATE"
      " SET last = max(last, excluded.last)");
  if (!take) return core::fail(take.error());
  return take->bind(1, number.day).bind(2, number.number).run();
}

Result<void> StudyIndex::insert(const Study& study) {
  Result<Statement> put = database_.prepare(
      "INSERT INTO studies (id, session, affinity, owner, relay_session, study_id, participant_id,"
      " condition, scenario, implicit, ended, started_at, ended_at, end_reason, log_enabled,"
      " record_count) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,"
      " ?16)");
  if (!put) return core::fail(put.error());
  const std::string placement_key = placement_key_of(study.start.owner, study.start.relay_session);
  put->bind(1, study.id).bind(2, study.session).bind(3, placement_key).bind(4, study.start.owner);
  put->bind(5, study.start.relay_session).bind(6, study.start.study_id);
  put->bind(7, study.start.participant_id).bind(8, study.start.condition);
  put->bind(9, study.start.scenario).bind(10, study.start.implicit ? 1 : 0);
  put->bind(11, study.state == StudyState::ended ? 1 : 0);
  put->bind(12, core::to_unix_ms(study.started_at));
  if (study.ended_at) {
    put->bind(13, core::to_unix_ms(*study.ended_at));
  } else {
    put->bind_null(13);
  }
  put->bind(14, study.end_reason).bind(15, study.log_enabled ? 1 : 0);
  return put->bind(16, study.record_count).run();
}

Result<void> StudyIndex::end(const Study& study) {
  Result<Statement> put = database_.prepare(
      "UPDATE studies SET ended = 1, ended_at = ?2, end_reason = ?3, record_count = ?4"
      " WHERE id = ?1");
  if (!put) return core::fail(put.error());
  put->bind(1, study.id).bind(2, core::to_unix_ms(study.ended_at.value_or(core::WallTime())));
  return put->bind(3, study.end_reason).bind(4, study.record_count).run();
}

Result<void> StudyIndex::remove(std::string_view id) {
  Result<Statement> drop = database_.prepare("DELETE FROM studies WHERE id = ?1");
  if (!drop) return core::fail(drop.error());
  return drop->bind(1, id).run();
}

Result<std::vector<Study>> StudyIndex::read_all(Statement& query) {
  std::vector<Study> out;
  while (true) {
    const Result<bool> row = query.step();
    if (!row) return core::fail(row.error());
    if (!*row) return out;
    out.push_back(study_of(query));
  }
}

Result<std::optional<Study>> StudyIndex::find(std::string_view id) {
  Result<Statement> query = database_.prepare(std::string(kColumns) + "WHERE id = ?1");
  if (!query) return core::fail(query.error());
  const Result<bool> row = query->bind(1, id).step();
  if (!row) return core::fail(row.error());
  return *row ? std::optional(study_of(*query)) : std::nullopt;
}

Result<std::optional<Study>> StudyIndex::open_one(std::string_view placement_key) {
  Result<Statement> query = database_.prepare(
      std::string(kColumns) + "WHERE affinity = ?1 AND ended = 0 ORDER BY number DESC LIMIT 1");
  if (!query) return core::fail(query.error());
  const Result<bool> row = query->bind(1, placement_key).step();
  if (!row) return core::fail(row.error());
  return *row ? std::optional(study_of(*query)) : std::nullopt;
}

Result<std::vector<Study>> StudyIndex::open_ones() {
  Result<Statement> query =
      database_.prepare(std::string(kColumns) + "WHERE ended = 0 ORDER BY number");
  if (!query) return core::fail(query.error());
  return read_all(*query);
}

Result<std::vector<Study>> StudyIndex::open_ones_of(std::string_view owner, std::size_t limit) {
  Result<Statement> query = database_.prepare(
      std::string(kColumns) + "WHERE owner = ?1 AND ended = 0 ORDER BY number LIMIT ?2");
  if (!query) return core::fail(query.error());
  query->bind(1, owner).bind(2, static_cast<std::uint64_t>(limit));
  return read_all(*query);
}

Result<std::uint64_t> StudyIndex::count_open(std::string_view owner) {
  Result<Statement> query =
      database_.prepare("SELECT count(*) FROM studies WHERE owner = ?1 AND ended = 0");
  if (!query) return core::fail(query.error());
  const Result<bool> row = query->bind(1, owner).step();
  if (!row) return core::fail(row.error());
  return query->number(0);
}

Result<StudyPage> StudyIndex::search(const StudyQuery& query) {
  Result<Statement> find = database_.prepare(
      std::string(kColumns) + (query.all_owners ? "WHERE (?1 = ?1)" : "WHERE owner = ?1") +
      " AND (?2 = 0 OR number < ?2) AND (?3 < 0 OR ended = ?3)"
      " AND (?4 = '' OR study_id = ?4) AND (?5 = '' OR participant_id = ?5)"
      " ORDER BY number DESC LIMIT ?6");
  if (!find) return core::fail(find.error());
  const int ended = !query.state ? -1 : (*query.state == StudyState::ended ? 1 : 0);
  const std::size_t limit = std::clamp<std::size_t>(query.limit, 1, kMaxStudiesPage);
  find->bind(1, query.owner).bind(2, query.before).bind(3, ended).bind(4, query.study_id);
  find->bind(5, query.participant_id).bind(6, static_cast<std::uint64_t>(limit + 1));
  StudyPage page;
  std::uint64_t last = 0;
  while (true) {
    const Result<bool> row = find->step();
    if (!row) return core::fail(row.error());
    if (!*row) return page;
    if (page.studies.size() == limit) {
      page.next = last;
      return page;
    }
    last = find->number(0);
    page.studies.push_back(study_of(*find));
  }
}

Result<std::optional<Assignment>> StudyIndex::assignment(std::string_view owner,
                                                         std::string_view study_id,
                                                         std::string_view participant_id) {
  Result<Statement> query = database_.prepare(
      "SELECT condition, scenario, position FROM assignments"
      " WHERE owner = ?1 AND study_id = ?2 AND participant_id = ?3");
  if (!query) return core::fail(query.error());
  const Result<bool> row = query->bind(1, owner).bind(2, study_id).bind(3, participant_id).step();
  if (!row) return core::fail(row.error());
  if (!*row) return std::nullopt;
  return Assignment{text_of(*query, 0), text_of(*query, 1), query->number(2)};
}

Result<void> StudyIndex::assign(std::string_view owner, std::string_view study_id,
                                std::string_view participant_id, const Assignment& assignment) {
  Result<Statement> put = database_.prepare(
      "INSERT INTO assignments (owner, study_id, participant_id, condition, scenario, position)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE"
      " SET condition = excluded.condition, scenario = excluded.scenario");
  if (!put) return core::fail(put.error());
  put->bind(1, owner).bind(2, study_id).bind(3, participant_id).bind(4, assignment.condition);
  return put->bind(5, assignment.scenario).bind(6, assignment.position).run();
}

Result<std::uint64_t> StudyIndex::count_assigned(std::string_view owner,
                                                 std::string_view study_id) {
  Result<Statement> query =
      database_.prepare("SELECT count(*) FROM assignments WHERE owner = ?1 AND study_id = ?2");
  if (!query) return core::fail(query.error());
  const Result<bool> row = query->bind(1, owner).bind(2, study_id).step();
  if (!row) return core::fail(row.error());
  return query->number(0);
}

}  // namespace parley::study
