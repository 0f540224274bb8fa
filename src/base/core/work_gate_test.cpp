// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/work_gate.h"

#include <gtest/gtest.h>

namespace parley::core {
namespace {

TEST(WorkGate, ClosedGate_RefusesInWordsAndCounts) {
  WorkGate gate;
  EXPECT_TRUE(gate.admit().has_value());
  gate.close("No room.");
  const auto refused = gate.admit();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::resource_exhausted);
  EXPECT_EQ(refused.error().message, "No room.");
  EXPECT_EQ(gate.refused(), 1U);
}

TEST(WorkGate, StateQuery_CountsNothing) {
  WorkGate gate;
  gate.close("No room.");
  EXPECT_FALSE(gate.state().has_value());
  EXPECT_EQ(gate.refused(), 0U);
}

TEST(WorkGate, OpenedAgain_TakesWork) {
  WorkGate gate;
  gate.close("No room.");
  gate.open();
  EXPECT_TRUE(gate.admit().has_value());
}

TEST(WorkGate, NoneGiven_TakesAllWork) { EXPECT_TRUE(admit_work(nullptr).has_value()); }

}  // namespace
}  // namespace parley::core
