// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace parley::sql {

// Where the stores of a server are: in files of its data directory, or in a PostgreSQL database.
struct StorePlace {
  StorePlace() = default;
  // Files of this folder. A folder is a place wherever one is asked for.
  // NOLINTNEXTLINE(google-explicit-constructor)
  StorePlace(std::string folder) : data_dir(std::move(folder)) {}

  // For messages: the folder, or "the database", whose address may have a password.
  std::string name() const { return url.empty() ? data_dir : "the database"; }

  std::string data_dir;
  std::string url;      // of the database; empty: SQLite
  bool pooled = false;  // PostgresPlace
};

}  // namespace parley::sql
