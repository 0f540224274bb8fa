// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/agent_client/agent_client.h"

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

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

struct EventLog : AgentEvents {
  void on_joined() override { words.emplace_back("joined"); }
  void on_lost(const core::Error& /*why*/, core::Millis /*pause*/) override {
    words.emplace_back("lost");
  }
  void on_ended(const core::Error& /*why*/) override { words.emplace_back("ended"); }
  void on_presence(bool host_active, std::string_view /*payload*/) override {
    words.emplace_back(host_active ? "host" : "no host");
  }
  void on_state(std::string_view payload) override {
    words.push_back("state " + std::string(payload));
  }
  void on_user_message(std::string_view text, std::string_view /*payload*/) override {
    words.push_back("user " + std::string(text));
  }
  void on_other(std::string_view type, std::string_view /*payload*/) override {
    words.push_back("other " + std::string(type));
  }
  Words words;
};

class AgentClientTest : public testing::Test {
 protected:
  void start(AgentOptions options = {}) {
    options.link.server.endpoint = relay.endpoint();
    options.link.server.authority = "relay.test";
    agent.emplace(scheduler, entropy, network, events, std::move(options));
    agent->start();
    scheduler.run_ready();
    ASSERT_TRUE(agent->joined());
  }
  // Records an outcome as "NAME TYPE PAYLOAD" or "NAME CODE: MESSAGE".
  AgentClient::Done note(std::string name) {
    return [this, name = std::move(name)](core::Result<Reply> reply) {
      outcomes.push_back(name + " " +
                         (reply ? reply->type + " " + reply->payload
                                : std::string(core::code_name(reply.error().code)) + ": " +
                                      reply.error().message));
    };
  }
  void reply(std::string type, std::string to, std::string payload) {
    relay.send({std::move(type), "", std::move(to), std::move(payload)});
    scheduler.run_ready();
  }

  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  core::SeededEntropy entropy{7};
  net::MemoryNetwork network{{.max_piece = 40, .seed = 11}};
  RelayDouble relay{network, scheduler};
  EventLog events;
  Words outcomes;
  std::optional<AgentClient> agent;
};

TEST_F(AgentClientTest, ToolCall_CarriesParamsAndReason_GetsResult) {
  start();
  agent->call_tool("select", R"({"itemId":"m1"})", "It is the first one.", note("select"));
  scheduler.run_ready();
  ASSERT_EQ(relay.received.back().type, "tool.call");
  EXPECT_EQ(relay.received.back().payload,
            R"({"toolName":"select","params":{"itemId":"m1"},"reason":"It is the first one."})");
  EXPECT_THAT(outcomes, IsEmpty());
  reply("tool.result", relay.id_of("tool.call"), R"({"ok":true})");
  EXPECT_THAT(outcomes, ElementsAre(R"(select tool.result {"ok":true})"));
  EXPECT_EQ(agent->waiting(), 0U);
}

TEST_F(AgentClientTest, EveryRequest_HasProtocolMembers) {
  start();
  agent->start_session("pilot-01", "P07", note("start"));
  agent->snapshot(note("look"));
  agent->end_session("study-complete", note("end"));
  EXPECT_TRUE(agent->say("I begin."));
  scheduler.run_ready();
  ASSERT_EQ(relay.received.size(), 5U);
  EXPECT_EQ(relay.received[1].type, "session.start");
  EXPECT_EQ(relay.received[1].payload, R"({"studyId":"pilot-01","participantId":"P07"})");
  EXPECT_EQ(relay.received[2].type, "snapshot.get");
  EXPECT_EQ(relay.received[3].type, "session.end");
  EXPECT_EQ(relay.received[3].payload, R"({"reason":"study-complete"})");
  EXPECT_EQ(relay.received[4].type, "agent.message");
  EXPECT_EQ(relay.received[4].payload, R"({"text":"I begin."})");
}

TEST_F(AgentClientTest, AnswersOutOfOrder_FindTheirQuestions) {
  start();
  agent->call_tool("a", "{}", "r", note("a"));
  scheduler.run_ready();
  const std::string first = relay.id_of("tool.call");
  agent->call_tool("b", "{}", "r", note("b"));
  scheduler.run_ready();
  const std::string second = relay.id_of("tool.call");
  ASSERT_NE(first, second);
  reply("tool.result", second, R"({"n":2})");
  reply("tool.result", first, R"({"n":1})");
  EXPECT_THAT(outcomes, ElementsAre(R"(b tool.result {"n":2})", R"(a tool.result {"n":1})"));
}

TEST_F(AgentClientTest, AnswerWithoutReplyTo_IsForOldestOfItsKind) {
  start();
  agent->call_tool("a", "{}", "r", note("a"));
  agent->call_tool("b", "{}", "r", note("b"));
  agent->snapshot(note("look"));
  scheduler.run_ready();
  reply("snapshot.state", "", "{}");
  reply("tool.result", "", "{}");
  EXPECT_THAT(outcomes, ElementsAre("look snapshot.state {}", "a tool.result {}"));
}

