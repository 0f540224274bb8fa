// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/websocket/websocket_connection.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/net/websocket_test.h"

namespace parley::net {
namespace {

using core::Millis;
using Words = std::vector<std::string>;

TEST_F(WebSocketTest, BytesReadWithHandshake_AreDelivered) {
  std::string early;
  append_frame(early, {.mask = MaskKey{1, 2, 3, 4}}, "early");
  open({}, {}, early);
  run();
  EXPECT_EQ(client->seen, Words{"text:early"});
}

TEST_F(WebSocketTest, PeerClose_IsEchoed_EndsConnection) {
  open();
  client->close(1000, "bye");
  run();
  EXPECT_EQ(client->seen, Words{"close:1000"});
  EXPECT_EQ(log.events, Words{"1000 bye"});
  EXPECT_TRUE(log.destroyed);
  EXPECT_TRUE(client->ended);
  client->stream->finish();
  run();
  EXPECT_EQ(gone, 1);
  EXPECT_EQ(service->count(), 0U);
}

TEST_F(WebSocketTest, OwnClose_WaitsForPeer_DropsMessages) {
  open();
  run();
  log.socket->close(4000, "enough");
  EXPECT_FALSE(log.socket->open());
  log.socket->send_text("too late");
  client->send(Opcode::text, "not delivered");
  run();
  EXPECT_EQ(client->seen, Words{"close:4000"});
  EXPECT_EQ(client->close_reason, "enough");
  EXPECT_TRUE(log.events.empty());
  client->close(4000);
  run();
  EXPECT_EQ(log.events, Words{"4000 "});
}

TEST_F(WebSocketTest, UnansweredClose_IsCut) {
  open();
  run();
  log.socket->close(1001, "restart");
  scheduler.advance(limits.close_timeout - Millis(1));
  EXPECT_TRUE(log.events.empty());
  scheduler.advance(Millis(3'000));
  EXPECT_EQ(log.events, Words{"1006 no close frame in time"});
  EXPECT_EQ(gone, 1);
}

TEST_F(WebSocketTest, UnsendableCode_BecomesInternalError) {
  open();
  run();
  log.socket->close(close_code::kAbnormal, "");
  run();
  EXPECT_EQ(client->seen, Words{"close:1011"});
}

TEST_F(WebSocketTest, LossWithoutCloseFrame_IsAbnormal) {
  open();
  client->stream.reset();
  run();
  EXPECT_EQ(log.events, Words{"1006 the peer closed the connection"});
  EXPECT_EQ(gone, 1);
}

TEST_F(WebSocketTest, CutConnection_IsAbnormal) {
  open();
  network->cut_all();
  run();
  EXPECT_EQ(log.events, Words{"1006 connection lost"});
  EXPECT_EQ(gone, 1);
}

TEST_F(WebSocketTest, PingsAtInterval_KeepAnsweringPeer) {
  open();
  for (int i = 0; i < 10; ++i) {
    scheduler.advance(limits.ping_interval);
    client->send(Opcode::pong, "");
    run();
  }
  EXPECT_GE(client->seen.size(), 8U);
  EXPECT_LE(client->seen.size(), 10U);
  EXPECT_EQ(client->seen.front(), "ping:");
  EXPECT_TRUE(log.socket->open());
}

TEST_F(WebSocketTest, SilentPeer_IsGoneAfterPongTimeout) {
  open();
  scheduler.advance(limits.pong_timeout);
  EXPECT_TRUE(log.events.empty());
  scheduler.advance(Millis(3'000));
  EXPECT_EQ(log.events, Words{"1006 no answer to a ping"});
  EXPECT_EQ(gone, 1);
}

TEST_F(WebSocketTest, CustomHeartbeat_FindsSilentPeerEarlier) {
  open();
  scheduler.advance(Millis(20'000));
  log.socket->set_heartbeat(Millis(3'000), Millis(9'000));
  client->seen.clear();
  scheduler.advance(Millis(8'500));
  EXPECT_EQ(client->seen, (Words{"ping:", "ping:", "ping:"}));
  EXPECT_TRUE(log.events.empty()) << "the time without a byte began anew";
  scheduler.advance(Millis(3'000));
  EXPECT_EQ(log.events, Words{"1006 no answer to a ping"});
}

TEST_F(WebSocketTest, CustomHeartbeat_KeepsAnsweringPeer) {
  open();
  log.socket->set_heartbeat(Millis(3'000), Millis(9'000));
  for (int i = 0; i < 20; ++i) {
    scheduler.advance(Millis(3'000));
    client->send(Opcode::pong, "");
    run();
  }
  EXPECT_TRUE(log.socket->open());
  log.socket->set_heartbeat(Millis(0), Millis(0));
  scheduler.advance(Millis(40'000));
  EXPECT_TRUE(log.socket->open()) << "as the server does with all again";
}

TEST_F(WebSocketTest, PausedConnection_IsNotTakenForDead) {
  open();
  run();
  log.socket->pause_reading(true);
  client->send(Opcode::text, "later");
  scheduler.advance(limits.pong_timeout * 3);
  EXPECT_TRUE(log.socket->open());
  log.socket->pause_reading(false);
  run();
  EXPECT_EQ(client->seen.back(), "text:later");
}

TEST_F(WebSocketTest, PausedConnection_ClosesWithPeersCloseFrame) {
  open();
  run();
  log.socket->pause_reading(true);
  log.socket->close(close_code::kUnauthenticated, "no");
  log.socket->pause_reading(true);
  run();
  EXPECT_EQ(client->seen, Words{"close:4401"});
  client->send(Opcode::text, "late");
  client->close(close_code::kUnauthenticated);
  client->stream->finish();
  run();
  EXPECT_EQ(log.events, Words{"4401 "});
  EXPECT_EQ(service->count(), 0U) << "at once, not after the time-out";
}

TEST_F(WebSocketTest, PauseWithCloseFrameBehindMessage_EndsAtOnce) {
  open();
  run();
  log.on_message = [](WebSocket& socket, MessageType, std::string_view) {
    socket.pause_reading(true);
  };
  client->send(Opcode::text, "last");
  client->close(close_code::kNormal);
  client->stream->finish();
  run();
  EXPECT_EQ(log.events, Words{"1000 "});
  EXPECT_EQ(service->count(), 0U);
}

TEST_F(WebSocketTest, SlowConsumer_IsClosed1013WithResumePosition) {
  limits.max_queue_bytes = 10'000;
  open({.pipe_bytes = 100});
  run();
  client->stream->pause_reading(true);
  log.socket->set_resume_hint("log in again");
  log.socket->set_resume_seq(1234);
  int sent = 0;
  while (log.socket->open() && sent < 1'000) {
    log.socket->send_binary(std::string(900, 'x'));
    run();
    ++sent;
  }
  EXPECT_GE(sent, 10);
  EXPECT_LE(sent, 13);
  EXPECT_LE(log.socket->queued_bytes(), limits.max_queue_bytes + 130);
  client->stream->pause_reading(false);
  run();
  EXPECT_EQ(client->seen.back(), "close:1013");
  EXPECT_EQ(client->close_reason, "resume after seq 1234; log in again");
  EXPECT_EQ(client->seen.size(), static_cast<std::size_t>(sent)) << "all before it arrived whole";
}

TEST_F(WebSocketTest, Queue_IsBoundedInMessages) {
  limits.max_queue_messages = 50;
  open({.pipe_bytes = 1});
  run();
  client->stream->pause_reading(true);
  for (int i = 0; i < 60; ++i) log.socket->send_text("m");
  EXPECT_FALSE(log.socket->open());
  client->stream->pause_reading(false);
  run();
  EXPECT_EQ(client->seen.size(), 51U);
  EXPECT_EQ(client->seen.back(), "close:1013");
}

TEST_F(WebSocketTest, DrainedQueue_TakesMessagesAgain) {
  limits.max_queue_messages = 10;
  open();
  run();
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 10; ++k) log.socket->send_text("m");
    run();
  }
  EXPECT_TRUE(log.socket->open());
  EXPECT_EQ(client->seen.size(), 1'000U);
}

TEST_F(WebSocketTest, MessageOverQueueLimit_FitsEmptyQueue) {
  limits.max_queue_bytes = 1'000;
  open();
  run();
  log.socket->send_binary(std::string(50'000, 'x'));
  run();
  EXPECT_EQ(client->seen, Words{"binary:50000 bytes"});
  EXPECT_TRUE(log.socket->open());
}

TEST_F(WebSocketTest, MessagesAroundLargerMessage_AreCounted) {
  limits.max_queue_bytes = 1'000;
  open({.pipe_bytes = 100});
  run();
  client->stream->pause_reading(true);
  log.socket->send_text("before");
  log.socket->send_binary(std::string(50'000, 'x'));
  for (int i = 0; i < 8; ++i) log.socket->send_binary(std::string(100, 'y'));
  EXPECT_TRUE(log.socket->open());
  log.socket->send_binary(std::string(200, 'z'));
  EXPECT_FALSE(log.socket->open()) << "the limit holds behind it";
  client->stream->pause_reading(false);
  run();
  ASSERT_EQ(client->seen.size(), 11U);
  EXPECT_EQ(client->seen[1], "binary:50000 bytes");
  EXPECT_EQ(client->seen.back(), "close:1013");
}

TEST_F(WebSocketTest, SecondLargerMessage_BehindFirst_IsTooMuch) {
  limits.max_queue_bytes = 1'000;
  open({.pipe_bytes = 100});
  run();
  for (int i = 0; i < 3; ++i) {
    log.socket->send_binary(std::string(50'000, 'x'));
    run();
    EXPECT_TRUE(log.socket->open()) << "each alone is taken";
  }
  client->stream->pause_reading(true);
  log.socket->send_binary(std::string(50'000, 'x'));
  log.socket->send_binary(std::string(50'000, 'x'));
  EXPECT_FALSE(log.socket->open());
  EXPECT_LE(log.socket->queued_bytes(), 50'000U + 1'000U);
}

TEST_F(WebSocketTest, PingFloodWithoutReading_IsAnsweredUpToWatermark) {
  open({.pipe_bytes = 100'000});
  client->stream->pause_reading(true);
  for (int i = 0; i < 20'000; ++i) {
    client->send(Opcode::ping, std::string(100, 'p'));
    if (i % 100 == 0) run();
  }
  client->send(Opcode::ping, "the last");
  run();
  EXPECT_TRUE(log.socket->open());
  EXPECT_GT(log.socket->queued_bytes(), Stream::kHighWatermark);
  EXPECT_LT(log.socket->queued_bytes(), Stream::kHighWatermark + 200);
  client->stream->pause_reading(false);
  run();
  EXPECT_TRUE(log.socket->open());
  EXPECT_EQ(client->seen.back(), "pong:the last");
}

TEST_F(WebSocketTest, PingsBeyondQueueLimitInOneRead_AreAnswered) {
  limits.max_queue_messages = 10;
  open();
  run();
  std::string pings;
  for (int i = 0; i < 1'000; ++i) {
    append_frame(pings, {.opcode = Opcode::ping, .mask = MaskKey{}}, std::to_string(i));
  }
  client->stream->write(pings);
  run();
  EXPECT_TRUE(log.socket->open());
  ASSERT_EQ(client->seen.size(), 1'000U);
  EXPECT_EQ(client->seen.back(), "pong:999");
}

TEST_F(WebSocketTest, Message_GoesToManyConnections) {
  open();
  auto pair = network->make_pair(scheduler, scheduler);
  RawClient second(std::move(pair.first));
  ServerLog second_log;
  service->adopt(std::move(pair.second), std::make_unique<LoggingHandler>(second_log), {});
  const auto message = OutgoingMessage::make(MessageType::text, "to all");
  log.socket->send(message);
  second_log.socket->send(message);
  run();
  EXPECT_EQ(client->seen, Words{"text:to all"});
  EXPECT_EQ(second.seen, Words{"text:to all"});
  EXPECT_EQ(service->count(), 2U);
  service.reset();
}

TEST_F(WebSocketTest, CloseAll_ClosesEveryConnection) {
  open();
  service->close_all(close_code::kGoingAway, "restart");
  run();
  EXPECT_EQ(client->seen, Words{"close:1001"});
  client->close(1001);
  run();
  EXPECT_EQ(log.events, Words{"1001 "});
}

TEST_F(WebSocketTest, CloseInMessageHandler_StopsDelivery) {
  open();
  int delivered = 0;
  log.on_message = [&](WebSocket& socket, MessageType, std::string_view) {
    ++delivered;
    socket.close(1000, "");
  };
  client->send(Opcode::text, "a");
  client->send(Opcode::text, "b");
  run();
  EXPECT_EQ(delivered, 1);
  EXPECT_EQ(client->seen, Words{"close:1000"});
}

TEST_F(WebSocketTest, CloseWhileOpening_IsLikeAnyClose) {
  log.on_open = [](WebSocket& socket) { socket.close(close_code::kUnauthenticated, "no"); };
  open();
  run();
  EXPECT_EQ(client->seen, Words{"close:4401"});
  client->close(4401);
  run();
  EXPECT_EQ(log.events, Words{"4401 "});
}

TEST_F(WebSocketTest, HandlerThrowingAtOpen_LosesOnlyItsConnection) {
  log.on_open = [](WebSocket&) { throw std::runtime_error("for the test"); };
  open();
  run();
  EXPECT_EQ(client->seen, std::vector<std::string>{"close:1011"});
  EXPECT_EQ(log.events, std::vector<std::string>{"1006 the server failed"});
  EXPECT_TRUE(log.destroyed);
  client->stream->finish();
  run();
  EXPECT_EQ(gone, 1);
}

TEST_F(WebSocketTest, HandlerThrowingAtEnd_IsDestroyedWithConnection) {
  log.on_close = [] { throw std::runtime_error("for the test"); };
  open();
  client->stream.reset();
  run();
  EXPECT_TRUE(log.destroyed);
  EXPECT_EQ(service->count(), 0U);
  EXPECT_EQ(gone, 1);
}

TEST(WebSocketDeathTest, BytesBehindCloseFrame_EndProcess) {
  WebSocketReader reader(WebSocketSide::client, 1'000, false);
  std::string bytes("\x88\x00\x81\x01x", 5);
  bytes.reserve(bytes.size() + Stream::kReadPadding);
  char* data = bytes.data();
  std::size_t size = bytes.size();
  EXPECT_EQ(reader.next(data, size).kind, WebSocketReader::Kind::close);
  EXPECT_DEATH(reader.next(data, size), "3 bytes are given behind a close frame");
}

TEST_F(WebSocketTest, IdleService_SetsNoTimers) {
  open();
  client->stream.reset();
  scheduler.advance(Millis(10'000));
  EXPECT_EQ(gone, 1);
  EXPECT_EQ(scheduler.timers(), 0U);
}

}  // namespace
}  // namespace parley::net
