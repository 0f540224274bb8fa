// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Studies of a relay session (decision 5; faults 4 and 8 of section 6).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/external_agent/relay_fixture.h"

namespace parley::external_agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kPilot = R"({"studyId":"pilot-01","participantId":"P07"})";

class RelayStudy : public testing::Test {
 protected:
  explicit RelayStudy(RelayOptions options = {}) : server(options), host(server), agent(server) {
    host.join("host");
    agent.join("agent");
    host.take();
    agent.take();
  }
  // Starts a study and answers for the host; returns the agent's messages.
  std::string start(std::string_view payload = kPilot) {
    agent.say("session.start", payload, "\"s\"");
    const std::string asked = host.take_one();
    host.reply("session.started", part(asked, "id"), R"({"sessionId":"default"})");
    return agent.take_one();
  }
  // Type, or direction and type, of every record of the last study.
  std::vector<std::string> records() {
    std::vector<std::string> out;
    for (const LoggedRecord& record : server.studies.last().records) {
      out.push_back(record.direction + " " + record.type);
    }
    return out;
  }
  const study::Study& study() { return server.studies.last().study; }

  RelayServer server;
  Peer host;
  Peer agent;
};

class StrictRelayStudy : public RelayStudy {
 protected:
  StrictRelayStudy() : RelayStudy(options()) {}
  static RelayOptions options() {
    RelayOptions out;
    out.strict_sessions = true;
    return out;
  }
};

TEST_F(RelayStudy, Start_IsAnsweredWithRelayId) {
  EXPECT_EQ(start(), R"({"v":"mvp-0.2","type":"session.started","replyTo":"s",)"
                     R"("payload":{"sessionId":"s-20260213-001"}})");
  EXPECT_EQ(study().start.study_id, "pilot-01");
  EXPECT_EQ(study().start.participant_id, "P07");
  EXPECT_EQ(study().start.owner, "guest");
  EXPECT_EQ(study().start.relay_session, "default");
  EXPECT_FALSE(study().start.implicit);
}

TEST_F(RelayStudy, Host_IsAskedOnlyOnceStudyIsDurable) {
  server.studies.hold = true;
  agent.say("session.start", kPilot, "1");
  agent.say("tool.call", R"({"reason":"r"})", "2");
  host.say("user.message", R"({"text":"a"})");
  EXPECT_THAT(host.take(), IsEmpty());
  EXPECT_THAT(agent.take(), IsEmpty());
  server.studies.release();
  server.run();
  const std::vector<std::string> asked = host.take();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(part(asked[0], "type"), "\"session.start\"");
  EXPECT_EQ(part(asked[0], "payload"), kPilot);
  EXPECT_EQ(part(asked[1], "type"), "\"tool.call\"");
  EXPECT_EQ(part(agent.take_one(), "type"), "\"user.message\"");
  EXPECT_EQ(server.studies.logs.size(), 1U);
}

TEST_F(RelayStudy, EveryStep_IsRecordedInAndOut) {
  start();
  agent.say("tool.call", R"({"toolName":"next","reason":"r"})", "\"c\"");
  host.reply("tool.result", part(host.take_one(), "id"), R"({"ok":true})");
  EXPECT_THAT(records(), ElementsAre("internal study.opened", "internal relay.join",
                                     "internal relay.join", "in session.start", "out session.start",
                                     "in session.started", "out session.started", "in tool.call",
                                     "out tool.call", "in tool.result", "out tool.result"));
  const auto& log = server.studies.last().records;
  EXPECT_EQ(log[7].payload, R"({"toolName":"next","reason":"r"})");
  EXPECT_EQ(log[7].id, "\"c\"");
  EXPECT_EQ(log[8].payload, log[7].payload);
  EXPECT_EQ(log[8].id, "\"c\"");
  EXPECT_THAT(log[9].reply_to, HasSubstr("\"r-")) << "as the host wrote it";
  EXPECT_EQ(log[10].payload, R"({"delivered":1,"payload":{"ok":true}})");
  EXPECT_EQ(log[10].reply_to, "\"c\"") << "as the agent reads it";
  EXPECT_EQ(log[6].payload, R"({"delivered":1,"payload":{"sessionId":"s-20260213-001"}})");
  EXPECT_EQ(log[7].client_id, log[8].client_id);
  EXPECT_NE(log[7].client_id, log[9].client_id);
}

