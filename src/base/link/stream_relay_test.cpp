// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/stream_relay.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/entropy.h"
#include "base/net/loop/assembly_budget.h"
#include "tests/support/link/link_world.h"

namespace parley::link {
namespace {

using ::testing::HasSubstr;

// The bytes that a pipe in memory holds besides the queue of its writer.
constexpr std::size_t kPipe = 256U << 10U;

std::string random_bytes(std::uint64_t seed, std::size_t size) {
  core::SeededEntropy entropy(seed);
  std::string out(size, '\0');
  entropy.fill(std::as_writable_bytes(std::span(out)));
  return out;
}

class StreamRelayTest : public ::testing::Test {
 protected:
  // A client, a relay and a home, each end by hand.
  void open(StreamRelay::CheckHead check = nullptr) {
    auto to_client = world.memory.make_pair(world.scheduler, world.scheduler);
    auto to_home = world.memory.make_pair(world.scheduler, world.scheduler);
    client = std::move(to_client.first);
    client->set_handler(&at_client);
    home = std::move(to_home.first);
    home->set_handler(&at_home);
    near_client = to_client.second.get();
    near_home = to_home.second.get();
    relay = std::make_unique<StreamRelay>(
        std::move(to_client.second), std::move(to_home.second),
        [this](const RelayOutcome& of) {
          outcome = of;
          relay.reset();
        },
        std::move(check));
  }
  void run() { world.scheduler.run_ready(); }
  RelayEnd end() const { return outcome.value().end; }

