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

  std::string data_dir;
  std::string url;       // of the database; empty: SQLite
  bool prepares = true;  // PostgresPlace
};

}  // namespace parley::sql
