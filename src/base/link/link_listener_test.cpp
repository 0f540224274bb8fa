// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/link_listener.h"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/entropy.h"
#include "tests/support/link/link_world.h"

namespace parley::link {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(LinkHomeTest, Preface_IsComparedWithTheNode) {
  const LinkHome home{"c-1", 7, kNoNode, false};
  const auto code_for = [](const Preface& preface, const LinkHome& at) {
    const LinkAnswer answer = answer_to(preface, at);
    return answer.refusal ? answer.refusal->code : RefusalCode::unknown;
  };
  EXPECT_TRUE(answer_to(LinkWorld::preface(), home).is_accepted());
  Preface preface = LinkWorld::preface();
  preface.cluster = "c-2";
  EXPECT_EQ(code_for(preface, home), RefusalCode::wrong_cluster);
  preface = LinkWorld::preface();
  preface.to_number = 6;
  EXPECT_EQ(code_for(preface, home), RefusalCode::not_me);
  preface = LinkWorld::preface();
  EXPECT_EQ(code_for(preface, {"c-1", kNoNode, kNoNode, false}), RefusalCode::not_me);
  preface.hops = kMaxHops;
  EXPECT_TRUE(answer_to(preface, home).is_accepted());
  preface.hops = kMaxHops + 1;
  EXPECT_EQ(code_for(preface, home), RefusalCode::too_many_hops);
  EXPECT_EQ(code_for(LinkWorld::preface(), {"c-1", 7, kNoNode, true}), RefusalCode::shutting_down);
  EXPECT_EQ(answer_to(LinkWorld::preface(), {"c-1", 7, 9, true}).successor, 9);
}

class LinkListenerTest : public ::testing::Test {
 protected:
  // A connection of another node, by hand.
  struct Caller {
    LinkPeer peer;
    std::unique_ptr<net::Stream> stream;

    std::string answer() const { return peer.bytes.substr(0, peer.bytes.find('\n')); }
  };
  // A forwarded connection, as its user sees it.
  struct Served {
    Preface preface;
    LinkPeer peer;
    std::unique_ptr<net::Stream> stream;
  };

  void listen(LinkListener::Limits limits = {}) {
    listener = std::make_unique<LinkListener>(
        world.scheduler, b, [this](const Preface&) { return home; },
        [this](LinkConnection connection) {
          if (drops_connections) return;
          auto one = std::make_unique<Served>();
          one->preface = std::move(connection.preface);
          one->stream = std::move(connection.stream);
          if (first_act) one->peer.received = first_act;
          one->stream->set_handler(&one->peer);
          served.push_back(std::move(one));
        },
        counters, limits);
    at = listener->listen(world.memory, {}).value();
  }
  std::unique_ptr<Caller> connect(const LinkTls& from) {
    auto caller = std::make_unique<Caller>();
    world.memory.connect(world.scheduler, at, [&](auto stream) {
      caller->stream = from.connect(std::move(*stream), kTestCluster, "b");
      caller->stream->set_handler(&caller->peer);
    });
    world.scheduler.run_ready();
    return caller;
  }
  std::unique_ptr<Caller> connect() { return connect(*a); }
  std::unique_ptr<Caller> send(std::string_view wire) {
    auto caller = connect();
    caller->stream->write(wire);
    world.scheduler.run_ready();
    return caller;
  }
  static std::string wire_of(const Preface& preface) { return encode_preface(preface).value(); }
  static std::string good() { return wire_of(LinkWorld::preface()); }

