// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/home_fence.h"

#include <cstdint>

#include "base/core/assert.h"
#include "model/event/session_store.h"
#include "model/placement/postgres_home_store.h"

namespace parley::event {
namespace {

// A condition on a row `t` of slots and epochs.
constexpr std::string_view kStands =
    "EXISTS (SELECT 1 FROM parley_cluster.homes h WHERE h.slot = t.slot AND h.epoch = t.epoch)";

std::string rows_of(std::string_view slots, std::string_view epochs) {
  return "unnest(" + std::string(slots) + ", " + std::string(epochs) + ") AS t(slot, epoch)";
}

}  // namespace

void HomeColumns::add(const placement::TakenSlot& home) {
  slots.add(static_cast<std::int64_t>(home.slot));
  epochs.add(static_cast<std::int64_t>(home.epoch));
}

void HomeColumns::clear() {
  slots.clear();
  epochs.clear();
}

std::string share_slots(std::string_view slots) {
  return "(SELECT count(pg_advisory_xact_lock_shared(" + std::string(placement::kSlotLockClass) +
         ", t.slot::int)) FROM unnest(" + std::string(slots) + ") AS t(slot))";
}

std::string homes_stand(std::string_view slots, std::string_view epochs) {
  return "NOT EXISTS (SELECT 1 FROM " + rows_of(slots, epochs) + " WHERE NOT " +
         std::string(kStands) + ")";
}

core::Result<void> share_home(sql::Database& database, const placement::TakenSlot& home) {
  PARLEY_ASSERT(database.in_transaction(),
                "the lock of slot " + std::to_string(home.slot) + " would end with its statement");
  HomeColumns columns;
  columns.add(home);
  PARLEY_TRY_VOID(database.run("SELECT " + share_slots("?1"), columns.slots));
  PARLEY_TRY(const placement::SlotSet lost, lost_homes(database, std::span(&home, 1)));
  return lost.none() ? core::Result<void>() : core::fail(owned_elsewhere());
}

core::Result<void> share_home(sql::Database& database, std::string_view owner,
                              placement::Epoch epoch) {
  return share_home(database, placement::TakenSlot{placement::slot_of(owner), epoch});
}

core::Result<placement::SlotSet> lost_homes(sql::Database& database,
                                            std::span<const placement::TakenSlot> homes) {
  HomeColumns columns;
  for (const placement::TakenSlot& home : homes) columns.add(home);
  placement::SlotSet lost;
  const auto note = [&lost](const sql::Statement& row) { lost.set(row.number(0)); };
  PARLEY_TRY_VOID(database.each(
      "SELECT t.slot FROM " + rows_of("?1", "?2") + " WHERE NOT " + std::string(kStands), note,
      columns.slots, columns.epochs));
  return lost;
}

}  // namespace parley::event
