// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/loop_thread.h"

#include <gtest/gtest.h>

#include <thread>

namespace parley::core {
namespace {

TEST(LoopThread, Mark_IsPerThreadAndScope) {
  EXPECT_FALSE(LoopThread::here());
  {
    const LoopThread mark;
    EXPECT_TRUE(LoopThread::here());
    bool elsewhere = true;
    std::thread([&elsewhere] { elsewhere = LoopThread::here(); }).join();
    EXPECT_FALSE(elsewhere);
  }
  EXPECT_FALSE(LoopThread::here());
  assert_may_block("nothing");
}

TEST(LoopThreadDeathTest, BlockingOnLoop_EndsProcess) {
  EXPECT_DEATH(
      {
        const LoopThread mark;
        assert_may_block("SQLite");
      },
      "SQLite");
}

}  // namespace
}  // namespace parley::core
