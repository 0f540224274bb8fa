// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/net/memory_network.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/core/fake_scheduler.h"

namespace parley::net {
namespace {

struct Recorder : StreamHandler {
  void on_data(Stream&, char* data, std::size_t size) override {
    bytes.append(data, size);
    pieces.push_back(size);
  }
  void on_end(Stream&) override { ended = true; }
  void on_drained(Stream&) override { ++drained; }
  void on_closed(Stream&) override { closed = true; }

  std::string bytes;
  std::vector<std::size_t> pieces;
  bool ended = false;
  int drained = 0;
  bool closed = false;
};

class MemoryNetworkTest : public ::testing::Test {
 protected:
  void open(MemoryNetworkOptions options = {}) {
    network = std::make_unique<MemoryNetwork>(std::move(options));
    auto pair = network->make_pair(scheduler, scheduler);
    a = std::move(pair.first);
    b = std::move(pair.second);
    a->set_handler(&at_a);
    b->set_handler(&at_b);
  }

  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  std::unique_ptr<MemoryNetwork> network;
  Recorder at_a;
  Recorder at_b;
  std::unique_ptr<Stream> a;
  std::unique_ptr<Stream> b;
};

TEST_F(MemoryNetworkTest, Bytes_AreCarriedBothWaysInOrder) {
  open();
  a->write("hello ");
  a->write_shared(std::make_shared<const std::string>("world"));
  b->write("answer");
  EXPECT_EQ(at_b.bytes, "") << "nothing arrives inside a call";
  scheduler.run_ready();
  EXPECT_EQ(at_b.bytes, "hello world");
  EXPECT_EQ(at_a.bytes, "answer");
  EXPECT_EQ(a->queued(), 0U);
}

TEST_F(MemoryNetworkTest, SameSeed_SplitsBytesAlike) {
  std::vector<std::vector<std::size_t>> runs;
  for (const std::uint64_t seed : {5U, 5U, 6U}) {
    at_b = Recorder();
    open({.max_piece = 7, .seed = seed});
    a->write(std::string(200, 'x'));
    scheduler.run_ready();
    EXPECT_EQ(at_b.bytes.size(), 200U);
    runs.push_back(at_b.pieces);
  }
  EXPECT_GT(runs[0].size(), 20U);
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_NE(runs[0], runs[2]);
}

TEST_F(MemoryNetworkTest, PausedReader_FillsQueue_DrainsLater) {
  open({.pipe_bytes = 1000});
  b->pause_reading(true);
  a->write(std::string(Stream::kHighWatermark + 1000 + 1, 'x'));
  scheduler.run_ready();
  EXPECT_EQ(at_b.bytes.size(), 0U);
  EXPECT_EQ(a->queued(), Stream::kHighWatermark + 1);
  EXPECT_EQ(at_a.drained, 0);
  b->pause_reading(false);
  scheduler.run_ready();
  EXPECT_EQ(at_b.bytes.size(), Stream::kHighWatermark + 1001);
  EXPECT_EQ(at_a.drained, 1);
}

TEST_F(MemoryNetworkTest, NamedPeer_IsThatOfOneEnd) {
  open({.peer = "192.0.2.1"});
  a->set_peer("192.0.2.7");
  EXPECT_EQ(a->peer(), "192.0.2.7");
  EXPECT_EQ(b->peer(), "192.0.2.1");
}

TEST_F(MemoryNetworkTest, Finish_SendsRest_ClosesWithPeer) {
  open();
  a->write("last words");
  a->finish();
  a->write("too late");
  scheduler.run_ready();
  EXPECT_EQ(at_b.bytes, "last words");
  EXPECT_TRUE(at_b.ended);
  EXPECT_FALSE(at_b.closed);
  b->write("reply");
  b->finish();
  scheduler.run_ready();
  EXPECT_EQ(at_a.bytes, "reply");
  EXPECT_TRUE(at_a.closed);
  EXPECT_TRUE(at_b.closed);
}

TEST_F(MemoryNetworkTest, Finish_WithStayingPeer_GivesUp) {
  open();
  a->finish();
  scheduler.run_ready();
  EXPECT_FALSE(at_a.closed);
  scheduler.advance(Stream::kLingerTime);
  EXPECT_TRUE(at_a.closed);
}

TEST_F(MemoryNetworkTest, DestroyedEnd_EndsPeer_WriteThenCloses) {
  open();
  a.reset();
  scheduler.run_ready();
  EXPECT_TRUE(at_b.ended);
  EXPECT_FALSE(at_b.closed);
  b->write("anybody?");
  scheduler.run_ready();
  EXPECT_TRUE(at_b.closed);
}

TEST_F(MemoryNetworkTest, MovingStream_ReadsOnlyAfterArrival) {
  open();
  core::FakeScheduler target(clock);
  bool arrived = false;
  b->move_to(target, [&] { arrived = true; });
  a->write("after the move");
  scheduler.run_ready();
  EXPECT_FALSE(arrived);
  EXPECT_EQ(at_b.bytes, "");
  target.run_ready();
  EXPECT_TRUE(arrived);
  scheduler.run_ready();
  target.run_ready();
  EXPECT_EQ(at_b.bytes, "after the move");
  EXPECT_EQ(&b->scheduler(), &target);
  a.reset();
  b.reset();
}

TEST_F(MemoryNetworkTest, CutConnections_AreClosedOnBothEnds) {
  open();
  a->write("lost");
  network->cut_all();
  scheduler.run_ready();
  EXPECT_TRUE(at_a.closed);
  EXPECT_TRUE(at_b.closed);
}

TEST_F(MemoryNetworkTest, ListenersOnSamePort_TakeTurns) {
  network = std::make_unique<MemoryNetwork>();
  std::vector<std::unique_ptr<Stream>> first;
  std::vector<std::unique_ptr<Stream>> second;
  std::vector<std::unique_ptr<Stream>> clients;
  auto one = network->listen(scheduler, {}, [&](auto s) { first.push_back(std::move(s)); });
  ASSERT_TRUE(one.has_value());
  const Endpoint at = (*one)->endpoint();
  EXPECT_NE(at.port, 0);
  auto two = network->listen(scheduler, at, [&](auto s) { second.push_back(std::move(s)); });
  for (int i = 0; i < 4; ++i) {
    network->connect(scheduler, at, [&](auto s) { clients.push_back(std::move(s.value())); });
  }
  scheduler.run_ready();
  EXPECT_EQ(first.size(), 2U);
  EXPECT_EQ(second.size(), 2U);
  EXPECT_EQ(clients.size(), 4U);
}

TEST_F(MemoryNetworkTest, Connect_WithoutListener_IsUnavailable) {
  network = std::make_unique<MemoryNetwork>();
  core::Code code = core::Code::unknown;
  network->connect(scheduler, {"host", 9}, [&](auto s) { code = s.error().code; });
  scheduler.run_ready();
  EXPECT_EQ(code, core::Code::unavailable);
}

}  // namespace
}  // namespace parley::net
