// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/loop/loop.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/core/contain.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::net {
namespace {

using core::Millis;

struct Ready : FdHandler {
  explicit Ready(std::function<void()> f) : action(std::move(f)) {}
  void on_ready(std::uint32_t) override { action(); }
  std::function<void()> action;
};

struct TurnEnd : TurnEndHandler {
  explicit TurnEnd(std::function<void()> f) : action(std::move(f)) {}
  void on_turn_end() override { action(); }
  std::function<void()> action;
};

struct ReadableFd {
  ReadableFd() : fd(eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~ReadableFd() { close(fd); }
  int fd;
};

class LoopTest : public ::testing::Test {
 protected:
  core::SystemClock clock;
  Loop loop{clock};
};

TEST_F(LoopTest, PostedTasks_RunInOrder) {
  std::vector<int> order;
  loop.post([&] { order.push_back(1); });
  loop.post([&] {
    order.push_back(2);
    loop.post([&] {
      order.push_back(4);
      loop.stop();
    });
  });
  loop.post([&] { order.push_back(3); });
  loop.run();
  EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
}

TEST_F(LoopTest, ChainOfPostedTasks_RunsWithoutWait) {
  const ReadableFd readable;
  std::string order;
  Ready ready([&] {
    order += "ready";
    loop.stop();
  });
  loop.post([&] {
    ASSERT_TRUE(loop.add(readable.fd, EPOLLIN, ready));
    order += "a ";
    loop.post([&] {
      order += "b ";
      loop.post([&] { order += "c "; });
    });
  });
  loop.run();
  loop.remove(readable.fd, ready);
  EXPECT_EQ(order, "a b c ready");
}

TEST_F(LoopTest, TaskThatPostsItself_StopsNoDescriptor) {
  const ReadableFd readable;
  Ready ready([&] { loop.stop(); });
  std::function<void()> again = [&] { loop.post(again); };
  loop.post([&] {
    ASSERT_TRUE(loop.add(readable.fd, EPOLLIN, ready));
    again();
  });
  loop.run();
  loop.remove(readable.fd, ready);
}

TEST_F(LoopTest, TaskPostedAfterStop_IsDestroyedUnrun) {
  loop.post([&] { loop.stop(); });
  loop.run();
  auto owned = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = owned;
  loop.post([owned = std::move(owned)] { ADD_FAILURE() << "must not run"; });
  EXPECT_TRUE(watch.expired());
}

TEST_F(LoopTest, PostsFromOtherThreads_WakeLoop) {
  constexpr int kThreads = 3;
  constexpr int kPosts = 2'000;
  int count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kPosts; ++i) {
        loop.post([&] {
          EXPECT_TRUE(loop.in_thread());
          if (++count == kThreads * kPosts) loop.stop();
        });
      }
    });
  }
  loop.run();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(count, kThreads * kPosts);
}

TEST_F(LoopTest, Stop_FromOtherThread_WakesSleepingLoop) {
  std::atomic<bool> running{false};
  loop.post([&] { running = true; });
  std::thread stopper([&] {
    while (!running) std::this_thread::yield();
    loop.stop();
  });
  loop.run();
  stopper.join();
  EXPECT_TRUE(running);
}

TEST_F(LoopTest, Exception_EndsOnlyItsTask) {
  const std::uint64_t before = core::contained_errors();
  ReadableFd fd;
  Ready ready([&] {
    loop.remove(fd.fd, ready);
    throw std::runtime_error("of an event");
  });
  TurnEnd turn_end([] { throw std::runtime_error("of a turn's end"); });
  ASSERT_TRUE(loop.add(fd.fd, EPOLLIN, ready));
  loop.at_turn_end(turn_end);
  loop.post([] { throw std::runtime_error("of a task"); });
  loop.after(Millis(0), [] { throw 1; });
  loop.after(Millis(1), [&] { loop.stop(); });
  loop.run();
  EXPECT_EQ(core::contained_errors() - before, 4U);
}

TEST_F(LoopTest, Loop_KnowsItsThread) {
  EXPECT_TRUE(loop.in_thread());
  std::thread other([&] {
    EXPECT_FALSE(loop.in_thread());
    loop.post([&] {
      EXPECT_TRUE(loop.in_thread());
      loop.stop();
    });
    loop.run();
  });
  other.join();
  EXPECT_FALSE(loop.in_thread());
}

