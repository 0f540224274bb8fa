// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The link over sockets: a client and the node that it reaches on one thread, its home on two
// others.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/core/entropy.h"
#include "base/link/link_client.h"
#include "base/link/link_listener.h"
#include "base/link/stream_relay.h"
#include "base/net/loop/loop.h"
#include "base/net/loop/tcp.h"
#include "tests/support/link/link_world.h"

namespace parley::link {
namespace {

// Time-out of a hanging test.
constexpr core::Millis kPatience{30'000};

// A session of the home: moves to its shard with the first bytes, and sends back all that it gets.
class EchoSession final : public net::StreamHandler {
 public:
  EchoSession(std::unique_ptr<net::Stream> stream, core::Scheduler& shard)
      : stream_(std::move(stream)), shard_(shard) {
    stream_->set_handler(this);
  }

  void on_data(net::Stream& stream, char* data, std::size_t size) override {
    EXPECT_TRUE(stream.scheduler().in_thread());
    stream.write({data, size});
    if (&stream.scheduler() != &shard_) stream.move_to(shard_, [] {});
  }
  void on_end(net::Stream& stream) override {
    EXPECT_EQ(&stream.scheduler(), &shard_);
    stream.finish();
  }
  void on_closed(net::Stream& /*stream*/) override { stream_.reset(); }

 private:
  std::unique_ptr<net::Stream> stream_;
  core::Scheduler& shard_;
};

class LinkTcpTest : public ::testing::Test {
 protected:
  LinkTcpTest() {
    loop.after(kPatience, [this] {
      ADD_FAILURE() << "took too long";
      loop.stop();
    });
  }

  std::shared_ptr<LinkTls> tls_of(std::string_view node) {
    const NodeCertificate certificate =
        make_node_certificate(authority, kTestCluster, node, clock.wall()).value();
    return std::make_shared<LinkTls>(authority, certificate, clock);
  }
  void start_home() {
    LinkListener::Limits limits;
    limits.preface_timeout = kPatience;
    listener = std::make_unique<LinkListener>(
        home, tls_of("b"),
        [](const Preface&) {
          return LinkHome{std::string(kTestCluster), 7, kNoNode, false};
        },
        [this](LinkConnection connection) {
          session = std::make_unique<EchoSession>(std::move(connection.stream), shard);
        },
        counters, limits);
    link_at = listener->listen(network, {}).value();
    home_thread = std::thread([this] { home.run(); });
    shard_thread = std::thread([this] { shard.run(); });
  }
  // Node "a" forwards each connection.
  void start_node() {
    LinkClient::Limits limits;
    limits.timeout = kPatience;
    links = std::make_unique<LinkClient>(
        loop, network, tls_of("a"),
        [] {
          return LinkSender{std::string(kTestCluster), "a", 3};
        },
        limits);
    front = network
                .listen(loop, {},
                        [this](std::unique_ptr<net::Stream> stream) { forward(std::move(stream)); })
                .value();
  }
  void forward(std::unique_ptr<net::Stream> stream) {
    stream->pause_reading(true);
    near_client = stream.get();
    const LinkedClient visitor{stream->peer(), false, 1, LinkKind::request};
    links->open({link_at, "b", 7}, visitor, "first|",
                [this, reached = std::move(stream)](LinkClient::Opened opened) mutable {
                  ASSERT_TRUE(opened.has_value()) << opened.error().error.message;
                  relay = std::make_unique<StreamRelay>(std::move(reached), std::move(*opened),
                                                        [this](const RelayOutcome& of) {
                                                          near_client = nullptr;
                                                          outcome = of;
                                                          loop.stop();
                                                        });
                });
  }
  void stop() {
    home.stop();
    shard.stop();
    home_thread.join();
    shard_thread.join();
    session.reset();
    listener.reset();
  }

  core::SystemClock clock;
  ClusterAuthority authority = ClusterAuthority::make(kTestCluster, clock.wall()).value();
  net::Loop loop{clock};
  net::Loop home{clock};
  net::Loop shard{clock};
  net::SystemNetwork network;
  std::shared_ptr<LinkCounters> counters = std::make_shared<LinkCounters>();
  std::unique_ptr<EchoSession> session;
  std::unique_ptr<LinkListener> listener;
  net::Endpoint link_at;
  std::thread home_thread;
  std::thread shard_thread;
  std::unique_ptr<LinkClient> links;
  std::unique_ptr<net::Listener> front;
  net::Stream* near_client = nullptr;  // the relay's end of the client's connection
  std::unique_ptr<StreamRelay> relay;
  std::optional<RelayOutcome> outcome;
  LinkPeer at_client;
  std::unique_ptr<net::Stream> client;
};

// The client reads nothing until the connection is full in both directions.
TEST_F(LinkTcpTest, MuchMoreThanTheBuffers_ArrivesWhole_AcrossThreads) {
  core::SeededEntropy entropy(9);
  std::string sent(48U << 20U, '\0');
  entropy.fill(std::as_writable_bytes(std::span(sent)));
  start_home();
  start_node();
  network.connect(loop, front->endpoint(), [&](auto stream) {
    ASSERT_TRUE(stream.has_value());
    client = std::move(*stream);
    client->set_handler(&at_client);
    client->pause_reading(true);
    client->write(sent);
  });
  at_client.received = [&](net::Stream& stream) {
    if (at_client.bytes.size() == sent.size() + 6) stream.finish();
  };
  std::size_t largest = 0;
  std::uint64_t passed = 0;
  int unchanged = 0;
  std::function<void()> look = [&] {
    if (near_client != nullptr) largest = std::max(largest, near_client->queued());
    const std::uint64_t now = relay ? relay->to_client() : 0;
    unchanged = now > 0 && now == passed ? unchanged + 1 : 0;
    passed = now;
    if (unchanged == 20) client->pause_reading(false);
    loop.after(core::Millis(5), [&look] { look(); });
  };
  look();
  loop.run();
  EXPECT_TRUE(at_client.bytes == "first|" + sent);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->end, RelayEnd::finished);
  EXPECT_EQ(outcome->to_home, sent.size());
  EXPECT_EQ(outcome->to_client, sent.size() + 6);
  EXPECT_LE(largest, net::Stream::kHighWatermark + net::Loop::kReadBytes);
  stop();
  EXPECT_EQ(counters->accepted, 1U);
  EXPECT_EQ(counters->open, 0U);
}

TEST_F(LinkTcpTest, LostClient_EndsItsSession) {
  start_home();
  start_node();
  at_client.received = [&](net::Stream&) { client.reset(); };
  network.connect(loop, front->endpoint(), [&](auto stream) {
    ASSERT_TRUE(stream.has_value());
    client = std::move(*stream);
    client->set_handler(&at_client);
  });
  loop.run();
  EXPECT_EQ(at_client.bytes, "first|");
  EXPECT_TRUE(outcome.has_value());
  stop();
  EXPECT_EQ(counters->open, 0U);
}

}  // namespace
}  // namespace parley::link
