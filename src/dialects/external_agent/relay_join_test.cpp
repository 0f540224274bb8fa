// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Joining, presence and hosts (contract sections 1.1 and 1.3, decisions 4, 8 and 9).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/external_agent/relay_fixture.h"

namespace parley::external_agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(RelayJoin, EveryClient_GetsReferenceHello) {
  RelayServer server;
  Peer peer(server);
  EXPECT_THAT(peer.take(), ElementsAre(R"({"v":"mvp-0.2","type":"relay.hello","payload":)"
                                       R"({"message":"Send relay.join with role=host|agent"}})"));
}

TEST(RelayJoin, Host_IsAnsweredLikeReference) {
  RelayServer server;
  Peer host(server);
  host.take();
  host.say("relay.join", R"({"role":"host","sessionId":"demo-1"})", "\"j1\"");
  EXPECT_EQ(host.take_one(), R"({"v":"mvp-0.2","type":"relay.joined","replyTo":"j1",)"
                             R"("payload":{"role":"host","sessionId":"demo-1"}})");
}

TEST(RelayJoin, Agent_IsToldItsName) {
  RelayServer server;
  Peer agent(server);
  agent.take();
  agent.say("relay.join", R"({"role":"agent","sessionId":"demo-1","agentName":"  Planner "})", "7");
  EXPECT_EQ(agent.take_one(),
            R"({"v":"mvp-0.2","type":"relay.joined","replyTo":7,)"
            R"("payload":{"role":"agent","sessionId":"demo-1","clientName":"Planner"}})");
}

TEST(RelayJoin, AgentWithoutName_IsNamedByClientId) {
  RelayServer server;
  Peer agent(server);
  agent.say("relay.join", R"({"role":"agent","name":"   "})");
  const std::vector<std::string> sent = agent.take();
  ASSERT_EQ(sent.size(), 3U);
  const std::string name = part(sent[1], "payload.clientName");
  ASSERT_EQ(name.size(), 14U) << sent[1];
  EXPECT_THAT(name, HasSubstr("agent-"));
  EXPECT_THAT(sent[2], HasSubstr(name.substr(7, 6) + "\",\"name\":" + name));
}

TEST(RelayJoin, LongNames_AreCutBetweenCharacters) {
  RelayServer server;
  Peer agent(server);
  std::string name;
  for (int i = 0; i < 50; ++i) name += "\u20ac";
  agent.say("relay.join", R"({"role":"agent","clientName":")" + name + "\"}");
  EXPECT_EQ(part(agent.take_messages().back(), "payload.clientName"),
            "\"" + name.substr(0, 42 * 3) + "\"");
}

struct SessionName {
  const char* given;  // the payload's member
  const char* joined;
};
class RelaySessionName : public testing::TestWithParam<SessionName> {};
TEST_P(RelaySessionName, SessionName_IsTrimmedOrDefault) {
  RelayServer server;
  Peer host(server);
  host.take();
  host.say("relay.join", std::string(R"({"role":"host")") + GetParam().given + "}");
  EXPECT_EQ(part(host.take_one(), "payload.sessionId"), GetParam().joined);
}
INSTANTIATE_TEST_SUITE_P(Contract, RelaySessionName,
                         testing::Values(SessionName{"", "\"default\""},
                                         SessionName{R"(,"sessionId":"")", "\"default\""},
                                         SessionName{R"(,"sessionId":"  \t ")", "\"default\""},
                                         SessionName{R"(,"sessionId":null)", "\"default\""},
                                         SessionName{R"(,"sessionId":42)", "\"default\""},
                                         SessionName{R"(,"sessionId":{"a":1})", "\"default\""},
                                         SessionName{R"(,"sessionId":["x"])", "\"default\""},
                                         SessionName{R"(,"sessionId":" room-1 ")", "\"room-1\""},
                                         SessionName{R"(,"sessionId":"\u0061b")", "\"ab\""},
                                         SessionName{R"(,"sessionId":"A.b_c-9")", "\"A.b_c-9\""}));

