// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/assistant/ui_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/id.h"
#include "tests/support/assistant/assistant_fixture.h"

namespace parley::assistant {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class Login : public testing::Test {
 protected:
  AssistantServer server_;
};

// --- login ---------------------------------------------------------------------------------------

TEST_F(Login, Login_IsAnsweredWithClientIdAndVersion) {
  AssistantServer server(1, {.server_version = "9.9"});
  Ui ui(server);
  ui.log_in("tok", "Al");
  const auto sent = ui.take();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].cmd(), "UserLogin");
  EXPECT_EQ(sent[0].strparam(), "9.9");
  EXPECT_TRUE(sent[0].userloginresponse().success());
  EXPECT_TRUE(core::is_safe_id(sent[0].userloginresponse().client_id()));
  EXPECT_TRUE(ui.socket.is_open);
  EXPECT_EQ(server.verifier.last_peer, "192.0.2.7");
}

TEST_F(Login, Fault03_WrongOrMissingToken_Closes4401) {
  for (const char* token : {"wrong", ""}) {
    Ui ui(server_);
    ui.log_in(token, "Al");
    const auto sent = ui.take();
    ASSERT_THAT(sent, SizeIs(1));
    EXPECT_EQ(sent[0].cmd(), "UserLogin");
    EXPECT_FALSE(sent[0].userloginresponse().success());
    EXPECT_FALSE(sent[0].userloginresponse().error_message().empty());
    EXPECT_EQ(ui.socket.close_code, 4401);
  }
  EXPECT_EQ(server_.context->counters().login_failures.value(), 2.0);
}

TEST_F(Login, Fault03_BeforeLogin_NothingIsServed) {
  Ui in(server_);
  in.enter("tok", "Al");
  Ui out(server_);
  server_.call(RpcMethod::ask_question, question("q1", "Which way?"));
  server_.run();
  for (const char* cmd : {"GetPendingMessages", "GetOnlineUsers", "CheckMessageValidity"}) {
    out.send_cmd(cmd);
  }
  out.send(question_reply("q1", "stolen"));
  EXPECT_THAT(out.take(), IsEmpty());
  EXPECT_TRUE(server_.session("t1")->is_pending("q1"));
  EXPECT_EQ(server_.context->counters().before_login.value(), 4.0);
}

