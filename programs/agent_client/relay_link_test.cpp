// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/agent_client/relay_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/agent_client/relay_double.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/net/memory_network.h"

namespace parley::agent_client {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using Words = std::vector<std::string>;

struct LinkLog : LinkHandler {
  void on_joined(std::string_view /*payload*/) override { words.emplace_back("joined"); }
  void on_envelope(const Envelope& envelope) override {
    words.push_back(envelope.type + " " + envelope.payload);
  }
  void on_lost(const core::Error& why, core::Millis pause) override {
    words.emplace_back("lost");
    reason = why.message;
    pauses.push_back(pause.count());
  }
  void on_ended(const core::Error& why) override {
    words.emplace_back("ended");
    reason = why.message;
  }
  Words words;
  std::string reason;
  std::vector<std::int64_t> pauses;
};

class RelayLinkTest : public testing::Test {
 protected:
  LinkOptions options() {
    LinkOptions out;
    out.server.endpoint = relay.endpoint();
    out.server.authority = "relay.test";
    return out;
  }
  void start(LinkOptions with) {
    link.emplace(scheduler, entropy, network, log, std::move(with));
    link->start();
    scheduler.run_ready();
  }
  void start() { start(options()); }

  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  core::SeededEntropy entropy{3};
  net::MemoryNetwork network{{.max_piece = 60, .seed = 5}};
  RelayDouble relay{network, scheduler};
  LinkLog log;
  std::optional<RelayLink> link;
};

TEST_F(RelayLinkTest, JoinedSession_IsHeard) {
  LinkOptions with = options();
  with.session = "study-a";
  with.name = "Planner";
  start(with);
  ASSERT_EQ(relay.received.size(), 1U);
  EXPECT_EQ(relay.received[0].payload,
            R"({"role":"agent","sessionId":"study-a","agentName":"Planner"})");
  relay.send({"state.updated", "", "", R"({"source":"host"})"});
  scheduler.run_ready();
  EXPECT_THAT(log.words, ElementsAre("joined", R"(state.updated {"source":"host"})"));
  EXPECT_TRUE(link->joined());
}

TEST_F(RelayLinkTest, Token_IsSentInFieldNeverInUrl) {
  LinkOptions with = options();
  with.token = "sesame";
  with.full_history = true;
  start(with);
  EXPECT_THAT(relay.request_head, HasSubstr("Authorization: Bearer sesame\r\n"));
  EXPECT_THAT(relay.request_head, HasSubstr("GET /agent/ws?full=1 HTTP/1.1\r\n"));
}

TEST_F(RelayLinkTest, Sending_StartsAfterJoin) {
  relay.on_receive = [](const Envelope&) {};
  start();
  EXPECT_FALSE(link->send({"tool.call"}));
  scheduler.run_ready();
  EXPECT_EQ(relay.received.size(), 1U);
}

TEST_F(RelayLinkTest, LostConnection_IsReopened) {
  start();
  network.cut_all();
  scheduler.run_ready();
  EXPECT_THAT(log.words, ElementsAre("joined", "lost"));
  EXPECT_FALSE(link->joined());
  scheduler.advance(core::Millis(100));
  EXPECT_THAT(log.words, ElementsAre("joined", "lost", "joined"));
  EXPECT_EQ(relay.connections, 2);
}

TEST_F(RelayLinkTest, Pauses_GrowToMaximum_ResetByJoin) {
  start();
  const auto answer = relay.on_receive;
  relay.on_receive = [this](const Envelope&) { network.cut_all(); };
  network.cut_all();
  scheduler.run_ready();
  for (int i = 0; i < 7; ++i) scheduler.advance(core::Millis(log.pauses.back()));
  ASSERT_EQ(log.pauses.size(), 8U);
  EXPECT_THAT(log.pauses.front(), AllOf(Ge(50), Le(100)));
  EXPECT_THAT(log.pauses[3], AllOf(Ge(400), Le(800)));
  EXPECT_THAT(log.pauses.back(), AllOf(Ge(2'500), Le(5'000)));
  relay.on_receive = answer;
  scheduler.advance(core::Millis(5'000));
  ASSERT_TRUE(link->joined());
  network.cut_all();
  scheduler.run_ready();
  EXPECT_THAT(log.pauses.back(), Le(100));
}

TEST_F(RelayLinkTest, UnansweredJoin_IsLostConnection) {
  relay.on_receive = [](const Envelope&) {};
  start();
  scheduler.advance(core::Millis(9'999));
  EXPECT_THAT(log.words, ElementsAre());
  scheduler.advance(core::Millis(1));
  EXPECT_THAT(log.words, ElementsAre("lost"));
}

TEST_F(RelayLinkTest, ServerAnsweringPings_IsNotLost) {
  start();
  scheduler.advance(core::Millis(300'000));
  EXPECT_THAT(log.words, ElementsAre("joined"));
}

TEST_F(RelayLinkTest, WrongToken_IsFinal) {
  relay.fixed_answer = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n";
  start();
  scheduler.advance(core::Millis(60'000));
  EXPECT_THAT(log.words, ElementsAre("ended"));
  EXPECT_THAT(log.reason, HasSubstr("token"));
  EXPECT_EQ(relay.connections, 1);
}

TEST_F(RelayLinkTest, StartingServer_IsRetried) {
  relay.fixed_answer = "HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\n\r\n";
  start();
  EXPECT_THAT(log.words, ElementsAre("lost"));
  relay.fixed_answer.clear();
  scheduler.advance(core::Millis(100));
  EXPECT_THAT(log.words, ElementsAre("lost", "joined"));
}

TEST_F(RelayLinkTest, RefusedJoin_IsFinal) {
  relay.on_receive = [this](const Envelope& join) {
    relay.send({"error", "", join.id, R"({"code":"INVALID_MESSAGE","message":"Not so."})"});
  };
  start();
  scheduler.advance(core::Millis(60'000));
  EXPECT_THAT(log.words, ElementsAre("ended"));
  EXPECT_EQ(log.reason, "Not so.");
}

TEST_F(RelayLinkTest, Host_WhileOtherHostIsThere_Retries) {
  const auto answer = relay.on_receive;
  relay.on_receive = [this](const Envelope& join) {
    relay.send(
        {"error", "", join.id,
         R"({"code":"SESSION_NOT_ACTIVE","message":"Another host is active in this session."})"});
    relay.close(4409);
  };
  LinkOptions with = options();
  with.role = LinkRole::host;
  start(with);
  EXPECT_THAT(log.words, ElementsAre("lost"));
  relay.on_receive = answer;
  scheduler.advance(core::Millis(100));
  EXPECT_THAT(log.words, ElementsAre("lost", "joined"));
}

TEST_F(RelayLinkTest, ReplacedHost_DoesNotReturn) {
  LinkOptions with = options();
  with.role = LinkRole::host;
  start(with);
  relay.send(
      {"error", "", "",
       R"({"code":"SESSION_NOT_ACTIVE","message":"Host connection replaced by a newer host."})"});
  relay.close(4409);
  scheduler.run_ready();
  scheduler.advance(core::Millis(60'000));
  EXPECT_EQ(log.words.back(), "ended");
  EXPECT_EQ(log.reason, "Host connection replaced by a newer host.");
  EXPECT_EQ(relay.connections, 1);
}

TEST_F(RelayLinkTest, Takeover_IsOnceAndNotOnReconnect) {
  LinkOptions with = options();
  with.role = LinkRole::host;
  with.takeover = true;
  start(with);
  EXPECT_THAT(relay.received[0].payload, HasSubstr(R"("takeover":true)"));
  network.cut_all();
  scheduler.advance(core::Millis(100));
  ASSERT_EQ(relay.received.size(), 2U);
  EXPECT_THAT(relay.received[1].payload, testing::Not(HasSubstr("takeover")));
}

TEST_F(RelayLinkTest, Stop_EndsCallbacksAndRetries) {
  start();
  link->stop();
  relay.send({"state.updated"});
  scheduler.advance(core::Millis(60'000));
  EXPECT_THAT(log.words, ElementsAre("joined"));
  EXPECT_EQ(relay.connections, 1);
}

TEST_F(RelayLinkTest, OtherThanEnvelope_IsSkipped) {
  start();
  relay.send_text("nonsense");
  relay.send({"user.message", "", "", R"({"text":"hi"})"});
  scheduler.run_ready();
  EXPECT_THAT(log.words, ElementsAre("joined", R"(user.message {"text":"hi"})"));
}

}  // namespace
}  // namespace parley::agent_client
