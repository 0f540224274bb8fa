// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/sql/migration.h"

namespace parley::booking {

// The file format of DATA/booking.db: docs/booking.md.
const sql::Schema& schema();

}  // namespace parley::booking
