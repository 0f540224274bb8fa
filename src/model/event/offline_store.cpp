// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/offline_store.h"

#include <simdjson.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/core/hex.h"
#include "base/core/result.h"
#include "base/sql/database.h"
#include "model/event/decision.h"
#include "model/event/doctor.h"
#include "model/event/schema.h"
#include "model/event/sql_session_reader.h"
#include "model/event/sqlite_session_store.h"

namespace parley::event {

namespace {

constexpr const char* kDecisions =
    "SELECT d.workspace, d.number, coalesce(s.id, ''), d.seq, d.at, d.closed, d.hash,"
    " s.first_seq, c.payload, d.session FROM decisions d"
    " LEFT JOIN sessions s ON s.number = d.session"
    " LEFT JOIN events c ON c.key = d.session << 36 | d.seq AND c.type = 'interaction.closed'"
    " ORDER BY d.workspace, d.number";

constexpr const char* kOpened =
    "SELECT payload FROM events WHERE key = ?1 AND type = 'interaction.opened'";

constexpr const char* kUndecided =
    "SELECT s.owner, s.id, i.key, coalesce(e.at, 0) FROM interactions i"
    " JOIN sessions s ON s.number = i.session"
    " LEFT JOIN events e ON e.key = i.session << 36 | i.closed_seq"
    " LEFT JOIN decisions d ON d.session = i.session AND d.seq = i.closed_seq"
    " WHERE i.closed_seq <> 0 AND d.seq IS NULL ORDER BY s.owner, i.session, i.closed_seq";

// A closing event names its opening event, so that it is not searched for. 0: it names none.
std::uint64_t opened_seq(std::string_view closed) {
  simdjson::dom::parser parser;
  std::uint64_t seq = 0;
  if (parser.parse(closed)["opened_seq"].get(seq) != simdjson::SUCCESS || seq > kMaxSeq) return 0;
  return seq;
}

RecordedDecision decision_of(const sql::Statement& row) {
  RecordedDecision recorded;
  recorded.decision = {row.string(0),
                       row.number(1),
                       row.string(2),
                       row.number(3),
                       row.time(4),
                       core::hex_text(row.text(5)),
                       core::hex_text(row.text(6))};
  if (!row.is_null(8)) recorded.closed_payload = row.string(8);
  return recorded;
}

// Reads all decisions of DATA/events.db in one snapshot, by workspace and number, then the
// interactions that ended and have none. Errors: those of Database and of `use`.
core::Result<void> read_decisions(sql::Database& database, const DecisionSink& use,
                                  const UndecidedSink& missing) {
  PARLEY_TRY_VOID(database.execute("BEGIN"));
  PARLEY_TRY(sql::Statement find_opened, database.prepare(kOpened));
  const auto pass_on = [&](const sql::Statement& row) -> core::Result<void> {
    RecordedDecision recorded = decision_of(row);
    const std::uint64_t seq = recorded.closed_payload ? opened_seq(*recorded.closed_payload) : 0;
    // Retention may stand between the two events.
    const std::uint64_t oldest = seq == 0 ? recorded.decision.seq : seq;
    recorded.dropped = oldest < row.number(7);
    find_opened.bind(1, event_key(row.integer(9), seq));
    PARLEY_TRY(recorded.opened_payload,
               find_opened.first([](const sql::Statement& opened) { return opened.string(0); }));
    return use(recorded);
  };
  PARLEY_TRY_VOID(database.each(kDecisions, pass_on));
  return database.each(kUndecided, [&](const sql::Statement& row) {
    missing({row.string(0), row.string(1), row.string(2), row.time(3)});
  });
}

core::Result<sql::Database> open_file(const std::string& data_dir) {
  return sql::Database::open(store_path(data_dir), sql::OpenMode::read_only);
}

class SqliteOfflineStore final : public OfflineStore {
 public:
  explicit SqliteOfflineStore(std::string data_dir) : data_dir_(std::move(data_dir)) {}

  core::Result<std::unique_ptr<SessionReader>> make_reader() override {
    PARLEY_TRY(sql::Database database, open_current());
    return SqlSessionReader::make(std::move(database));
  }

  core::Result<StoreReport> examine() override {
    PARLEY_TRY(sql::Database database, open_file(data_dir_));
    return examine_file(database);
  }

  core::Result<void> decisions(const DecisionSink& use, const UndecidedSink& missing) override {
    PARLEY_TRY(sql::Database database, open_current());
    return read_decisions(database, use, missing);
  }

 private:
  // The file, if this version of Parley has written it.
  core::Result<sql::Database> open_current() const {
    PARLEY_TRY(sql::Database database, open_file(data_dir_));
    PARLEY_TRY(const int version, schema_version(database));
    if (version == 0) return core::fail(core::Code::not_found, "The store is empty.");
    if (version < kSchemaVersion) {
      return core::fail(core::Code::failed_precondition,
                        "An older version of Parley wrote this data directory. Start the server of "
                        "this version on it once, then try again.");
    }
    return database;
  }

  const std::string data_dir_;
};

}  // namespace

core::Result<std::unique_ptr<OfflineStore>> open_offline_store(const std::string& data_dir) {
  PARLEY_TRY_VOID(open_file(data_dir));
  return std::make_unique<SqliteOfflineStore>(data_dir);
}

core::Result<std::unique_ptr<SessionReader>> open_offline_reader(const std::string& data_dir) {
  const core::Result<std::unique_ptr<OfflineStore>> store = open_offline_store(data_dir);
  core::Result<std::unique_ptr<SessionReader>> reader =
      store ? (*store)->make_reader() : core::fail(store.error());
  if (!reader && reader.error().code == core::Code::not_found) return nullptr;
  return reader;
}

}  // namespace parley::event
