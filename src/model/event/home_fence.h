// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/sql/array.h"
#include "base/sql/database.h"
#include "model/placement/slot.h"

// The fence of commits in PostgreSQL (docs/decisions/0015): a transaction shares the locks of the
// slots to which it writes, and reads in a later statement, whose snapshot is newer, that their
// epochs are still those under which this node is their home. Who takes a slot has its lock alone
// and raises its epoch, so an epoch belongs to one home.
namespace parley::event {

// Slots and their epochs, as parameters of the texts below.
struct HomeColumns {
  sql::Array slots{sql::Array::Of::integers};
  sql::Array epochs{sql::Array::Of::integers};

  void add(const placement::TakenSlot& home);
  void clear();
};

// An expression that shares the locks of slots. `slots`: the parameter of HomeColumns::slots.
std::string share_slots(std::string_view slots);
// A condition: each of the homes stands. Both are parameters.
std::string homes_stand(std::string_view slots, std::string_view epochs);

// Lets the open transaction write to the sessions of one slot. Errors: `owned_elsewhere` with the
// field kHomeField; those of Database.
core::Result<void> share_home(sql::Database& database, const placement::TakenSlot& home);
// The same for what belongs to an owner. `epoch`: SessionStore::home_epoch(owner).
core::Result<void> share_home(sql::Database& database, std::string_view owner,
                              placement::Epoch epoch);

// The slots of those homes that stand no more.
core::Result<placement::SlotSet> lost_homes(sql::Database& database,
                                            std::span<const placement::TakenSlot> homes);

}  // namespace parley::event
