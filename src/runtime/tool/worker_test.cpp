// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/worker.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "tests/support/tool/file_tool_world.h"

namespace parley::tool {
namespace {

class WorkerTest : public testing::Test {
 protected:
  ToolContext context() {
    ToolContext context;
    context.scheduler = &scheduler_;
    context.cancel = cancel_.token();
    return context;
  }
  void run(WorkerPool& pool, BlockingWork work) {
    run_blocking(pool, context(), std::move(work), [this](ToolResult result) {
      ++times_;
      result_ = std::move(result);
    });
  }
  bool wait() {
    return run_until(scheduler_, [this] { return result_.has_value(); });
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::CancelSource cancel_;
  std::optional<ToolResult> result_;
  int times_ = 0;
};

TEST_F(WorkerTest, Work_RunsElsewhere_ResultReachesScheduler) {
  WorkerPool pool(1);
  const auto here = std::this_thread::get_id();
  run(pool, [here](const StopFlag&) {
    return std::this_thread::get_id() == here ? ToolResult::error("same thread")
                                              : ToolResult::ok("done");
  });
  EXPECT_FALSE(result_.has_value());
  ASSERT_TRUE(wait());
  EXPECT_EQ(result_->content, "done");
}

TEST_F(WorkerTest, WorkThatThrows_IsError_PoolGoesOn) {
  WorkerPool pool(1);
  run(pool, [](const StopFlag&) -> ToolResult { throw std::length_error("too long"); });
  ASSERT_TRUE(wait());
  EXPECT_TRUE(result_->is_error);
  EXPECT_NE(result_->content.find("too long"), std::string::npos);
  pool.post([] { throw std::bad_alloc(); });
  result_.reset();
  run(pool, [](const StopFlag&) { return ToolResult::ok("done"); });
  ASSERT_TRUE(wait());
  EXPECT_EQ(result_->content, "done");
}

TEST_F(WorkerTest, Cancel_BeforeWorkBegins_EndsCallAtOnce) {
  WorkerPool pool(1);
  std::atomic<bool> ran = false;
  {
    const BusyPool busy(pool, 1);
    run(pool, [&ran](const StopFlag&) {
      ran = true;
      return ToolResult::ok("");
    });
    scheduler_.run_ready();
    cancel_.cancel("enough");
    EXPECT_FALSE(result_.has_value()) << "done() must not be called inside cancel()";
    scheduler_.run_ready();
    ASSERT_TRUE(result_.has_value());
    EXPECT_TRUE(result_->is_error);
  }
  std::promise<void> after;
  pool.post([&after] { after.set_value(); });
  after.get_future().wait();
  EXPECT_FALSE(ran);
  EXPECT_EQ(times_, 1);
}

TEST_F(WorkerTest, CancelledCall_DoesNotRun) {
  WorkerPool pool(1);
  const BusyPool busy(pool, 1);
  cancel_.cancel("before");
  run(pool, [](const StopFlag&) { return ToolResult::ok("ran"); });
  scheduler_.run_ready();
  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(result_->is_error);
}

TEST_F(WorkerTest, CancelDuringWork_IsSeen_OwnResultCounts) {
  WorkerPool pool(1);
  std::promise<void> begun;
  run(pool, [&begun](const StopFlag& stop) {
    begun.set_value();
    while (!stop.stopped()) std::this_thread::yield();
    return ToolResult::ok("stopped in the middle");
  });
  begun.get_future().wait();
  scheduler_.run_ready();
  cancel_.cancel("enough");
  ASSERT_TRUE(wait());
  EXPECT_EQ(result_->content, "stopped in the middle");
  EXPECT_EQ(scheduler_.timers(), 0U);
}

TEST_F(WorkerTest, BlockedWork_DoesNotDelayCancel) {
  WorkerPool pool(1);
  std::promise<void> begun;
  std::promise<void> release;
  run(pool, [&](const StopFlag&) {
    begun.set_value();
    release.get_future().wait();
    return ToolResult::ok("late");
  });
  begun.get_future().wait();
  scheduler_.run_ready();
  cancel_.cancel("enough");
  scheduler_.run_ready();
  EXPECT_FALSE(result_.has_value());
  scheduler_.advance(kCancelPatience);
  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(result_->is_error);
  release.set_value();
  std::promise<void> after;
  pool.post([&after] { after.set_value(); });
  after.get_future().wait();
  scheduler_.run_ready();
  EXPECT_EQ(times_, 1);
}

TEST_F(WorkerTest, FullQueue_IsAnsweredInWords) {
  WorkerPool pool(1);
  const BusyPool busy(pool, 1);
  while (pool.post([] {})) {
  }
  run(pool, [](const StopFlag&) { return ToolResult::ok(""); });
  scheduler_.run_ready();
  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(result_->is_error);
  EXPECT_NE(result_->content.find("try again later"), std::string::npos);
}

TEST_F(WorkerTest, EndingPool_StopsRunningWork) {
  auto pool = std::make_unique<WorkerPool>(1);
  std::promise<void> begun;
  run(*pool, [&begun](const StopFlag& stop) {
    begun.set_value();
    while (!stop.stopped()) std::this_thread::yield();
    return cancelled_result();
  });
  begun.get_future().wait();
  pool.reset();
  ASSERT_TRUE(wait());
  EXPECT_TRUE(result_->is_error);
}

}  // namespace
}  // namespace parley::tool