TEST_F(RelayStudy, JoinsLeavesAndErrors_AreRecorded) {
  start();
  {
    Peer late(server);
    late.join("agent");
    late.say("nonsense", "{}", "1");
  }
  host.hang_up();
  agent.say("tool.call", R"({"reason":"r"})", "2");
  const std::vector<std::string> all = records();
  EXPECT_THAT(
      std::vector<std::string>(all.begin() + 7, all.end()),
      ElementsAre("internal relay.join", "internal relay.error", "internal relay.disconnect",
                  "internal relay.disconnect", "in tool.call", "internal relay.error"));
  const LoggedRecord& join = server.studies.last().records[7];
  EXPECT_EQ(join.payload, R"({"clientId":")" + join.client_id +
                              R"(","role":"agent","clientName":"agent-)" +
                              join.client_id.substr(join.client_id.size() - 6) + R"("})");
  const LoggedRecord& error = server.studies.last().records[8];
  EXPECT_EQ(error.reply_to, "1") << "which request it answers";
  EXPECT_EQ(error.payload, R"({"clientId":")" + error.client_id +
                               R"(","role":"agent","code":"INVALID_MESSAGE",)"
                               R"("message":"Unsupported message type for agent role: nonsense"})");
}

TEST_F(RelayStudy, End_IsToldOnceLogIsWhole) {
  start();
  agent.say("session.end", R"({"reason":"study-complete"})", "\"e\"");
  const std::string asked = host.take_one();
  EXPECT_EQ(part(asked, "payload"), R"({"reason":"study-complete"})");
  server.studies.hold = true;
  host.reply("session.ended", part(asked, "id"),
             R"({"sessionId":"default","logFile":"logs/study/default.jsonl","stateReset":true})");
  host.say("state.updated", R"({"uiSpec":null})");
  EXPECT_THAT(agent.take(), IsEmpty());
  server.studies.release();
  server.run();
  EXPECT_THAT(agent.take(),
              ElementsAre(R"({"v":"mvp-0.2","type":"session.ended","replyTo":"e",)"
                          R"("payload":{"sessionId":"s-20260213-001",)"
                          R"("logFile":"logs/study/s-20260213-001.jsonl","stateReset":true}})",
                          R"({"v":"mvp-0.2","type":"state.updated","payload":{"uiSpec":null}})"));
  EXPECT_EQ(study().state, study::StudyState::ended);
  EXPECT_EQ(study().end_reason, "study-complete");
  const std::vector<std::string> all = records();
  EXPECT_THAT(std::vector<std::string>(all.end() - 3, all.end()),
              ElementsAre("in session.ended", "out session.ended", "internal study.closed"));
}

TEST_F(RelayStudy, NoLog_NoLogFileIsClaimed) {
  server.studies.log_enabled = false;
  start();
  agent.say("session.end", "{}", "1");
  host.reply("session.ended", part(host.take_one(), "id"), R"({"stateReset":true,"logFile":"x"})");
  EXPECT_EQ(part(agent.take_one(), "payload"),
            R"({"sessionId":"s-20260213-001","stateReset":true})");
}

TEST_F(RelayStudy, EndWithoutHost_ClosesLog) {
  start();
  host.hang_up();
  agent.take();
  agent.say("session.end", R"({"reason":"r"})", "1");
  EXPECT_EQ(part(agent.take_one(), "payload.stateReset"), "false");
  EXPECT_EQ(study().state, study::StudyState::ended);
  EXPECT_EQ(study().end_reason, "r");
}

TEST_F(RelayStudy, End_HasReasonFromList) {
  start();
  host.hang_up();
  agent.say("session.end", R"({"reason":")" + std::string(100'000, 'x') + "\"}");
  EXPECT_EQ(study().end_reason, std::string(256, 'x'));
  Peer next(server);
  next.join("host");
  agent.take();
  agent.say("session.start", kPilot);
  next.hang_up();
  agent.say("session.end", R"({"reason":7})");
  EXPECT_EQ(study().end_reason, "session.end");
}

TEST_F(RelayStudy, HostLeavingBeforeEnd_DoesNotKeepStudyOpen) {
  start();
  agent.say("session.end", "{}", "1");
  host.hang_up();
  const std::vector<std::string> told = agent.take_messages();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(part(told[0], "type"), "\"session.ended\"");
  EXPECT_EQ(part(told[0], "payload.stateReset"), "false");
  EXPECT_EQ(study().state, study::StudyState::ended);
}

