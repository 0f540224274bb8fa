// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/net/websocket/websocket.h"
#include "tests/support/net/http_test_world.h"

namespace parley::net {
namespace {

using core::Millis;
using testing::HasSubstr;

constexpr std::string_view kHandshake =
    "Host: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";
// A masked text frame "Hello" (RFC 6455 section 5.7), and the server's echo of it.
constexpr std::string_view kHello = "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";
constexpr std::string_view kHelloBack = "\x81\x05Hello";

class EchoHandler final : public WebSocketHandler {
 public:
  explicit EchoHandler(std::vector<std::uint16_t>& codes) : codes_(codes) {}
  void on_open(WebSocket&) override {}
  void on_message(WebSocket& socket, MessageType, std::string_view data) override {
    socket.send_text(data);
  }
  void on_close(WebSocket&, std::uint16_t code, std::string_view) override {
    codes_.push_back(code);
  }

 private:
  std::vector<std::uint16_t>& codes_;
};

class ServerWebSocketTest : public testing::Test {
 protected:
  ServerWebSocketTest() {
    world_.router.add_websocket(
        "/ws", {},
        [this](
            const Request& request) -> tl::expected<std::unique_ptr<WebSocketHandler>, Response> {
          if (request.token() == "bad") {
            return tl::unexpected(Response::text(401, "This token is not valid."));
          }
          return std::make_unique<EchoHandler>(codes_);
        });
    world_.router.add("GET", "/later", [this](const Request&, Responder responder) {
      kept_.push_back(std::move(responder));
    });
  }

  static std::string ask(const std::string& target, const std::string& more = {}) {
    return "GET " + target + " HTTP/1.1\r\n" + std::string(kHandshake) + more + "\r\n";
  }
  void run() { world_.scheduler.run_ready(); }

  HttpWorld world_;
  std::vector<std::uint16_t> codes_;
  std::vector<Responder> kept_;
};

TEST_F(ServerWebSocketTest, Upgrade_KeepsBytesSentWithRequest) {
  world_.start();
  const auto peer = world_.connect();
  peer->send(ask("/ws", "X-Request-Id: r-1\r\n") + std::string(kHello));
  run();
  EXPECT_THAT(peer->received(), testing::StartsWith("HTTP/1.1 101 "));
  EXPECT_THAT(peer->received(), HasSubstr("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
  EXPECT_THAT(peer->received(), HasSubstr("X-Request-Id: r-1\r\n"));
  EXPECT_THAT(peer->received(), testing::EndsWith(std::string(kHelloBack)));
  EXPECT_THAT(world_.metrics.render(), HasSubstr("parley_http_connections 0\n"));
  EXPECT_EQ(world_.server->connection_count(), 1U);
  EXPECT_EQ(world_.counted("parley_http_requests_total",
                           {{"route", "/ws"}, {"method", "GET"}, {"status", "101"}}),
            1);
}

TEST_F(ServerWebSocketTest, Upgrade_WaitsForEarlierAnswers) {
  world_.start();
  const auto peer = world_.connect();
  peer->send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n" + ask("/ws") + std::string(kHello));
  run();
  EXPECT_EQ(peer->received(), "");
  kept_.at(0).send(Response::text(200, "first"));
  run();
  EXPECT_THAT(peer->received(), testing::StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(peer->received(), testing::EndsWith(std::string(kHelloBack)));
}

TEST_F(ServerWebSocketTest, UpgradeBehindTwoRequests_KeepsFollowingBytes) {
  world_.start();
  const auto peer = world_.connect();
  const std::string later = "GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n";
  peer->send(later + later + ask("/ws") + std::string(kHello));
  run();
  kept_.at(0).send(Response::text(200, "first"));
  run();
  kept_.at(1).send(Response::text(200, "second"));
  run();
  EXPECT_THAT(peer->received(), HasSubstr("HTTP/1.1 101 "));
  EXPECT_THAT(peer->received(), testing::EndsWith(std::string(kHelloBack)));
}

TEST_F(ServerWebSocketTest, UpgradeWithoutRoom_IsRefusedInOrder) {
  world_.options.max_assembling_bytes_unknown = 1;
  world_.options.max_open_body_bytes = 1;
  world_.start();
  const auto peer = world_.connect();
  peer->send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n" + ask("/ws") + std::string(kHello));
  run();
  kept_.at(0).send(Response::text(200, "first"));
  run();
  const auto responses = peer->take();
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].status, 200);
  EXPECT_EQ(responses[1].status, 503);
  EXPECT_TRUE(peer->ended());
  EXPECT_TRUE(codes_.empty());
}

TEST_F(ServerWebSocketTest, UpgradeWhileReadingPaused_IsReadFurther) {
  world_.start();
  const auto peer = world_.connect();
  peer->send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n" + ask("/ws") + std::string(kHello));
  run();
  kept_.at(0).send(Response::text(200, "first"));
  run();
  const std::size_t before = peer->received().size();
  peer->send(std::string(kHello));
  run();
  EXPECT_EQ(peer->received().substr(before), kHelloBack);
}

TEST_F(ServerWebSocketTest, ForeignPages_CannotOpenWebSocket) {
  world_.options.allowed_origins = {"https://x.org"};
  world_.start();
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"Origin: http://localhost\r\n", "101"},
      {"Origin: https://x.org\r\n", "101"},
      {"", "101"},
      {"Origin: http://evil.example\r\n", "403"},
      {"Origin: null\r\n", "403"},
      {"Origin: http://localhost:8080\r\n", "403"},
  };
  for (const auto& [fields, status] : cases) {
    const auto peer = world_.connect();
    peer->send(ask("/ws", fields));
    run();
    EXPECT_EQ(peer->received().substr(9, 3), status) << fields;
  }
}

TEST_F(ServerWebSocketTest, RefusedUpgrade_LeavesHttpConnection) {
  world_.start();
  const auto peer = world_.connect();
  peer->send(ask("/ws?token=bad") + ask("/none"));
  run();
  const auto responses = peer->take();
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].status, 401);
  EXPECT_EQ(responses[0].body, "This token is not valid.");
  EXPECT_EQ(responses[1].status, 404);
  EXPECT_FALSE(peer->ended());
}

