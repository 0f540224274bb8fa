// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/core/result.h"
#include "base/sql/database.h"
#include "model/event/decision.h"

namespace parley::event {

// Reads all decisions of DATA/events.db in one snapshot, by workspace and number, then the
// interactions that ended and have none. Errors: those of Database and of `use`.
core::Result<void> read_decisions(sql::Database& database, const DecisionSink& use,
                                  const UndecidedSink& missing);

}  // namespace parley::event
