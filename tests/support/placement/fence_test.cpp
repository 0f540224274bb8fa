// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The fence, checked in every order of the steps of two nodes, and the mistakes that it would not
// forgive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/placement/fence_model.h"

namespace parley::placement {
namespace {

using testing::HasSubstr;
using testing::Optional;

TEST(FenceTest, TwoNodes_EveryOrderOfTheirSteps) {
  FenceModel model(2, 2, {});
  const std::optional<std::string> fault = model.check();
  EXPECT_EQ(fault, std::nullopt) << *fault;
  EXPECT_GT(model.states(), 50'000U);
}

TEST(FenceTest, CommitWithoutLock_IsFound) {
  FenceModel model(2, 2, {.commits_lock = false});
  EXPECT_THAT(model.check(), Optional(HasSubstr("an epoch that has ended")));
}

TEST(FenceTest, CheckInTheStatementOfTheLock_IsFound) {
  FenceModel model(2, 2, {.checks_after_lock = false});
  EXPECT_THAT(model.check(), Optional(HasSubstr("an epoch that has ended")));
}

TEST(FenceTest, RenewalDuringATake_IsFound) {
  FenceModel model(2, 2, {.takes_hold_renewals = false});
  EXPECT_THAT(model.check(), Optional(HasSubstr("serves a slot that another node has")));
}

TEST(FenceTest, ServingWhatIsGivenBack_IsFound) {
  FenceModel model(2, 2, {.leaves_before_giving = false});
  EXPECT_THAT(model.check(), Optional(HasSubstr("serves a slot that another node has")));
}

}  // namespace
}  // namespace parley::placement
