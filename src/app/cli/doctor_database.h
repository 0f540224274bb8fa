// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/cli/finding.h"
#include "app/cli/known_stores.h"
#include "base/sql/store_place.h"

namespace parley::app {

// The PostgreSQL database of `place` and its server, and each of the stores in it. Changes nothing.
// Faults: the server cannot start with it, or loses what it acknowledged.
std::vector<Finding> check_database_server(const sql::StorePlace& place,
                                           const std::vector<KnownStore>& stores);

}  // namespace parley::app
