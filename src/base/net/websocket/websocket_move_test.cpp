// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Connections that move to another thread, or are given away.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/net/websocket/websocket_connection.h"
#include "tests/support/net/websocket_test.h"

namespace parley::net {
namespace {

using core::Millis;
using Words = std::vector<std::string>;
using WebSocketMoveTest = WebSocketTest;

TEST_F(WebSocketMoveTest, MoveToOtherThread_KeepsArrivedMessages) {
  core::FakeScheduler target(clock);
  open();
  Words order;
  log.on_message = [&](WebSocket& socket, MessageType, std::string_view data) {
    order.push_back(std::string(data) + (&socket.scheduler() == &target ? "@target" : "@home"));
    if (data == "move") socket.move_to(target, [&] { order.emplace_back("arrived"); });
  };
  client->send(Opcode::text, "one");
  client->send(Opcode::text, "move");
  client->send(Opcode::text, "two");
  client->send(Opcode::text, "thr", false);
  run();
  EXPECT_EQ(order, (Words{"one@home", "move@home"}));
  target.run_ready();
  client->send(Opcode::continuation, "ee");
  for (int i = 0; i < 3; ++i) {
    run();
    target.run_ready();
  }
  EXPECT_EQ(order, (Words{"one@home", "move@home", "arrived", "two@target", "three@target"}));
  // The time-outs moved with the connection.
  target.advance(limits.pong_timeout + Millis(3'000));
  EXPECT_EQ(log.events, Words{"1006 no answer to a ping"});
  client.reset();
  service.reset();
}

TEST_F(WebSocketMoveTest, GivenAway_StreamAndUnreadBytesLeave) {
  open();
  std::unique_ptr<Stream> given;
  std::string unread;
  log.on_message = [&](WebSocket& socket, MessageType, std::string_view data) {
    socket.send_text("last");
    socket.give_away([&](std::unique_ptr<Stream> stream, std::string_view behind) {
      given = std::move(stream);
      unread = behind;
    });
    EXPECT_EQ(data, "one");
  };
  client->send(Opcode::text, "one");
  client->send(Opcode::text, "two");
  run();
  ASSERT_NE(given, nullptr);
  EXPECT_TRUE(log.destroyed);
  EXPECT_EQ(log.events, Words()) << "without on_close()";
  EXPECT_EQ(client->seen, Words{"text:last"});
  EXPECT_EQ(service->count(), 0U);
  std::string two;
  append_frame(two, {.opcode = Opcode::text, .mask = MaskKey{'\x12', '\x34', '\x56', '\x78'}},
               "two");
  EXPECT_EQ(unread, two);
  client->send(Opcode::text, "three");
  run();
  EXPECT_FALSE(client->ended) << "paused until its new owner reads";
}

TEST_F(WebSocketMoveTest, GivenAwayOutsideOfACall_LeavesAtOnce) {
  open();
  run();
  bool is_given = false;
  log.socket->give_away([&](const std::unique_ptr<Stream>&, std::string_view behind) {
    is_given = true;
    EXPECT_EQ(behind, "");
  });
  EXPECT_TRUE(is_given);
  EXPECT_TRUE(log.destroyed);
}

TEST_F(WebSocketMoveTest, ClosedSocket_IsNotGivenAway) {
  open();
  run();
  log.socket->close(close_code::kNormal, "");
  log.socket->give_away(
      [](const std::unique_ptr<Stream>&, std::string_view) { ADD_FAILURE() << "it is closing"; });
  run();
  EXPECT_EQ(client->seen, Words{"close:1000"});
}

TEST_F(WebSocketMoveTest, MoveThatNeverArrives_DestroysConnection) {
  {
    core::FakeScheduler target(clock);
    open();
    run();
    log.socket->move_to(target, [] { ADD_FAILURE() << "the target has stopped"; });
  }
  EXPECT_TRUE(log.destroyed);
}

TEST_F(WebSocketMoveTest, CloseAll_ReachesMovingConnection) {
  core::FakeScheduler target(clock);
  open();
  run();
  log.socket->move_to(target, [] {});
  service->close_all(close_code::kGoingAway, "restart");
  run();
  target.run_ready();
  run();
  EXPECT_EQ(client->seen, Words{"close:1001"});
  service.reset();
  client.reset();
}

TEST_F(WebSocketMoveTest, HandlerThrowingAfterMove_LosesOnlyItsConnection) {
  log.on_message = [this](WebSocket& socket, MessageType, std::string_view) {
    socket.move_to(scheduler, [] { throw std::runtime_error("for the test"); });
  };
  open();
  client->send(Opcode::text, "go");
  run();
  EXPECT_EQ(client->seen, std::vector<std::string>{"close:1011"});
  client->stream->finish();
  run();
  EXPECT_EQ(gone, 1);
}

}  // namespace
}  // namespace parley::net
