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
#include "base/sql/opening.h"
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
    " WHERE d.workspace > ?1 OR (d.workspace = ?1 AND d.number > ?2)"
    " ORDER BY d.workspace, d.number LIMIT ?3";
// PostgreSQL reads the rows of a query whole.
constexpr std::size_t kDecisionsPerPage = 100;

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

// Reads all decisions of a store in one snapshot, by workspace and number, then the
// interactions that ended and have none. Errors: those of Database and of `use`.
core::Result<void> read_decisions(sql::Database& database, const DecisionSink& use,
                                  const UndecidedSink& missing) {
  PARLEY_TRY_VOID(database.begin_long_reading());
  PARLEY_TRY(sql::Statement find_opened, database.prepare(kOpened));
  PARLEY_TRY(sql::Statement page, database.prepare(kDecisions));
  std::string after;
  std::string workspace;
  std::uint64_t number = 0;
  std::size_t rows = 0;
  const auto pass_on = [&](const sql::Statement& row) -> core::Result<void> {
    ++rows;
    workspace = row.string(0);
    number = row.number(1);
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
  do {
    after = workspace;
    rows = 0;
    PARLEY_TRY_VOID(page.bind_all(after, number, kDecisionsPerPage).each(pass_on));
  } while (rows == kDecisionsPerPage);
  return database.each(kUndecided, [&](const sql::Statement& row) {
    missing({row.string(0), row.string(1), row.string(2), row.time(3)});
  });
}

class SqlOfflineStore final : public OfflineStore {
 public:
  explicit SqlOfflineStore(sql::StorePlace place) : place_(std::move(place)) {}

  core::Result<std::unique_ptr<SessionReader>> make_reader() override {
    PARLEY_TRY(sql::Database database, open_current());
    return SqlSessionReader::make(std::move(database));
  }

  core::Result<StoreReport> examine() override {
    PARLEY_TRY(sql::Database database, open());
    return examine_store(database);
  }

  core::Result<void> decisions(const DecisionSink& use, const UndecidedSink& missing) override {
    PARLEY_TRY(sql::Database database, open_current());
    return read_decisions(database, use, missing);
  }

  // Of any version.
  core::Result<sql::Database> open() const {
    if (!place_.url.empty()) return sql::connect_store(place_, "events", schema());
    return sql::Database::open(store_path(place_.data_dir), sql::OpenMode::read_only);
  }

 private:
  core::Result<sql::Database> open_current() const {
    return sql::open_store_to_read(place_, "events", schema());
  }

  const sql::StorePlace place_;
};

}  // namespace

core::Result<std::unique_ptr<OfflineStore>> open_offline_store(const sql::StorePlace& place) {
  auto store = std::make_unique<SqlOfflineStore>(place);
  PARLEY_TRY_VOID(store->open());
  return store;
}

core::Result<std::unique_ptr<SessionReader>> open_offline_reader(const sql::StorePlace& place) {
  const core::Result<std::unique_ptr<OfflineStore>> store = open_offline_store(place);
  core::Result<std::unique_ptr<SessionReader>> reader =
      store ? (*store)->make_reader() : core::fail(store.error());
  if (!reader && reader.error().code == core::Code::not_found) return nullptr;
  return reader;
}

}  // namespace parley::event
