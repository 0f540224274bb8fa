// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/preread_stream.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/net/loop/assembly_budget.h"
#include "tests/support/link/link_world.h"

namespace parley::link {
namespace {

class PrereadStreamTest : public ::testing::Test {
 protected:
  void open(std::string_view unread, bool secure = false,
            std::shared_ptr<const void> kept = nullptr) {
    auto pair = world.memory.make_pair(world.scheduler, world.scheduler);
    far = std::move(pair.first);
    far->set_handler(&at_far);
    near = std::make_unique<PrereadStream>(std::move(pair.second), unread, secure, std::move(kept));
  }
  void run() { world.scheduler.run_ready(); }

  LinkWorld world;
  LinkPeer at_far;
  LinkPeer at_near;
  std::unique_ptr<net::Stream> far;
  std::unique_ptr<net::Stream> near;
};

TEST_F(PrereadStreamTest, UnreadBytes_AreFirst_AndOnePiece) {
  open("first|");
  std::string in_the_first_call;
  at_near.received = [&](net::Stream& stream) {
    EXPECT_EQ(&stream, near.get());
    if (in_the_first_call.empty()) in_the_first_call = at_near.bytes;
  };
  far->write("second");
  far->finish();
  near->set_handler(&at_near);
  EXPECT_EQ(at_near.bytes, "") << "nothing is delivered inside a call";
  run();
  EXPECT_EQ(in_the_first_call, "first|");
  EXPECT_EQ(at_near.bytes, "first|second");
  EXPECT_TRUE(at_near.ended);
}

TEST_F(PrereadStreamTest, LateHandler_GetsAll) {
  open("first|");
  far->write("second");
  run();
  near->set_handler(&at_near);
  run();
  EXPECT_EQ(at_near.bytes, "first|second");
}

TEST_F(PrereadStreamTest, Padding_IsReadable) {
  open("x");
  struct Reader : LinkPeer {
    void on_data(net::Stream& /*stream*/, char* data, std::size_t size) override {
      // A sanitizer ends the test if a byte is not there; its value is any.
      for (std::size_t i = 0; i < net::Stream::kReadPadding; ++i) sum = sum + data[size + i];
      data[0] = 'y';
      is_read = true;
    }
    volatile int sum = 0;
    bool is_read = false;
  } reader;
  near->set_handler(&reader);
  run();
  EXPECT_TRUE(reader.is_read);
}

TEST_F(PrereadStreamTest, PausedReading_HoldsBoth_UntilResumed) {
  open("first|");
  near->set_handler(&at_near);
  near->pause_reading(true);
  far->write("second");
  run();
  EXPECT_EQ(at_near.bytes, "");
  at_near.received = [](net::Stream& stream) { stream.pause_reading(true); };
  near->pause_reading(false);
  run();
  EXPECT_EQ(at_near.bytes, "first|");
  near->pause_reading(false);
  run();
  EXPECT_EQ(at_near.bytes, "first|second");
}

TEST_F(PrereadStreamTest, MovedStream_DeliversAfterArrival) {
  core::FakeScheduler target(world.clock);
  open("first|");
  near->set_handler(&at_near);
  far->write("second");
  near->move_to(target, [&] { at_near.bytes += "arrived|"; });
  run();
  EXPECT_EQ(at_near.bytes, "") << "nothing is read on the way";
  EXPECT_EQ(&near->scheduler(), &target);
  for (int i = 0; i < 10; ++i) {
    target.run_ready();
    run();
  }
  EXPECT_EQ(at_near.bytes, "arrived|first|second");
  near->write("back");
  target.run_ready();
  run();
  EXPECT_EQ(at_far.bytes, "back");
  near.reset();
  far.reset();
}

TEST_F(PrereadStreamTest, MoveInsideTheFirstCall_LosesNothing) {
  core::FakeScheduler target(world.clock);
  open("first|");
  at_near.received = [&](net::Stream& stream) {
    at_near.received = nullptr;
    stream.move_to(target, [&] { at_near.bytes += "arrived|"; });
  };
  near->set_handler(&at_near);
  far->write("second");
  for (int i = 0; i < 10; ++i) {
    run();
    target.run_ready();
  }
  EXPECT_EQ(at_near.bytes, "first|arrived|second");
  near.reset();
  far.reset();
}

TEST_F(PrereadStreamTest, DestroyedWithUnreadBytes_DeliversNothing) {
  open("first");
  near->set_handler(&at_near);
  near.reset();
  run();
  EXPECT_EQ(at_near.bytes, "");
  EXPECT_TRUE(at_far.ended);
}

TEST_F(PrereadStreamTest, HandlerMayDestroyIt) {
  open("first");
  at_near.received = [&](net::Stream&) { near.reset(); };
  near->set_handler(&at_near);
  far->write("second");
  run();
  EXPECT_EQ(at_near.bytes, "first");
}

TEST_F(PrereadStreamTest, Reset_DropsUnreadBytes) {
  open("first");
  near->set_handler(&at_near);
  near->pause_reading(true);
  world.memory.cut_all();
  run();
  EXPECT_TRUE(at_near.closed);
  near->pause_reading(false);
  run();
  EXPECT_EQ(at_near.bytes, "") << "on_closed() is the last call";
}

TEST_F(PrereadStreamTest, Writing_FinishAndWatermarks_AreThoseOfTheStream) {
  open("");
  near->set_handler(&at_near);
  far->pause_reading(true);
  const std::size_t pipe = net::MemoryNetworkOptions{}.pipe_bytes;
  const std::string much(pipe + net::Stream::kHighWatermark, 'x');
  near->write(much);
  near->write_own("y");
  near->write_shared(std::make_shared<const std::string>("z"));
  run();
  EXPECT_EQ(near->queued(), net::Stream::kHighWatermark + 2);
  far->pause_reading(false);
  run();
  EXPECT_EQ(at_near.drained, 1);
  EXPECT_EQ(at_far.bytes.size(), much.size() + 2);
  near->finish();
  far->finish();
  run();
  EXPECT_TRUE(at_far.closed);
  EXPECT_TRUE(at_near.closed);
}

TEST_F(PrereadStreamTest, Memory_CountsToTheClient) {
  constexpr std::size_t kRoom = 1'000;
  const auto budget = std::make_shared<net::AssemblyBudget>(net::AssemblyBudget::Limits{
      .total = kRoom, .per_account = kRoom, .unknown = kRoom, .unknown_address = kRoom / 2});
  open("12345678", true);
  near->set_peer("192.0.2.7");
  EXPECT_EQ(near->peer(), "192.0.2.7");
  EXPECT_TRUE(near->secure());
  near->count_to(*budget, "");
  near->set_handler(&at_near);
  near->pause_reading(true);
  EXPECT_EQ(budget->bytes(), 8U);
  EXPECT_TRUE(near->hold(100));
  EXPECT_EQ(budget->bytes(), 108U);
  near->pause_reading(false);
  run();
  EXPECT_EQ(at_near.bytes, "12345678");
  EXPECT_EQ(budget->bytes(), 100U);
  // A second client has a budget of its own, also behind the same node.
  EXPECT_TRUE(near->hold(kRoom / 2));
  auto pair = world.memory.make_pair(world.scheduler, world.scheduler);
  PrereadStream other(std::move(pair.first), "", true);
  other.set_peer("192.0.2.8");
  other.count_to(*budget, "");
  EXPECT_TRUE(other.hold(kRoom / 2));
  EXPECT_FALSE(other.hold(kRoom / 2 + 1));
  near.reset();
  EXPECT_EQ(budget->bytes(), 0U);
}

TEST_F(PrereadStreamTest, KeptObject_IsReleasedWithIt) {
  auto kept = std::make_shared<int>(1);
  open("", false, kept);
  EXPECT_EQ(kept.use_count(), 2);
  near.reset();
  EXPECT_EQ(kept.use_count(), 1);
}

}  // namespace
}  // namespace parley::link
