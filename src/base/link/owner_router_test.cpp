// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Two nodes with a server each. Either passes on what belongs to the other.
#include "base/link/owner_router.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/websocket/websocket.h"
#include "base/net/websocket/websocket_codec.h"
#include "tests/support/link/routed_node.h"
#include "tests/support/net/http_test_world.h"

namespace parley::link {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

class OwnerRouterTest : public ::testing::Test {
 public:
  ~OwnerRouterTest() override {
    for (RoutedNode* const node : {&a, &b}) {
      node->listener.reset();
      node->router.reset();
    }
  }

 protected:
  OwnerRouterTest() {
    a.homes["bob"] = b.target();
    b.homes["ann"] = a.target();
  }

  std::unique_ptr<net::HttpPeer> connect_to(const RoutedNode& node) {
    std::unique_ptr<net::HttpPeer> peer;
    cluster.world.memory.connect(cluster.world.scheduler, node.at, [&](auto connected) {
      peer = std::make_unique<net::HttpPeer>(std::move(*connected));
    });
    run();
    return peer;
  }
  static std::string request_of(const std::string& owner, const std::string& fields = {}) {
    return "POST /do?token=" + owner + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n" +
           fields + "\r\nnow";
  }
  static std::string handshake_for(const std::string& owner, const std::string& more = {}) {
    return "GET /ws?token=" + owner + more + " HTTP/1.1\r\nHost: localhost\r\n" +
           std::string(kHandshakeFields) + "X-Request-Id: r-1\r\n\r\n";
  }
  static std::string login_handshake(const std::string& fields = {}) {
    return "GET /login HTTP/1.1\r\nHost: localhost\r\n" + std::string(kHandshakeFields) + fields +
           "\r\n";
  }
  net::WireResponse ask(const RoutedNode& node, const std::string& wire) {
    const auto peer = connect_to(node);
    peer->send(wire);
    run();
    const auto answers = peer->take();
    return answers.empty() ? net::WireResponse() : answers.front();
  }
  void run() { cluster.world.scheduler.run_ready(); }

  RoutedCluster cluster;
  RoutedNode a{cluster, "a", 3};
  RoutedNode b{cluster, "b", 7};
};

TEST_F(OwnerRouterTest, Request_IsServedAtTheHomeOfItsOwner) {
  EXPECT_EQ(ask(a, request_of("bob")).body, "b serves bob of 192.0.2.7 after 1: now");
  EXPECT_EQ(ask(b, request_of("ann")).body, "a serves ann of 192.0.2.7 after 1: now");
  EXPECT_EQ(a.requests->requests, 1U);
}

TEST_F(OwnerRouterTest, OtherRequests_AreServedHere) {
  EXPECT_EQ(ask(a, request_of("ann")).body, "a serves ann of 192.0.2.7 after 0: now");
  EXPECT_EQ(ask(a, request_of("eve")).body, "a serves eve of 192.0.2.7 after 0: now")
      << "no home is known";
  EXPECT_EQ(ask(a, "GET /open?token=bob HTTP/1.1\r\nHost: localhost\r\n\r\n").body,
            "a serves  of 192.0.2.7 after 0: ")
      << "a route that admits nobody";
  EXPECT_EQ(ask(a, request_of("bad")).status, 401);
  EXPECT_EQ(a.requests->requests, 0U);
}

TEST_F(OwnerRouterTest, RequestOfAnOwnerThatMoves_WaitsForTheNextHome) {
  a.moving = {"eve", "dan"};
  const auto peer = connect_to(a);
  const auto other = connect_to(a);
  peer->send(request_of("eve"));
  other->send(request_of("dan"));
  run();
  EXPECT_EQ(a.requests->waiting, 2U);
  cluster.world.scheduler.advance(std::chrono::seconds(1));
  EXPECT_TRUE(peer->take().empty());
  a.moving.clear();
  a.homes["dan"] = b.target();
  cluster.world.scheduler.advance(core::Millis(100));
  const auto here = peer->take();
  const auto there = other->take();
  ASSERT_EQ(here.size(), 1U);
  ASSERT_EQ(there.size(), 1U);
  EXPECT_EQ(here[0].body, "a serves eve of 192.0.2.7 after 0: now");
  EXPECT_EQ(there[0].body, "b serves dan of 192.0.2.7 after 1: now");
  EXPECT_EQ(a.requests->waiting, 0U);
}

TEST_F(OwnerRouterTest, OwnerThatHasNoNextHome_Is503) {
  a.moving = {"eve"};
  const auto peer = connect_to(a);
  peer->send(request_of("eve", "X-Request-Id: r-1\r\n"));
  cluster.world.scheduler.advance(kHomeWait - core::Millis(100));
  EXPECT_TRUE(peer->take().empty());
  cluster.world.scheduler.advance(core::Millis(200));
  const auto answers = peer->take();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].status, 503);
  EXPECT_EQ(answers[0].headers.get("Retry-After"), "1");
  EXPECT_THAT(answers[0].body, HasSubstr("move to another node"));
  const std::string large(kMaxHeldBody + 1, 'x');
  EXPECT_EQ(ask(a, "POST /do?token=eve HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                       std::to_string(large.size()) + "\r\n\r\n" + large)
                .status,
            503)
      << "a large body does not wait";
  EXPECT_EQ(ask(a, handshake_for("eve")).status, 503) << "nor does a handshake";
  EXPECT_EQ(a.requests->waiting, 0U);
  EXPECT_EQ(a.requests->failed, 2U);
}

