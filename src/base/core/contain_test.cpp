// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/contain.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

namespace parley::core {
namespace {

TEST(ContainTest, TaskThatThrows_IsCountedError) {
  const std::uint64_t before = contained_errors();
  const Result<void> done = contain("test", [] { throw std::runtime_error("broken"); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::internal);
  EXPECT_NE(done.error().message.find("broken"), std::string::npos);
  EXPECT_EQ(contained_errors(), before + 1);
}

TEST(ContainTest, Task_WithoutMemory_IsResourceExhausted) {
  const Result<int> done = contain("test", []() -> Result<int> { throw std::bad_alloc(); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::resource_exhausted);
}

TEST(ContainTest, TaskThatReturns_GivesResult) {
  const std::uint64_t before = contained_errors();
  const Result<int> done = contain("test", []() -> Result<int> { return 7; });
  EXPECT_EQ(done, 7);
  EXPECT_EQ(contained_errors(), before);
}

TEST(ContainTest, TaskThatThrowsNonException_IsContained) {
  EXPECT_FALSE(contain("test", [] { throw 1; }));
}

}  // namespace
}  // namespace parley::core
