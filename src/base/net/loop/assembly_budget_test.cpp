// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/loop/assembly_budget.h"

#include <gtest/gtest.h>

namespace parley::net {
namespace {

constexpr AssemblyBudget::Limits kLimits{
    .total = 100, .per_account = 60, .unknown = 40, .unknown_address = 15};

class AssemblyBudgetTest : public testing::Test {
 protected:
  std::shared_ptr<AssemblyBudget> budget_ = std::make_shared<AssemblyBudget>(kLimits);
};

TEST_F(AssemblyBudgetTest, SingleAddress_LeavesRoomForStrangersElsewhere) {
  AssemblyShare first;
  AssemblyShare second;
  AssemblyShare elsewhere;
  first.use(*budget_, "", "192.0.2.1");
  second.use(*budget_, "", "192.0.2.1");
  elsewhere.use(*budget_, "", "192.0.2.2");
  EXPECT_TRUE(first.hold(15));
  EXPECT_FALSE(second.hold(1));
  EXPECT_TRUE(elsewhere.hold(15));
  EXPECT_TRUE(first.hold(0));
  EXPECT_TRUE(second.hold(15));
}

TEST_F(AssemblyBudgetTest, AddressesOfSameNetwork_ShareLimit) {
  AssemblyShare first;
  AssemblyShare second;
  first.use(*budget_, "", "2001:db8::1");
  second.use(*budget_, "", "2001:db8::2");
  EXPECT_TRUE(first.hold(15));
  EXPECT_FALSE(second.hold(1));
}

TEST_F(AssemblyBudgetTest, ManyAddresses_LeaveRoomForKnownSenders) {
  AssemblyShare strangers[3];
  for (int i = 0; i < 3; ++i) {
    strangers[i].use(*budget_, "", "192.0.2." + std::to_string(i));
    EXPECT_EQ(strangers[i].hold(15), i < 2) << i;
  }
  EXPECT_EQ(budget_->bytes(), 30U);
  AssemblyShare known;
  known.use(*budget_, "token", "192.0.2.0");
  EXPECT_TRUE(known.hold(60));
  EXPECT_FALSE(known.hold(61));
  EXPECT_EQ(budget_->bytes(), 30U);
}

TEST_F(AssemblyBudgetTest, Total_IsSharedByAll) {
  AssemblyShare first;
  AssemblyShare second;
  AssemblyShare stranger;
  first.use(*budget_, "first", "");
  second.use(*budget_, "second", "");
  stranger.use(*budget_, "", "192.0.2.1");
  EXPECT_TRUE(first.hold(60));
  EXPECT_FALSE(second.hold(41));
  EXPECT_TRUE(second.hold(40));
  EXPECT_FALSE(stranger.hold(1));
  // A refused call holds no bytes.
  EXPECT_TRUE(second.hold(0));
  EXPECT_TRUE(stranger.hold(15));
}

TEST_F(AssemblyBudgetTest, AccountNamedLikeAddress_IsSeparate) {
  AssemblyShare known;
  known.use(*budget_, "192.0.2.1", "192.0.2.1");
  EXPECT_TRUE(known.hold(60));
  AssemblyShare stranger;
  stranger.use(*budget_, "", "192.0.2.1");
  EXPECT_TRUE(stranger.hold(15));
  // After a login the bytes count to the account.
  stranger.use(*budget_, "192.0.2.1", "192.0.2.1");
  EXPECT_EQ(stranger.held(), 0U);
  EXPECT_FALSE(stranger.hold(1));
  EXPECT_EQ(budget_->bytes(), 60U);
}

constexpr const char* kAddress = "192.0.2.1";

class HeldMemoryTest : public AssemblyBudgetTest {
 protected:
  bool count(std::string_view account) { return memory_.count_to(*budget_, account, kAddress); }

  HeldMemory memory_;
};

TEST_F(HeldMemoryTest, UncountedMemory_HasNoLimit) {
  EXPECT_TRUE(memory_.hold_above(1'000, kAddress));
  EXPECT_TRUE(memory_.hold_unsent(1'000, 1'000, kAddress));
  EXPECT_FALSE(memory_.holds());
  EXPECT_EQ(budget_->bytes(), 0U);
}

TEST_F(HeldMemoryTest, AllParts_CountTogether) {
  ASSERT_TRUE(count(""));
  EXPECT_TRUE(memory_.hold_above(5, kAddress));
  EXPECT_TRUE(memory_.hold_unsent(4, 6, kAddress));
  EXPECT_EQ(budget_->bytes(), 15U);
  EXPECT_TRUE(memory_.hold_above(2, kAddress));
  EXPECT_EQ(budget_->bytes(), 12U);
  EXPECT_TRUE(memory_.hold_unsent(0, 0, kAddress));
  EXPECT_TRUE(memory_.hold_above(0, kAddress));
  EXPECT_FALSE(memory_.holds());
  EXPECT_EQ(budget_->bytes(), 0U);
}

TEST_F(HeldMemoryTest, SharedBytes_CountOnlyOfUnknownSenders) {
  ASSERT_TRUE(count(""));
  EXPECT_TRUE(memory_.hold_unsent(2, 10, kAddress));
  EXPECT_TRUE(count("token"));
  EXPECT_EQ(budget_->bytes(), 2U);
  EXPECT_TRUE(memory_.hold_unsent(3, 1'000, kAddress));
  EXPECT_EQ(budget_->bytes(), 3U);
}

TEST_F(HeldMemoryTest, Login_MovesMemoryToAccount) {
  ASSERT_TRUE(count(""));
  EXPECT_TRUE(memory_.hold_above(15, kAddress));
  AssemblyShare stranger;
  stranger.use(*budget_, "", kAddress);
  EXPECT_FALSE(stranger.hold(1));
  EXPECT_TRUE(count("token"));
  EXPECT_TRUE(stranger.hold(15));
  EXPECT_EQ(budget_->bytes(), 30U);
}

TEST_F(HeldMemoryTest, Limit_EndsCounting_AndIsCounted) {
  ASSERT_TRUE(count(""));
  EXPECT_TRUE(memory_.hold_above(10, kAddress));
  EXPECT_EQ(budget_->ended(), 0U);
  EXPECT_FALSE(memory_.hold_unsent(3, 3, kAddress));
  EXPECT_EQ(budget_->ended(), 1U);
  EXPECT_EQ(budget_->bytes(), 0U);
  // The connection is being ended: its last bytes neither count nor end it again.
  EXPECT_TRUE(memory_.hold_above(1'000, kAddress));
  EXPECT_EQ(budget_->ended(), 1U);
  EXPECT_EQ(budget_->bytes(), 0U);
}

TEST_F(HeldMemoryTest, FullAccount_RefusesMemoryOfNewMember) {
  AssemblyShare known;
  known.use(*budget_, "token", kAddress);
  ASSERT_TRUE(known.hold(60));
  ASSERT_TRUE(count(""));
  EXPECT_TRUE(memory_.hold_above(1, kAddress));
  EXPECT_FALSE(count("token"));
  EXPECT_EQ(budget_->ended(), 1U);
  EXPECT_EQ(budget_->bytes(), 60U);
}

}  // namespace
}  // namespace parley::net