  LinkWorld world{{.max_piece = 5'000, .seed = 8, .pipe_bytes = kPipe}};
  LinkPeer at_client;
  LinkPeer at_home;
  std::unique_ptr<net::Stream> client;
  std::unique_ptr<net::Stream> home;
  net::Stream* near_client = nullptr;  // the relay's end of each
  net::Stream* near_home = nullptr;
  std::unique_ptr<StreamRelay> relay;
  std::optional<RelayOutcome> outcome;
};

TEST_F(StreamRelayTest, MegabytesBothWays_ArriveWhole) {
  open();
  const std::string up = random_bytes(1, 1U << 20U);
  const std::string down = random_bytes(2, 1U << 20U);
  core::SeededEntropy entropy(3);
  for (std::size_t u = 0, d = 0; u < up.size() || d < down.size();) {
    const std::size_t some = 1 + entropy.next_u64() % 40'000;
    client->write(std::string_view(up).substr(std::min(u, up.size()), some));
    home->write(std::string_view(down).substr(std::min(d, down.size()), some / 2 + 1));
    u += some;
    d += some / 2 + 1;
    if (entropy.next_u64() % 3 == 0) run();
  }
  client->finish();
  run();
  home->finish();
  run();
  EXPECT_TRUE(at_home.bytes == up);
  EXPECT_TRUE(at_client.bytes == down);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(end(), RelayEnd::finished);
  EXPECT_EQ(outcome->to_home, up.size());
  EXPECT_EQ(outcome->to_client, down.size());
  EXPECT_TRUE(at_client.closed);
  EXPECT_TRUE(at_home.closed);
}

TEST_F(StreamRelayTest, Counters_AreReadWhileItRuns) {
  open();
  client->write("12345");
  home->write("123");
  run();
  EXPECT_EQ(relay->to_home(), 5U);
  EXPECT_EQ(relay->to_client(), 3U);
  EXPECT_EQ(world.scheduler.timers(), 0U) << "an idle relay has no timer";
}

TEST_F(StreamRelayTest, HomeThatDoesNotRead_BoundsTheQueue) {
  open();
  home->pause_reading(true);
  const std::string much(4U << 20U, 'm');
  std::size_t largest = 0;
  client->write(much);
  while (world.scheduler.run_one()) largest = std::max(largest, near_home->queued());
  EXPECT_GT(largest, net::Stream::kHighWatermark);
  EXPECT_LE(largest, net::Stream::kHighWatermark + 5'000);
  EXPECT_GT(client->queued(), much.size() - 2 * kPipe - largest - 1);
  home->write("the other direction goes on");
  run();
  EXPECT_EQ(at_client.bytes, "the other direction goes on");
  home->pause_reading(false);
  run();
  EXPECT_EQ(at_home.bytes.size(), much.size());
  EXPECT_EQ(world.scheduler.timers(), 0U);
}

TEST_F(StreamRelayTest, ClientThatDoesNotRead_BoundsTheQueue) {
  open();
  client->pause_reading(true);
  const std::string much(4U << 20U, 'm');
  std::size_t largest = 0;
  home->write(much);
  while (world.scheduler.run_one()) largest = std::max(largest, near_client->queued());
  EXPECT_GT(largest, net::Stream::kHighWatermark);
  EXPECT_LE(largest, net::Stream::kHighWatermark + 5'000);
  client->write("still heard");
  run();
  EXPECT_EQ(at_home.bytes, "still heard");
  client->pause_reading(false);
  run();
  EXPECT_EQ(at_client.bytes.size(), much.size());
}

TEST_F(StreamRelayTest, StalledRelay_DoesNotStopAnother) {
  open();
  home->pause_reading(true);
  client->write(std::string(4U << 20U, 'm'));
  run();
  const auto stalled_relay = std::move(relay);
  const auto stalled_client = std::move(client);
  const auto stalled_home = std::move(home);
  open();
  client->write("hello");
  run();
  EXPECT_EQ(at_home.bytes, "hello");
}

TEST_F(StreamRelayTest, PeerThatTakesNothing_IsCutInTheEnd) {
  open();
  home->pause_reading(true);
  client->write(std::string(4U << 20U, 'm'));
  world.scheduler.advance(kRelayStall / 2);
  // A byte that is taken begins the wait again.
  home->pause_reading(false);
  at_home.received = [](net::Stream& stream) { stream.pause_reading(true); };
  run();
  world.scheduler.advance(kRelayStall / 2);
  EXPECT_FALSE(outcome.has_value());
  world.scheduler.advance(kRelayStall);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(end(), RelayEnd::stalled);
  EXPECT_TRUE(at_client.ended || at_client.closed);
}

TEST_F(StreamRelayTest, EndOfTheClient_LetsTheAnswerThrough) {
  open();
  client->write("question");
  client->finish();
  run();
  EXPECT_EQ(at_home.bytes, "question");
  EXPECT_TRUE(at_home.ended);
  EXPECT_FALSE(outcome.has_value());
  world.scheduler.advance(net::Stream::kLingerTime / 2);
  home->write("answer");
  run();
  EXPECT_EQ(at_client.bytes, "answer");
  home->finish();
  run();
  EXPECT_EQ(end(), RelayEnd::finished);
  EXPECT_TRUE(at_client.closed);
}

TEST_F(StreamRelayTest, EndOfTheHome_LetsTheRestOfTheClientThrough) {
  open();
  home->write("answer");
  home->finish();
  run();
  EXPECT_EQ(at_client.bytes, "answer");
  EXPECT_TRUE(at_client.ended);
  client->write("rest");
  run();
  EXPECT_EQ(at_home.bytes, "rest");
  EXPECT_FALSE(outcome.has_value());
  client->finish();
  run();
  EXPECT_EQ(end(), RelayEnd::finished);
}

TEST_F(StreamRelayTest, HomeThatNeverEnds_IsCutAfterTheLinger) {
  open();
  client->finish();
  world.scheduler.advance(net::Stream::kLingerTime - core::Millis(1));
  EXPECT_FALSE(outcome.has_value());
  world.scheduler.advance(net::Stream::kLingerTime);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(end(), RelayEnd::finished);
  EXPECT_EQ(world.scheduler.timers(), 0U);
}

TEST_F(StreamRelayTest, HomeThatClosesAfterItsEnd_LeavesTheAnswer) {
  open();
  client->pause_reading(true);
  const std::string answer(kPipe + 100'000, 'a');
  home->write(answer);
  home->finish();
  run();
  home.reset();
  client->write("one more request");
  run();
  EXPECT_FALSE(outcome.has_value());
  client->pause_reading(false);
  run();
  EXPECT_EQ(at_client.bytes.size(), answer.size());
  EXPECT_TRUE(at_client.ended);
  client->finish();
  run();
  EXPECT_EQ(end(), RelayEnd::finished);
}

TEST_F(StreamRelayTest, Reset_EndsBothSides) {
  open();
  client->write("some");
  run();
  world.memory.cut_all();
  run();
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(end(), RelayEnd::client_lost);
  EXPECT_EQ(outcome->to_home, 4U);
}

TEST_F(StreamRelayTest, LostHome_EndsTheClient) {
  const auto budget = std::make_shared<net::AssemblyBudget>(net::AssemblyBudget::Limits{});
  for (const bool awaits_head : {false, true}) {
    at_client = LinkPeer();
    at_home = LinkPeer();
    outcome.reset();
    open(awaits_head ? [](std::string_view) { return core::Result<void>(); }
                     : StreamRelay::CheckHead());
    // A connection that exceeds its budget is ended.
    near_home->count_to(*budget, "");
    EXPECT_FALSE(near_home->hold(1));
    run();
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(end(), RelayEnd::home_lost);
    EXPECT_TRUE(at_client.ended);
    EXPECT_TRUE(at_home.ended);
  }
}

TEST_F(StreamRelayTest, HomeThatEndsBeforeItsHead_EndsTheRelay) {
  open([](std::string_view) { return core::Result<void>(); });
  home->write("HTTP/1.1 101 ");
  home->finish();
  run();
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(end(), RelayEnd::bad_head);
  EXPECT_TRUE(at_client.ended);
}

TEST_F(StreamRelayTest, DestroyedRelay_CutsBothSides_AndCallsNothing) {
  open();
  home->pause_reading(true);
  client->write(std::string(4U << 20U, 'm'));
  run();
  relay.reset();
  run();
  EXPECT_TRUE(at_client.ended || at_client.closed);
  EXPECT_FALSE(outcome.has_value());
  EXPECT_EQ(world.scheduler.timers(), 0U);
}

TEST_F(StreamRelayTest, HeadOfTheAnswer_IsDropped_InAnyPieces) {
  const std::string head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n";
  const std::string wire = head + "\r\n\r\nframes";
  for (std::size_t piece = 1; piece <= wire.size(); ++piece) {
    at_client = LinkPeer();
    at_home = LinkPeer();
    std::string checked;
    open([&checked](std::string_view dropped) {
      checked = dropped;
      return core::Result<void>();
    });
    for (std::size_t at = 0; at < wire.size(); at += piece) {
      home->write(std::string_view(wire).substr(at, piece));
      run();
    }
    client->write("up");
    run();
    EXPECT_EQ(checked, head) << piece;
    EXPECT_EQ(at_client.bytes, "\r\n\r\nframes") << piece;
    EXPECT_EQ(at_home.bytes, "up");
    EXPECT_EQ(relay->to_client(), 10U);
  }
}

TEST_F(StreamRelayTest, HeadThatIsRefused_EndsTheRelay) {
  open([](std::string_view head) -> core::Result<void> {
    return core::fail(core::Code::unavailable,
                      "The home answered " + std::string(head, 9, 3) + ".");
  });
  home->write("HTTP/1.1 503 Service Unavailable\r\n\r\nbody");
  run();
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(end(), RelayEnd::bad_head);
  EXPECT_EQ(outcome->reason, "The home answered 503.");
  EXPECT_EQ(at_client.bytes, "");
  EXPECT_TRUE(at_client.ended);
  EXPECT_TRUE(at_home.ended);
}

TEST_F(StreamRelayTest, EndlessHead_EndsTheRelay) {
  const auto accept = [](std::string_view) { return core::Result<void>(); };
  open(accept);
  const std::string longest(kMaxDroppedHeadBytes - 4, 'h');
  home->write(longest + "\r\n\r\nframes");
  run();
  EXPECT_EQ(at_client.bytes, "frames");
  relay.reset();
  at_client = LinkPeer();
  open(accept);
  home->write(longest + "h\r\n\r\nframes");
  run();
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(end(), RelayEnd::bad_head);
  EXPECT_THAT(outcome->reason, HasSubstr("16384"));
  EXPECT_EQ(at_client.bytes, "");
}

// The same bound over TLS, whose records are a little larger than their bytes.
TEST_F(StreamRelayTest, TlsHomeThatDoesNotRead_BoundsTheQueue) {
  const auto a = world.tls_of("a");
  const auto b = world.tls_of("b");
  auto to_client = world.memory.make_pair(world.scheduler, world.scheduler);
  auto to_home = world.memory.make_pair(world.scheduler, world.scheduler);
  client = std::move(to_client.first);
  home = b->accept(std::move(to_home.first));
  home->set_handler(&at_home);
  auto link = a->connect(std::move(to_home.second), kTestCluster, "b");
  near_home = link.get();
  run();
  relay = std::make_unique<StreamRelay>(std::move(to_client.second), std::move(link),
                                        [](const RelayOutcome&) {});
  home->pause_reading(true);
  const std::string much(4U << 20U, 'm');
  std::size_t largest = 0;
  client->write(much);
  while (world.scheduler.run_one()) largest = std::max(largest, near_home->queued());
  EXPECT_GT(largest, net::Stream::kHighWatermark);
  EXPECT_LE(largest, net::Stream::kHighWatermark + 5'000 + 100);
  home->pause_reading(false);
  run();
  EXPECT_EQ(at_home.bytes.size(), much.size());
}

}  // namespace
}  // namespace parley::link
