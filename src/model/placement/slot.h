// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace parley::placement {

// A share of all owners of sessions. Each slot has one home, the node that orders the events of
// their sessions.
using Slot = std::uint16_t;
// Never changed: nodes of two releases serve side by side, and stored rows have slots.
inline constexpr std::size_t kSlots = 1'024;
using SlotSet = std::bitset<kSlots>;

// Grows by one each time that a slot gets another home.
using Epoch = std::uint64_t;

// A slot that this node has, and the epoch under which it has it.
struct TakenSlot {
  Slot slot = 0;
  Epoch epoch = 0;
};

// The slot of an owner's sessions. They all have the same home: a connection uses several of them,
// and the inbox shows questions of all.
Slot slot_of(std::string_view owner);

// The part of a session's id that decides its thread on its home: the text behind the last dot, or
// the whole id without a dot ("a.k7" and "b.k7" have the key "k7"). Sessions with one key share the
// thread, so that a connection that serves them need not cross threads.
std::string_view placement_key(std::string_view session_id);

// A hash that is the same in every build, run and release; absl::Hash is not.
std::uint64_t stable_hash(std::string_view text);

}  // namespace parley::placement
