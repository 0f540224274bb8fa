// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/entropy.h"
#include "core/result.h"
#include "event/sqlite.h"

namespace parley::event {

// The file format of DATA/events.db: docs/events.md. The version stands in PRAGMA user_version.
inline constexpr int kSchemaVersion = 3;
// PRAGMA application_id of our files: "Prly".
inline constexpr std::int64_t kApplicationId = 0x50726c79;

// Brings the file of a connection that may write to kSchemaVersion: an empty file gets all tables
// and a new epoch, an older one is migrated step by step, each step in one transaction. Errors:
// `failed_precondition` (a newer Parley has written the file, or it is another program's).
core::Result<void> migrate(Database& database, core::Entropy& entropy);

// As migrate(), but stops at `version`. For tests of migrations.
core::Result<void> migrate_to(Database& database, core::Entropy& entropy, int version);

// The version of a file, 0 for an empty one. Errors: `failed_precondition` as migrate().
core::Result<int> schema_version(Database& database);

core::Result<std::string> read_epoch(Database& database);

}  // namespace parley::event
