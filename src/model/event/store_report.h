// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace parley::event {

// The result of examining a store.
struct StoreReport {
  int schema_version = 0;
  std::string epoch;
  bool counted = false;  // the three counts below are valid; only for a store of the current
                         // version
  std::uint64_t sessions = 0;
  std::uint64_t events = 0;
  std::uint64_t pending = 0;
  bool refused = false;               // the file belongs to another program or a newer Parley
  std::vector<std::string> notes;     // sentences: information, not faults
  std::vector<std::string> findings;  // sentences: faults; empty if the store is sound
};

// Most findings of one kind that are listed individually.
inline constexpr std::size_t kMaxFindings = 20;

}  // namespace parley::event
