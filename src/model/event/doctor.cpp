// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/doctor.h"

#include <string_view>
#include <utility>

#include "base/core/result.h"
#include "model/event/schema.h"

namespace parley::event {
namespace {

// A query whose rows are faults: column 0 names the session, column 1 describes the fault.
struct Check {
  const char* sql;
  const char* sentence;  // follows the session's name in the finding
};

constexpr Check kChecks[] = {
    {"SELECT s.id, 'first_seq ' || s.first_seq || ', event ' || e.seq || ' follows ' ||"
     " coalesce(CAST(e.before AS TEXT), 'nothing') FROM sessions s JOIN (SELECT key >> 36 AS "
     "session,"
     " key & 68719476735 AS seq, type, CASE WHEN lag(key >> 36) OVER keys = key >> 36 THEN"
     " lag(key & 68719476735) OVER keys END AS before"
     " FROM events WINDOW keys AS (ORDER BY key)) e ON e.session = s.number"
     " WHERE e.seq <> coalesce(e.before + 1, s.first_seq) AND e.type <> 'numbers.skipped'",
     "has a gap in its sequence numbers"},
    {"SELECT 'number ' || (e.key >> 36), count(*) || ' events' FROM events e LEFT JOIN sessions s"
     " ON s.number = e.key >> 36 WHERE s.number IS NULL GROUP BY e.key >> 36",
     "has events, but is missing in the table of sessions"},
    {"SELECT 'number ' || i.session, i.key FROM interactions i LEFT JOIN sessions s"
     " ON s.number = i.session WHERE s.number IS NULL",
     "has an interaction, but is missing in the table of sessions"},
    {"SELECT s.id, i.key || ' (seq ' || i.opened_seq || ')' FROM interactions i"
     " JOIN sessions s ON s.number = i.session LEFT JOIN events e"
     " ON e.key = i.session << 36 | i.opened_seq WHERE e.key IS NULL",
     "has an interaction whose opening event is missing"},
    {"SELECT s.id, i.key || ' (seq ' || i.closed_seq || ')' FROM interactions i"
     " JOIN sessions s ON s.number = i.session LEFT JOIN events e"
     " ON e.key = i.session << 36 | i.closed_seq WHERE i.closed_seq <> 0 AND e.key IS NULL",
     "has an interaction whose closing event is missing"},
    {"SELECT s.id, i.key || ' (' || i.state || ', closed_seq ' || i.closed_seq || ')'"
     " FROM interactions i JOIN sessions s ON s.number = i.session"
     " WHERE (i.state = 'pending') <> (i.closed_seq = 0)"
     " OR i.state NOT IN ('pending', 'answered', 'cancelled', 'expired')",
     "has an interaction whose state and events do not agree"},
};

class Examination {
 public:
  explicit Examination(sql::Database& database) : database_(database) {}

  core::Result<StoreReport> run() {
    core::Result<void> done = check_file();
    if (done) done = check_version();
    if (done && report_.schema_version == kSchemaVersion) done = check_content();
    if (!done && done.error().code == core::Code::failed_precondition) {
      report_.refused = true;
      report_.findings.push_back(done.error().message);
    } else if (!done) {
      report_.findings.push_back("The check could not be completed: " + done.error().message);
    }
    return std::move(report_);
  }

 private:
  core::Result<void> check_file() {
    PARLEY_TRY(const auto faults, database_.integrity_faults(kMaxFindings));
    for (const std::string& fault : faults) {
      report_.findings.push_back("The file " + database_.file_name() + " is damaged: " + fault +
                                 ".");
    }
    return {};
  }

  core::Result<void> check_version() {
    PARLEY_TRY(const int version, schema_version(database_));
    report_.schema_version = version;
    if (version == 0) {
      report_.notes.emplace_back("The store is empty.");
    } else if (version < kSchemaVersion) {
      report_.notes.push_back(
          "The store has schema " + std::to_string(version) +
          "; the next start of the server brings it to " + std::to_string(kSchemaVersion) +
          ". Its content was not checked: run `parley doctor` again afterwards.");
    }
    return {};
  }

  core::Result<void> check_content() {
    core::Result<std::string> epoch = read_epoch(database_);
    if (epoch) {
      report_.epoch = std::move(*epoch);
    } else {
      report_.findings.push_back(epoch.error().message);
    }
    for (const Check& check : kChecks) {
      core::Result<void> done = run_check(check);
      if (!done) return done;
    }
    return count_all();
  }

  core::Result<void> run_check(const Check& check) {
    PARLEY_TRY(sql::Statement query, database_.prepare(check.sql));
    std::size_t count = 0;
    while (true) {
      PARLEY_TRY(const bool row, query.step());
      if (!row) break;
      if (++count > kMaxFindings) continue;
      report_.findings.push_back("Session " + std::string(query.text(0)) + " " + check.sentence +
                                 ": " + std::string(query.text(1)) + ".");
    }
    if (count > kMaxFindings) {
      report_.findings.push_back("And " + std::to_string(count - kMaxFindings) +
                                 " more of this kind.");
    }
    return {};
  }

  core::Result<void> count_all() {
    const std::pair<std::uint64_t*, const char*> counts[] = {
        {&report_.sessions, "SELECT count(*) FROM sessions"},
        {&report_.events, "SELECT count(*) FROM events"},
        {&report_.pending, "SELECT count(*) FROM interactions WHERE state = 'pending'"},
    };
    for (const auto& [target, sql] : counts) {
      PARLEY_TRY(const std::int64_t count, database_.integer(sql));
      *target = static_cast<std::uint64_t>(count);
    }
    report_.counted = true;
    return {};
  }

  sql::Database& database_;
  StoreReport report_;
};

}  // namespace

core::Result<StoreReport> examine_store(sql::Database& database) {
  // All checks see the same moment.
  PARLEY_TRY_VOID(database.begin_long_reading());
  return Examination(database).run();
}

}  // namespace parley::event
