// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/external_agent/guest_budget.h"

#include <gmock/gmock.h>

#include "tests/support/core/fake_scheduler.h"

namespace parley::external_agent {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kBytes = 8U << 20U;

TEST(GuestBudget, AddressOverShare_IsRefused_OthersAreNot) {
  const core::FakeClock clock;
  GuestBudget budget({kBytes * 4, kBytes}, clock);
  budget.charge("192.0.2.1", kBytes - 1);
  EXPECT_FALSE(budget.spent("192.0.2.1"));
  budget.charge("192.0.2.1", 1);
  EXPECT_THAT(budget.spent("192.0.2.1").value_or(""), HasSubstr("guest_address_bytes"));
  EXPECT_FALSE(budget.spent("192.0.2.2"));
}

TEST(GuestBudget, AllTogether_AreLimitedToo) {
  const core::FakeClock clock;
  GuestBudget budget({kBytes, kBytes}, clock);
  budget.charge("192.0.2.1", kBytes / 2);
  budget.charge("192.0.2.2", kBytes / 2);
  EXPECT_THAT(budget.spent("192.0.2.3").value_or(""), HasSubstr("guest_bytes"));
}

TEST(GuestBudget, NextDay_AllIsFreeAgain) {
  core::FakeClock clock;
  GuestBudget budget({kBytes, kBytes}, clock);
  budget.charge("a", kBytes);
  clock.advance(GuestBudget::kWindow / 100);
  EXPECT_FALSE(budget.spent("a"));
  budget.charge("a", kBytes / 50);
  EXPECT_TRUE(budget.spent("a"));
  clock.advance(GuestBudget::kWindow + GuestBudget::kWindow / 50);
  budget.charge("a", kBytes - 1);
  EXPECT_FALSE(budget.spent("a"));
}

TEST(GuestBudget, NoLimits_RefuseNobody) {
  const core::FakeClock clock;
  GuestBudget budget({0, 0}, clock);
  budget.charge("a", UINT64_MAX / 2);
  EXPECT_FALSE(budget.spent("a"));
}

TEST(GuestBudget, ManyAddresses_DoNotEvictSpentAddress) {
  const core::FakeClock clock;
  GuestBudget budget({0, kBytes}, clock);
  budget.charge("spent", kBytes);
  for (std::size_t i = 0; i < GuestBudget::kMaxAddresses + 10; ++i) {
    budget.charge("other " + std::to_string(i), 1);
  }
  EXPECT_TRUE(budget.spent("spent"));
}

}  // namespace
}  // namespace parley::external_agent
