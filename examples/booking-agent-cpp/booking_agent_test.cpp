// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "booking_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "tests/support/agent_client/relay_double.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/net/memory_network.h"

namespace parley::booking_agent {
namespace {

using agent_client::Envelope;
using testing::HasSubstr;

// A page with one movie, which is selected.
constexpr const char* kMovie =
    R"({"uiSpec":{"stage":"movie","visibleItems":[{"id":"m1","value":"The Quiet Engine"}],)"
    R"("state":{"selected":{"id":"m1","value":"The Quiet Engine"}}},"messageHistory":[]})";
constexpr const char* kTheater =
    R"({"uiSpec":{"stage":"theater","visibleItems":[{"id":"t1","value":"Roxy"}],"state":{}},)"
    R"("messageHistory":[]})";

class BookingAgentTest : public testing::Test {
 protected:
  // `on_call` answers tool calls; other requests are answered with the state `page`.
  void start(std::function<void(const Envelope&)> on_call) {
    relay.on_receive = [this, on_call = std::move(on_call)](const Envelope& in) {
      const std::string to = in.id;
      if (in.type == "relay.join") {
        relay.send({"relay.joined", "", to, R"({"role":"agent","sessionId":"default"})"});
        relay.send({"relay.presence", "", "", R"({"hostActive":true})"});
      } else if (in.type == "snapshot.get") {
        relay.send({"snapshot.state", "", to, page});
      } else if (in.type == "session.end") {
        relay.send({"session.ended", "", to, "{}"});
      } else if (in.type == "tool.call") {
        on_call(in);
      }
    };
    AgentSettings settings;
    settings.open_study = false;
    settings.wishes.movie = "Quiet";
    settings.client.link.server.endpoint = relay.endpoint();
    settings.client.link.server.authority = "relay.test";
    agent.emplace(
        scheduler, entropy, network, settings, [](const std::string&) {},
        [this](std::optional<std::string> why) { outcome = std::move(why).value_or("booked"); });
    agent->start();
    scheduler.run_ready();
  }
  void answer(const Envelope& call, const char* payload) {
    relay.send({"tool.result", "", call.id, payload});
  }
  std::ptrdiff_t calls() const {
    return std::count_if(relay.received.begin(), relay.received.end(),
                         [](const Envelope& each) { return each.type == "tool.call"; });
  }

  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  core::SeededEntropy entropy{7};
  net::MemoryNetwork network{{.max_piece = 400, .seed = 11}};
  agent_client::RelayDouble relay{network, scheduler};
  std::string page = kMovie;
  std::optional<BookingAgent> agent;
  std::string outcome;
};

TEST_F(BookingAgentTest, NextNeverShown_IsGivenUpAfterRetries) {
  start([this](const Envelope& call) { answer(call, kMovie); });
  scheduler.advance(std::chrono::minutes(1));
  EXPECT_EQ(calls(), kMostTries);
  EXPECT_THAT(outcome, HasSubstr("does not show it"));
}

TEST_F(BookingAgentTest, NextShownLater_IsSentOnce) {
  start([this](const Envelope& call) {
    if (calls() == 1) answer(call, kMovie);
  });
  EXPECT_EQ(calls(), 1);
  scheduler.advance(kLookAgain * 2);
  EXPECT_EQ(calls(), 1);
  relay.send({"state.updated", "", "", kTheater});
  scheduler.run_ready();
  ASSERT_EQ(calls(), 2);
  EXPECT_THAT(relay.received.back().payload, HasSubstr(R"("toolName":"select")"));
}

TEST_F(BookingAgentTest, StepAlwaysRefused_IsGivenUpAfterRetries) {
  start([this](const Envelope& call) {
    relay.send({"error", "", call.id, R"({"code":"TOOL_EXECUTION_FAILED","message":"Not now."})"});
  });
  scheduler.advance(std::chrono::minutes(1));
  EXPECT_EQ(calls(), kMostTries);
  EXPECT_THAT(outcome, HasSubstr("Not now."));
}

TEST_F(BookingAgentTest, PageThatKeepsLoading_IsGivenUp) {
  page = R"({"uiSpec":null,"messageHistory":[]})";
  start([](const Envelope&) {});
  scheduler.advance(std::chrono::minutes(1));
  EXPECT_EQ(calls(), 0);
  EXPECT_THAT(outcome, HasSubstr("loading"));
}

}  // namespace
}  // namespace parley::booking_agent
