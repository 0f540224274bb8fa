// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result.h"
#include "event/store_report.h"
#include "sql/database.h"

namespace parley::event {

// Examines DATA/events.db without changing it; a server may be running on it. Checks the file
// (SQLite's integrity check), its schema version and epoch, that every session is gapless and
// begins where it says, and that every interaction's events exist and agree with its state. Errors:
// the file cannot be read at all.
core::Result<StoreReport> examine_file(sql::Database& database);

}  // namespace parley::event
