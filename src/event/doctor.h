// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"

namespace parley::event {

// What an examination of a store found.
struct StoreReport {
  int schema_version = 0;
  std::string epoch;
  std::uint64_t sessions = 0;
  std::uint64_t events = 0;
  std::uint64_t pending = 0;
  bool refused = false;               // the file is another program's, or of a newer Parley
  std::vector<std::string> notes;     // sentences: worth knowing, nothing is wrong
  std::vector<std::string> findings;  // sentences: something is wrong; empty if the store is sound
};

// At most this many findings of one kind are told one by one.
inline constexpr std::size_t kMaxFindings = 20;

// Examines DATA/events.db without changing it; a server may be running on it. Checks the file
// (SQLite's integrity check), its schema version and epoch, that every session is gapless and
// begins where it says, and that every interaction's events exist and agree with its state. Errors:
// the file cannot be opened at all.
core::Result<StoreReport> examine_store(const std::string& data_dir);

}  // namespace parley::event