TEST_F(OwnerRouterTest, AnswerThatIsAnnounced_WaitsUntilTheOthersHaveRead) {
  const auto make = [](const std::string& body) {
    return "POST /make HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n" + body;
  };
  EXPECT_EQ(ask(a, make("bad")).status, 400) << "nothing has changed";
  EXPECT_TRUE(b.waiting.empty());
  const auto peer = connect_to(a);
  peer->send(make("now"));
  run();
  EXPECT_TRUE(peer->take().empty());
  ASSERT_EQ(b.waiting.size(), 1U);
  b.waiting[0].send(net::Response::text(204, ""));
  run();
  const auto answers = peer->take();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].status, 201);
  EXPECT_EQ(answers[0].body, "now");
  // A node that does not read delays the answer by a second.
  peer->send(make("two"));
  cluster.world.scheduler.advance(kAnnounceWait - core::Millis(1));
  EXPECT_TRUE(peer->take().empty());
  cluster.world.scheduler.advance(core::Millis(1));
  EXPECT_EQ(peer->take().size(), 1U);
  // One that is gone delays it by nothing.
  b.listener.reset();
  peer->send(make("six"));
  run();
  EXPECT_EQ(peer->take().size(), 1U);
}

TEST_F(OwnerRouterTest, HostAndOrigin_AreCheckedByTheNodeThatIsReached) {
  const std::string named =
      "POST /do?token=bob HTTP/1.1\r\nHost: a.example.org\r\n"
      "Origin: https://a.example.org\r\nContent-Length: 0\r\n\r\n";
  const net::WireResponse answer = ask(a, named);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.headers.get("Access-Control-Allow-Origin"), "https://a.example.org");
  EXPECT_EQ(ask(b, named).status, 421);
}