TEST_F(Login, Login_MustComeWithinThirtySeconds) {
  Ui silent(server_);
  Ui active(server_);
  active.enter("tok");
  server_.advance(std::chrono::milliseconds(29'900));
  EXPECT_TRUE(silent.socket.is_open);
  server_.advance(std::chrono::milliseconds(200));
  EXPECT_EQ(silent.socket.close_code, 4401);
  EXPECT_TRUE(active.socket.is_open);
}

TEST_F(Login, Fault07_Ids_AreUnique_NotClockBased) {
  Ui a(server_);
  Ui b(server_);
  const std::string first = a.enter("tok");
  const std::string second = b.enter("tok");
  EXPECT_NE(first, second);
  // Same millisecond: the random part of a UUIDv7 differs.
  EXPECT_EQ(first.substr(0, 13), second.substr(0, 13));
  EXPECT_NE(first.substr(15), second.substr(15));
}

TEST_F(Login, Fault07_NamelessUser_GetsOwnName) {
  Ui watcher(server_);
  watcher.enter("tok", "Al");
  Ui a(server_);
  Ui b(server_);
  const std::string id = a.enter("tok", "  ");
  b.enter("tok");
  const auto told = watcher.take();
  ASSERT_THAT(told, SizeIs(2));
  const std::string first = told[0].userconnectionstatusnotification().user().nickname();
  EXPECT_EQ(first, "User_" + id.substr(id.size() - 8));
  EXPECT_NE(first, told[1].userconnectionstatusnotification().user().nickname());
}

TEST_F(Login, LongNickname_IsCutBetweenCharacters) {
  Ui watcher(server_);
  watcher.enter("tok");
  std::string name;
  for (int i = 0; i < 60; ++i) name += "聪";
  Ui ui(server_);
  ui.enter("tok", name);
  const auto told = watcher.take();
  EXPECT_EQ(told.at(0).userconnectionstatusnotification().user().nickname(), name.substr(0, 126));
}

TEST_F(Login, Login_MovesSocketToShardOfSession) {
  AssistantServer server(4);
  for (std::size_t home = 0; home < 4; ++home) {
    Ui ui(server, {}, home);
    EXPECT_FALSE(ui.enter("tok").empty());
    const std::string id = AssistantContext::session_key("t1").id;
    EXPECT_EQ(&ui.socket.scheduler(), &server.hub->home_of(id).scheduler());
    EXPECT_FALSE(ui.socket.paused);
  }
}

TEST_F(Login, WorkspaceOfOtherNode_IsToldToRetry) {
  server_.other_node.owners = {"t1"};
  Ui ui(server_);
  EXPECT_EQ(ui.enter("tok"), "");
  EXPECT_FALSE(ui.socket.is_open);
  EXPECT_EQ(ui.socket.close_code, net::close_code::kTryAgainLater);
  EXPECT_EQ(ui.socket.close_reason, "Another node owns this session: node-2.");
}

TEST_F(Login, MessagesBehindLogin_AreServedAfterwards) {
  Ui ui(server_);
  pb::WebsocketMessage login;
  login.set_cmd("UserLogin");
  login.set_strparam("tok");
  pb::WebsocketMessage pending;
  pending.set_cmd("GetPendingMessages");
  pb::WebsocketMessage users;
  users.set_cmd("GetOnlineUsers");
  ui.send_bytes(encode(login));
  ui.send_bytes(encode(pending));
  ui.send_bytes(encode(users));
  EXPECT_TRUE(ui.socket.paused) << "the session is being loaded";
  server_.run();
  EXPECT_THAT(ui.take_cmds(), ElementsAre("UserLogin", "GetPendingMessages", "GetOnlineUsers"));
  EXPECT_FALSE(ui.socket.paused);
}

TEST_F(Login, TooMuchBehindLogin_ClosesSocket) {
  Ui ui(server_);
  pb::WebsocketMessage login;
  login.set_cmd("UserLogin");
  login.set_strparam("tok");
  ui.send_bytes(encode(login));
  for (int i = 0; i < 65; ++i) ui.send_bytes("");
  EXPECT_EQ(ui.socket.close_code, 1008);
  server_.run();
  EXPECT_THAT(ui.take(), IsEmpty());
}

TEST_F(Login, SocketLostDuringLogin_LeavesNothing) {
  Ui ui(server_);
  pb::WebsocketMessage login;
  login.set_cmd("UserLogin");
  login.set_strparam("tok");
  ui.send_bytes(encode(login));
  ui.hang_up();
  EXPECT_EQ(server_.hub->shard(0).counts().participants, 0U);
}

TEST_F(Login, TokenRevokedDuringLoad_IsRefused) {
  Ui ui(server_);
  pb::WebsocketMessage login;
  login.set_cmd("UserLogin");
  login.set_strparam("tok");
  ui.send_bytes(encode(login));
  server_.verifier.ids.erase("tok");
  server_.run();
  EXPECT_EQ(ui.socket.close_code, 4401);
  EXPECT_FALSE(ui.take().at(0).userloginresponse().success());
  EXPECT_EQ(server_.hub->shard(0).counts().participants, 0U);
}

// Clients discard a refused token, so an error that the token does not cause must be reported
// otherwise.
TEST_F(Login, FullSession_Closes1013_KeepsToken) {
  session::SessionLimits limits;
  limits.max_participants = 1;
  AssistantServer server(1, {}, limits);
  Ui first(server);
  first.enter("tok");
  Ui second(server);
  second.log_in("tok");
  EXPECT_THAT(second.take(), IsEmpty());
  EXPECT_EQ(second.socket.close_code, 1013);
  EXPECT_FALSE(second.socket.close_reason.empty());
  EXPECT_EQ(server.context->counters().login_failures.value(), 0.0);
  EXPECT_TRUE(first.socket.is_open);
}

TEST_F(Login, TooManyFailuresOfAddress_Close1013_KeepToken) {
  server_.verifier.exhausted = true;
  Ui ui(server_);
  ui.log_in("tok");
  EXPECT_THAT(ui.take(), IsEmpty());
  EXPECT_EQ(ui.socket.close_code, 1013);
}

// --- login again ---------------------------------------------------------------------------------

TEST_F(Login, Fault08_NewName_IsToldToOthersOnce) {
  Ui watcher(server_);
  watcher.enter("tok", "Al");
  Ui ui(server_);
  const std::string id = ui.enter("tok", "Bo");
  watcher.take();
  ui.log_in("tok", "Bob");
  const auto answer = ui.take();
  ASSERT_THAT(answer, SizeIs(1));
  EXPECT_EQ(answer[0].userloginresponse().client_id(), id) << "the id is kept";
  const auto told = watcher.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].userconnectionstatusnotification().status(), "connected");
  EXPECT_EQ(told[0].userconnectionstatusnotification().user().nickname(), "Bob");
  ui.log_in("tok", "Bob");
  EXPECT_THAT(watcher.take(), IsEmpty()) << "nothing has changed";
}

