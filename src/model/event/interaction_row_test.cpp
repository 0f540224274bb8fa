// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/interaction_row.h"

#include <gtest/gtest.h>

#include "tests/support/event/memory_session_store.h"
#include "tests/support/event/store_fixture.h"

namespace parley::event {
namespace {

TEST(InteractionRow, OpeningEvent_SetsTimeAndNumber) {
  const Unit unit = asking_unit("s", "k", 7);
  const core::Result<DerivedRow> derived = derive_row(unit, unit.changes[0]);
  ASSERT_TRUE(derived) << derived.error().message;
  const InteractionRow row = row_of(*derived);
  EXPECT_EQ(row.session, "s");
  EXPECT_EQ(row.key, "k");
  EXPECT_EQ(row.id, "id-k");
  EXPECT_EQ(row.kind, "question");
  EXPECT_EQ(row.state, "pending");
  EXPECT_EQ(row.fingerprint, "f");
  EXPECT_EQ(row.opened_at, unit.events[0].at);
  EXPECT_EQ(row.deadline, unit.changes[0].deadline);
  EXPECT_EQ(row.opened_seq, 7U);
  EXPECT_EQ(row.closed_seq, 0U);
}

TEST(InteractionRow, EndEvent_SetsStateAndNumber) {
  const Unit unit = ending_unit("s", "k", 8, "cancelled");
  const core::Result<DerivedRow> derived = derive_row(unit, unit.changes[0]);
  ASSERT_TRUE(derived) << derived.error().message;
  EXPECT_FALSE(derived->opens);
  EXPECT_EQ(derived->state, "cancelled");
  EXPECT_EQ(derived->closed_seq, 8U);
}

TEST(InteractionRow, RowDifferingFromEvent_IsRefused) {
  const auto refused = [](Unit unit) {
    const core::Result<DerivedRow> derived = derive_row(unit, unit.changes[0]);
    return !derived && derived.error().code == core::Code::invalid_argument;
  };
  Unit other_type = asking_unit("s", "k", 1);
  other_type.events[0].type = "message";
  EXPECT_TRUE(refused(other_type));
  Unit beyond = asking_unit("s", "k", 1);
  beyond.changes[0].event = 1;
  EXPECT_TRUE(refused(beyond));
  Unit nameless = asking_unit("s", "", 1);
  EXPECT_TRUE(refused(nameless));
  Unit with_end = asking_unit("s", "k", 1);
  with_end.changes[0].state = "answered";
  EXPECT_TRUE(refused(with_end));
  EXPECT_TRUE(refused(ending_unit("s", "k", 2, "pending")));
}

TEST(InteractionRow, EventOfBareType_OpensNothing) {
  MemorySessionStore store;
  StoreCaller caller(store);
  Unit named_by_a_client = unit_of("s", 1);
  named_by_a_client.events[0].type = kInteractionOpened;
  ASSERT_TRUE(caller.commit(named_by_a_client));
  EXPECT_TRUE(caller.pending("s")->empty());
}

// Both stores accept the same changes.
TEST(InteractionRow, MemoryStore_EndsOnce_KeyOpensNoOther) {
  MemorySessionStore store;
  StoreCaller caller(store);
  ASSERT_TRUE(caller.commit(asking_unit("s", "k", 1)));
  EXPECT_FALSE(caller.commit(ending_unit("s", "other", 2, "answered")));
  ASSERT_TRUE(caller.commit(ending_unit("s", "k", 2, "answered")));
  EXPECT_FALSE(caller.commit(ending_unit("s", "k", 3, "cancelled")));
  EXPECT_FALSE(caller.commit(asking_unit("s", "k", 3)));
  EXPECT_EQ(caller.session("s")->last_seq, 2U);
  EXPECT_EQ((*caller.interaction("s", "k"))->row.state, "answered");
}

}  // namespace
}  // namespace parley::event
