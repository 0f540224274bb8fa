// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result.h"
#include "sql/database.h"
#include "sql/migration.h"

namespace parley::booking {

// The file format of DATA/booking.db: docs/booking.md. The version stands in PRAGMA user_version.
inline constexpr int kSchemaVersion = 1;
sql::FileKind file_kind();

// Makes the tables of an empty file, and checks that another one is ours. Errors:
// `failed_precondition`.
core::Result<void> prepare_schema(sql::Database& database);
// The check alone; an empty file is `not_found`.
core::Result<void> check_schema(sql::Database& database);

}  // namespace parley::booking
