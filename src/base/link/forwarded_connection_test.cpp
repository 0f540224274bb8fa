// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// All parts of the link together: a client, the node that it reaches, and the HTTP server of its
// home.
#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/entropy.h"
#include "base/link/link_client.h"
#include "base/link/link_listener.h"
#include "base/link/stream_relay.h"
#include "base/net/http/http.h"
#include "base/net/http/metrics.h"
#include "base/net/server/server.h"
#include "base/net/websocket/websocket.h"
#include "tests/support/link/link_world.h"

namespace parley::link {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kUpgrade =
    "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

std::string a_megabyte(std::uint64_t seed) {
  core::SeededEntropy entropy(seed);
  std::string out(1U << 20U, '\0');
  entropy.fill(std::as_writable_bytes(std::span(out)));
  return out;
}

class ForwardedConnectionTest : public ::testing::Test {
 protected:
  // Node "b", the home, passes each connection to `accept`.
  void start_home(LinkListener::Accept accept) {
    listener = std::make_unique<LinkListener>(
        world.scheduler, world.tls_of("b"),
        [](const Preface&) {
          return LinkHome{std::string(kTestCluster), 7, kNoNode, false};
        },
        std::move(accept), std::make_shared<LinkCounters>());
    at = listener->listen(world.memory, {}).value();
  }
  void start_http_home() {
    net::Router router;
    router.add("GET", "/who", [](const net::Request& request, net::Responder responder) {
      responder.send(
          net::Response::text(200, request.peer + (request.secure ? " by TLS" : " in clear text")));
    });
    router.add_websocket(
        "/ws", {},
        [](const net::Request&)
            -> tl::expected<std::unique_ptr<net::WebSocketHandler>, net::Response> {
          return std::make_unique<LinkEcho>();
        });
    net::ServerOptions options;
    options.log_requests = false;
    server =
        std::make_unique<net::Server>(world.memory, std::move(router), options, metrics, entropy);
    start_home([this](LinkConnection connection) {
      server->adopt(std::move(connection.stream), connection.preface.hops);
    });
  }
  // Node "a" has read `first` of a client and forwards its connection.
  void forward(std::string_view first, LinkKind kind, StreamRelay::CheckHead check = nullptr) {
    auto pair = world.memory.make_pair(world.scheduler, world.scheduler);
    client = std::move(pair.first);
    client->set_handler(&at_client);
    pair.second->pause_reading(true);
    links.open({at, "b", 7}, {"192.0.2.7", true, 1, kind}, first,
               [this, reached = std::move(pair.second),
                check = std::move(check)](LinkClient::Opened opened) mutable {
                 ASSERT_TRUE(opened.has_value()) << opened.error().error.message;
                 relay = std::make_unique<StreamRelay>(
                     std::move(reached), std::move(*opened),
                     [this](const RelayOutcome& of) { outcome = of; }, std::move(check));
               });
  }
  void run() { world.scheduler.run_ready(); }

  LinkWorld world{{.max_piece = 3'000, .seed = 12}};
  net::Metrics metrics;
  core::SeededEntropy entropy{1};
  std::unique_ptr<net::Server> server;
  net::Endpoint at;
  std::unique_ptr<LinkListener> listener;
  LinkClient links{world.scheduler, world.memory, world.tls_of("a"), [] {
                     return LinkSender{std::string(kTestCluster), "a", 3};
                   }};
  LinkPeer at_client;
  std::unique_ptr<net::Stream> client;
  std::unique_ptr<StreamRelay> relay;
  std::optional<RelayOutcome> outcome;
};

TEST_F(ForwardedConnectionTest, Megabytes_ArriveWhole_AndBothEnds) {
  const std::string up = a_megabyte(5);
  const std::string down = a_megabyte(6);
  LinkPeer at_home;
  std::unique_ptr<net::Stream> served;
  start_home([&](LinkConnection connection) {
    served = std::move(connection.stream);
    served->set_handler(&at_home);
    served->write(down);
  });
  forward(std::string_view(up).substr(0, 1'000), LinkKind::request);
  client->write(std::string_view(up).substr(1'000));
  run();
  EXPECT_TRUE(at_home.bytes == up);
  EXPECT_TRUE(at_client.bytes == down);
  client->finish();
  run();
  EXPECT_TRUE(at_home.ended);
  served->write("late");
  run();
  EXPECT_TRUE(at_client.bytes == down + "late");
  served->finish();
  run();
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->end, RelayEnd::finished);
  EXPECT_EQ(outcome->to_client, down.size() + 4);
  EXPECT_TRUE(at_client.closed);
}

TEST_F(ForwardedConnectionTest, Request_IsThatOfTheClient) {
  start_http_home();
  const std::string request = "GET /who HTTP/1.1\r\nHost: localhost\r\n\r\n";
  forward(request, LinkKind::request);
  run();
  EXPECT_THAT(at_client.bytes, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(at_client.bytes, EndsWith("192.0.2.7 by TLS"));
  at_client.bytes.clear();
  client->write(request);
  run();
  EXPECT_THAT(at_client.bytes, EndsWith("192.0.2.7 by TLS")) << "the connection is kept";
}

TEST_F(ForwardedConnectionTest, WebSocket_IsAnsweredOnce) {
  start_http_home();
  std::string head;
  forward(std::string(kUpgrade) + std::string(kHelloFrame), LinkKind::websocket,
          [&head](std::string_view dropped) -> core::Result<void> {
            head = dropped;
            return {};
          });
  run();
  EXPECT_THAT(head, StartsWith("HTTP/1.1 101 "));
  EXPECT_THAT(head, EndsWith("\r\n\r\n"));
  EXPECT_EQ(at_client.bytes, kHelloEcho);
  client->write(kHelloFrame);
  run();
  EXPECT_EQ(at_client.bytes, std::string(kHelloEcho) + std::string(kHelloEcho));
}

TEST_F(ForwardedConnectionTest, RefusedWebSocket_EndsTheRelay) {
  start_http_home();
  std::string upgrade(kUpgrade);
  upgrade.replace(upgrade.find("/ws"), 3, "/no");
  forward(upgrade, LinkKind::websocket, [](std::string_view head) -> core::Result<void> {
    if (head.starts_with("HTTP/1.1 101 ")) return {};
    return core::fail(core::Code::unavailable, "The home answered no 101.");
  });
  run();
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->end, RelayEnd::bad_head);
  EXPECT_THAT(outcome->reason, HasSubstr("no 101"));
  EXPECT_EQ(at_client.bytes, "");
}

}  // namespace
}  // namespace parley::link
