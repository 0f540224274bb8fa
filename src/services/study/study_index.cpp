// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/study_index.h"

#include <algorithm>
#include <utility>

#include "base/core/result.h"
#include "base/sql/opening.h"

namespace parley::study {
namespace {

using core::Result;
using sql::Database;
using sql::Statement;

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

constexpr const char* kColumns =
    "SELECT number, id, session, owner, relay_session, study_id, participant_id, condition,"
    " scenario, implicit, ended, started_at, ended_at, end_reason, log_enabled, record_count"
    " FROM studies ";

Study study_of(const Statement& row) {
  Study study;
  study.id = row.string(1);
  study.session = row.string(2);
  study.start.owner = row.string(3);
  study.start.relay_session = row.string(4);
  study.start.study_id = row.string(5);
  study.start.participant_id = row.string(6);
  study.start.condition = row.string(7);
  study.start.scenario = row.string(8);
  study.start.implicit = row.flag(9);
  study.state = row.flag(10) ? StudyState::ended : StudyState::open;
  study.started_at = row.time(11);
  study.ended_at = row.optional_time(12);
  study.end_reason = row.string(13);
  study.log_enabled = row.flag(14);
  if (study.log_enabled) study.log_file = log_name(study.id);
  study.record_count = row.number(15);
  return study;
}

std::string select(const char* rest) { return std::string(kColumns) + rest; }

class SqlStudyIndex final : public StudyIndex {
 public:
  explicit SqlStudyIndex(sql::Database database) : database_(std::move(database)) {}

  Result<std::uint64_t> next_number(const std::string& day) override {
    return database_.count(
        "INSERT INTO days (day, last) VALUES (?1, 1) ON CONFLICT (day) DO UPDATE SET last = "
        "days.last + 1 RETURNING last",
        day);
  }

  Result<void> take_number(const StudyNumber& number) override {
    return database_.run(
        "INSERT INTO days (day, last) VALUES (?1, ?2) ON CONFLICT (day) DO UPDATE SET last = CASE"
        " WHEN excluded.last > days.last THEN excluded.last ELSE days.last END",
        number.day, number.number);
  }

  Result<void> insert(const Study& study) override {
    const StudyStart& start = study.start;
    return database_.run(
        "INSERT INTO studies (id, session, affinity, owner, relay_session, study_id, "
        "participant_id, condition, scenario, implicit, ended, started_at, ended_at, end_reason, "
        "log_enabled, record_count) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
        "?13, "
        "?14, ?15, ?16)",
        study.id, study.session, study::placement_key_of(start.owner, start.relay_session),
        start.owner, start.relay_session, start.study_id, start.participant_id, start.condition,
        start.scenario, start.implicit, study.state == StudyState::ended, study.started_at,
        study.ended_at, study.end_reason, study.log_enabled, study.record_count);
  }

  Result<void> end(const Study& study) override {
    return database_.run(
        "UPDATE studies SET ended = 1, ended_at = ?2, end_reason = ?3, record_count = ?4"
        " WHERE id = ?1",
        study.id, study.ended_at.value_or(core::WallTime()), study.end_reason, study.record_count);
  }

  Result<void> remove(std::string_view id) override {
    return database_.run("DELETE FROM studies WHERE id = ?1", id);
  }

  Result<std::optional<Study>> find(std::string_view id) override {
    return database_.first(select("WHERE id = ?1"), study_of, id);
  }

  Result<std::optional<Study>> open_one(std::string_view placement_key) override {
    return database_.first(select("WHERE affinity = ?1 AND ended = 0 ORDER BY number DESC LIMIT 1"),
                           study_of, placement_key);
  }

  Result<std::vector<Study>> open_ones() override {
    return database_.rows(select("WHERE ended = 0 ORDER BY number"), study_of);
  }

  Result<std::vector<Study>> open_ones_of(std::string_view owner, std::size_t limit) override {
    return database_.rows(select("WHERE owner = ?1 AND ended = 0 ORDER BY number LIMIT ?2"),
                          study_of, owner, limit);
  }

  Result<std::uint64_t> count_open(std::string_view owner) override {
    return database_.count("SELECT count(*) FROM studies WHERE owner = ?1 AND ended = 0", owner);
  }

  Result<StudyPage> search(const StudyQuery& query) override {
    const int ended = !query.state ? -1 : (*query.state == StudyState::ended ? 1 : 0);
    const std::size_t limit = std::clamp<std::size_t>(query.limit, 1, kMaxStudiesPage);
    std::vector<std::uint64_t> numbers;
    auto studies = database_.rows(
        select(query.all_owners ? "WHERE (?1 = ?1)" : "WHERE owner = ?1") +
            " AND (?2 = 0 OR number < ?2) AND (?3 < 0 OR ended = ?3)"
            " AND (?4 = '' OR study_id = ?4) AND (?5 = '' OR participant_id = ?5)"
            " ORDER BY number DESC LIMIT ?6",
        [&numbers](const Statement& row) {
          numbers.push_back(row.number(0));
          return study_of(row);
        },
        query.owner, query.before, ended, query.study_id, query.participant_id, limit + 1);
    if (!studies) return core::fail(std::move(studies.error()));
    StudyPage page{std::move(*studies), 0};
    if (page.studies.size() > limit) {
      page.studies.pop_back();
      page.next = numbers[limit - 1];
    }
    return page;
  }

  Result<std::optional<Assignment>> assignment(std::string_view owner, std::string_view study_id,
                                               std::string_view participant_id) override {
    return database_.first(
        "SELECT condition, scenario, position FROM assignments"
        " WHERE owner = ?1 AND study_id = ?2 AND participant_id = ?3",
        [](const Statement& row) {
          return Assignment{row.string(0), row.string(1), row.number(2)};
        },
        owner, study_id, participant_id);
  }

  Result<void> assign(std::string_view owner, std::string_view study_id,
                      std::string_view participant_id, const Assignment& assignment) override {
    return database_.run(
        "INSERT INTO assignments (owner, study_id, participant_id, condition, scenario, position)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (owner, study_id, participant_id) DO UPDATE"
        " SET condition = excluded.condition, scenario = excluded.scenario",
        owner, study_id, participant_id, assignment.condition, assignment.scenario,
        assignment.position);
  }

  Result<std::uint64_t> count_assigned(std::string_view owner, std::string_view study_id) override {
    return database_.count("SELECT count(*) FROM assignments WHERE owner = ?1 AND study_id = ?2",
                           owner, study_id);
  }

 private:
  sql::Database database_;
};

}  // namespace

Result<std::unique_ptr<StudyIndex>> StudyIndex::open(const sql::StorePlace& place, Access access,
                                                     const std::string& vfs) {
  PARLEY_TRY(Database database, access == Access::write
                                    ? sql::open_store(place, "studies", kSchema, {.vfs = vfs})
                                    : sql::open_store_to_read(place, "studies", kSchema, vfs));
  return std::unique_ptr<StudyIndex>(new SqlStudyIndex(std::move(database)));
}

const sql::Schema& StudyIndex::schema() { return kSchema; }

}  // namespace parley::study
