// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Two HTTP servers: node "a", which a client reaches, forwards every request to node "b".
#include "base/link/request_forwarder.h"

#include <gmock/gmock.h>

#include <map>
#include <vector>

#include "base/core/entropy.h"
#include "base/link/link_listener.h"
#include "base/net/http/metrics.h"
#include "base/net/server/server.h"
#include "tests/support/link/link_world.h"
#include "tests/support/net/http_test_world.h"

namespace parley::link {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr NodeNumber kHome = 7;
constexpr NodeNumber kSuccessor = 8;

class RequestForwarderTest : public ::testing::Test {
 protected:
  RequestForwarderTest() {
    net::Router home;
    home.add("GET", "/who", [](const net::Request& request, net::Responder responder) {
      responder.send(net::Response::text(200, request.peer + (request.secure ? " s" : " p")));
    });
    home.add("POST", "/echo", [this](net::Request request, net::Responder responder) {
      net::Response response = net::Response::text(201, request.body);
      response.headers.add("X-Target", request.target);
      response.headers.add("Vary", "Accept-Language");
      responder.send(std::move(response));
      seen = std::move(request);
    });
    home.add("GET", "/large", [](const net::Request&, net::Responder responder) {
      net::Response response = net::Response::text(200, std::string(3U << 20U, 'x'));
      response.headers.add("Cache-Control", "no-transform");
      responder.send(std::move(response));
    });
    home.add("GET", "/stream", [this](const net::Request&, net::Responder responder) {
      net::Response head;
      head.headers.add("Content-Type", "text/event-stream");
      stream = responder.start(std::move(head));
      stream->on_disconnect([this] { stream.reset(); });
    });
    for (const char* const method : {"GET", "POST"}) {
      home.add(method, "/waits", [this](const net::Request&, net::Responder responder) {
        responder.on_disconnect([this] { has_left = true; });
        waiting.emplace(std::move(responder));
      });
    }
    server =
        std::make_unique<net::Server>(world.memory, std::move(home), quiet(), metrics, entropy);
    at = listen_as("b", kHome, kNoNode, [this](LinkConnection connection) {
      server->adopt(std::move(connection.stream), connection.preface.hops);
    });
    forward_to(at);
  }

  static net::ServerOptions quiet() {
    net::ServerOptions options;
    options.log_requests = false;
    return options;
  }
  net::Endpoint listen_as(const std::string& name, NodeNumber number, NodeNumber successor,
                          LinkListener::Accept accept) {
    listeners.push_back(std::make_unique<LinkListener>(
        world.scheduler, world.tls_of(name),
        [number, successor](const Preface&) {
          return LinkHome{std::string(kTestCluster), number, successor, false};
        },
        std::move(accept), counters));
    return listeners.back()->listen(world.memory, {}).value();
  }
  // Node "a" forwards to this address from now on.
  void forward_to(const net::Endpoint& to, RequestForwarder::Limits limits = {}) {
    front.reset();
    forwarder = std::make_unique<RequestForwarder>(
        world.scheduler, links,
        [this](NodeNumber node) {
          const auto found = known.find(node);
          return found == known.end() ? std::nullopt : std::optional(found->second);
        },
        forwarded, limits);
    net::Router router;
    router.set_fallback([this, to](net::Request request, net::Responder responder) {
      forwarder->forward({to, "b", kHome}, 1, std::move(request), std::move(responder));
      if (home_is_lost) forwarder->keep_only({kSuccessor});
    });
    front =
        std::make_unique<net::Server>(world.memory, std::move(router), quiet(), metrics, entropy);
    front_at = front->listen({&world.scheduler}, {}).value();
  }
  std::unique_ptr<net::HttpPeer> client() {
    std::unique_ptr<net::HttpPeer> peer;
    world.memory.connect(world.scheduler, front_at, [&](auto connected) {
      peer = std::make_unique<net::HttpPeer>(std::move(*connected));
    });
    run();
    return peer;
  }
  net::WireResponse ask(net::HttpPeer& peer, const std::string& method, const std::string& target,
                        const std::string& body = {}, const std::string& fields = {}) {
    std::string wire = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + fields;
    if (!body.empty()) wire += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    peer.send(wire + "\r\n" + body);
    run();
    const auto answers = peer.take(method == "HEAD");
    return answers.empty() ? net::WireResponse() : answers.front();
  }
  void run() { world.scheduler.run_ready(); }