TEST_F(Login, SecondLogin_WithOtherToken_ChangesSession) {
  AssistantServer server(3);
  Ui first(server);
  first.enter("tok", "Al");
  Ui second(server);
  second.enter("other", "Cy");
  Ui ui(server, {}, 1);
  const std::string id = ui.enter("tok", "Bo");
  first.take();
  ui.log_in("other", "Bo");
  EXPECT_THAT(ui.take_cmds(), ElementsAre("UserLogin"));
  const auto gone = first.take();
  ASSERT_THAT(gone, SizeIs(1));
  EXPECT_EQ(gone[0].userconnectionstatusnotification().status(), "disconnected");
  const auto came = second.take();
  ASSERT_THAT(came, SizeIs(1));
  EXPECT_EQ(came[0].userconnectionstatusnotification().user().client_id(), id);
  server.call(RpcMethod::ask_question, question("q1", "For tok only"));
  server.run();
  EXPECT_THAT(ui.take(), IsEmpty());
  EXPECT_THAT(first.take_cmds(), ElementsAre("AskQuestion"));
}

TEST_F(Login, SecondLogin_WithWrongToken_EndsConnection) {
  Ui ui(server_);
  ui.enter("tok");
  ui.log_in("wrong");
  EXPECT_EQ(ui.socket.close_code, 4401);
  EXPECT_EQ(server_.hub->shard(0).counts().participants, 0U);
}

// --- presence, leaving ---------------------------------------------------------------------------

TEST_F(Login, Presence_IsToldToOthersOfToken) {
  Ui watcher(server_);
  watcher.enter("tok", "Al");
  Ui ui(server_);
  const std::string id = ui.enter("tok", "Bo");
  ui.hang_up();
  const auto told = watcher.take();
  ASSERT_THAT(told, SizeIs(2));
  for (const auto& message : told) {
    EXPECT_EQ(message.cmd(), "UserConnectionStatusNotification");
    EXPECT_EQ(message.userconnectionstatusnotification().user().client_id(), id);
    EXPECT_EQ(message.userconnectionstatusnotification().user().nickname(), "Bo");
    EXPECT_EQ(message.userconnectionstatusnotification().timestamp(), 1'700'000'000)
        << "Unix seconds";
  }
  EXPECT_EQ(told[0].userconnectionstatusnotification().status(), "connected");
  EXPECT_EQ(told[1].userconnectionstatusnotification().status(), "disconnected");
}

TEST_F(Login, RevokedToken_ClosesOnlyItsSockets4401) {
  Ui a(server_);
  a.enter("tok");
  Ui b(server_);
  b.enter("tok");
  Ui other(server_);
  other.enter("other");
  a.take();
  server_.hub->revoke("t1");
  server_.run();
  EXPECT_EQ(a.socket.close_code, 4401);
  EXPECT_EQ(b.socket.close_code, 4401);
  EXPECT_TRUE(other.socket.is_open);
  EXPECT_THAT(a.take(), IsEmpty()) << "nobody is told of those who are sent away with it";
  a.hang_up();
  b.hang_up();
  EXPECT_EQ(server_.hub->shard(0).counts().participants, 1U);
}

TEST_F(Login, EndOfSingleToken_ClosesOnlyItsSockets) {
  server_.verifier.ids["tok2"] = "t1";
  Ui a(server_);
  a.enter("tok");
  Ui b(server_);
  b.enter("tok2");
  // The second login makes `b` a participant of the other token's session.
  Ui c(server_);
  c.enter("tok");
  c.log_in("tok2");
  server_.verifier.ids.erase("tok");
  server_.verifier.watched.tell("t1");
  server_.run();
  EXPECT_EQ(a.socket.close_code, 4401);
  EXPECT_TRUE(b.socket.is_open);
  EXPECT_TRUE(c.socket.is_open);
  a.hang_up();
  EXPECT_EQ(server_.verifier.watched.size(), 2U);
}

TEST_F(Login, StoppingServer_ClosesSockets1001) {
  Ui ui(server_);
  ui.enter("tok");
  server_.hub->shut_down();
  server_.run();
  EXPECT_EQ(ui.socket.close_code, 1001);
  ui.send_cmd("GetPendingMessages");
  EXPECT_THAT(ui.take(), IsEmpty());
}

TEST_F(Login, SlowConsumer_IsToldHowToResume) {
  Ui ui(server_);
  EXPECT_THAT(ui.socket.resume_hint, HasSubstr("GetPendingMessages"));
  // RFC 6455 leaves 123 bytes; the prefix is "resume after seq N; ".
  EXPECT_LE(ui.socket.resume_hint.size() + 40, 123U);
}

TEST_F(Login, SlowConsumer_IsToldResumeSeq) {
  Ui ui(server_);
  EXPECT_EQ(ui.socket.resume_seq, std::nullopt);
  ui.enter("tok");
  EXPECT_EQ(ui.socket.resume_seq, 0U);
  server_.call(RpcMethod::ask_question, question("q1", "Which way?"));
  server_.run();
  EXPECT_EQ(ui.socket.resume_seq, 1U);
  Ui later(server_);
  later.enter("tok");
  EXPECT_EQ(later.socket.resume_seq, 1U) << "what was before it came is not owed to it";
}

TEST_F(Login, SessionTakenByOtherNode_RedirectsClients) {
  Ui ui(server_);
  ui.enter("tok");
  server_.call(RpcMethod::ask_question, question("q1", "Which way?"));
  server_.run();
  ui.take();
  server_.store.take_over();
  const auto refused = server_.call(RpcMethod::ask_question, question("q2", "And now?"));
  server_.run();
  ASSERT_TRUE(refused->response);
  EXPECT_EQ(refused->response->status, 503);
  EXPECT_THAT(refused->response->body, HasSubstr("unavailable"));
  EXPECT_FALSE(ui.socket.is_open);
  EXPECT_EQ(ui.socket.close_code, net::close_code::kTryAgainLater);
  EXPECT_THAT(ui.socket.close_reason, HasSubstr("resume after seq 1"));
}

// --- frames --------------------------------------------------------------------------------------

TEST_F(Login, Fault06_MalformedFrame_IsCounted_ConnectionStays) {
  Ui ui(server_);
  ui.enter("tok");
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 20; ++i) ui.send_bytes("\xff\xff");
    ui.send_cmd("GetOnlineUsers");
  }
  EXPECT_TRUE(ui.socket.is_open);
  EXPECT_THAT(ui.take(), SizeIs(3));
  EXPECT_EQ(server_.context->counters().malformed_frames.value(), 60.0);
}

