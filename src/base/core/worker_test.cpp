// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <vector>

#include "base/core/clock.h"

namespace parley::core {
namespace {

TEST(Worker, Tasks_RunInOrder_AllBeforeStop) {
  SystemClock clock;
  Worker worker(clock);
  std::vector<int> seen;
  bool in_thread = false;
  for (int i = 0; i < 100; ++i) worker.post([&seen, i] { seen.push_back(i); });
  worker.post([&] {
    in_thread = worker.in_thread();
    worker.post([&seen] { seen.push_back(100); });
  });
  worker.stop();
  ASSERT_EQ(seen.size(), 101U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_TRUE(in_thread);
  EXPECT_FALSE(worker.in_thread());
  worker.post([&seen] { seen.clear(); });
  EXPECT_EQ(seen.size(), 101U);
}

TEST(Worker, Timer_RunsUnlessCancelled) {
  SystemClock clock;
  Worker worker(clock);
  std::promise<void> ran;
  bool cancelled_ran = false;
  worker.post([&] {
    const TimerId timer = worker.after(Millis(1), [&] { cancelled_ran = true; });
    worker.after(Millis(2), [&] { ran.set_value(); });
    worker.cancel(timer);
  });
  ASSERT_EQ(ran.get_future().wait_for(std::chrono::minutes(2)), std::future_status::ready);
  worker.stop();
  EXPECT_FALSE(cancelled_ran);
}

}  // namespace
}  // namespace parley::core
