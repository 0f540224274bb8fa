// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"

namespace parley::core {

// The file of a data directory on which its server holds an flock(2).
inline constexpr std::string_view kServerLockFile = "lock";

// True if a process holds an exclusive flock(2) on a file now; false also without the file. Writes
// nothing. For that moment it holds a shared lock, so that an attempt to lock the file fails.
// Errors: `permission_denied` (this user cannot read the file).
Result<bool> is_file_locked(const std::string& path);

}  // namespace parley::core
