// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace parley::event {

// The findings of an examination of a store.
struct StoreReport {
  int schema_version = 0;
  std::string epoch;
  bool counted = false;  // the three below are known: the store is of this version
  std::uint64_t sessions = 0;
  std::uint64_t events = 0;
  std::uint64_t pending = 0;
  bool refused = false;               // the file is another program's, or of a newer Parley
  std::vector<std::string> notes;     // sentences: worth knowing, nothing is wrong
  std::vector<std::string> findings;  // sentences: something is wrong; empty if the store is sound
};

// At most this many findings of one kind are told one by one.
inline constexpr std::size_t kMaxFindings = 20;

}  // namespace parley::event