  LinkWorld world{{.max_piece = 900, .seed = 5}};
  std::shared_ptr<LinkTls> a = world.tls_of("a");
  std::shared_ptr<LinkTls> b = world.tls_of("b");
  LinkHome home{std::string(kTestCluster), 7, kNoNode, false};
  std::shared_ptr<LinkCounters> counters = std::make_shared<LinkCounters>();
  std::function<void(net::Stream&)> first_act;
  bool drops_connections = false;
  net::Endpoint at;
  std::vector<std::unique_ptr<Served>> served;
  std::unique_ptr<LinkListener> listener;
};

TEST_F(LinkListenerTest, Connection_IsThatOfTheClient) {
  listen();
  const auto caller = send(good() + "GET / HTTP/1.1\r\n");
  EXPECT_EQ(caller->peer.bytes, encode_answer({}));
  ASSERT_EQ(served.size(), 1U);
  Served& one = *served.front();
  EXPECT_EQ(one.preface, LinkWorld::preface());
  EXPECT_EQ(one.peer.bytes, "GET / HTTP/1.1\r\n");
  EXPECT_EQ(one.stream->peer(), "192.0.2.7");
  EXPECT_TRUE(one.stream->secure());
  one.stream->write("answer");
  caller->stream->write("more");
  world.scheduler.run_ready();
  EXPECT_EQ(caller->peer.bytes, encode_answer({}) + "answer");
  EXPECT_EQ(one.peer.bytes, "GET / HTTP/1.1\r\nmore");
  EXPECT_EQ(counters->accepted, 1U);
  EXPECT_EQ(listener->waiting(), 0U);
}

TEST_F(LinkListenerTest, ClientWithoutTls_IsNotSecure) {
  listen();
  Preface preface = LinkWorld::preface();
  preface.secure = false;
  const auto caller = send(wire_of(preface));
  ASSERT_EQ(served.size(), 1U);
  EXPECT_FALSE(served.front()->stream->secure());
}

TEST_F(LinkListenerTest, PrefaceInSingleBytes_IsRead) {
  listen();
  const auto caller = connect();
  for (const char c : good() + "G") {
    caller->stream->write({&c, 1});
    world.scheduler.run_ready();
  }
  ASSERT_EQ(served.size(), 1U);
  EXPECT_EQ(served.front()->peer.bytes, "G");
}

TEST_F(LinkListenerTest, MegabyteBehindThePreface_ArrivesWhole) {
  listen();
  core::SeededEntropy entropy(2);
  std::string sent(1U << 20U, '\0');
  entropy.fill(std::as_writable_bytes(std::span(sent)));
  const auto caller = send(good() + sent);
  ASSERT_EQ(served.size(), 1U);
  EXPECT_TRUE(served.front()->peer.bytes == sent);
}

TEST_F(LinkListenerTest, Open_CountsUntilDestroyed_AfterTheListener) {
  listen();
  const auto first = send(good());
  const auto second = send(good());
  EXPECT_EQ(counters->open, 2U);
  served.front().reset();
  EXPECT_EQ(counters->open, 1U);
  listener.reset();
  EXPECT_EQ(counters->open, 1U);
  second->stream->write("still here");
  world.scheduler.run_ready();
  EXPECT_EQ(served.back()->peer.bytes, "still here");
  served.clear();
  EXPECT_EQ(counters->open, 0U);
}

TEST_F(LinkListenerTest, DroppedConnection_IsClosed) {
  listen();
  drops_connections = true;
  const auto caller = send(good() + "unread");
  EXPECT_TRUE(caller->peer.ended);
  EXPECT_EQ(counters->accepted, 1U);
  EXPECT_EQ(counters->open, 0U);
}

TEST_F(LinkListenerTest, EndBehindThePreface_ReachesTheUser) {
  listen();
  const auto caller = connect();
  caller->stream->write(good() + "last words");
  caller->stream->finish();
  world.scheduler.run_ready();
  ASSERT_EQ(served.size(), 1U);
  EXPECT_EQ(served.front()->peer.bytes, "last words");
  EXPECT_TRUE(served.front()->peer.ended);
}

TEST_F(LinkListenerTest, MovedConnection_KeepsUnreadBytes) {
  listen();
  core::FakeScheduler target(world.clock);
  std::string rest(40'000, 'r');
  first_act = [&](net::Stream& stream) {
    LinkPeer& peer = served.front()->peer;
    peer.received = nullptr;
    stream.move_to(target, [&peer] { peer.bytes += "|moved|"; });
  };
  const auto caller = connect();
  caller->stream->write(good() + "first");
  caller->stream->write(rest);
  for (int i = 0; i < 300; ++i) {
    world.scheduler.run_ready();
    target.run_ready();
  }
  ASSERT_EQ(served.size(), 1U);
  const std::string& got = served.front()->peer.bytes;
  const std::size_t moved_at = got.find("|moved|");
  ASSERT_NE(moved_at, std::string::npos);
  EXPECT_TRUE(std::string(got).erase(moved_at, 7) == "first" + rest);
  EXPECT_EQ(&served.front()->stream->scheduler(), &target);
  served.clear();
}

TEST_F(LinkListenerTest, Refusals_AreAnsweredAndCounted) {
  listen();
  Preface other_cluster = LinkWorld::preface();
  other_cluster.cluster = "c-2";
  Preface other_start = LinkWorld::preface();
  other_start.to_number = 6;
  Preface far_away = LinkWorld::preface();
  far_away.hops = 3;
  Preface other_sender = LinkWorld::preface();
  other_sender.from_name = "b";
  const struct {
    std::string wire;
    RefusalCode code;
    const char* says;
  } cases[] = {
      {wire_of(other_cluster), RefusalCode::wrong_cluster, "another cluster"},
      {wire_of(other_start), RefusalCode::not_me, "This is node 7."},
      {wire_of(far_away), RefusalCode::too_many_hops, "2 times"},
      {wire_of(other_sender), RefusalCode::malformed, "certificate of the sender"},
      {"PARLEY-LINK/1 2\n{}", RefusalCode::malformed, "\"cluster\""},
      {"GET / HTTP/1.1\r\n\r\n", RefusalCode::malformed, "begin with"},
      {"PARLEY-LINK/9 2\n{}", RefusalCode::version, "version 1"},
  };
  for (const auto& [wire, code, says] : cases) {
    const std::uint64_t before = counters->refused_for(code);
    const auto caller = send(wire + "GET / HTTP/1.1\r\n\r\n");
    EXPECT_THAT(caller->answer(),
                StartsWith("PARLEY-LINK/1 refused " + std::string(refusal_name(code)) + " "));
    EXPECT_THAT(caller->answer(), HasSubstr(says));
    EXPECT_TRUE(caller->peer.ended);
    EXPECT_EQ(counters->refused_for(code), before + 1) << says;
    caller->stream->finish();
    world.scheduler.run_ready();
    EXPECT_EQ(listener->waiting(), 0U) << says;
  }
  EXPECT_TRUE(served.empty());
  EXPECT_EQ(counters->accepted, 0U);
}

TEST_F(LinkListenerTest, StateOfTheNode_IsReadForEachPreface) {
  listen();
  EXPECT_EQ(send(good())->answer(), "PARLEY-LINK/1 accepted");
  home.successor = 9;
  EXPECT_EQ(send(good())->answer(), "PARLEY-LINK/1 moved 9");
  EXPECT_EQ(counters->moved, 1U);
  home.successor = kNoNode;
  home.is_shutting_down = true;
  EXPECT_THAT(send(good())->answer(), HasSubstr("shutting_down"));
  home.number = kNoNode;
  EXPECT_THAT(send(good())->answer(), HasSubstr("not_me This node is no member"));
  EXPECT_EQ(served.size(), 1U);
}

TEST_F(LinkListenerTest, PeerWithoutCertificate_IsCounted_AndGetsNothing) {
  listen();
  const auto other = ClusterAuthority::make(kTestCluster, world.clock.wall()).value();
  const auto node = make_node_certificate(other, kTestCluster, "a", world.clock.wall()).value();
  const auto stranger = connect(LinkTls(world.authority, node, world.clock));
  stranger->stream->write(good());
  world.scheduler.advance(net::Stream::kLingerTime);
  EXPECT_EQ(stranger->peer.bytes, "");
  EXPECT_TRUE(stranger->peer.closed);
  EXPECT_EQ(counters->bad_handshakes, 1U);
  EXPECT_EQ(counters->accepted, 0U);
  EXPECT_EQ(listener->waiting(), 0U);
}

TEST_F(LinkListenerTest, EndlessPreface_IsCutAtTheDeadline) {
  listen();
  const auto silent = connect();
  const auto slow = connect();
  const std::string wire = good();
  const core::Millis step = kPrefaceTimeout / 10;
  for (std::size_t i = 0; i < 9; ++i) {
    slow->stream->write(wire.substr(i, 1));
    world.scheduler.advance(step);
  }
  EXPECT_EQ(listener->waiting(), 2U);
  EXPECT_FALSE(silent->peer.ended);
  world.scheduler.advance(step);
  EXPECT_EQ(listener->waiting(), 0U);
  EXPECT_TRUE(silent->peer.ended);
  EXPECT_TRUE(slow->peer.ended);
  EXPECT_EQ(counters->late, 2U);
}

TEST_F(LinkListenerTest, StalledHandshake_IsCutAtTheDeadline) {
  listen();
  std::unique_ptr<net::Stream> raw;
  world.memory.connect(world.scheduler, at, [&](auto stream) { raw = std::move(*stream); });
  world.scheduler.run_ready();
  EXPECT_EQ(listener->waiting(), 1U);
  world.scheduler.advance(kPrefaceTimeout);
  EXPECT_EQ(listener->waiting(), 0U);
  EXPECT_EQ(counters->late, 1U);
}

TEST_F(LinkListenerTest, PeerThatLeavesBeforeItsPreface_IsForgotten) {
  listen();
  const auto caller = send(good().substr(0, 20));
  caller->stream->finish();
  world.scheduler.run_ready();
  EXPECT_EQ(listener->waiting(), 0U);
  EXPECT_EQ(counters->gone, 1U);
}

TEST_F(LinkListenerTest, RefusedPeerThatStays_IsCut) {
  listen();
  const auto caller = send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(listener->waiting(), 1U);
  world.scheduler.advance(net::Stream::kLingerTime);
  EXPECT_EQ(listener->waiting(), 0U);
  EXPECT_EQ(counters->late, 0U);
}

TEST_F(LinkListenerTest, TooManyWaiting_AreAnsweredBusy_ThenDropped) {
  LinkListener::Limits limits;
  limits.waiting = 2;
  listen(limits);
  const auto first = connect();
  const auto second = connect();
  std::vector<std::unique_ptr<Caller>> refused;
  for (std::size_t i = 0; i < kMaxLinkRefusals; ++i) refused.push_back(send(good()));
  for (const auto& caller : refused) EXPECT_THAT(caller->answer(), HasSubstr(" refused busy "));
  EXPECT_EQ(counters->refused_for(RefusalCode::busy), kMaxLinkRefusals);
  const auto dropped = send(good());
  EXPECT_EQ(dropped->peer.bytes, "");
  EXPECT_EQ(counters->dropped, 1U);
  // Those within the limit are served all the same, and room is made when the refused ones end.
  first->stream->write(good());
  world.scheduler.run_ready();
  EXPECT_EQ(served.size(), 1U);
  refused.clear();
  world.scheduler.run_ready();
  EXPECT_EQ(send(good())->answer(), "PARLEY-LINK/1 accepted");
}

TEST_F(LinkListenerTest, TooManyOpen_AreRefused_UntilOneEnds) {
  LinkListener::Limits limits;
  limits.open = 2;
  listen(limits);
  const auto early = connect();
  const auto first = send(good());
  const auto second = send(good());
  EXPECT_THAT(send(good())->answer(), HasSubstr(" refused busy "));
  early->stream->write(good());
  world.scheduler.run_ready();
  EXPECT_THAT(early->answer(), HasSubstr(" refused busy "));
  EXPECT_EQ(counters->refused_for(RefusalCode::busy), 2U);
  served.pop_back();
  EXPECT_EQ(send(good())->answer(), "PARLEY-LINK/1 accepted");
}

TEST_F(LinkListenerTest, Refusals_AreLoggedOnceAMinute) {
  std::ostringstream lines;
  const auto before = spdlog::default_logger();
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(lines)));
  listen();
  const auto count = [&lines] {
    const std::string text = lines.str();
    return std::count(text.begin(), text.end(), '\n');
  };
  for (int i = 0; i < 3; ++i) send("secret");
  EXPECT_EQ(count(), 1);
  EXPECT_THAT(lines.str(), HasSubstr("from memory was refused: malformed: The preface must begin"));
  world.scheduler.advance(std::chrono::minutes(1));
  send("secret");
  EXPECT_EQ(count(), 2);
  EXPECT_THAT(lines.str(), HasSubstr("; and 2 since the last such line"));
  EXPECT_THAT(lines.str(), ::testing::Not(HasSubstr("secret")));
  spdlog::set_default_logger(before);
}

TEST_F(LinkListenerTest, DestroyedListener_CutsWhatWaits) {
  listen();
  const auto waiting = connect();
  listener.reset();
  world.scheduler.run_ready();
  EXPECT_TRUE(waiting->peer.ended);
  EXPECT_EQ(world.scheduler.timers(), 0U);
}

// Bytes that the user does not read stay at the sender: the queue fills there.
TEST_F(LinkListenerTest, PausedUser_HoldsTheSenderBack) {
  listen();
  first_act = [](net::Stream& stream) { stream.pause_reading(true); };
  const auto caller = send(good() + "x");
  const std::string much(1U << 20U, 'm');
  caller->stream->write(much);
  world.scheduler.run_ready();
  EXPECT_GT(caller->stream->queued(), net::Stream::kHighWatermark);
  Served& one = *served.front();
  one.peer.received = nullptr;
  one.stream->pause_reading(false);
  world.scheduler.run_ready();
  EXPECT_EQ(one.peer.bytes.size(), much.size() + 1);
  EXPECT_EQ(caller->peer.drained, 1);
}

}  // namespace
}  // namespace parley::link
