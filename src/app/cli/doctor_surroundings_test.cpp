// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/doctor_surroundings.h"

#include <gmock/gmock.h>

#include "app/server/version.h"

namespace parley::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using State = Finding::State;

ServerState answering() {
  ServerState state;
  state.holds_data = true;
  state.server = mcp::RunningServer{
      {"http://127.0.0.1:22080", "secret-token", {}, {}, {}}, 77, std::string(kVersion), 1};
  return state;
}

Finding named(const std::vector<Finding>& findings, std::string_view check) {
  for (const Finding& finding : findings) {
    if (finding.check == check) return finding;
  }
  return {State::fault, "missing", {}, {}};
}

TEST(CheckServer, AnsweringServer_IsGoodAndNobodyIsToldToStopIt) {
  const Finding good = check_server(answering(), "/data");
  EXPECT_EQ(good.state, State::good);
  EXPECT_THAT(good.detail, AllOf(HasSubstr("http://127.0.0.1:22080"), HasSubstr("77"),
                                 Not(HasSubstr("secret-token"))));
  EXPECT_EQ(good.next, "");
}

TEST(CheckServer, OtherStates_SayWhatToDo) {
  EXPECT_EQ(check_server({}, "/data").state, State::warning);
  EXPECT_THAT(check_server({}, "/data").next, HasSubstr("`parley serve`"));
  ServerState foreign;
  foreign.holds_data = true;
  EXPECT_THAT(check_server(foreign, "/data").next, HasSubstr("as the user"));
  ServerState silent = answering();
  silent.failure = "The server does not answer.";
  EXPECT_EQ(check_server(silent, "/data").state, State::warning);
  EXPECT_THAT(check_server(silent, "/data").next, HasSubstr("start it again"));
  silent.lacks_token = true;
  EXPECT_THAT(check_server(silent, "/data").detail,
              AllOf(HasSubstr("no token"), Not(HasSubstr("does not answer"))));
  EXPECT_THAT(check_server(silent, "/data").next, HasSubstr("`parley token create"));
  ServerState unreadable;
  unreadable.failure = "/data cannot be read by this user.";
  EXPECT_EQ(check_server(unreadable, "/data").detail, unreadable.failure);
  ServerState old = answering();
  old.server->version = "0.0.1";
  EXPECT_THAT(check_server(old, "/data").detail, HasSubstr("version 0.0.1"));
  EXPECT_EQ(check_server(old, "/data").state, State::warning);
}

TEST(CheckReach, Channels_TellOfFailures) {
  ServerState state = answering();
  state.channels = {{"mine", "ntfy", "status 403"}, {"Pixel", "push", ""}};
  const std::vector<Finding> findings = check_reach(state, {});
  EXPECT_EQ(named(findings, "ntfy").state, State::warning);
  EXPECT_THAT(named(findings, "ntfy").detail, HasSubstr("status 403"));
  EXPECT_EQ(named(findings, "device").detail, "Pixel");
  state.channels.clear();
  EXPECT_THAT(named(check_reach(state, {}), "device").next, HasSubstr("on the phone"));
}

TEST(CheckReach, PhoneAddress_FollowsServerAndSettings) {
  ServerState state = answering();
  EXPECT_THAT(named(check_reach(state, {}), "phone").next, HasSubstr("--listen 0.0.0.0"));
  state.tls = "off";
  state.addresses = {"http://192.168.1.5:22080"};
  EXPECT_EQ(named(check_reach(state, {}), "phone").state, State::warning);
  state.tls = "auto";
  state.addresses = {"https://192.168.1.5:22080"};
  EXPECT_EQ(named(check_reach(state, {}), "phone").state, State::good);
  state.away = "https://desk.tail1.ts.net:22080";
  EXPECT_THAT(named(check_reach(state, {}), "phone").detail, HasSubstr("ts.net:22080, from any"));
  Settings settings;
  settings.public_url = "https://parley.example";
  EXPECT_EQ(named(check_reach(state, settings), "phone").detail, "https://parley.example");
}

TEST(CheckReach, SilentServer_IsNotJudged) { EXPECT_THAT(check_reach({}, {}), IsEmpty()); }

using Agents = std::vector<AgentSetUp>;

TEST(CheckAgents, UserWithoutEntry_IsNotCalledWithoutAgents) {
  const auto unknown =
      check_agents(core::fail(core::Code::not_found, "The user 77 has no home directory."));
  ASSERT_EQ(unknown.size(), 1U);
  EXPECT_EQ(unknown[0].state, State::warning);
  EXPECT_EQ(unknown[0].detail, "unknown: The user 77 has no home directory.");
  EXPECT_THAT(unknown[0].next, HasSubstr("`getent passwd`"));
}

TEST(CheckAgents, States_HaveTheirStep) {
  const auto of = [](AgentSetUp::State state) {
    return check_agents(Agents{{"claude", "Claude Code", state, {"/f (hooks): differs"}, {}}})
        .front();
  };
  EXPECT_EQ(of(AgentSetUp::State::current).state, State::good);
  EXPECT_EQ(of(AgentSetUp::State::absent).state, State::good);
  EXPECT_THAT(of(AgentSetUp::State::absent).next, HasSubstr("`parley setup claude`"));
  EXPECT_EQ(of(AgentSetUp::State::other).state, State::warning);
  EXPECT_THAT(of(AgentSetUp::State::other).detail, HasSubstr("/f (hooks): differs"));
  EXPECT_EQ(of(AgentSetUp::State::blocked).state, State::warning);
  const auto hinted = check_agents(
      Agents{{"codex", "Codex", AgentSetUp::State::current, {}, {"CODEX_HOME is /x"}}});
  ASSERT_EQ(hinted.size(), 2U);
  EXPECT_EQ(hinted[1].state, State::warning);
}

TEST(FindingOfPrompt, EachEnd_IsToldApart) {
  const Finding answered = finding_of_prompt({mcp::AskExit::answered, "in the console, as me", {}});
  EXPECT_EQ(answered.state, State::good);
  EXPECT_EQ(answered.detail, "was answered in the console, as me");
  EXPECT_EQ(finding_of_prompt({mcp::AskExit::timed_out, {}, {}}).state, State::warning);
  const Finding lost = finding_of_prompt({mcp::AskExit::unreachable, {}, "parley ask: no"});
  EXPECT_EQ(lost.state, State::fault);
  EXPECT_EQ(lost.detail, "failed: parley ask: no");
}

}  // namespace
}  // namespace parley::app