TEST_F(LoopTest, Timers_RunByTimeNotBySetting) {
  std::vector<int> order;
  loop.after(Millis(20), [&] {
    order.push_back(3);
    loop.stop();
  });
  loop.after(Millis(1), [&] { order.push_back(2); });
  loop.after(Millis(-5), [&] { order.push_back(1); });
  loop.run();
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST_F(LoopTest, CancelledTimer_NeverRuns_FreesItsTask) {
  auto owned = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = owned;
  const auto timer = loop.after(Millis(1), [owned = std::move(owned)] { ADD_FAILURE(); });
  loop.after(Millis(3), [&] { loop.stop(); });
  loop.cancel(timer);
  EXPECT_TRUE(watch.expired());
  loop.cancel(timer);
  loop.cancel(0);
  loop.run();
}

TEST_F(LoopTest, Timer_MayCancelOtherDueTimer) {
  core::TimerId second = 0;
  loop.after(Millis(0), [&] { loop.cancel(second); });
  second = loop.after(Millis(0), [&] { ADD_FAILURE() << "was cancelled"; });
  loop.after(Millis(2), [&] { loop.stop(); });
  loop.run();
}

TEST_F(LoopTest, ManyCancelledTimers_AreForgotten) {
  for (int i = 0; i < 100'000; ++i) loop.cancel(loop.after(std::chrono::hours(1), [] {}));
  int count = 0;
  for (int i = 0; i < 1'000; ++i) {
    loop.after(Millis(0), [&] {
      if (++count == 1'000) loop.stop();
    });
  }
  loop.run();
  EXPECT_EQ(count, 1'000);
}

TEST_F(LoopTest, DescriptorRemovedInTurn_IsNotCalled) {
  ReadableFd a;
  ReadableFd b;
  int calls = 0;
  std::unique_ptr<Ready> first;
  std::unique_ptr<Ready> second;
  const auto drop_the_other = [&](ReadableFd& other, std::unique_ptr<Ready>& handler) {
    ++calls;
    if (!handler) return;
    loop.remove(other.fd, *handler);
    handler.reset();
    loop.post([&] { loop.stop(); });
  };
  first = std::make_unique<Ready>([&] { drop_the_other(b, second); });
  second = std::make_unique<Ready>([&] { drop_the_other(a, first); });
  ASSERT_TRUE(loop.add(a.fd, EPOLLIN, *first));
  ASSERT_TRUE(loop.add(b.fd, EPOLLIN, *second));
  loop.run();
  EXPECT_EQ(calls, 1);
}

TEST_F(LoopTest, TurnEndHandlers_RunOnceAfterEverything) {
  std::string order;
  TurnEnd end([&] { order += "end "; });
  loop.post([&] {
    order += "first ";
    loop.at_turn_end(end);
  });
  loop.post([&] {
    order += "second ";
    loop.post([&] {
      order += "next";
      loop.stop();
    });
  });
  loop.run();
  EXPECT_EQ(order, "first second end next");
}

TEST_F(LoopTest, TurnEndHandler_MayForgetOther) {
  int calls = 0;
  TurnEnd second([&] { ++calls; });
  TurnEnd first([&] {
    ++calls;
    loop.forget_turn_end(second);
    loop.stop();
  });
  loop.post([&] {
    loop.at_turn_end(first);
    loop.at_turn_end(second);
  });
  loop.run();
  EXPECT_EQ(calls, 1);
}

TEST_F(LoopTest, RepeatedTurnEndRequests_DoNotStopLoop) {
  int calls = 0;
  std::unique_ptr<TurnEnd> again;
  again = std::make_unique<TurnEnd>([&] {
    ++calls;
    loop.at_turn_end(*again);
  });
  loop.post([&] { loop.at_turn_end(*again); });
  loop.after(Millis(1), [&] { loop.stop(); });
  loop.run();
  EXPECT_GT(calls, 0);
}

TEST_F(LoopTest, SpareBuffers_AreEmptied_LargeAreFreed) {
  std::string large(Loop::kSpareBytes + 1, 'x');
  loop.return_spare(std::move(large));
  EXPECT_LT(loop.take_spare().capacity(), 100U);
  std::string small(1'000, 'x');
  loop.return_spare(std::move(small));
  const std::string spare = loop.take_spare();
  EXPECT_EQ(spare, "");
  EXPECT_GE(spare.capacity(), 1'000U);
}

TEST(LoopTasks, TaskDestroyedWithLoop_MayUseLoop) {
  core::SystemClock clock;
  auto loop = std::make_unique<Loop>(clock);
  struct Owner {
    explicit Owner(Loop& of) : loop(of), timer(of.after(std::chrono::hours(1), [] {})) {}
    ~Owner() {
      loop.cancel(timer);
      loop.post([] {});
    }
    Loop& loop;
    core::TimerId timer;
  };
  loop->post([owner = std::make_unique<Owner>(*loop)] {});
  loop->after(std::chrono::hours(1), [owner = std::make_unique<Owner>(*loop)] {});
  loop.reset();
}

}  // namespace
}  // namespace parley::net
