// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/link_client.h"

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/link/link_listener.h"
#include "tests/support/link/link_world.h"

namespace parley::link {
namespace {

using ::testing::HasSubstr;

// A network whose connections are never answered: a dead computer.
class DeadNetwork final : public net::Network {
 public:
  core::Result<std::unique_ptr<net::Listener>> listen(core::Scheduler& /*scheduler*/,
                                                      const net::Endpoint& /*at*/,
                                                      net::AcceptHandler /*accept*/) override {
    return core::fail(core::Code::unimplemented, "A dead network does not listen.");
  }
  void connect(core::Scheduler& /*scheduler*/, const net::Endpoint& /*to*/,
               absl::AnyInvocable<void(core::Result<std::unique_ptr<net::Stream>>)> done) override {
    waiting.push_back(std::move(done));
  }

  std::vector<absl::AnyInvocable<void(core::Result<std::unique_ptr<net::Stream>>)>> waiting;
};

class LinkClientTest : public ::testing::Test {
 protected:
  // The result of one call of open().
  struct Call {
    std::optional<LinkClient::Opened> result;
    LinkPeer peer;

    net::Stream& stream() { return **result.value(); }
    const LinkError& error() { return result.value().error(); }
  };

  void listen() {
    listener = std::make_unique<LinkListener>(
        world.scheduler, b, [this](const Preface&) { return home; },
        [this](LinkConnection connection) {
          got = connection.preface;
          served = std::move(connection.stream);
          served->set_handler(&at_home);
          if (served_act) served_act(*served);
        },
        counters);
    target.at = listener->listen(world.memory, {}).value();
  }
  // A peer that answers every connection with TLS of node "b" and these bytes.
  void listen_raw(std::string answer) {
    raw = world.memory
              .listen(world.scheduler, {},
                      [this, answer = std::move(answer)](std::unique_ptr<net::Stream> stream) {
                        raw_streams.push_back(b->accept(std::move(stream)));
                        raw_streams.back()->set_handler(&at_home);
                        raw_streams.back()->write(answer);
                      })
              .value();
    target.at = raw->endpoint();
  }
  std::unique_ptr<Call> begin(std::string_view first = {}) {
    auto call = std::make_unique<Call>();
    client->open(target, visitor, first, [one = call.get()](LinkClient::Opened opened) {
      one->result.emplace(std::move(opened));
      if (*one->result) (**one->result)->set_handler(&one->peer);
    });
    return call;
  }
  std::unique_ptr<Call> open(std::string_view first = {}) {
    auto call = begin(first);
    world.scheduler.run_ready();
    return call;
  }
  void use(net::Network& network, LinkClient::Limits limits = {}) {
    client = std::make_unique<LinkClient>(
        world.scheduler, network, a, [this] { return sender; }, limits);
  }
  void SetUp() override { use(world.memory); }
  // The attempt has failed without an answer, in words that name the node.
  static void expect_unavailable(Call& call, const std::string& says) {
    ASSERT_TRUE(call.result.has_value());
    ASSERT_FALSE(call.result->has_value());
    EXPECT_EQ(call.error().error.code, core::Code::unavailable);
    EXPECT_THAT(call.error().error.message, HasSubstr("Node \"b\" (number 7)"));
    EXPECT_THAT(call.error().error.message, HasSubstr(says));
  }

