// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/sql/database.h"
#include "base/sql/migration.h"
#include "model/event/session_store.h"

namespace parley::event {

// The file format of DATA/events.db: docs/events.md.
inline constexpr int kSchemaVersion = 6;
// "Prly".
inline constexpr std::int64_t kApplicationId = 0x50726c79;

// The key of an event in `events`: ordered by session, then seq. A rowid, so that the inner pages
// of the B-tree hold only numbers; in a WITHOUT ROWID table they would hold whole rows, payloads
// included, which insertions copy.
// Limit (The model, bits): events of a session. Reached: `resource_exhausted`.
inline constexpr int kSeqBits = 36;
inline constexpr std::uint64_t kMaxSeq = (std::uint64_t{1} << kSeqBits) - 1;
inline constexpr std::int64_t kMaxSessionNumber = (std::int64_t{1} << (63 - kSeqBits)) - 1;
// A seq above kMaxSeq counts as kMaxSeq, which is above every event's.
inline std::int64_t event_key(std::int64_t session, std::uint64_t seq) {
  return session << kSeqBits | static_cast<std::int64_t>(std::min(seq, kMaxSeq));
}

// `sessions.active_at` is the time of the session's last event, or up to this much earlier: a busy
// session updates its row once in this time, not with each event. 0: the session had no event.
inline constexpr std::int64_t kActiveStepMs = 1'000;

// The schema of a version. Only tests use an older one.
sql::Schema schema(int version = kSchemaVersion);

// Inserts the epoch of a new file. The `fill` of sql::open_file() and sql::migrate().
core::Result<void> make_epoch(sql::Database& database, core::Entropy& entropy);

// The version of a file, 0 for an empty one. Errors: those of sql::file_version().
core::Result<int> schema_version(sql::Database& database);

core::Result<std::string> read_epoch(sql::Database& database);

// The home epoch is stored in `meta` as text; without that row it is 0.
inline constexpr const char* kFindHomeEpoch =
    "SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'home_epoch'";
core::Result<HomeEpoch> read_home_epoch(sql::Database& database);
// Makes the caller the owner of the file's sessions: from now on units of earlier epochs are
// refused, from any process. Returns the new epoch.
core::Result<HomeEpoch> take_home(sql::Database& database);

}  // namespace parley::event
