// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/placement/slot.h"

namespace parley::placement {

std::string_view placement_key(std::string_view session_id) {
  const std::size_t dot = session_id.rfind('.');
  return dot == std::string_view::npos ? session_id : session_id.substr(dot + 1);
}

// FNV-1a.
std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

// The upper half is folded in: the threads of a node are chosen by the lowest bits, and the
// sessions of one slot should not all have the same thread.
Slot slot_of_key(std::string_view placement_key) {
  const std::uint64_t hash = stable_hash(placement_key);
  return static_cast<Slot>((hash ^ hash >> 32U) % kSlots);
}

}  // namespace parley::placement