class RelayUnsafeSession : public testing::TestWithParam<std::string> {};
TEST_P(RelayUnsafeSession, UnsafeName_IsRefused_SocketStays) {
  RelayServer server;
  Peer host(server);
  host.take();
  host.say("relay.join", R"({"role":"host","sessionId":")" + GetParam() + "\"}", "\"j\"");
  EXPECT_EQ(host.take_one(), error_frame("INVALID_MESSAGE", text::kSessionId, "\"j\""));
  EXPECT_TRUE(host.socket.is_open);
  host.say("relay.join", R"({"role":"host"})");
  EXPECT_EQ(part(host.take_one(), "type"), "\"relay.joined\"");
}
INSTANTIATE_TEST_SUITE_P(Contract, RelayUnsafeSession,
                         testing::Values("../../etc/passwd", "a/b", "..", ".", "a b", "\\u0000",
                                         "\u00e9", "a\\nb", std::string(65, 'x')));

struct JoinPayload {
  const char* message;
};
class RelayWrongJoin : public testing::TestWithParam<const char*> {};
TEST_P(RelayWrongJoin, WrongJoin_NamesRoles) {
  RelayServer server;
  Peer peer(server);
  peer.take();
  peer.send(GetParam());
  EXPECT_EQ(peer.take_one(),
            error_frame("INVALID_MESSAGE", "relay.join payload.role must be \"host\" or \"agent\".",
                        "\"j\""));
  EXPECT_TRUE(peer.socket.is_open);
}
INSTANTIATE_TEST_SUITE_P(
    Contract, RelayWrongJoin,
    testing::Values(R"({"type":"relay.join","id":"j","payload":{"role":"monitor"}})",
                    R"({"type":"relay.join","id":"j","payload":{}})",
                    R"({"type":"relay.join","id":"j","payload":null})",
                    R"({"type":"relay.join","id":"j","payload":["host"]})",
                    R"({"type":"relay.join","id":"j","payload":"host"})",
                    R"({"type":"relay.join","id":"j","payload":{"role":["host"]}})",
                    R"({"type":"relay.join","id":"j"})"));

TEST(RelayJoin, Messages_BeforeJoin_AreRefused) {
  RelayServer server;
  Peer peer(server);
  peer.take();
  peer.say("tool.call", "{}", R"({"deep":[1]})");
  EXPECT_EQ(peer.take_one(),
            error_frame("SESSION_NOT_ACTIVE", "You must send relay.join before other messages.",
                        R"({"deep":[1]})"));
  peer.say("whatever");
  EXPECT_EQ(peer.take_one(), error_frame("SESSION_NOT_ACTIVE", text::kJoinFirst));
}

class RelayNotAMessage : public testing::TestWithParam<std::string> {};
TEST_P(RelayNotAMessage, OtherThanMessage_IsAnsweredWithoutReplyTo) {
  RelayServer server;
  Peer peer(server);
  peer.take();
  peer.send(GetParam());
  EXPECT_EQ(peer.take_one(),
            error_frame("INVALID_MESSAGE", "Message must be valid JSON with a string \"type\"."));
  peer.join("agent");
  peer.send(GetParam());
  EXPECT_EQ(peer.take_one(), error_frame("INVALID_MESSAGE", text::kNotAMessage));
  EXPECT_TRUE(peer.socket.is_open);
}
INSTANTIATE_TEST_SUITE_P(
    Contract, RelayNotAMessage,
    testing::Values("", " ", "hello", "[]", "[{\"type\":\"relay.join\"}]", "7", "null", "\"x\"",
                    "{}", R"({"type":1,"id":"a"})", R"({"type":null,"id":"a"})",
                    R"({"type":["tool.call"],"id":"a"})", R"({"type":"tool.call","id":"a")",
                    R"({"type":"tool.call","id":"a",})", R"({'type':'tool.call'})",
                    R"({"type":"tool.call","payload":{"a":01}})",
                    R"({"type":"tool.call","payload":{"a":[1,}]})", R"({"type":"x"} {"type":"y"})",
                    "{\"type\":\"a\nb\"}", R"({"id":"a"})"));