TEST_F(OwnerRouterTest, WebSocket_IsServedAtTheHomeOfItsOwner) {
  const auto peer = connect_to(a);
  peer->send(handshake_for("bob") + std::string(kHelloFrame));
  run();
  EXPECT_THAT(peer->received(), StartsWith("HTTP/1.1 101 "));
  EXPECT_THAT(peer->received(), HasSubstr("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
  EXPECT_THAT(peer->received(), HasSubstr("X-Request-Id: r-1\r\n"));
  EXPECT_THAT(peer->received(), EndsWith("\r\n\r\n" + std::string(kHelloEcho)));
  EXPECT_EQ(a.server->connection_count(), 0U);
  EXPECT_EQ(b.server->connection_count(), 1U);
  EXPECT_EQ(a.handshakes->open, 1U);
  peer->finish();
  run();
  cluster.world.scheduler.advance(net::Stream::kLingerTime);
  EXPECT_TRUE(peer->ended());
  EXPECT_EQ(a.handshakes->open, 0U);
  EXPECT_EQ(b.server->connection_count(), 0U);
}

TEST_F(OwnerRouterTest, WebSocketOfThisNode_IsServedHere) {
  const auto peer = connect_to(a);
  peer->send(handshake_for("ann") + std::string(kHelloFrame));
  run();
  EXPECT_THAT(peer->received(), EndsWith("\r\n\r\n" + std::string(kHelloEcho)));
  EXPECT_EQ(a.server->connection_count(), 1U);
  EXPECT_EQ(a.handshakes->forwarded, 0U);
}

TEST_F(OwnerRouterTest, WebSocketThatTheHomeRefuses_GetsItsAnswer) {
  const net::WireResponse answer = ask(a, handshake_for("bob", "&refused=1"));
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.body, "no entry");
}

TEST_F(OwnerRouterTest, WebSocketThatLogsInByAMessage_IsServedAtItsHome) {
  const auto peer = connect_to(a);
  peer->send(login_handshake());
  run();
  EXPECT_THAT(peer->received(), StartsWith("HTTP/1.1 101 "));
  const std::size_t head = peer->received().size();
  peer->send(frame_of("bob") + frame_of("one") + frame_of("two").substr(0, 4));
  run();
  peer->send(frame_of("two").substr(4) + frame_of("bye", net::Opcode::ping));
  run();
  EXPECT_EQ(peer->received().substr(head),
            "\x81\x09"
            "b after 1"
            "\x81\x03one\x81\x03two\x8a\x03"
            "bye");
  EXPECT_EQ(a.server->connection_count(), 0U);
  EXPECT_EQ(b.server->connection_count(), 1U);
}

TEST_F(OwnerRouterTest, WebSocketThatCompresses_GoesOnToDoSo) {
  const auto peer = connect_to(a);
  peer->send(login_handshake("Sec-WebSocket-Extensions: permessage-deflate\r\n"));
  run();
  EXPECT_THAT(peer->received(), HasSubstr("permessage-deflate"));
  const std::size_t head = peer->received().size();
  // "Hello" compressed (RFC 7692 section 7.2.3.1), masked with zeros.
  peer->send(frame_of("bob") + std::string("\xc1\x87\0\0\0\0\xf2\x48\xcd\xc9\xc9\x07\x00", 13));
  run();
  EXPECT_EQ(peer->received().substr(head),
            "\x81\x09"
            "b after 1"
            "\x81\x05Hello");
}

TEST_F(OwnerRouterTest, HomeThatDoesNotCompress_EndsTheWebSocket) {
  const RoutedNode plain(cluster, "c", 9, false);
  a.homes["eve"] = plain.target();
  const auto peer = connect_to(a);
  peer->send(login_handshake("Sec-WebSocket-Extensions: permessage-deflate\r\n") + frame_of("eve"));
  run();
  EXPECT_TRUE(peer->ended());
  EXPECT_EQ(a.handshakes->failed, 1U);
  EXPECT_EQ(a.handshakes->open, 0U);
  a.router.reset();
}

TEST_F(OwnerRouterTest, WebSocketOfAnUnreachedHome_IsClosedWithAReason) {
  b.listener.reset();
  const auto peer = connect_to(a);
  peer->send(login_handshake() + frame_of("bob"));
  run();
  EXPECT_THAT(peer->received(), HasSubstr("\x88"));
  EXPECT_THAT(peer->received(), HasSubstr("\x03\xf5Node \"b\""));
  EXPECT_EQ(a.handshakes->failed, 1U);
}

TEST_F(OwnerRouterTest, LoginThatMovesInACircle_IsClosedAfterTwoHops) {
  b.homes["bob"] = a.target();
  const auto peer = connect_to(a);
  peer->send(login_handshake() + frame_of("bob"));
  run();
  EXPECT_THAT(peer->received(), HasSubstr("move to another node"));
  EXPECT_EQ(a.handshakes->forwarded, 1U);
  EXPECT_EQ(b.handshakes->forwarded, 1U);
}

TEST_F(OwnerRouterTest, HandshakeWhoseHomeIsNotReached_Is503) {
  b.listener.reset();
  const net::WireResponse answer = ask(a, handshake_for("bob"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.get("Retry-After"), "1");
  EXPECT_EQ(answer.headers.get("X-Request-Id"), "r-1");
  EXPECT_THAT(answer.body, HasSubstr("unavailable"));
  EXPECT_EQ(a.handshakes->failed, 1U);
}

TEST_F(OwnerRouterTest, RequestWhoseHomeIsNotReached_WaitsForTheNextHome) {
  b.listener.reset();
  const auto peer = connect_to(a);
  peer->send(request_of("bob"));
  cluster.world.scheduler.advance(std::chrono::seconds(5));
  EXPECT_TRUE(peer->take().empty());
  EXPECT_EQ(a.requests->waiting, 1U);
  a.homes.erase("bob");
  cluster.world.scheduler.advance(std::chrono::seconds(1));
  const auto answers = peer->take();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].body, "a serves bob of 192.0.2.7 after 0: now");
  EXPECT_EQ(a.requests->waiting, 0U);
  EXPECT_EQ(a.requests->requests, 0U);
  EXPECT_EQ(a.requests->failed, 0U);
}

