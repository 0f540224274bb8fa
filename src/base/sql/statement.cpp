// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sql/statement.h"

namespace parley::sql {

core::Result<void> Statement::run() {
  const core::Result<bool> row = step();
  reset();
  if (!row) return core::fail(row.error());
  return {};
}

core::Result<std::int64_t> Statement::first_integer() {
  return first([](const Statement& row) { return row.integer(0); }).map([](auto value) {
    return value.value_or(0);
  });
}

}  // namespace parley::sql