TEST(RelayJoin, Presence_IsToldAtEveryJoinAndLeave) {
  RelayServer server;
  Peer host(server);
  host.say("relay.join", R"({"role":"host","sessionId":"d"})");
  EXPECT_EQ(host.take().back(),
            R"({"v":"mvp-0.2","type":"relay.presence","payload":{"sessionId":"d",)"
            R"("hostActive":true,"agentCount":0,"agents":[],"fullHistory":false}})");
  Peer agent(server);
  agent.say("relay.join", R"({"role":"agent","sessionId":"d","name":"A"})");
  const std::string both = host.take().back();
  EXPECT_EQ(agent.take().back(), both);
  EXPECT_EQ(part(both, "payload.agentCount"), "1");
  EXPECT_THAT(part(both, "payload.agents"), HasSubstr(R"("name":"A"}])"));
  host.hang_up();
  const std::string alone = agent.take().back();
  EXPECT_EQ(part(alone, "payload.hostActive"), "false");
  Peer second(server);
  second.join("host", "d");
  agent.take();
  agent.hang_up();
  EXPECT_EQ(part(second.take().back(), "payload.agentCount"), "0");
}

TEST(RelayJoin, AgentWantingWholeHistories_IsAnnounced) {
  RelayServer server;
  Peer host(server);
  host.join("host");
  {
    Peer agent(server, "", true);
    agent.join("agent");
    EXPECT_EQ(part(host.take().back(), "payload.fullHistory"), "true");
  }
  EXPECT_EQ(part(host.take().back(), "payload.fullHistory"), "false");
}

TEST(RelayJoin, Socket_MayRejoinInOtherRoleAndSession) {
  RelayServer server({}, 4);
  Peer host(server);
  Peer agent(server);
  host.join("host", "one");
  agent.join("agent", "one");
  host.take();
  agent.say("relay.join", R"({"role":"host","sessionId":"two"})", "1");
  EXPECT_EQ(part(agent.take_messages().back(), "payload.role"), "\"host\"");
  EXPECT_EQ(part(host.take().back(), "payload.agentCount"), "0");
  EXPECT_EQ(server.relay_sessions(), 2U);
  agent.say("relay.join", R"({"role":"agent","sessionId":"one"})");
  EXPECT_EQ(server.relay_sessions(), 1U);
  host.say("state.updated", R"({"n":1})");
  EXPECT_THAT(agent.take().back(), HasSubstr(R"({"n":1})"));
}

TEST(RelayJoin, RefusedRejoin_LeavesSocketInPlace) {
  RelayServer server;
  Peer host(server);
  Peer agent(server);
  host.join("host");
  agent.join("agent");
  agent.say("relay.join", R"({"role":"nobody"})");
  agent.take();
  host.say("state.updated");
  EXPECT_EQ(agent.take_messages().size(), 1U);
}

TEST(RelayJoin, MessagesBehindJoin_AreHandledAfterwards) {
  RelayServer server({}, 4);
  Peer host(server);
  host.join("host", "far");
  Peer agent(server);
  agent.take();
  agent.give(R"({"type":"relay.join","payload":{"role":"agent","sessionId":"far"}})");
  agent.give(R"({"type":"tool.call","id":1,"payload":{"reason":"r"}})");
  agent.give(R"({"type":"relay.join","payload":{"role":"agent","sessionId":"near"}})");
  agent.give(R"({"type":"tool.call","id":2,"payload":{"reason":"r"}})");
  server.run();
  EXPECT_EQ(host.take_messages().size(), 1U);
  EXPECT_EQ(agent.take_messages().back(), error_frame("SESSION_NOT_ACTIVE", text::kNoHost, "2"));
}