  LinkWorld world{{.max_piece = 3'000, .seed = 12, .peer = "192.0.2.7"}};
  net::Metrics metrics;
  core::SeededEntropy entropy{1};
  std::shared_ptr<LinkCounters> counters = std::make_shared<LinkCounters>();
  std::shared_ptr<ForwardCounters> forwarded = std::make_shared<ForwardCounters>();
  net::Request seen;
  bool home_is_lost = false;  // as soon as a request is passed on
  std::shared_ptr<net::BodyWriter> stream;
  std::optional<net::Responder> waiting;
  bool has_left = false;
  std::unique_ptr<net::Server> server;
  std::vector<std::unique_ptr<LinkListener>> listeners;
  net::Endpoint at;
  LinkClient links{world.scheduler, world.memory, world.tls_of("a"), [] {
                     return LinkSender{std::string(kTestCluster), "a", 3};
                   }};
  std::map<NodeNumber, LinkTarget> known;
  std::unique_ptr<RequestForwarder> forwarder;
  std::unique_ptr<net::Server> front;
  net::Endpoint front_at;
};

TEST_F(RequestForwarderTest, RequestAndAnswer_AreThoseOfClientAndHome) {
  const auto peer = client();
  const auto answer = ask(*peer, "POST", "/echo?a=%20b", "hello",
                          "Authorization: Bearer secret\r\nX-Request-Id: mine\r\n"
                          "Connection: keep-alive\r\nTE: trailers\r\n");
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.body, "hello");
  EXPECT_EQ(answer.headers.get("X-Target"), "/echo?a=%20b");
  EXPECT_EQ(answer.headers.get("X-Request-Id"), "mine");
  EXPECT_EQ(answer.headers.get("Vary"), "Accept-Language");
  EXPECT_EQ(seen.headers.get("Authorization"), "Bearer secret");
  EXPECT_EQ(seen.headers.get("Host"), "localhost");
  EXPECT_EQ(seen.id, "mine");
  EXPECT_EQ(seen.peer, "192.0.2.7");
  EXPECT_FALSE(seen.headers.has("TE"));
  for (const char* const once : {"Date", "Server", "X-Request-Id", "Content-Length",
                                 "Content-Security-Policy", "Cache-Control", "X-Frame-Options"}) {
    EXPECT_EQ(std::count_if(answer.headers.all().begin(), answer.headers.all().end(),
                            [once](const auto& field) { return field.first == once; }),
              1)
        << once;
  }
}

TEST_F(RequestForwarderTest, Head_HasTheLengthOfGet) {
  const auto peer = client();
  const auto get = ask(*peer, "GET", "/who");
  EXPECT_EQ(get.body, "192.0.2.7 p");
  const auto head = ask(*peer, "HEAD", "/who");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.get("Content-Length"), get.headers.get("Content-Length"));
  EXPECT_EQ(ask(*peer, "GET", "/who").body, get.body) << "no byte of a body was sent";
}

TEST_F(RequestForwarderTest, ErrorOfTheHome_IsPassedOn_ConnectionIsKept) {
  const auto peer = client();
  EXPECT_EQ(ask(*peer, "GET", "/nowhere").status, 404);
  EXPECT_EQ(ask(*peer, "GET", "/who").status, 200);
  EXPECT_EQ(counters->accepted, 1U);
  EXPECT_EQ(forwarded->reused, 1U);
  EXPECT_EQ(forwarded->failed, 0U);
}

TEST_F(RequestForwarderTest, RequestsAtTheSameTime_HaveConnectionsOfTheirOwn) {
  const auto one = client();
  const auto two = client();
  one->send("GET /waits HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  EXPECT_EQ(ask(*two, "GET", "/who").status, 200);
  EXPECT_EQ(counters->accepted, 2U);
  EXPECT_EQ(forwarder->in_progress(), 1U);
  waiting->send(net::Response::text(200, "late"));
  run();
  EXPECT_EQ(one->take().at(0).body, "late");
  EXPECT_EQ(forwarder->in_progress(), 0U);
  EXPECT_EQ(forwarder->idle(), 2U);
}

TEST_F(RequestForwarderTest, LargeAnswer_ArrivesWhole) {
  const auto peer = client();
  const auto answer = ask(*peer, "GET", "/large");
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(answer.body, std::string(3U << 20U, 'x'));
  EXPECT_EQ(ask(*peer, "GET", "/who").status, 200);
  EXPECT_EQ(forwarded->reused, 1U);
}

TEST_F(RequestForwarderTest, EndlessAnswer_IsPassedOnWhileItArrives) {
  const auto peer = client();
  peer->send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  EXPECT_THAT(peer->received(), HasSubstr("text/event-stream")) << "the head alone";
  for (const char* const event : {"data: 1\n\n", "data: 2\n\n"}) {
    stream->write(event);
    run();
    EXPECT_THAT(peer->received(), HasSubstr(event));
  }
  stream->end();
  run();
  EXPECT_THAT(peer->received(), EndsWith("0\r\n\r\n"));
  EXPECT_EQ(forwarder->idle(), 1U);
}

// A client that does not read: what waits for it at node "a" is bounded, and the rest stays at
// home.
TEST_F(RequestForwarderTest, SlowClient_HoldsBackTheHome) {
  const auto peer = client();
  peer->send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  peer->pause(true);
  const std::string piece(100'000, 'x');
  std::size_t written = 0;
  for (; stream != nullptr && stream->queued() == 0 && written < 100 * piece.size();
       written += piece.size()) {
    stream->write(piece);
    world.scheduler.advance(core::Millis(100));
  }
  ASSERT_NE(stream, nullptr);
  EXPECT_GT(stream->queued(), 0U);
  EXPECT_LE(written, 3U << 20U) << "queues of both nodes and of the network";
  peer->pause(false);
  world.scheduler.advance(core::Millis(1'000));
  EXPECT_EQ(stream->queued(), 0U);
  EXPECT_GT(peer->received().size(), written);
}

TEST_F(RequestForwarderTest, ReaderThatLeaves_EndsTheStreamOfTheHome) {
  auto peer = client();
  peer->send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  ASSERT_NE(stream, nullptr);
  peer.reset();
  run();
  EXPECT_EQ(stream, nullptr);
  EXPECT_EQ(forwarder->in_progress(), 0U);
}

TEST_F(RequestForwarderTest, ClientThatLeaves_IsNoticedByTheHome) {
  auto peer = client();
  peer->send("POST /waits HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
  run();
  ASSERT_TRUE(waiting);
  peer.reset();
  run();
  EXPECT_TRUE(has_left);
  waiting.reset();
  world.scheduler.advance(net::Stream::kLingerTime);
  EXPECT_EQ(forwarder->in_progress(), 0U);
}

TEST_F(RequestForwarderTest, HalfClosedClient_GetsItsAnswer) {
  const auto peer = client();
  peer->send("GET /waits HTTP/1.1\r\nHost: localhost\r\n\r\n");
  run();
  peer->finish();
  run();
  EXPECT_TRUE(has_left) << "it may give up";
  waiting->send(net::Response::text(200, "here"));
  run();
  EXPECT_EQ(peer->take().at(0).body, "here");
  EXPECT_EQ(forwarder->idle(), 0U) << "its direction has ended";
}

TEST_F(RequestForwarderTest, HomeThatIsAway_Is503) {
  listeners.clear();
  const auto peer = client();
  const auto answer = ask(*peer, "POST", "/echo", "x");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.get("Retry-After"), "1");
  EXPECT_THAT(answer.body, HasSubstr("Node \\\"b\\\""));
  EXPECT_EQ(forwarded->failed, 1U);
}

TEST_F(RequestForwarderTest, NodeThatMoved_ItsSuccessorIsAsked_Once) {
  const net::Endpoint next = listen_as("c", kSuccessor, kNoNode, [this](LinkConnection connection) {
    server->adopt(std::move(connection.stream), connection.preface.hops);
  });
  const net::Endpoint before = listen_as("b", kHome, kSuccessor, [](LinkConnection) { FAIL(); });
  forward_to(before);
  const auto peer = client();
  const auto unknown = ask(*peer, "POST", "/echo", "x");
  EXPECT_EQ(unknown.status, 503);
  EXPECT_THAT(unknown.body, HasSubstr("has moved to node 8"));
  known[kSuccessor] = {next, "c", kSuccessor};
  EXPECT_EQ(ask(*peer, "POST", "/echo", "x").status, 201);
  const net::Endpoint round = listen_as("c", kSuccessor, kHome, [](LinkConnection) { FAIL(); });
  known[kSuccessor] = {round, "c", kSuccessor};
  known[kHome] = {before, "b", kHome};
  forward_to(before);
  EXPECT_EQ(ask(*client(), "POST", "/echo", "x").status, 503) << "they name each other";
}

TEST_F(RequestForwarderTest, LostConnection_PostIsNotSentTwice) {
  const auto peer = client();
  peer->send("POST /waits HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
  run();
  ASSERT_TRUE(waiting);
  server.reset();
  run();
  const auto answers = peer->take();
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].status, 502);
  EXPECT_THAT(answers[0].body, HasSubstr("may have done what was asked"));
}

// The home closes a connection, or loses it, just when it gets another request.
TEST_F(RequestForwarderTest, KeptConnectionEnds_GetIsRepeated_PostIsNot) {
  for (const bool is_lost : {false, true}) {
    std::vector<std::unique_ptr<net::Stream>> held;
    int connections = 0;
    LinkPeer home_peer;
    const net::Endpoint raw = listen_as("b", kHome, kNoNode, [&](LinkConnection connection) {
      ++connections;
      held.push_back(std::move(connection.stream));
      held.back()->set_handler(&home_peer);
    });
    home_peer.received = [&](net::Stream& from) {
      // The first request of each connection is answered; a second one ends it.
      const bool is_first = std::exchange(home_peer.bytes, {}).find("first") != std::string::npos;
      if (is_first || connections > 1) {
        from.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      } else if (is_lost) {
        world.scheduler.post([&] { held.front().reset(); });
      } else {
        from.finish();
      }
    };
    forward_to(raw);
    const auto peer = client();
    EXPECT_EQ(ask(*peer, "GET", "/first").body, "ok");
    EXPECT_EQ(ask(*peer, "GET", "/again").body, "ok");
    EXPECT_EQ(connections, 2);
    world.scheduler.advance(net::Stream::kLingerTime);
    EXPECT_EQ(forwarder->idle(), 1U);
    EXPECT_EQ(ask(*peer, "POST", "/echo", "x").body, "ok") << "on the second connection";
    connections = 1;
    std::swap(held.front(), held.back());
    EXPECT_EQ(ask(*peer, "POST", "/again", "x").status, 502);
    EXPECT_EQ(connections, 1);
  }
}

TEST_F(RequestForwarderTest, WhatIsNoAnswer_Is502) {
  for (const char* const bytes :
       {"hello\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokay",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"}) {
    std::unique_ptr<net::Stream> held;
    LinkPeer home_peer;
    const net::Endpoint raw = listen_as("b", kHome, kNoNode, [&](LinkConnection connection) {
      held = std::move(connection.stream);
      held->set_handler(&home_peer);
      held->write(bytes);
      held->finish();
    });
    forward_to(raw);
    EXPECT_EQ(ask(*client(), "GET", "/x").status, 502) << bytes;
    EXPECT_EQ(forwarder->idle(), 0U);
  }
}

TEST_F(RequestForwarderTest, AnswerUntilTheEnd_IsComplete) {
  std::unique_ptr<net::Stream> held;
  LinkPeer home_peer;
  const net::Endpoint raw = listen_as("b", kHome, kNoNode, [&](LinkConnection connection) {
    held = std::move(connection.stream);
    held->set_handler(&home_peer);
    held->write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nall of it");
    held->finish();
  });
  forward_to(raw);
  EXPECT_EQ(ask(*client(), "GET", "/x").body, "all of it");
  EXPECT_EQ(forwarder->idle(), 0U) << "it cannot have another request";
}

TEST_F(RequestForwarderTest, IdleConnections_EndAfterTheirTime_AndAboveTheLimit) {
  forward_to(at, {.idle = core::Millis(5'000), .idle_links = 2});
  std::vector<std::unique_ptr<net::HttpPeer>> peers;
  for (int i = 0; i < 3; ++i) {
    peers.push_back(client());
    peers.back()->send("GET /waits HTTP/1.1\r\nHost: localhost\r\n\r\n");
    run();
    std::exchange(waiting, std::nullopt).value();
    run();
  }
  EXPECT_EQ(ask(*client(), "GET", "/who").status, 200);
  EXPECT_LE(forwarder->idle(), 2U);
  world.scheduler.advance(core::Millis(4'999));
  EXPECT_GT(forwarder->idle(), 0U);
  world.scheduler.advance(core::Millis(1));
  EXPECT_EQ(forwarder->idle(), 0U);
  world.scheduler.advance(net::Stream::kLingerTime);
  EXPECT_EQ(counters->open, 0U);
}

TEST_F(RequestForwarderTest, ClientsOfOtherAddressesAndSchemes_ShareNoConnection) {
  EXPECT_EQ(ask(*client(), "GET", "/who").body, "192.0.2.7 p");
  net::Request request;
  request.method = "GET";
  request.target = "/who";
  request.headers.add("Host", "localhost");
  request.peer = "192.0.2.8";
  const auto peer = client();
  net::Router router;
  router.set_fallback([&](const net::Request&, net::Responder responder) {
    forwarder->forward({at, "b", kHome}, 1, request, std::move(responder));
  });
  net::Server other(world.memory, std::move(router), quiet(), metrics, entropy);
  front_at = other.listen({&world.scheduler}, {}).value();
  EXPECT_EQ(ask(*client(), "GET", "/x").body, "192.0.2.8 p");
  request.secure = true;
  EXPECT_EQ(ask(*client(), "GET", "/x").body, "192.0.2.8 s");
  EXPECT_EQ(counters->accepted, 3U);
  forwarder.reset();
}

TEST_F(RequestForwarderTest, KeptConnectionToALostNode_IsEnded) {
  const auto peer = client();
  ask(*peer, "GET", "/who");
  EXPECT_EQ(forwarder->idle(), 1U);
  forwarder->keep_only({kSuccessor, kHome});
  EXPECT_EQ(forwarder->idle(), 1U);
  forwarder->keep_only({kSuccessor});
  EXPECT_EQ(forwarder->idle(), 0U);
  EXPECT_EQ(ask(*peer, "GET", "/who").status, 200);
}

TEST_F(RequestForwarderTest, RequestForALostNode_ThatIsNotSentYet_Is503) {
  home_is_lost = true;
  const net::WireResponse answer = ask(*client(), "POST", "/echo", "x");
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, HasSubstr("lost its lease"));
  EXPECT_EQ(forwarder->in_progress(), 0U);
}

TEST_F(RequestForwarderTest, StreamOfALostNode_IsCut) {
  const auto peer = client();
  ask(*peer, "GET", "/stream");
  ASSERT_NE(stream, nullptr);
  stream->write("data: 1\n\n");
  run();
  forwarder->keep_only({kSuccessor});
  run();
  EXPECT_THAT(peer->received(), HasSubstr("data: 1"));
  EXPECT_TRUE(peer->ended());
  EXPECT_EQ(stream, nullptr) << "the node, if it lives, has noticed";
  EXPECT_EQ(forwarder->in_progress(), 0U);
}

}  // namespace
}  // namespace parley::link
