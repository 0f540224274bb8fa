// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of a relay session whose study, guests or disk have reached a limit.
#include <gmock/gmock.h>

#include "tests/support/external_agent/relay_fixture.h"

namespace parley::external_agent {
namespace {

using testing::HasSubstr;

constexpr const char* kCall = R"({"toolName":"next","params":{},"reason":"go on"})";

class RelayLimits : public testing::Test {
 protected:
  explicit RelayLimits(RelayOptions options = {}) : server(options) {}

  void begin(Peer& host, Peer& agent) {
    host.join("host");
    agent.join("agent");
    host.take();
    agent.say("session.start", R"({"studyId":"pilot"})", "1");
    host.reply("session.started", part(host.take_one(), "id"), "{}");
    agent.take();
  }
  std::size_t records() { return server.studies.last().records.size(); }
  void fill() {
    server.studies.full = core::Error{core::Code::resource_exhausted, "The study is full.", {}};
  }
  double limited() { return server.context->counters().limited.value(); }

  RelayServer server;
};

TEST_F(RelayLimits, FullStudy_RefusesCallsInWords) {
  Peer host(server, "tok");
  Peer agent(server, "tok");
  begin(host, agent);
  fill();
  const std::size_t before = records();
  agent.say("tool.call", kCall, "2");
  const std::string answer = agent.take_one();
  EXPECT_EQ(part(answer, "replyTo"), "2");
  EXPECT_EQ(part(answer, "payload.message"), "\"The study is full.\"");
  EXPECT_TRUE(host.take_messages().empty());
  EXPECT_EQ(records(), before);
  EXPECT_EQ(limited(), 1);
}

TEST_F(RelayLimits, FullStudy_RefusesHostPushes) {
  Peer host(server, "tok");
  Peer agent(server, "tok");
  begin(host, agent);
  fill();
  const std::size_t before = records();
  host.say("state.updated", R"({"uiSpec":null})");
  EXPECT_THAT(host.take_one(), HasSubstr("The study is full."));
  EXPECT_TRUE(agent.take_messages().empty());
  EXPECT_EQ(records(), before);
}

TEST_F(RelayLimits, StudyFilledDuringCall_AnswersCall) {
  Peer host(server, "tok");
  Peer agent(server, "tok");
  begin(host, agent);
  agent.say("tool.call", kCall, "2");
  const std::string id = part(host.take_one(), "id");
  fill();
  host.reply("tool.result", id, R"({"ok":true})");
  const std::string answer = agent.take_one();
  EXPECT_EQ(part(answer, "type"), "\"error\"");
  EXPECT_EQ(part(answer, "replyTo"), "2");
}

TEST_F(RelayLimits, FullStudy_CanBeEnded) {
  Peer host(server, "tok");
  Peer agent(server, "tok");
  begin(host, agent);
  fill();
  agent.say("session.end", R"({"reason":"full"})", "3");
  host.reply("session.ended", part(host.take_one(), "id"), R"({"stateReset":true})");
  EXPECT_EQ(part(agent.take_one(), "type"), "\"session.ended\"");
  EXPECT_EQ(server.studies.last().study.end_reason, "full");
}

TEST_F(RelayLimits, FullStudy_MakesRoomForNext) {
  Peer host(server, "tok");
  Peer agent(server, "tok");
  begin(host, agent);
  fill();
  agent.say("session.start", R"({"studyId":"another"})", "3");
  EXPECT_EQ(server.studies.logs.size(), 2U);
}

class RelayGuestLimits : public RelayLimits {
 protected:
  static RelayOptions few() {
    RelayOptions options;
    options.max_guest_bytes = 0;
    options.max_guest_address_bytes = GuestBudget::kStudyCost + 20'000;
    return options;
  }
  RelayGuestLimits() : RelayLimits(few()) {}
  static std::string call(std::size_t bytes) {
    return R"({"toolName":"next","reason":")" + std::string(bytes, 'x') + "\"}";
  }
};

TEST_F(RelayGuestLimits, GuestsOverShare_AreRefused) {
  Peer host(server);
  Peer agent(server);
  begin(host, agent);
  agent.say("tool.call", call(20'000), "2");
  host.take();
  agent.take();
  const std::size_t before = records();
  for (int i = 0; i < 100; ++i) {
    agent.say("tool.call", call(20'000), "3");
    EXPECT_THAT(agent.take_one(), HasSubstr("external_agent.guest_address_bytes"));
  }
  EXPECT_TRUE(host.take_messages().empty());
  EXPECT_EQ(records(), before);
  EXPECT_EQ(limited(), 100);
}

TEST_F(RelayGuestLimits, IllFormedMessages_CountToo) {
  Peer host(server);
  Peer agent(server);
  begin(host, agent);
  for (int i = 0; i < 1'000; ++i) agent.send("{");
  EXPECT_LT(records(), 60U);
}

TEST_F(RelayGuestLimits, ConsecutiveStudies_CountToo) {
  Peer host(server);
  Peer agent(server);
  begin(host, agent);
  for (int i = 0; i < 20; ++i) {
    agent.say("session.start", R"({"studyId":"s)" + std::to_string(i) + "\"}", "4");
  }
  EXPECT_EQ(server.studies.logs.size(), 2U);
  EXPECT_THAT(agent.take().back(), HasSubstr("external_agent.guest_address_bytes"));
}

TEST_F(RelayGuestLimits, SessionsOfToken_AreNotCounted) {
  Peer host(server, "tok");
  Peer agent(server, "tok");
  begin(host, agent);
  for (int i = 0; i < 5; ++i) agent.say("tool.call", call(20'000), "2");
  EXPECT_EQ(host.take_messages().size(), 5U);
}

TEST_F(RelayGuestLimits, NextDay_GuestsAreTakenAgain) {
  {
    Peer host(server);
    Peer agent(server);
    begin(host, agent);
    agent.say("tool.call", call(20'000), "2");
  }
  server.clock.advance(GuestBudget::kWindow);
  Peer host(server);
  Peer agent(server);
  begin(host, agent);
  agent.say("tool.call", call(10), "2");
  EXPECT_EQ(host.take_messages().size(), 1U);
}

TEST(RelayDisk, FullDisk_RefusesMessagesOfOpenStudy) {
  RelayServer server;
  core::WorkGate gate;
  RelayContext context(*server.hub, server.studies, server.verifier, server.entropy,
                       *server.metrics, {}, net::RecordedMessage::make, &gate);
  EXPECT_FALSE(context.closed());
  gate.close("No room.");
  EXPECT_EQ(context.closed().value_or(""), "No room.");
}

}  // namespace
}  // namespace parley::external_agent
