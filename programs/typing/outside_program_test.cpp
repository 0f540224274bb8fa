// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/typing/outside_program.h"

#include <gtest/gtest.h>

namespace parley::typing {
namespace {

TEST(OutsideProgram, ProgramThatDoesNotReadInput_IsHarmless) {
  const auto end = run_program({"true"}, std::string(1U << 20U, 'x'));
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->status, 0);
}

}  // namespace
}  // namespace parley::typing
