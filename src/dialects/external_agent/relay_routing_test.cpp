// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Routing of messages (contract sections 1.2 and 1.3, decision 4; faults 5 and 6 of section 6).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/external_agent/relay_fixture.h"

namespace parley::external_agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A host and two agents in one session, with an open study so that no message is held.
class RelayRouting : public testing::Test {
 protected:
  explicit RelayRouting(RelayOptions options = {}, std::size_t shards = 1)
      : server(options, shards), host(server), one(server), two(server) {
    host.join("host");
    one.join("agent");
    two.join("agent");
    one.say("session.start", R"({"studyId":"s","participantId":"p"})", "\"start\"");
    host.reply("session.started", part(host.take_one(), "id"), "{}");
    forget();
  }
  void forget() {
    host.take();
    one.take();
    two.take();
  }
  double counted(std::string_view name) { return server.metrics->counter(name, "").value(); }
  std::vector<std::string> recorded(std::string_view type) {
    std::vector<std::string> out;
    for (const LoggedRecord& record : server.studies.last().records) {
      if (record.type == type) out.push_back(record.direction + " " + record.payload);
    }
    return out;
  }

  RelayServer server;
  Peer host;
  Peer one;
  Peer two;
};

class RelayRoutingTimed : public RelayRouting {
 protected:
  RelayRoutingTimed() : RelayRouting(options()) {}
  static RelayOptions options() {
    RelayOptions out;
    out.host_timeout = core::Millis(15'000);
    out.max_requests = 4;
    return out;
  }
};

TEST_F(RelayRouting, Request_ReachesHostUnchangedExceptId) {
  one.send(
      R"({"type":"tool.call","payload":{ "toolName" : "select","params":{"itemId":"m1"},"reason":"r"},)"
      R"("trace":{"a":[1,2]},"id":"req-3"})");
  const std::string got = host.take_one();
  EXPECT_EQ(got, R"({"v":"mvp-0.2","type":"tool.call",)"
                 R"("payload":{ "toolName" : "select","params":{"itemId":"m1"},"reason":"r"},)"
                 R"("trace":{"a":[1,2]},"id":)" +
                     part(got, "id") + "}");
  EXPECT_THAT(part(got, "id"), HasSubstr("\"r-"));
  EXPECT_THAT(two.take(), IsEmpty());
}

TEST_F(RelayRouting, Reply_GoesOnlyToAskerWithOwnId) {
  one.say("tool.call", R"({"reason":"r"})", "\"req-1\"");
  two.say("tool.call", R"({"reason":"r"})", "\"req-1\"");
  const std::vector<std::string> asked = host.take_messages();
  ASSERT_EQ(asked.size(), 2U);
  host.reply("tool.result", part(asked[1], "id"), R"({"ok":true,"n":2})");
  EXPECT_THAT(one.take(), IsEmpty());
  EXPECT_THAT(two.take(), ElementsAre(R"({"v":"mvp-0.2","type":"tool.result","replyTo":"req-1",)"
                                      R"("payload":{"ok":true,"n":2}})"));
  host.reply("tool.result", part(asked[0], "id"), R"({"ok":true,"n":1})");
  EXPECT_EQ(part(one.take_one(), "payload.n"), "1");
  EXPECT_THAT(two.take(), IsEmpty());
}

TEST_F(RelayRouting, SameIdTwice_GetsTwoReplies) {
  one.say("tool.call", R"({"reason":"r"})", "1");
  one.say("tool.call", R"({"reason":"r"})", "1");
  const std::vector<std::string> asked = host.take_messages();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_NE(part(asked[0], "id"), part(asked[1], "id"));
  host.reply("tool.result", part(asked[1], "id"), R"({"n":2})");
  host.reply("error", part(asked[0], "id"), R"({"code":"UNKNOWN_TOOL","message":"m"})");
  const std::vector<std::string> got = one.take();
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(part(got[0], "payload.n"), "2");
  EXPECT_EQ(part(got[1], "type"), "\"error\"");
  EXPECT_EQ(part(got[1], "replyTo"), "1");
}

TEST_F(RelayRouting, Id_MayBeOfAnyType) {
  for (const char* id : {"7", "-1.5e3", "\"\\u0041\"", "null", "true", "[1,{\"a\":2}]",
                         "{\"deep\":{\"er\":[]}}", "123456789012345678901234567890", "\"\""}) {
    one.say("snapshot.get", "{}", id);
    host.reply("snapshot.state", part(host.take_one(), "id"), "{}");
    EXPECT_EQ(part(one.take_one(), "replyTo"), id);
  }
}

TEST_F(RelayRouting, RequestWithoutId_GetsReplyWithoutId) {
  one.say("snapshot.get");
  const std::string asked = host.take_one();
  EXPECT_THAT(part(asked, "id"), HasSubstr("\"r-"));
  host.reply("snapshot.state", part(asked, "id"), "{}");
  const std::string got = one.take_one();
  EXPECT_EQ(part(got, "type"), "\"snapshot.state\"");
  EXPECT_EQ(part(got, "replyTo"), "");
}

TEST_F(RelayRouting, Version_IsAddedOnlyIfMissing) {
  one.send(R"({"type":"agent.message","v":"mvp-0.9","payload":{"text":"a"}})");
  EXPECT_EQ(host.take_one().substr(0, 34), R"({"v":"mvp-0.9","type":"agent.messa)");
  EXPECT_EQ(counted("parley_relay_other_version_total"), 1);
  host.send(R"({"type":"state.updated","payload":{}})");
  EXPECT_EQ(one.take_one(), R"({"v":"mvp-0.2","type":"state.updated","payload":{}})");
}

TEST_F(RelayRouting, BinaryFramesWithJson_AreForwardedAsText) {
  one.give(R"({"type":"agent.message","payload":{"text":"é"}})", net::MessageType::binary);
  server.run();
  EXPECT_EQ(part(host.take_one(), "payload.text"), "\"é\"");
  one.give("\xff\xfe", net::MessageType::binary);
  EXPECT_EQ(one.take_one(), error_frame("INVALID_MESSAGE", text::kNotUtf8));
}

struct Pushed {
  const char* type;
};
class RelayPush : public RelayRouting, public testing::WithParamInterface<const char*> {};
TEST_P(RelayPush, Push_GoesToEveryAgent_EncodedOnce) {
  host.say(GetParam(), R"({"text":"hi"})");
  ASSERT_EQ(one.socket.shared.size(), 1U);
  ASSERT_EQ(two.socket.shared.size(), 1U);
  EXPECT_EQ(one.socket.shared[0], two.socket.shared[0]);
  EXPECT_EQ(part(one.take_one(), "payload.text"), "\"hi\"");
  EXPECT_THAT(host.take(), IsEmpty());
  EXPECT_THAT(recorded(GetParam()),
              ElementsAre(R"(in {"text":"hi"})", R"(out {"delivered":2,"payload":{"text":"hi"}})"));
}
INSTANTIATE_TEST_SUITE_P(Contract, RelayPush,
                         testing::Values("state.updated", "user.message", "session.reset",
                                         "voice.mode", "tts.playback.complete"));

TEST_F(RelayRouting, Push_WithoutAgents_IsDroppedAndCounted) {
  one.hang_up();
  two.hang_up();
  host.take();
  host.say("state.updated");
  EXPECT_THAT(host.take(), IsEmpty());
  EXPECT_EQ(counted("parley_relay_unheard_total"), 1);
}

TEST_F(RelayRouting, StatusOfAgent_ReachesHost) {
  one.say("agent.status", R"({"agentName":"A","phase":"planning"})");
  EXPECT_EQ(part(host.take_one(), "payload.phase"), "\"planning\"");
}

// --- messages that each role may send -----------------------------------------------------------

TEST_F(RelayRouting, Agent_MayNotSendHostMessages) {
  for (const char* type :
       {"session.started", "snapshot.state", "tool.result", "state.updated", "error",
        "session.ended", "user.message", "relay.hello", "nonsense", ""}) {
    one.say(type, "{}", "\"a\"");
    EXPECT_EQ(
        one.take_one(),
        error_frame("INVALID_MESSAGE",
                    std::string("Unsupported message type for agent role: ") + type, "\"a\""));
  }
  EXPECT_THAT(host.take(), IsEmpty());
}

TEST_F(RelayRouting, Host_MayNotSendAgentMessages) {
  for (const char* type : {"session.start", "snapshot.get", "tool.call", "agent.message",
                           "session.end", "agent.status", "relay.joined", "x"}) {
    host.say(type, "{}", "3");
    EXPECT_EQ(host.take_one(),
              error_frame("INVALID_MESSAGE",
                          std::string("Unsupported message type for host role: ") + type, "3"));
  }
  EXPECT_THAT(one.take(), IsEmpty());
}

TEST_F(RelayRouting, LongType_IsCutInAnswer) {
  one.say(std::string(100'000, 'x'));
  EXPECT_LT(one.take_one().size(), 500U);
}

TEST_F(RelayRouting, Payload_MustBeObject) {
  for (const char* payload : {"[]", "7", "\"text\"", "true"}) {
    one.say("tool.call", payload, "\"p\"");
    EXPECT_EQ(one.take_one(),
              error_frame("INVALID_MESSAGE", "Message payload must be an object.", "\"p\""))
        << payload;
    host.say("state.updated", payload);
    EXPECT_EQ(host.take_one(), error_frame("INVALID_MESSAGE", text::kPayloadObject)) << payload;
  }
  EXPECT_THAT(two.take(), IsEmpty());
}

TEST_F(RelayRouting, MissingAndNullPayload_AreTakenLikeReference) {
  one.send(R"({"type":"snapshot.get","id":1})");
  EXPECT_EQ(part(host.take_one(), "payload"), "");
  one.say("snapshot.get", "null", "2");
  EXPECT_EQ(part(host.take_one(), "payload"), "null");
  EXPECT_THAT(recorded("snapshot.get"), ElementsAre("in ", "out ", "in ", "out "));
}

TEST_F(RelayRouting, DeepJson_IsRefused_SessionGoesOn) {
  const auto nested = [](std::size_t levels) {
    return "{\"reason\":\"r\",\"a\":" + std::string(levels - 2, '[') +
           std::string(levels - 2, ']') + "}";
  };
  one.say("tool.call", nested(65), "1");
  EXPECT_EQ(one.take_one(),
            error_frame("INVALID_MESSAGE", "Message must be nested at most 64 deep."));
  one.say("tool.call", nested(100'000), "1");
  EXPECT_EQ(one.take_one(),
            error_frame("INVALID_MESSAGE", "Message must be nested at most 64 deep."));
  EXPECT_THAT(host.take(), IsEmpty());
  one.say("tool.call", nested(64), "1");
  EXPECT_EQ(host.take_one().substr(0, 34), R"({"v":"mvp-0.2","type":"tool.call",)");
}

TEST_F(RelayRouting, OversizedEnvelope_IsRefused_SessionGoesOn) {
  one.say("tool.call", "{\"reason\":\"" + std::string(4U << 20U, 'x') + "\"}", "1");
  EXPECT_EQ(one.take_one(),
            error_frame("INVALID_MESSAGE", "Message must be at most 4194304 bytes."));
  EXPECT_THAT(host.take(), IsEmpty());
  one.say("tool.call", "{\"reason\":\"" + std::string(1'100'000, 'x') + "\"}", "1");
  EXPECT_GT(host.take_one().size(), 1'100'000U);
}

TEST_F(RelayRouting, Id_IsAtMostKilobyte) {
  one.say("tool.call", R"({"reason":"r"})", "\"" + std::string(1'023, 'i') + "\"");
  EXPECT_EQ(one.take_one(), error_frame("INVALID_MESSAGE", text::kLongId));
  one.say("tool.call", R"({"reason":"r"})", "\"" + std::string(1'022, 'i') + "\"");
  EXPECT_EQ(host.take_messages().size(), 1U);
}

// --- no host ------------------------------------------------------------------------------------

TEST_F(RelayRouting, Requests_WithoutHost_AreRefused) {
  host.hang_up();
  one.take();
  for (const char* type :
       {"session.start", "snapshot.get", "tool.call", "agent.message", "agent.status"}) {
    one.say(type, R"({"reason":"r","text":"t"})", "\"n\"");
    EXPECT_EQ(one.take_one(), error_frame("SESSION_NOT_ACTIVE",
                                          "No active host connection for this session.", "\"n\""))
        << type;
  }
}

TEST_F(RelayRouting, WaitingAgent_IsToldAtOnceOfLostHost) {
  one.say("tool.call", R"({"reason":"r"})", "1");
  two.say("snapshot.get", "{}", "2");
  two.say("agent.message", R"({"text":"t"})", "3");
  host.hang_up();
  EXPECT_EQ(one.take_messages(),
            std::vector<std::string>{error_frame("SESSION_NOT_ACTIVE", text::kNoHost, "1")});
  EXPECT_EQ(two.take_messages(),
            std::vector<std::string>{error_frame("SESSION_NOT_ACTIVE", text::kNoHost, "2")});
}

TEST_F(RelayRouting, Takeover_FailsRequestsToFirstHost) {
  one.say("tool.call", R"({"reason":"r"})", "1");
  Peer second(server);
  second.join("host", "default", ",\"takeover\":true");
  EXPECT_EQ(one.take_messages(),
            std::vector<std::string>{error_frame("SESSION_NOT_ACTIVE", text::kNoHost, "1")});
}

TEST_F(RelayRoutingTimed, SilentHost_TimesOutCall) {
  one.say("tool.call", R"({"reason":"r"})", "1");
  const std::string asked = host.take_one();
  server.advance(core::Millis(14'900));
  EXPECT_THAT(one.take(), IsEmpty());
  server.advance(core::Millis(200));
  EXPECT_EQ(one.take_one(),
            error_frame("TOOL_EXECUTION_FAILED", "The host did not answer within 15 s.", "1"));
  host.reply("tool.result", part(asked, "id"), R"({"ok":true})");
  EXPECT_THAT(one.take(), IsEmpty()) << "a late reply reaches nobody";
  EXPECT_EQ(counted("parley_relay_unroutable_total"), 1);
  EXPECT_THAT(recorded("relay.unroutable"), ElementsAre(HasSubstr(part(asked, "id"))));
  EXPECT_EQ(counted("parley_relay_host_timeouts_total"), 1);
}

TEST_F(RelayRoutingTimed, EachRequest_HasOwnTimeout) {
  one.say("tool.call", R"({"reason":"r"})", "1");
  server.advance(core::Millis(10'000));
  one.say("tool.call", R"({"reason":"r"})", "2");
  server.advance(core::Millis(6'000));
  EXPECT_EQ(part(one.take_one(), "replyTo"), "1");
  server.advance(core::Millis(10'000));
  EXPECT_EQ(part(one.take_one(), "replyTo"), "2");
}

TEST_F(RelayRoutingTimed, WaitingRequests_AreLimited) {
  for (int i = 0; i < 4; ++i) one.say("tool.call", R"({"reason":"r"})", "1");
  two.say("tool.call", R"({"reason":"r"})", "5");
  EXPECT_EQ(part(two.take_one(), "payload.code"), "\"TOOL_EXECUTION_FAILED\"");
  two.say("agent.message", R"({"text":"t"})", "6");
  EXPECT_THAT(two.take(), IsEmpty()) << "what expects no reply is not counted";
  EXPECT_EQ(host.take_messages().size(), 5U);
}

TEST_F(RelayRoutingTimed, AgentMessage_WaitsOnlyForError) {
  one.say("agent.message", R"({"text":" "})", "\"m\"");
  const std::string asked = host.take_one();
  host.reply("error", part(asked, "id"), R"({"code":"INVALID_PARAMS","message":"x"})");
  EXPECT_EQ(part(one.take_one(), "replyTo"), "\"m\"");
  one.say("agent.message", R"({"text":"a"})", "\"m\"");
  server.advance(core::Millis(60'000));
  EXPECT_THAT(one.take(), IsEmpty()) << "silence is success";
}

// --- replies that name no request ---------------------------------------------------------------

TEST_F(RelayRouting, ReplyWithoutReplyTo_AnswersOldestOfItsKind) {
  one.say("snapshot.get", "{}", "1");
  two.say("tool.call", R"({"reason":"r"})", "2");
  one.say("tool.call", R"({"reason":"r"})", "3");
  host.say("tool.result", R"({"ok":true})");
  EXPECT_EQ(part(two.take_one(), "replyTo"), "2");
  host.say("tool.result", R"({"ok":true})");
  EXPECT_EQ(part(one.take_one(), "replyTo"), "3");
  host.send(R"({"type":"snapshot.state","replyTo":null,"payload":{}})");
  EXPECT_EQ(part(one.take_one(), "replyTo"), "1");
  host.say("tool.result", R"({"ok":true})");
  EXPECT_THAT(one.take(), IsEmpty());
  EXPECT_THAT(two.take(), IsEmpty());
  EXPECT_EQ(counted("parley_relay_unroutable_total"), 1);
}

TEST_F(RelayRouting, ErrorAnsweringNobody_GoesToAll) {
  host.say("error", R"({"code":"TOOL_EXECUTION_FAILED","message":"x"})");
  EXPECT_EQ(one.take().size(), 1U);
  EXPECT_EQ(two.take().size(), 1U);
  two.say("tool.call", R"({"reason":"r"})", "2");
  host.say("error", R"({"code":"TOOL_EXECUTION_FAILED","message":"x"})");
  EXPECT_THAT(one.take(), IsEmpty());
  EXPECT_EQ(part(two.take_one(), "replyTo"), "2");
}

TEST_F(RelayRouting, ReplyToNobody_IsDroppedCountedAndRecorded) {
  for (const char* reply_to : {"\"req-1\"", "7", "\"r-\"", "\"r-1x\"", "\"r-99999\"",
                               "\"r-99999999999999999999999\"", "{}", "[]"}) {
    host.reply("tool.result", reply_to, "{}");
  }
  EXPECT_THAT(one.take(), IsEmpty());
  EXPECT_THAT(two.take(), IsEmpty());
  EXPECT_THAT(host.take(), IsEmpty());
  EXPECT_EQ(counted("parley_relay_unroutable_total"), 8);
  EXPECT_EQ(recorded("relay.unroutable").size(), 8U);
}

TEST_F(RelayRouting, ReplyToDepartedAgent_ReachesNobody) {
  one.say("tool.call", R"({"reason":"r"})", "1");
  const std::string asked = host.take_one();
  one.hang_up();
  Peer next(server);
  next.join("agent");
  host.reply("tool.result", part(asked, "id"), "{}");
  EXPECT_THAT(next.take(), IsEmpty());
  EXPECT_EQ(counted("parley_relay_unroutable_total"), 1);
}

TEST_F(RelayRouting, LateReplyOfOtherSession_AnswersNobody) {
  one.say("tool.call", R"({"reason":"r"})", "1");
  const std::string asked = host.take_one();
  host.join("host", "elsewhere");
  Peer agent(server);
  agent.join("agent", "elsewhere");
  agent.say("tool.call", R"({"reason":"r"})", "9");
  agent.take();
  host.reply("tool.result", part(asked, "id"), "{}");
  EXPECT_THAT(agent.take(), IsEmpty());
}

// --- reasons ------------------------------------------------------------------------------------

TEST_F(RelayRouting, MissingReason_IsForwardedAndRecorded) {
  for (const char* payload : {"{}", R"({"reason":""})", R"({"reason":"  "})", R"({"reason":7})"}) {
    one.say("tool.call", payload, "1");
    EXPECT_EQ(host.take_messages().size(), 1U) << payload;
  }
  EXPECT_EQ(recorded("relay.missing_reason").size(), 4U);
  EXPECT_EQ(counted("parley_relay_missing_reason_total"), 4);
}

class RelayRoutingReasons : public RelayRouting {
 protected:
  RelayRoutingReasons() : RelayRouting(options()) {}
  static RelayOptions options() {
    RelayOptions out;
    out.require_reason = true;
    return out;
  }
};

TEST_F(RelayRoutingReasons, CallWithoutReason_IsRefusedIfRequired) {
  one.say("tool.call", R"({"toolName":"next"})", "1");
  EXPECT_EQ(one.take_one(),
            error_frame("INVALID_PARAMS", "tool.call requires a non-empty payload.reason.", "1"));
  EXPECT_THAT(host.take(), IsEmpty());
  one.say("tool.call", R"({"toolName":"next","reason":"because"})", "1");
  EXPECT_EQ(host.take_messages().size(), 1U);
}

TEST_F(RelayRouting, ExceptionInMessage_LeavesSessionWhole) {
  server.studies.throwing = true;
  EXPECT_THROW(one.say("tool.call", R"({"toolName":"next","reason":"r"})", "1"), std::bad_alloc);
  server.studies.throwing = false;
  one.hang_up();
  forget();
  two.say("tool.call", R"({"toolName":"next","reason":"r"})", "2");
  host.reply("tool.result", part(host.take_one(), "id"), R"({"ok":true})");
  EXPECT_EQ(part(two.take_one(), "replyTo"), "2");
}

// --- other clients are not affected -------------------------------------------------------------

class RelayRoutingShards : public RelayRouting {
 protected:
  RelayRoutingShards() : RelayRouting({}, 4) {}
};

TEST_F(RelayRoutingShards, Sessions_DoNotNoticeEachOther) {
  Peer other_host(server);
  Peer other_agent(server);
  other_host.join("host", "other");
  other_agent.join("agent", "other");
  forget();
  other_agent.say("tool.call", R"({"reason":"r"})", "1");
  other_host.say("state.updated");
  other_host.send("{not json");
  other_host.hang_up();
  EXPECT_THAT(host.take(), IsEmpty());
  EXPECT_THAT(one.take(), IsEmpty());
  EXPECT_THAT(two.take(), IsEmpty());
}

TEST_F(RelayRoutingShards, EndOfToken_IsHeardOnThreadOfMovedSocket) {
  std::string session = "a";
  const auto shard_of = [&] {
    return &server.hub->home_of(study::placement_key_of("t2", session)).scheduler();
  };
  while (shard_of() == &server.schedulers[0]) session += "a";
  Peer mover(server, "other");
  server.tokens.forget("other");
  mover.give(R"({"v":"mvp-0.2","type":"relay.join","payload":{"role":"agent","sessionId":")" +
             session + "\"}}");
  ASSERT_EQ(mover.socket.moves, 1);
  // A task posted to the thread that the connection has left must not touch the connection.
  server.schedulers[0].run_ready();
  EXPECT_TRUE(mover.socket.is_open);
  server.run();
  EXPECT_FALSE(mover.socket.is_open);
  EXPECT_EQ(mover.socket.close_code, net::close_code::kUnauthenticated);
}

TEST_F(RelayRoutingShards, SessionOfOtherNode_IsRefused) {
  server.other_node.owners = {"t1"};
  Peer peer(server, "tok");
  peer.give(
      R"({"v":"mvp-0.2","type":"relay.join","payload":{"role":"agent","sessionId":"elsewhere"}})");
  server.run();
  EXPECT_FALSE(peer.socket.is_open);
  EXPECT_EQ(peer.socket.close_code, net::close_code::kTryAgainLater);
}

TEST_F(RelayRoutingShards, StormsOfClients_LeaveSessionWhole) {
  for (int round = 0; round < 100; ++round) {
    Peer rival(server);
    Peer guest(server);
    rival.join("host");
    guest.join("agent");
    guest.say("tool.call", R"({"reason":"r"})", "1");
    guest.say("relay.join",
              R"({"role":"agent","sessionId":"x)" + std::to_string(round % 7) + "\"}");
  }
  forget();
  one.say("tool.call", R"({"reason":"r"})", "\"after\"");
  host.reply("tool.result", part(host.take_one(), "id"), R"({"ok":true})");
  EXPECT_EQ(part(one.take_one(), "replyTo"), "\"after\"");
  EXPECT_EQ(server.relay_sessions(), 1U);
  EXPECT_EQ(counted("parley_relay_hosts_refused_total"), 100);
}

}  // namespace
}  // namespace parley::external_agent
