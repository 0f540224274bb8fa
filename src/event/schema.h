// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/entropy.h"
#include "core/result.h"
#include "event/session_store.h"
#include "sql/database.h"
#include "sql/migration.h"

namespace parley::event {

// The file format of DATA/events.db: docs/events.md.
inline constexpr int kSchemaVersion = 4;
// "Prly".
inline constexpr std::int64_t kApplicationId = 0x50726c79;

// Where an event stands in `events`: session by session, in order of seq. A rowid, so that the way
// through the tree passes numbers only; a row that is the key of its tree is copied, payload and
// all, whenever an insertion passes it.
inline constexpr int kSeqBits = 36;
inline constexpr std::uint64_t kMaxSeq = (std::uint64_t{1} << kSeqBits) - 1;
inline constexpr std::int64_t kMaxSessionNumber = (std::int64_t{1} << (63 - kSeqBits)) - 1;
// A seq beyond kMaxSeq is beyond every event.
inline std::int64_t event_key(std::int64_t session, std::uint64_t seq) {
  return session << kSeqBits | static_cast<std::int64_t>(std::min(seq, kMaxSeq));
}

// `sessions.active_at` is when the session had its last event, and at most this much less: a
// session that is busy writes its row once in this time, not with each event. 0: it never had one.
inline constexpr std::int64_t kActiveStepMs = 1'000;

// The tables as of a version. Only tests ask for an older one.
sql::Schema schema(int version = kSchemaVersion);

// Gives a new file its epoch: what sql::open_file() and sql::migrate() fill it with.
core::Result<void> make_epoch(sql::Database& database, core::Entropy& entropy);

// The version of a file, 0 for an empty one. Errors: those of sql::file_version().
core::Result<int> schema_version(sql::Database& database);

core::Result<std::string> read_epoch(sql::Database& database);

// The home epoch stands in `meta` as text; a file without the row is of epoch 0.
inline constexpr const char* kFindHomeEpoch =
    "SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'home_epoch'";
core::Result<HomeEpoch> read_home_epoch(sql::Database& database);
// Makes the caller the owner of the file's sessions: units that carry an earlier epoch are refused
// from now on, whatever process they come from. The new epoch.
core::Result<HomeEpoch> take_home(sql::Database& database);

}  // namespace parley::event