TEST_F(RelayStudy, HostIgnoringEnd_DoesNotKeepStudyOpen) {
  start();
  agent.say("session.end", "{}", "1");
  const std::string asked = host.take_one();
  server.advance(core::Millis(15'100));
  EXPECT_EQ(part(agent.take_one(), "payload.stateReset"), "false");
  EXPECT_EQ(study().state, study::StudyState::ended);
  host.reply("session.ended", part(asked, "id"), R"({"stateReset":true})");
  EXPECT_THAT(agent.take(), IsEmpty());
}

TEST_F(RelayStudy, AgentLeavingAfterEnd_HasEndedStudy) {
  start();
  agent.say("session.end", "{}", "1");
  const std::string asked = host.take_one();
  agent.hang_up();
  host.reply("session.ended", part(asked, "id"), R"({"stateReset":true})");
  EXPECT_EQ(study().state, study::StudyState::ended);
  EXPECT_THAT(records(), testing::Contains("out session.ended"));
}

TEST_F(RelayStudy, TwoAgentsEndingStudy_AreBothTold) {
  Peer second(server);
  second.join("agent");
  start();
  second.take();
  agent.say("session.end", "{}", "1");
  second.say("session.end", "{}", "2");
  const std::vector<std::string> asked = host.take_messages();
  ASSERT_EQ(asked.size(), 2U);
  host.reply("session.ended", part(asked[0], "id"), R"({"stateReset":true})");
  host.reply("session.ended", part(asked[1], "id"), R"({"stateReset":true})");
  const std::string first = agent.take_one();
  const std::string other = second.take_one();
  EXPECT_EQ(part(first, "payload"), part(other, "payload"));
  EXPECT_EQ(server.studies.logs.size(), 1U);
}

TEST_F(RelayStudy, End_WithoutStudy_IsAnsweredByHost) {
  agent.say("session.end", "{}", "1");
  host.reply("session.ended", part(host.take_one(), "id"),
             R"({"sessionId":"x","logFile":"logs/study/x.jsonl","stateReset":true})");
  EXPECT_EQ(part(agent.take_one(), "payload"), R"({"sessionId":"default","stateReset":true})");
  EXPECT_THAT(server.studies.logs, IsEmpty());
}

TEST_F(RelayStudy, UnwritableLog_IsNotCalledWritten) {
  start();
  server.studies.close_failure = core::Error{core::Code::data_loss, "The disk failed."};
  agent.say("session.end", "{}", "1");
  host.reply("session.ended", part(host.take_one(), "id"), R"({"stateReset":true})");
  EXPECT_EQ(
      agent.take_one(),
      error_frame("TOOL_EXECUTION_FAILED",
                  "The log of the study session could not be written: The disk failed.", "1"));
}

// --- starting again -----------------------------------------------------------------------------

TEST_F(RelayStudy, SameStart_ContinuesOpenStudy) {
  const std::string first = start();
  EXPECT_EQ(start(), first);
  EXPECT_EQ(server.studies.logs.size(), 1U);
}

TEST_F(RelayStudy, OtherStart_ReplacesOpenStudy) {
  start();
  const std::string told = start(R"({"studyId":"pilot-01","participantId":"P08"})");
  EXPECT_EQ(part(told, "payload.sessionId"), "\"s-20260213-002\"");
  ASSERT_EQ(server.studies.logs.size(), 2U);
  EXPECT_EQ(server.studies.logs[0]->study.end_reason, "replaced");
  EXPECT_EQ(server.studies.recorders, 1U);
}

TEST_F(RelayStudy, Start_AfterEnd_OpensNewStudy) {
  start();
  agent.say("session.end", "{}", "1");
  host.reply("session.ended", part(host.take_one(), "id"), R"({"stateReset":true})");
  agent.take();
  EXPECT_EQ(part(start(), "payload.sessionId"), "\"s-20260213-002\"");
}

TEST_F(RelayStudy, Labels_MayBeNumbersOrMissing) {
  start(R"({"studyId":3,"participantId":null})");
  EXPECT_EQ(study().start.study_id, "3");
  EXPECT_EQ(study().start.participant_id, "");
  start("null");
  EXPECT_EQ(study().start.study_id, "");
}

TEST_F(RelayStudy, OverlongLabel_IsNamed) {
  agent.say("session.start", R"({"studyId":")" + std::string(257, 'x') + "\"}", "1");
  EXPECT_EQ(agent.take_one(),
            error_frame("INVALID_PARAMS",
                        "session.start payload: studyId must be at most 256 bytes.", "1"));
  EXPECT_THAT(server.studies.logs, IsEmpty());
}

TEST_F(RelayStudy, Start_WithoutHost_OpensNothing) {
  host.hang_up();
  agent.take();
  agent.say("session.start", kPilot, "1");
  EXPECT_EQ(agent.take_one(), error_frame("SESSION_NOT_ACTIVE", text::kNoHost, "1"));
  EXPECT_THAT(server.studies.logs, IsEmpty());
}

// --- implicit sessions --------------------------------------------------------------------------

class RelayImplicit : public RelayStudy, public testing::WithParamInterface<const char*> {};
TEST_P(RelayImplicit, TrafficWithoutStart_IsLogged) {
  const std::string_view type = GetParam();
  Peer& sender = type == "user.message" ? host : agent;
  Peer& receiver = type == "user.message" ? agent : host;
  sender.say(type, R"({"text":"t","reason":"r"})", "1");
  EXPECT_EQ(part(receiver.take_one(), "type"), "\"" + std::string(type) + "\"");
  ASSERT_EQ(server.studies.logs.size(), 1U);
  EXPECT_TRUE(study().start.implicit);
  EXPECT_THAT(records(), testing::Contains("in " + std::string(type)));
}
INSTANTIATE_TEST_SUITE_P(Contract, RelayImplicit,
                         testing::Values("tool.call", "snapshot.get", "agent.message",
                                         "user.message"));

TEST_F(RelayStudy, PushAlone_OpensNothing) {
  host.say("state.updated");
  agent.say("agent.status");
  EXPECT_THAT(server.studies.logs, IsEmpty());
  EXPECT_EQ(agent.take_messages().size(), 1U);
}

TEST_F(RelayStudy, Start_ReplacesImplicitStudy) {
  agent.say("snapshot.get", "{}", "1");
  host.take();
  EXPECT_EQ(part(start(), "payload.sessionId"), "\"s-20260213-002\"");
  EXPECT_EQ(server.studies.logs[0]->study.end_reason, "replaced");
}

TEST_F(RelayStudy, Snapshot_CarriesStudyId) {
  agent.say("snapshot.get", "{}", "1");
  host.reply("snapshot.state", part(host.take_one(), "id"),
             R"({"uiSpec":{"sessionId":"inner"}, "sessionId" : "default","toolSchema":[]})");
  EXPECT_EQ(part(agent.take_one(), "payload"),
            R"({"uiSpec":{"sessionId":"inner"}, "sessionId" : "s-20260213-001","toolSchema":[]})");
}

TEST_F(StrictRelayStudy, Calls_WaitForStart) {
  agent.say("tool.call", R"({"reason":"r"})", "1");
  EXPECT_EQ(agent.take_one(),
            error_frame("SESSION_NOT_ACTIVE", "Send session.start before tool calls.", "1"));
  EXPECT_THAT(host.take(), IsEmpty());
  agent.say("snapshot.get", "{}", "2");
  host.reply("snapshot.state", part(host.take_one(), "id"), R"({"sessionId":"?"})");
  EXPECT_EQ(part(agent.take_one(), "payload.sessionId"), "\"default\"");
  EXPECT_THAT(server.studies.logs, IsEmpty());
  start();
  agent.say("tool.call", R"({"reason":"r"})", "3");
  EXPECT_EQ(host.take_messages().size(), 1U);
}

TEST_F(RelayStudy, UnopenableStudy_IsToldToAgent) {
  server.studies.open_failure = core::Error{core::Code::resource_exhausted, "The disk is full."};
  agent.say("tool.call", R"({"reason":"r"})", "1");
  EXPECT_EQ(agent.take_one(),
            error_frame("SESSION_NOT_ACTIVE",
                        "The study session could not be opened: The disk is full.", "1"));
  EXPECT_THAT(host.take(), IsEmpty());
  host.say("user.message", R"({"text":"hello?"})");
  EXPECT_EQ(part(agent.take_one(), "payload.text"), "\"hello?\"") << "a person is heard anyway";
  server.studies.open_failure.reset();
  start();
  EXPECT_EQ(server.studies.logs.size(), 1U);
}

// --- a study opened by the host page ------------------------------------------------------------

constexpr std::string_view kBrought =
    R"(,"study":{"studyId":"kit","participantId":"P1","condition":"full","scenario":"date"})";

TEST_F(RelayStudy, Page_OpensStudyAtJoin) {
  host.hang_up();
  agent.take();
  Peer page(server);
  page.join("host", "default", kBrought);
  ASSERT_EQ(server.studies.logs.size(), 1U);
  EXPECT_EQ(study().start.study_id, "kit");
  EXPECT_EQ(study().start.condition, "full");
  EXPECT_EQ(study().start.scenario, "date");
  EXPECT_FALSE(study().start.implicit);
  agent.say("session.start", kPilot, "1");
  page.reply("session.started", part(page.take_one(), "id"), R"({"sessionId":"x"})");
  EXPECT_EQ(part(agent.take_one(), "payload.sessionId"), "\"s-20260213-001\"")
      << "an agent joins it, whatever its ids";
  EXPECT_THAT(records(), testing::Contains("in session.start"));
  EXPECT_EQ(server.studies.logs.size(), 1U);
}

TEST_F(RelayStudy, ReturningPage_ContinuesStudy) {
  host.hang_up();
  for (int i = 0; i < 3; ++i) {
    Peer page(server);
    page.join("host", "default", kBrought);
    page.say("user.message", R"({"text":"a"})");
  }
  EXPECT_EQ(server.studies.logs.size(), 1U);
  Peer next(server);
  next.join("host", "default", R"(,"study":{"studyId":"kit","participantId":"P2"})");
  EXPECT_EQ(server.studies.logs.size(), 2U);
  EXPECT_EQ(server.studies.logs[0]->study.end_reason, "replaced");
}

TEST_F(RelayStudy, UnopenableStudy_IsToldToPage) {
  server.studies.open_failure = core::Error{core::Code::unavailable, "No store."};
  host.say("relay.join", R"({"role":"host")" + std::string(kBrought) + "}", "1");
  EXPECT_EQ(host.take_messages().back(),
            error_frame("SESSION_NOT_ACTIVE", "The study session could not be opened: No store."));
  EXPECT_TRUE(host.socket.is_open);
}

// --- restarts of the server and of the relay session --------------------------------------------

TEST_F(RelayStudy, Study_ContinuesAfterRestart) {
  start();
  host.hang_up();
  agent.hang_up();
  server.restart();
  Peer page(server);
  Peer next(server);
  page.join("host");
  next.join("agent");
  next.say("tool.call", R"({"reason":"r"})", "1");
  EXPECT_EQ(page.take_messages().size(), 1U);
  ASSERT_EQ(server.studies.logs.size(), 1U) << "no implicit one beside it";
  EXPECT_THAT(records(), testing::Contains("in tool.call"));
  next.say("session.start", kPilot, "2");
  page.reply("session.started", part(page.take().back(), "id"), "{}");
  EXPECT_EQ(part(next.take().back(), "payload.sessionId"), "\"s-20260213-001\"");
}

TEST_F(RelayStudy, MessagesBeforeStudyIsResumed_Wait) {
  start();
  host.hang_up();
  agent.hang_up();
  server.restart();
  server.studies.hold = true;
  Peer page(server);
  Peer next(server);
  page.join("host");
  next.take();
  next.say("relay.join", R"({"role":"agent"})", "1");
  EXPECT_EQ(part(next.take_one(), "type"), "\"relay.joined\"") << "a join does not wait";
  next.say("tool.call", R"({"reason":"r"})", "2");
  EXPECT_THAT(page.take_messages(), IsEmpty());
  server.studies.release();
  server.run();
  EXPECT_EQ(page.take_messages().size(), 1U);
  EXPECT_EQ(server.studies.logs.size(), 1U);
}

TEST_F(RelayStudy, EmptyRelaySession_WaitsForStudyClients) {
  start();
  host.hang_up();
  agent.hang_up();
  EXPECT_EQ(server.relay_sessions(), 1U);
  server.advance(core::Millis(20'000));
  {
    Peer page(server);
    page.join("host");
  }
  server.advance(core::Millis(20'000));
  EXPECT_EQ(server.relay_sessions(), 1U) << "it was visited meanwhile";
  server.advance(core::Millis(20'000));
  EXPECT_EQ(server.relay_sessions(), 0U);
  EXPECT_EQ(server.studies.recorders, 0U);
  EXPECT_EQ(study().state, study::StudyState::open) << "it waits in the store";
}

TEST_F(RelayStudy, ImplicitStudy_EndsWithClients) {
  agent.say("snapshot.get", "{}", "1");
  host.hang_up();
  agent.hang_up();
  server.advance(core::Millis(31'000));
  EXPECT_EQ(study().state, study::StudyState::ended);
  EXPECT_EQ(study().end_reason, "host-gone");
  EXPECT_EQ(server.relay_sessions(), 0U);
}

TEST_F(RelayStudy, MessagesOfDepartedAgent_AreNotLost) {
  server.studies.hold = true;
  agent.say("session.start", kPilot, "1");
  agent.say("agent.message", R"({"text":"bye"})", "2");
  agent.hang_up();
  server.studies.release();
  server.run();
  const std::vector<std::string> asked = host.take_messages();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(part(asked[1], "payload.text"), "\"bye\"");
  host.reply("session.started", part(asked[0], "id"), "{}");
  EXPECT_THAT(host.take(), IsEmpty());
}

TEST_F(RelayStudy, JoinElsewhere_TakesWaitingMessages) {
  Peer other_host(server);
  other_host.join("host", "other");
  server.studies.hold = true;
  agent.give(R"({"type":"tool.call","id":1,"payload":{"reason":"r"}})");
  agent.give(R"({"type":"relay.join","payload":{"role":"agent","sessionId":"other"}})");
  agent.give(R"({"type":"tool.call","id":2,"payload":{"reason":"r"}})");
  agent.give(R"({"type":"tool.call","id":3,"payload":{"reason":"r"}})");
  server.studies.release();
  server.run();
  EXPECT_EQ(host.take_messages().size(), 1U);
  EXPECT_EQ(other_host.take_messages().size(), 2U);
}

// --- a slow log ---------------------------------------------------------------------------------

TEST_F(RelayStudy, UnloggedBacklog_PausesReading) {
  start();
  server.studies.pending_bytes = (4U << 20U) + 1;
  host.say("state.updated");
  EXPECT_EQ(agent.take_messages().size(), 1U) << "what is forwarded never waits for the log";
  EXPECT_TRUE(host.socket.paused);
  EXPECT_TRUE(agent.socket.paused);
  Peer late(server);
  late.join("agent");
  EXPECT_TRUE(late.socket.paused);
  server.studies.pending_bytes = 3U << 20U;
  server.advance(core::Millis(100));
  EXPECT_TRUE(host.socket.paused) << "until it has fallen to half";
  server.studies.pending_bytes = 2U << 20U;
  server.advance(core::Millis(100));
  EXPECT_FALSE(host.socket.paused);
  EXPECT_FALSE(agent.socket.paused);
  EXPECT_FALSE(late.socket.paused);
}

TEST_F(RelayStudy, UnloggedBacklogOfAllStudies_PausesReading) {
  start();
  server.studies.all_pending_bytes = (32U << 20U) + 1;
  host.say("state.updated");
  EXPECT_TRUE(host.socket.paused);
  EXPECT_TRUE(agent.socket.paused);
  server.studies.all_pending_bytes = 16U << 20U;
  server.advance(core::Millis(100));
  EXPECT_FALSE(host.socket.paused);
  EXPECT_FALSE(agent.socket.paused);
}

TEST_F(RelayStudy, BacklogBeforeStudy_PausesReading) {
  server.studies.hold = true;
  agent.say("session.start", kPilot, "1");
  const std::string big = R"({"text":")" + std::string(400'000, 'x') + "\"}";
  for (int i = 0; i < 3; ++i) agent.say("agent.message", big);
  EXPECT_TRUE(agent.socket.paused);
  server.studies.release();
  server.run();
  EXPECT_FALSE(agent.socket.paused);
  EXPECT_EQ(host.take_messages().size(), 4U);
}

TEST_F(RelayStudy, OversizedMessage_DoesNotWait) {
  server.studies.hold = true;
  agent.say("session.start", kPilot, "1");
  agent.say("agent.message", R"({"text":")" + std::string(4U << 20U, 'x') + "\"}");
  EXPECT_EQ(part(agent.take_one(), "payload.code"), "\"INVALID_MESSAGE\"");
  EXPECT_FALSE(agent.socket.paused);
}

}  // namespace
}  // namespace parley::external_agent