TEST(RelayJoin, ClientThatDoesNotJoin_IsClosed) {
  RelayOptions options;
  options.join_timeout = core::Millis(30'000);
  RelayServer server(options);
  Peer idle(server);
  Peer joined(server);
  joined.join("agent");
  server.advance(core::Millis(30'100));
  EXPECT_EQ(idle.socket.close_code, net::close_code::kPolicyViolation);
  EXPECT_TRUE(joined.socket.is_open);
}

TEST(RelayJoin, AgentsPerSession_AreLimited) {
  RelayOptions options;
  options.max_agents = 2;
  RelayServer server(options);
  Peer one(server);
  Peer two(server);
  Peer three(server);
  one.join("agent");
  two.join("agent");
  three.take();
  three.say("relay.join", R"({"role":"agent"})", "\"x\"");
  EXPECT_EQ(three.take_one(),
            error_frame("SESSION_NOT_ACTIVE",
                        "This session has 2 agents, which is the most it may have.", "\"x\""));
  EXPECT_TRUE(three.socket.is_open);
  two.hang_up();
  three.say("relay.join", R"({"role":"agent"})");
  EXPECT_EQ(part(three.take_one(), "type"), "\"relay.joined\"");
}

// --- hosts ---------------------------------------------------------------------------------------

TEST(RelayHost, SecondHost_WhileFirstIsAlive_IsRefused) {
  RelayServer server;
  Peer first(server);
  Peer second(server);
  first.join("host");
  second.take();
  second.say("relay.join", R"({"role":"host"})", "\"h2\"");
  EXPECT_EQ(second.take(),
            std::vector<std::string>{error_frame(
                "SESSION_NOT_ACTIVE", "Another host is active in this session.", "\"h2\"")});
  EXPECT_EQ(second.socket.close_code, 4409);
  EXPECT_TRUE(first.socket.is_open);
  EXPECT_THAT(first.take(), IsEmpty());
}

TEST(RelayHost, TwoReturningTabs_NeverEvictEachOther) {
  RelayServer server;
  Peer first(server);
  Peer agent(server);
  first.join("host");
  agent.join("agent");
  first.take();
  agent.take();
  for (int i = 0; i < 20; ++i) {
    Peer tab(server);
    tab.join("host");
    EXPECT_EQ(tab.socket.close_code, 4409);
  }
  EXPECT_TRUE(first.socket.is_open);
  EXPECT_THAT(first.take(), IsEmpty());
  EXPECT_THAT(agent.take(), IsEmpty()) << "the storm is not announced";
  first.hang_up();
  Peer tab(server);
  tab.join("host");
  EXPECT_TRUE(tab.socket.is_open);
}

TEST(RelayHost, ReturningHost_WhileOldSocketIsClosing_IsAccepted) {
  RelayServer server;
  Peer before(server);
  Peer after(server);
  before.join("host");
  after.take();
  after.give(R"({"v":"mvp-0.2","type":"relay.join","payload":{"role":"host"}})");
  after.give(R"({"v":"mvp-0.2","type":"state.updated","payload":{"n":1}})");
  // The loop runs some turns before it reads the close.
  server.schedulers[0].run_posted();
  Peer agent(server);
  before.hang_up();
  EXPECT_EQ(part(after.take_one(), "type"), "\"relay.joined\"");
  EXPECT_TRUE(after.socket.is_open);
  agent.join("agent");
  after.say("state.updated", R"({"n":2})");
  EXPECT_EQ(part(agent.take_one(), "payload.n"), "2");
}

TEST(RelayHost, HostLeavingWhileWaiting_LeavesFirstAlone) {
  RelayServer server;
  Peer first(server);
  first.join("host");
  {
    Peer second(server);
    second.give(R"({"v":"mvp-0.2","type":"relay.join","payload":{"role":"host"}})");
  }
  EXPECT_TRUE(first.socket.is_open);
  EXPECT_EQ(server.relay_sessions(), 1U);
}

TEST(RelayHost, Takeover_ReplacesFirst) {
  RelayServer server;
  Peer first(server);
  Peer second(server);
  first.join("host");
  second.take();
  second.say("relay.join", R"({"role":"host","takeover":true})");
  EXPECT_EQ(part(second.take_one(), "type"), "\"relay.joined\"");
  EXPECT_EQ(first.take_messages().back(),
            error_frame("SESSION_NOT_ACTIVE", "Host connection replaced by a newer host."));
  EXPECT_EQ(first.socket.close_code, 4409);
  EXPECT_EQ(server.relay_sessions(), 1U);
  Peer agent(server);
  agent.join("agent");
  second.say("state.updated", R"({"n":2})");
  EXPECT_EQ(part(agent.take_one(), "payload.n"), "2");
}

TEST(RelayHost, TakeoverOtherThanTrue_IsIgnored) {
  RelayServer server;
  Peer first(server);
  first.join("host");
  for (const char* value : {"false", "1", "\"true\"", "null"}) {
    Peer second(server);
    second.join("host", "default", std::string(",\"takeover\":") + value);
    EXPECT_EQ(second.socket.close_code, 4409) << value;
  }
  EXPECT_TRUE(first.socket.is_open);
}

TEST(RelayHost, NewestHost_CanBeAcceptedLikeReference) {
  RelayOptions options;
  options.newest_host = true;
  RelayServer server(options);
  Peer first(server);
  Peer second(server);
  first.join("host");
  second.join("host");
  EXPECT_EQ(first.take_messages().back(), error_frame("SESSION_NOT_ACTIVE", text::kHostReplaced));
  EXPECT_EQ(first.socket.close_code, net::close_code::kNormal);
  EXPECT_EQ(first.socket.close_reason, "");
  EXPECT_TRUE(second.socket.is_open);
}

TEST(RelayHost, Host_IsPinged_AgentIsNot) {
  RelayServer server;
  Peer host(server);
  Peer agent(server);
  host.join("host");
  agent.join("agent");
  EXPECT_EQ(host.socket.silence, core::Millis(30'000));
  EXPECT_EQ(host.socket.ping_interval, core::Millis(10'000));
  EXPECT_EQ(agent.socket.silence, core::Millis(0));
  host.join("agent");
  EXPECT_EQ(host.socket.silence, core::Millis(0)) << "an agent again";
}

TEST(RelayHost, Host_MayRejoinOnOwnSocket) {
  RelayServer server;
  Peer host(server);
  host.join("host");
  host.say("relay.join", R"({"role":"host"})", "2");
  EXPECT_EQ(part(host.take_one(), "type"), "\"relay.joined\"");
  EXPECT_TRUE(host.socket.is_open);
  EXPECT_EQ(server.relay_sessions(), 1U);
}

// --- sessions of different tokens ---------------------------------------------------------------

TEST(RelayIsolation, TwoTokensWithSameSession_NeverMeet) {
  RelayServer server({}, 3);
  Peer mine(server, "tok");
  Peer theirs(server, "other");
  Peer guest(server);
  mine.join("host");
  theirs.join("host");
  guest.join("host");
  EXPECT_TRUE(mine.socket.is_open && theirs.socket.is_open && guest.socket.is_open);
  EXPECT_EQ(server.relay_sessions(), 3U);
  Peer agent(server, "other");
  agent.join("agent");
  agent.say("tool.call", R"({"reason":"r"})");
  EXPECT_THAT(mine.take(), IsEmpty());
  EXPECT_THAT(guest.take(), IsEmpty());
  EXPECT_EQ(theirs.take_messages().size(), 1U);
}

TEST(RelayIsolation, RevokedToken_IsDisconnected) {
  RelayServer server({}, 2);
  Peer host(server, "tok");
  Peer agent(server, "tok");
  Peer other(server, "other");
  host.join("host");
  agent.join("agent");
  other.join("host");
  server.tokens.forget("tok");
  server.hub->revoke("t1");
  server.run();
  EXPECT_EQ(host.socket.close_code, net::close_code::kUnauthenticated);
  EXPECT_EQ(agent.socket.close_code, net::close_code::kUnauthenticated);
  EXPECT_TRUE(other.socket.is_open);
}

TEST(RelayIsolation, TokenRevokedBeforeJoin_CannotJoin) {
  RelayServer server;
  Peer host(server, "tok");
  server.tokens.forget("tok");
  host.take();
  host.say("relay.join", R"({"role":"host"})");
  EXPECT_EQ(host.socket.close_code, net::close_code::kUnauthenticated);
  EXPECT_THAT(host.take(), IsEmpty());
  EXPECT_EQ(server.relay_sessions(), 0U);
}

TEST(RelayIsolation, RelaySessions_EndWithLastClient) {
  RelayServer server;
  for (int i = 0; i < 50; ++i) {
    Peer host(server);
    host.join("host", "s" + std::to_string(i));
    EXPECT_EQ(server.relay_sessions(), 1U);
  }
  EXPECT_EQ(server.relay_sessions(), 0U);
  EXPECT_EQ(server.hub->shard(0).counts().participants, 0U);
}

TEST(RelayIsolation, Shutdown_DisconnectsEverybody) {
  RelayServer server;
  Peer host(server);
  host.join("host");
  server.hub->shut_down();
  server.run();
  EXPECT_EQ(host.socket.close_code, net::close_code::kGoingAway);
}

}  // namespace
}  // namespace parley::external_agent