TEST_F(OwnerRouterTest, HomeThatStaysUnreached_Is503) {
  b.listener.reset();
  const auto peer = connect_to(a);
  peer->send(request_of("bob", "X-Request-Id: r-1\r\n"));
  cluster.world.scheduler.advance(kHomeWait + core::Millis(500));
  const auto answers = peer->take();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].status, 503);
  EXPECT_EQ(answers[0].headers.get("Retry-After"), "1");
  EXPECT_EQ(answers[0].headers.get("X-Request-Id"), "r-1");
  EXPECT_THAT(answers[0].body, HasSubstr("unavailable"));
  EXPECT_EQ(a.requests->failed, 1U);
  const std::string large(kMaxHeldBody + 1, 'x');
  EXPECT_EQ(ask(a, "POST /do?token=bob HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                       std::to_string(large.size()) + "\r\n\r\n" + large)
                .status,
            503)
      << "a large body does not wait";
}

TEST_F(OwnerRouterTest, ClientThatLeavesWhileItsRequestWaits_LeavesNothing) {
  b.listener.reset();
  const auto peer = connect_to(a);
  peer->send(request_of("bob"));
  run();
  peer->drop();
  cluster.world.scheduler.advance(kHomeWait + core::Millis(500));
  EXPECT_EQ(a.requests->waiting, 0U);
  EXPECT_EQ(a.server->connection_count(), 0U);
}

TEST_F(OwnerRouterTest, OwnerThatMovesInACircle_Is503AfterTwoHops) {
  b.homes["bob"] = a.target();
  for (const std::string& wire : {request_of("bob"), handshake_for("bob")}) {
    const net::WireResponse answer = ask(a, wire);
    EXPECT_EQ(answer.status, 503) << wire;
    EXPECT_THAT(answer.body, HasSubstr("move to another node"));
  }
  EXPECT_EQ(a.requests->requests, 1U);
  EXPECT_EQ(b.requests->requests, 1U);
  EXPECT_EQ(a.handshakes->forwarded, 1U);
  EXPECT_EQ(b.handshakes->forwarded, 1U);
}

TEST_F(OwnerRouterTest, WebSocket_FollowsASuccessor) {
  RoutedNode c(cluster, "c", 9);
  b.successor = 9;
  const auto peer = connect_to(a);
  peer->send(handshake_for("bob") + std::string(kHelloFrame));
  run();
  EXPECT_THAT(peer->received(), EndsWith("\r\n\r\n" + std::string(kHelloEcho)));
  EXPECT_EQ(b.server->connection_count(), 0U);
  EXPECT_EQ(c.server->connection_count(), 1U);
  a.router.reset();
  run();
  c.listener.reset();
  c.router.reset();
}

