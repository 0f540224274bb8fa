// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/core/result.h"
#include "base/sql/database.h"

namespace parley::sql {

// A table and the number of its rows that were copied.
struct CopiedTable {
  std::string name;
  std::uint64_t rows = 0;
};

// Called in the transaction of a copy, when all rows are there.
using AfterCopy = absl::FunctionRef<core::Result<void>(Database&)>;

// Copies all rows of a store into another one of the same version, of any engine, whose tables are
// empty but for rows that a new store has. In one transaction, after which the rows were read again
// and have the same number and hash as those of `from`. Indexes of full texts are not copied.
// `from` is not changed; nobody else may write to it. Errors: `failed_precondition` (a table of
// `to` has rows that were not made with it, or has other columns), `data_loss` (what was read again
// differs), those of Database; nothing is stored then.
core::Result<std::vector<CopiedTable>> copy_store(Database& from, Database& to, AfterCopy after);

}  // namespace parley::sql
