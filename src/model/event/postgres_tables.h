// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/core/result.h"
#include "base/sql/database.h"

namespace parley::event {

// The tables of version kSchemaVersion in PostgreSQL, and the functions of the statements of
// StagedGroup: those of a file, without the columns of `events` that are parts of its key, and
//   parley_writers     a row for each connection that may write, see PostgresUnitWriter;
//   parley_workspaces  the newest place in the inbox of each owner, and its last decision. Each
//                      change of an interaction locks the row of its owner until the commit, so
//                      that places become visible in their order.
extern const char* const kPostgresTables;

// Fills what only PostgreSQL has, after the rows of a file were copied. Does nothing to a file.
core::Result<void> complete_copy(sql::Database& database);

}  // namespace parley::event