TEST_F(ServerWebSocketTest, PlainRequestToWebSocketPath_IsAnswered426) {
  world_.start();
  const WireResponse plain = world_.request("GET", "/ws");
  EXPECT_EQ(plain.status, 426);
  EXPECT_EQ(plain.headers.get("Upgrade"), "websocket");
  EXPECT_EQ(world_.request("POST", "/ws").status, 405);
  EXPECT_EQ(
      world_
          .request("GET", "/ws",
                   "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n")
          .status,
      400);
}

TEST_F(ServerWebSocketTest, Drain_SendsGoingAway_WaitsForClose) {
  world_.start();
  const auto peer = world_.connect();
  peer->send(ask("/ws"));
  run();
  bool done = false;
  world_.server->drain(world_.scheduler, Millis(5'000), [&] { done = true; });
  world_.scheduler.advance(Millis(50));
  EXPECT_THAT(peer->received(),
              HasSubstr(std::string("\x03\xe9") + "The server is shutting down."));
  EXPECT_FALSE(done);
  // A masked close frame with 1001.
  peer->send(std::string_view("\x88\x82\x00\x00\x00\x00\x03\xe9", 8));
  peer->finish();
  world_.scheduler.advance(Millis(50));
  EXPECT_TRUE(done);
  EXPECT_EQ(codes_, std::vector<std::uint16_t>({1001}));
}

TEST_F(ServerWebSocketTest, OpenWebSockets_CountAsConnections) {
  world_.options.max_connections = 1;
  world_.start();
  const auto peer = world_.connect();
  peer->send(ask("/ws"));
  run();
  const auto other = world_.connect();
  const auto responses = other->take();
  ASSERT_EQ(responses.size(), 1U);
  EXPECT_EQ(responses[0].status, 503);
}

}  // namespace
}  // namespace parley::net
