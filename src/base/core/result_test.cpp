// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace parley::core {
namespace {

Result<std::unique_ptr<int>> boxed(int value, int& calls) {
  ++calls;
  if (value < 0) return fail(Code::out_of_range, "Too small.", "value");
  return std::make_unique<int>(value);
}

Result<void> check_even(int value) {
  if (value % 2 != 0) return fail(Code::invalid_argument, "Odd.");
  return {};
}

Result<int> sum(int left, int right, int& calls) {
  PARLEY_TRY(const std::unique_ptr<int> first, boxed(left, calls));
  PARLEY_TRY(const auto second, boxed(right, calls));
  if (left > 100) PARLEY_TRY_VOID(check_even(left));
  PARLEY_TRY_VOID(check_even(*first + *second));
  return *first + *second;
}

TEST(Try, Success_DeclaresValueEvaluatedOnce) {
  int calls = 0;
  const Result<int> result = sum(3, 5, calls);
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, 8);
  EXPECT_EQ(calls, 2);
}

TEST(Try, Failure_ReturnsWholeErrorAtOnce) {
  int calls = 0;
  const Result<int> result = sum(-1, 5, calls);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::out_of_range);
  EXPECT_EQ(result.error().message, "Too small.");
  EXPECT_EQ(result.error().field, "value");
  EXPECT_EQ(calls, 1);
}

TEST(TryVoid, Failure_ReturnsError) {
  int calls = 0;
  EXPECT_EQ(sum(1, 2, calls).error().code, Code::invalid_argument);
  EXPECT_EQ(sum(101, 1, calls).error().message, "Odd.");
}

}  // namespace
}  // namespace parley::core
