// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "event/decision_reader.h"

#include "core/hex.h"
#include "core/try.h"

namespace parley::event {
namespace {

// A closing event names its opening event, so that neither is searched for.
constexpr const char* kDecisions =
    "SELECT d.workspace, d.number, coalesce(s.id, ''), d.seq, d.at, d.closed, d.hash,"
    " d.seq < s.first_seq, c.payload, o.payload FROM decisions d"
    " LEFT JOIN sessions s ON s.number = d.session"
    " LEFT JOIN events c ON c.key = d.session << 36 | d.seq AND c.type = 'interaction.closed'"
    " LEFT JOIN events o ON o.key = d.session << 36 | CASE WHEN json_valid(c.payload)"
    " THEN json_extract(c.payload, '$.opened_seq') END AND o.type = 'interaction.opened'"
    " ORDER BY d.workspace, d.number";

constexpr const char* kUndecided =
    "SELECT s.owner, s.id, i.key, coalesce(e.at, 0) FROM interactions i"
    " JOIN sessions s ON s.number = i.session"
    " LEFT JOIN events e ON e.key = i.session << 36 | i.closed_seq"
    " LEFT JOIN decisions d ON d.session = i.session AND d.seq = i.closed_seq"
    " WHERE i.closed_seq <> 0 AND d.seq IS NULL ORDER BY s.owner, i.session, i.closed_seq";

std::optional<std::string> payload_of(const sql::Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.string(column);
}

KeptDecision decision_of(const sql::Statement& row) {
  KeptDecision kept;
  kept.decision = {row.string(0),
                   row.number(1),
                   row.string(2),
                   row.number(3),
                   row.time(4),
                   core::hex_text(row.text(5)),
                   core::hex_text(row.text(6))};
  kept.dropped = row.flag(7);
  kept.closed_payload = payload_of(row, 8);
  kept.opened_payload = payload_of(row, 9);
  return kept;
}

}  // namespace

core::Result<void> read_decisions(sql::Database& database, const DecisionSink& use,
                                  const UndecidedSink& missing) {
  PARLEY_TRY_VOID(database.execute("BEGIN"));
  PARLEY_TRY_VOID(
      database.each(kDecisions, [&](const sql::Statement& row) { return use(decision_of(row)); }));
  return database.each(kUndecided, [&](const sql::Statement& row) {
    missing({row.string(0), row.string(1), row.string(2), row.time(3)});
  });
}

}  // namespace parley::event