TEST_F(Login, Over20MalformedFramesInRow_CloseConnection) {
  Ui ui(server_);
  ui.enter("tok");
  for (int i = 0; i < 20; ++i) ui.send_bytes("\xff");
  EXPECT_TRUE(ui.socket.is_open);
  ui.send_bytes("\xff");
  EXPECT_EQ(ui.socket.close_code, 1008);
}

TEST_F(Login, TextFrames_AreIgnoredAndCounted) {
  Ui ui(server_);
  ui.enter("tok");
  for (int i = 0; i < 100; ++i) ui.send_bytes("{\"Cmd\":\"UserLogin\"}", net::MessageType::text);
  EXPECT_TRUE(ui.socket.is_open);
  EXPECT_THAT(ui.take(), IsEmpty());
  EXPECT_THAT(ui.socket.texts, IsEmpty());
  EXPECT_EQ(server_.context->counters().text_frames.value(), 100.0);
}

TEST_F(Login, UnknownCommands_AreIgnoredAndCounted) {
  Ui watcher(server_);
  watcher.enter("tok");
  Ui ui(server_);
  ui.enter("tok");
  watcher.take();
  for (const char* cmd : {"RequestCancelled", "AskQuestion", "Nonsense\n\x01", ""}) {
    ui.send_cmd(cmd);
  }
  EXPECT_TRUE(ui.socket.is_open);
  EXPECT_THAT(ui.take(), IsEmpty());
  EXPECT_THAT(watcher.take(), IsEmpty());
  EXPECT_EQ(server_.context->counters().unknown_commands.value(), 4.0);
}

TEST_F(Login, SharedFrame_IsEncodedOnce) {
  std::vector<std::unique_ptr<Ui>> uis;
  for (int i = 0; i < 5; ++i) uis.push_back(std::make_unique<Ui>(server_));
  for (const auto& ui : uis) ui->enter("tok");
  for (const auto& ui : uis) ui->take();
  server_.call(RpcMethod::ask_question, question("q1", "Which way?"));
  server_.run();
  for (const auto& ui : uis) {
    ASSERT_THAT(ui->socket.shared, SizeIs(1));
    EXPECT_EQ(ui->socket.shared[0], uis[0]->socket.shared[0]);
  }
  core::Scheduler& scheduler = server_.schedulers[0];
  EXPECT_EQ(server_.context->frames(scheduler).size(), 0U) << "forgotten at the end of the turn";
}

}  // namespace
}  // namespace parley::assistant