  LinkWorld world{{.max_piece = 900, .seed = 6}};
  std::shared_ptr<LinkTls> a = world.tls_of("a");
  std::shared_ptr<LinkTls> b = world.tls_of("b");
  LinkHome home{std::string(kTestCluster), 7, kNoNode, false};
  LinkSender sender{std::string(kTestCluster), "a", 3};
  LinkTarget target{{}, "b", 7};
  LinkedClient visitor{"192.0.2.7", true, 1, LinkKind::request};
  std::shared_ptr<LinkCounters> counters = std::make_shared<LinkCounters>();
  Preface got;
  LinkPeer at_home;
  std::function<void(net::Stream&)> served_act;
  std::unique_ptr<net::Stream> served;
  std::unique_ptr<LinkListener> listener;
  std::unique_ptr<net::Listener> raw;
  std::vector<std::unique_ptr<net::Stream>> raw_streams;
  std::unique_ptr<LinkClient> client;
};

TEST_F(LinkClientTest, Connection_ReachesTheHome) {
  listen();
  const auto call = open("GET / HTTP/1.1\r\n");
  ASSERT_TRUE(call->result.has_value() && call->result->has_value());
  EXPECT_EQ(got, LinkWorld::preface());
  EXPECT_EQ(at_home.bytes, "GET / HTTP/1.1\r\n");
  served->write("answer");
  call->stream().write("more");
  world.scheduler.run_ready();
  EXPECT_EQ(call->peer.bytes, "answer");
  EXPECT_EQ(at_home.bytes, "GET / HTTP/1.1\r\nmore");
  EXPECT_EQ(client->opening(7), 0U);
}

TEST_F(LinkClientTest, AnswerInOnePieceWithBytes_LosesNone) {
  listen();
  served_act = [](net::Stream& stream) {
    stream.write("at once");
    stream.finish();
  };
  const auto call = open();
  ASSERT_TRUE(call->result.has_value() && call->result->has_value());
  EXPECT_EQ(call->peer.bytes, "at once");
  EXPECT_TRUE(call->peer.ended);
}

TEST_F(LinkClientTest, BytesInTheRecordOfTheAnswer_AreTheFirst) {
  listen_raw("PARLEY-LINK/1 accepted\nfirst|");
  const auto call = open();
  raw_streams.back()->write("second");
  world.scheduler.run_ready();
  ASSERT_TRUE(call->result.has_value() && call->result->has_value());
  EXPECT_EQ(call->peer.bytes, "first|second");
  EXPECT_TRUE(call->stream().secure());
}

TEST_F(LinkClientTest, MegabytesBothWays_ArriveWhole) {
  listen();
  core::SeededEntropy entropy(4);
  std::string up(1U << 20U, '\0');
  std::string down(1U << 20U, '\0');
  entropy.fill(std::as_writable_bytes(std::span(up)));
  entropy.fill(std::as_writable_bytes(std::span(down)));
  served_act = [&down](net::Stream& stream) { stream.write(down); };
  const auto call = open(std::string_view(up).substr(0, 100'000));
  ASSERT_TRUE(call->result.has_value() && call->result->has_value());
  call->stream().write(std::string_view(up).substr(100'000));
  world.scheduler.run_ready();
  EXPECT_TRUE(at_home.bytes == up);
  EXPECT_TRUE(call->peer.bytes == down);
}

TEST_F(LinkClientTest, MovedHome_IsNamed) {
  listen();
  home.successor = 9;
  const auto call = open();
  ASSERT_TRUE(call->result.has_value() && !call->result->has_value());
  EXPECT_EQ(call->error().error.code, core::Code::owned_elsewhere);
  EXPECT_EQ(call->error().successor, 9);
  EXPECT_THAT(call->error().error.message, HasSubstr("has moved to node 9"));
}

TEST_F(LinkClientTest, Refusal_HasItsCodeAndSentence_AndNoPause) {
  listen();
  home.number = 8;
  const auto call = open();
  expect_unavailable(*call, "(not_me): This is node 8.");
  EXPECT_EQ(call->error().refusal, RefusalCode::not_me);
  home.number = 7;
  EXPECT_TRUE(open()->result->has_value());
}

TEST_F(LinkClientTest, NodeThatIsNotThere_IsPausedFor) {
  target.at.port = 9;
  expect_unavailable(*open(), "Cannot reach");
  listen();
  expect_unavailable(*open(), "did not answer before");
  world.scheduler.advance(kLinkPause - core::Millis(1));
  expect_unavailable(*open(), "did not answer before");
  world.scheduler.advance(core::Millis(1));
  EXPECT_TRUE(open()->result->has_value());
}

TEST_F(LinkClientTest, OtherStartOfTheNode_IsNotPausedFor) {
  target.at.port = 9;
  expect_unavailable(*open(), "Cannot reach");
  listen();
  home.number = target.number = 8;
  EXPECT_TRUE(open()->result->has_value());
}

TEST_F(LinkClientTest, DeadNode_FailsAtTheDeadline) {
  DeadNetwork dead;
  use(dead);
  const auto call = begin();
  world.scheduler.advance(kLinkTimeout - core::Millis(1));
  EXPECT_FALSE(call->result.has_value());
  world.scheduler.advance(core::Millis(1));
  expect_unavailable(*call, "no answer within 3000 ms");
  // The connection arrives too late, and is dropped.
  auto pair = world.memory.make_pair(world.scheduler, world.scheduler);
  pair.second->set_handler(&at_home);
  dead.waiting.front()(std::move(pair.first));
  world.scheduler.run_ready();
  EXPECT_TRUE(at_home.ended);
}

TEST_F(LinkClientTest, NodeThatAnswersNothing_FailsAtTheDeadline) {
  listen_raw("");
  const auto call = open();
  EXPECT_THAT(at_home.bytes, HasSubstr("PARLEY-LINK/1 "));
  world.scheduler.advance(kLinkTimeout);
  expect_unavailable(*call, "no answer within");
  EXPECT_TRUE(at_home.ended);
}

TEST_F(LinkClientTest, OtherAnswer_IsUnavailable) {
  listen_raw("HTTP/1.1 400 Bad Request\r\n");
  expect_unavailable(*open(), "begins with PARLEY-LINK/");
}

TEST_F(LinkClientTest, EndBeforeTheAnswer_IsUnavailable) {
  listen_raw("");
  const auto call = open();
  raw_streams.clear();
  world.scheduler.run_ready();
  expect_unavailable(*call, "ended before it answered");
}

TEST_F(LinkClientTest, LostConnection_IsUnavailable) {
  listen_raw("");
  const auto call = open();
  world.memory.cut_all();
  world.scheduler.run_ready();
  expect_unavailable(*call, "lost before it answered");
}

TEST_F(LinkClientTest, NodeOfOtherName_GetsNothing) {
  listen_raw("");
  b->renew(world.authority,
           make_node_certificate(world.authority, kTestCluster, "c", world.clock.wall()).value());
  const auto call = open("secret");
  world.scheduler.advance(net::Stream::kLingerTime);
  expect_unavailable(*call, "hostname mismatch");
  EXPECT_EQ(at_home.bytes, "");
}

TEST_F(LinkClientTest, RefusalInTheHandshake_IsUnavailable) {
  listen();
  const auto other = ClusterAuthority::make(kTestCluster, world.clock.wall()).value();
  a->renew(world.authority,
           make_node_certificate(other, kTestCluster, "a", world.clock.wall()).value());
  const auto call = open();
  world.scheduler.advance(net::Stream::kLingerTime);
  expect_unavailable(*call, "did not answer");
  EXPECT_EQ(counters->bad_handshakes, 1U);
}

// A stranger at the address of the node that does not close: its certificate is the reason.
TEST_F(LinkClientTest, RefusedHandshakeOfASilentPeer_HasItsReason) {
  listen_raw("");
  const auto other = ClusterAuthority::make(kTestCluster, world.clock.wall()).value();
  b->renew(other, make_node_certificate(other, kTestCluster, "b", world.clock.wall()).value());
  const auto call = begin();
  while (raw_streams.empty() || raw_streams.back()->queued() == 0) {
    ASSERT_TRUE(world.scheduler.run_one());
  }
  // Its certificate is on the way, and it reads nothing more.
  raw_streams.back()->pause_reading(true);
  world.scheduler.run_ready();
  EXPECT_FALSE(call->result.has_value());
  world.scheduler.advance(kLinkTimeout);
  expect_unavailable(*call, "issuer certificate");
}

TEST_F(LinkClientTest, TooManyAtATime_FailAtOnce) {
  DeadNetwork dead;
  use(dead);
  std::vector<std::unique_ptr<Call>> calls;
  for (std::size_t i = 0; i < kMaxOpeningLinks; ++i) calls.push_back(begin());
  EXPECT_EQ(client->opening(7), kMaxOpeningLinks);
  expect_unavailable(*open(), "64 connections that are being opened");
  // Another node has a limit of its own.
  target.number = 8;
  const auto other = open();
  EXPECT_FALSE(other->result.has_value());
  EXPECT_EQ(dead.waiting.size(), kMaxOpeningLinks + 1);
}

TEST_F(LinkClientTest, FailuresAtOnce_AreNotCalledInsideOpen) {
  sender.number = kNoNode;
  const auto outsider = begin();
  EXPECT_FALSE(outsider->result.has_value());
  world.scheduler.run_ready();
  ASSERT_TRUE(outsider->result.has_value());
  EXPECT_EQ(outsider->error().error.code, core::Code::unavailable);
  EXPECT_THAT(outsider->error().error.message, HasSubstr("no member"));
  sender.number = 3;
  visitor.address = "a b";
  const auto unnamed = open();
  EXPECT_EQ(unnamed->error().error.code, core::Code::invalid_argument);
  EXPECT_EQ(unnamed->error().error.field, "client");
}

TEST_F(LinkClientTest, DestroyedClient_CallsNothing) {
  listen_raw("");
  const auto call = open();
  client.reset();
  world.scheduler.advance(kLinkTimeout);
  EXPECT_FALSE(call->result.has_value());
  EXPECT_TRUE(at_home.ended);
}

TEST_F(LinkClientTest, Done_MayDestroyTheClient) {
  listen();
  bool called = false;
  client->open(target, visitor, {}, [&](LinkClient::Opened opened) {
    EXPECT_TRUE(opened.has_value());
    called = true;
    client.reset();
  });
  world.scheduler.run_ready();
  EXPECT_TRUE(called);
}

}  // namespace
}  // namespace parley::link
