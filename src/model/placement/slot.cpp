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

// The upper half is folded in: the hash of a short text has few of its bits.
Slot slot_of(std::string_view owner) {
  const std::uint64_t hash = stable_hash(owner);
  return static_cast<Slot>((hash ^ hash >> 32U) % kSlots);
}

}  // namespace parley::placement