TEST_F(AgentClientTest, EachProtocolError_HasCode) {
  start();
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"UNKNOWN_TOOL", "not_found"},
      {"INVALID_PARAMS", "invalid_argument"},
      {"INVALID_MESSAGE", "invalid_argument"},
      {"NO_ACTIVE_SPEC", "failed_precondition"},
      {"SESSION_NOT_ACTIVE", "failed_precondition"},
      {"TOOL_EXECUTION_FAILED", "aborted"},
      {"SOMETHING_ELSE", "unknown"}};
  for (const auto& [wire, code] : rows) {
    agent->call_tool("x", "{}", "r", note(wire));
    scheduler.run_ready();
    reply("error", relay.id_of("tool.call"), R"({"code":")" + wire + R"(","message":"Why."})");
    EXPECT_EQ(outcomes.back(), wire + " " + code + ": Why.");
  }
}

TEST_F(AgentClientTest, SilentHost_CostsOnlyTimeout) {
  start({.request_timeout = core::Millis(500)});
  agent->call_tool("x", "{}", "r", note("x"));
  scheduler.advance(core::Millis(499));
  EXPECT_THAT(outcomes, IsEmpty());
  scheduler.advance(core::Millis(1));
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_THAT(outcomes[0], HasSubstr("deadline_exceeded"));
}

TEST_F(AgentClientTest, LateAnswer_IsOnlyCounted) {
  start({.request_timeout = core::Millis(500)});
  agent->call_tool("x", "{}", "r", note("x"));
  scheduler.advance(core::Millis(500));
  reply("tool.result", relay.id_of("tool.call"), "{}");
  reply("tool.result", "\"nobody\"", "{}");
  EXPECT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(agent->stray_replies(), 2U);
}

TEST_F(AgentClientTest, LostConnection_FailsWaitingRequests) {
  start();
  agent->call_tool("x", "{}", "r", note("x"));
  scheduler.run_ready();
  network.cut_all();
  scheduler.run_ready();
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_THAT(outcomes[0], HasSubstr("unavailable"));
  scheduler.advance(core::Millis(100));
  ASSERT_TRUE(agent->joined());
  agent->snapshot(note("look"));
  scheduler.run_ready();
  reply("snapshot.state", relay.id_of("snapshot.get"), "{}");
  EXPECT_EQ(outcomes.back(), "look snapshot.state {}");
}

TEST_F(AgentClientTest, RequestWhileAway_FailsAfterCallReturns) {
  start();
  network.cut_all();
  scheduler.run_ready();
  agent->snapshot(note("look"));
  EXPECT_THAT(outcomes, IsEmpty());
  EXPECT_FALSE(agent->say("Is anybody there?"));
  scheduler.run_ready();
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_THAT(outcomes[0], HasSubstr("unavailable"));
}

TEST_F(AgentClientTest, RequestsOverLimit_AreRefused_OthersGoOn) {
  start({.max_requests = 1});
  agent->call_tool("a", "{}", "r", note("a"));
  agent->call_tool("b", "{}", "r", note("b"));
  scheduler.run_ready();
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_THAT(outcomes[0], HasSubstr("b resource_exhausted"));
  reply("tool.result", relay.id_of("tool.call"), "{}");
  EXPECT_EQ(outcomes.back(), "a tool.result {}");
}

TEST_F(AgentClientTest, PageEvents_AreHeardInOrder) {
  start();
  reply("relay.presence", "", R"({"hostActive":true})");
  EXPECT_TRUE(agent->host_active());
  reply("user.message", "", R"({"text":"Rather tomorrow.","stage":"date"})");
  reply("state.updated", "", R"({"source":"user"})");
  reply("session.reset", "", R"({"reason":"host-manual-reset"})");
  reply("relay.presence", "", R"({"hostActive":false})");
  EXPECT_FALSE(agent->host_active());
  EXPECT_THAT(events.words,
              ElementsAre("joined", "host", "user Rather tomorrow.", R"(state {"source":"user"})",
                          "other session.reset", "no host"));
}

TEST_F(AgentClientTest, Stop_CancelsWaitingRequests) {
  start();
  agent->call_tool("x", "{}", "r", note("x"));
  agent->stop();
  scheduler.run_ready();
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_THAT(outcomes[0], HasSubstr("canceled"));
  EXPECT_EQ(scheduler.timers(), 1U) << "only the closing handshake's is left";
}

TEST_F(AgentClientTest, Answer_MayLeadToNextQuestion) {
  start();
  relay.on_receive = [this](const Envelope& envelope) {
    relay.send({"tool.result", "", envelope.id, "{}"});
  };
  agent->call_tool("a", "{}", "r", [this](core::Result<Reply> reply) {
    ASSERT_TRUE(reply);
    agent->call_tool("b", "{}", "r", note("b"));
  });
  scheduler.run_ready();
  EXPECT_THAT(outcomes, ElementsAre("b tool.result {}"));
}

TEST_F(AgentClientTest, TwoAgents_UseDifferentIds) {
  start();
  agent->snapshot(note("one"));
  scheduler.run_ready();
  const std::string first = relay.id_of("snapshot.get");
  start();
  agent->snapshot(note("two"));
  scheduler.run_ready();
  EXPECT_NE(relay.id_of("snapshot.get"), first);
}

}  // namespace
}  // namespace parley::agent_client
