// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A loop and its objects belong to one thread; use on another thread ends the process.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "base/net/loop/assembly_budget.h"
#include "base/net/loop/loop.h"
#include "base/net/loop/send_limit.h"
#include "base/net/loop/tcp.h"
#include "base/net/loop/tcp_stream.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/net/memory_network.h"

namespace parley::net {
namespace {

// Runs `action` on a thread of its own.
template <typename Action>
void elsewhere(Action action) {
  std::thread(action).join();
}

struct LoopDeathTest : testing::Test {
  core::SystemClock clock;
  Loop loop{clock};
};

TEST_F(LoopDeathTest, TimerOfOtherThread_EndsProcess) {
  EXPECT_DEATH(elsewhere([&] { loop.after(core::Millis(1), [] {}); }), "timer 1 is set by another");
  EXPECT_DEATH(elsewhere([&] { loop.cancel(loop.after(core::Millis(1), [] {})); }), "timer 1");
}

TEST_F(LoopDeathTest, UnsetTimer_CannotBeCancelled) {
  EXPECT_DEATH(loop.cancel(7), "timer 7 is cancelled and was never set; the last one is 0");
}

TEST_F(LoopDeathTest, SecondRun_EndsProcess) {
  loop.stop();
  loop.run();
  EXPECT_DEATH(loop.run(), "run\\(\\) is called twice");
}

TEST_F(LoopDeathTest, EndedLoop_MayBeCleanedUpByAnyThread) {
  const core::TimerId timer = loop.after(std::chrono::hours(1), [] {});
  elsewhere([&] {
    loop.stop();
    loop.run();
    EXPECT_TRUE(loop.owned_here());
  });
  EXPECT_FALSE(loop.in_thread());
  EXPECT_TRUE(loop.owned_here());
  loop.cancel(timer);
}

struct TurnEndCounter final : TurnEndHandler {
  void on_turn_end() override {}
};

TEST_F(LoopDeathTest, SecondTurnEndRequest_EndsProcess) {
  TurnEndCounter handler;
  loop.at_turn_end(handler);
  EXPECT_DEATH(loop.at_turn_end(handler), "asks twice for the end of a turn");
  loop.forget_turn_end(handler);
}

TEST(WriteQueueDeathTest, Buffer_MisusedWhileFilledOrTaken_EndsProcess) {
  WriteQueue queue{std::string()};
  queue.append("abc");
  EXPECT_DEATH(queue.take_buffer(), "its buffer is taken while 3 bytes wait");
  WriteQueue empty{std::string()};
  static_cast<void>(empty.take_buffer());
  EXPECT_DEATH(empty.append("abc"), "3 bytes are appended after its buffer was taken");
}

// A connection on one loop; its streams are moved to another loop that does not run.
struct TcpDeathTest : testing::Test {
  TcpDeathTest() {
    listener = *network.listen(loop, {}, [this](std::unique_ptr<Stream> stream) {
      server = std::move(stream);
      loop.stop();
    });
    network.connect(loop, listener->endpoint(),
                    [this](auto stream) { client = std::move(*stream); });
    loop.run();
  }
  core::SystemClock clock;
  Loop loop{clock};
  Loop target{clock};
  SystemNetwork network;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Stream> server;
  std::unique_ptr<Stream> client;
};

TEST_F(TcpDeathTest, SecondMoveBeforeLanding_EndsProcess) {
  server->move_to(target, [] {});
  EXPECT_DEATH(server->move_to(loop, [] {}), "127.0.0.1 .*moved again before it has landed");
}

TEST(MemoryStreamDeathTest, SecondMoveBeforeLanding_EndsProcess) {
  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  MemoryNetwork network;
  const auto pair = network.make_pair(scheduler, scheduler);
  pair.first->move_to(scheduler, [] {});
  EXPECT_DEATH(pair.first->move_to(scheduler, [] {}), "moved again before it has landed");
}

TEST(SendLimitDeathTest, AdmittedBytes_MustBeWrittenBeforeNextRequest) {
  SendLimit limit;
  EXPECT_TRUE(limit.admit(0, 0, 2'000, 1'000));
  EXPECT_DEATH(limit.admit(100, 100, 1, 1'000), "admitted up to byte 2000, and only 100");
}

}  // namespace
}  // namespace parley::net
