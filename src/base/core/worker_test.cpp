// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <stdexcept>
#include <vector>

#include "base/core/ask_worker.h"
#include "tests/support/core/fake_scheduler.h"

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
  ASSERT_EQ(ran.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
  worker.stop();
  EXPECT_FALSE(cancelled_ran);
}

TEST(AskWorker, Answer_IsResult_OrNoWorkerAfterStop) {
  FakeClock clock;
  FakeScheduler scheduler(clock);
  Worker worker(clock);
  std::vector<Result<int>> answers;
  const auto ask = [&](std::function<Result<int>()> work) {
    ask_worker<int>(
        worker, "test", scheduler, [&](Result<int> answer) { answers.push_back(answer); },
        std::move(work));
  };
  ask([] { return 7; });
  ask([]() -> Result<int> { throw std::runtime_error("no"); });
  worker.stop();
  ask([] { return 8; });
  EXPECT_TRUE(answers.empty());
  scheduler.run_ready();
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0], 7);
  EXPECT_EQ(answers[1].error().code, Code::internal);
  EXPECT_EQ(answers[2].error().code, Code::unavailable);
}

}  // namespace
}  // namespace parley::core