TEST_F(OwnerRouterTest, ClientThatLeavesBeforeTheHomeIsReached_LeavesNothing) {
  const auto peer = connect_to(a);
  peer->send(handshake_for("bob"));
  peer->drop();
  run();
  cluster.world.scheduler.advance(net::Stream::kLingerTime);
  EXPECT_EQ(a.handshakes->open, 0U);
  EXPECT_EQ(b.server->connection_count(), 0U);
}

TEST_F(OwnerRouterTest, LostHome_EndsTheWebSocket) {
  const auto peer = connect_to(a);
  peer->send(handshake_for("bob"));
  run();
  b.listener.reset();
  b.router.reset();
  b.server.reset();
  run();
  EXPECT_TRUE(peer->ended());
  cluster.world.scheduler.advance(net::Stream::kLingerTime);
  EXPECT_EQ(a.handshakes->open, 0U);
}

TEST_F(OwnerRouterTest, NodeWithoutALease_EndsWhatGoesToIt) {
  const auto socket = connect_to(a);
  socket->send(handshake_for("bob"));
  const auto waits = connect_to(a);
  waits->send("POST /wait?token=bob HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
  const auto other = connect_to(b);
  other->send(handshake_for("ann"));
  run();
  ASSERT_THAT(b.waiting, SizeIs(1));
  a.router->keep_only({b.number, 12});
  b.router->keep_only({a.number});
  run();
  EXPECT_FALSE(socket->ended());
  EXPECT_EQ(waits->received(), "");
  a.router->keep_only({a.number});
  run();
  EXPECT_TRUE(socket->ended());
  EXPECT_EQ(a.handshakes->open, 0U);
  const auto answers = waits->take();
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers.front().status, 502);
  EXPECT_THAT(answers.front().body, HasSubstr("lost its lease"));
  EXPECT_FALSE(other->ended()) << "the other direction has its own leases";
  b.waiting.clear();
}

TEST_F(OwnerRouterTest, SocketsAboveTheLimit_Are503) {
  LinkClient links(cluster.world.scheduler, cluster.world.memory, cluster.world.tls_of("a"), [] {
    return LinkSender{std::string(kTestCluster), "a", 3};
  });
  const auto counters = std::make_shared<HandshakeCounters>();
  HandshakeForwarder forwarder(
      cluster.world.scheduler, links, [](NodeNumber) { return std::nullopt; }, counters, 1);
  net::Request handshake;
  handshake.method = "GET";
  handshake.target = "/ws?token=bob";
  handshake.id = "r-2";
  handshake.headers.add("Host", "localhost");
  handshake.headers.add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
  handshake.headers.add("Sec-WebSocket-Version", "13");
  std::vector<std::unique_ptr<net::HttpPeer>> peers;
  const auto come = [&] {
    auto [client, reached] =
        cluster.world.memory.make_pair(cluster.world.scheduler, cluster.world.scheduler);
    peers.push_back(std::make_unique<net::HttpPeer>(std::move(client)));
    reached->pause_reading(true);
    forwarder.forward(b.target(), 1, handshake, std::move(reached), {});
  };
  come();
  come();
  run();
  EXPECT_THAT(peers.at(0)->received(), StartsWith("HTTP/1.1 101 "));
  const auto refused = peers.at(1)->take();
  ASSERT_THAT(refused, SizeIs(1));
  EXPECT_EQ(refused.front().status, 503);
  EXPECT_THAT(refused.front().body, HasSubstr("limit of WebSockets"));
  EXPECT_EQ(counters->failed, 1U);
  for (std::size_t i = 0; i < kMaxRefusedSockets; ++i) come();
  run();
  EXPECT_THAT(peers.at(kMaxRefusedSockets)->received(), StartsWith("HTTP/1.1 503 "));
  EXPECT_EQ(peers.back()->received(), "") << "no more of them linger";
  EXPECT_TRUE(peers.back()->ended());
  EXPECT_EQ(counters->open, 1 + kMaxRefusedSockets);
  peers.clear();
  run();
  cluster.world.scheduler.advance(net::Stream::kLingerTime);
  EXPECT_EQ(counters->open, 0U);
}

}  // namespace
}  // namespace parley::link
