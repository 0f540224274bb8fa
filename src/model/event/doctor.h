// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/core/result.h"
#include "base/sql/database.h"
#include "model/event/store_report.h"

namespace parley::event {

// Examines a store without changing it; a server may be using it. Checks the file (SQLite's
// integrity check), its schema version and epoch, that every session is gapless from its first_seq,
// and that every interaction's events exist and agree with its state. Errors: those of Database, if
// the store cannot be read at all.
core::Result<StoreReport> examine_store(sql::Database& database);

}  // namespace parley::event
