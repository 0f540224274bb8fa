// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/assistant/connect_rpc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/base64.h"
#include "base/net/http/compression.h"
#include "dialects/assistant/connect_wire.h"
#include "dialects/assistant/routes.h"
#include "tests/support/assistant/assistant_fixture.h"

namespace parley::assistant {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Rpc : public testing::Test {
 protected:
  std::shared_ptr<Caller> ask(net::Request request, std::size_t home = 0) {
    auto caller = server_.call(RpcMethod::ask_question, std::move(request), home);
    server_.run();
    return caller;
  }
  void reply(std::string_view id, std::string_view text, std::string_view token = "tok") {
    Ui ui(server_);
    ui.enter(token);
    ui.send(question_reply(id, text));
  }

  AssistantServer server_;
};

// --- outcomes ------------------------------------------------------------------------------------

TEST_F(Rpc, Call_ReturnsAnswerWithId) {
  auto call = ask(question("q1", "Which way?"));
  server_.advance(std::chrono::seconds(590));
  EXPECT_FALSE(call->response);
  reply("q1", "left");
  ASSERT_TRUE(call->response);
  EXPECT_EQ(call->response->status, 200);
  EXPECT_EQ(call->response->headers.get("Content-Type"), "application/proto");
  const auto answer = call->answer();
  EXPECT_EQ(answer.id(), "q1");
  EXPECT_FALSE(answer.iserror());
  EXPECT_EQ(answer.contents(0).text().text(), "left");
}

TEST_F(Rpc, HashOfArguments_IsStoredAndComesBack) {
  const std::string hash(64, 'a');
  net::Request request = question("q1", "Run it?");
  request.headers.set("Parley-Arguments-SHA256", hash);
  const auto call = ask(std::move(request));
  net::Request other = question("q1", "Run it?");
  other.headers.set("Parley-Arguments-SHA256", std::string(64, 'b'));
  EXPECT_EQ(ask(std::move(other))->response->status, 409) << "another request with this ID";
  reply("q1", "yes");
  EXPECT_EQ(call->answer().meta().at("parley.arguments_sha256"), hash);
  net::Request wrong = question("q2", "Run it?");
  wrong.headers.set("Parley-Arguments-SHA256", "abc");
  EXPECT_EQ(ask(std::move(wrong))->response->status, 400);
  EXPECT_EQ(call->answer().meta().size(), 1U);
}

TEST_F(Rpc, ActionThatThePersonDoesNotSee_IsNotRemembered) {
  const auto action_of = [&](const std::string& key, const std::string& text) {
    net::Request request = question(key, text);
    request.headers.set("Parley-Action",
                        core::base64_encode(session::action_json(
                            {"claude", "Bash", session::ActionKind::command, "npm test"})));
    const auto call = ask(std::move(request));
    EXPECT_FALSE(call->response) << "it waits for its answer";
    return server_.session("t1")->find_pending(key)->prompt.action;
  };
  EXPECT_TRUE(action_of("q1", "May it?\n\n```sh\nnpm test\n```"));
  EXPECT_FALSE(action_of("q2", "May it?\n\n```sh\nrm -rf ~\n```"));
  for (const char* wrong : {"?", "e30=", "W10="}) {
    net::Request request = question("q3", "Run it?");
    request.headers.set("Parley-Action", wrong);
    EXPECT_EQ(ask(std::move(request))->response->status, 400) << wrong;
  }
}

TEST_F(Rpc, TaskFinishAndWorkReport_AreSameKind) {
  for (const RpcMethod method : {RpcMethod::task_finish, RpcMethod::work_report}) {
    auto call = server_.call(method, report("r1", "Done."));
    server_.run();
    Ui ui(server_);
    ui.enter("tok");
    if (!call->response) ui.send(report_reply("WorkReportReply", "r1", "fine"));
    EXPECT_EQ(call->answer().contents(0).text().text(), "fine");
  }
}

TEST_F(Rpc, Fault05_WithoutUi_WaitsUntilDeadlineAndSaysSo) {
  auto call = ask(question("q1", "Anybody?", 90));
  server_.advance(std::chrono::seconds(89));
  EXPECT_FALSE(call->response);
  server_.advance(std::chrono::seconds(1));
  const auto answer = call->answer();
  EXPECT_EQ(answer.id(), "q1");
  EXPECT_TRUE(answer.iserror());
  EXPECT_EQ(answer.meta().at("error"), "timeout");
  EXPECT_EQ(answer.meta().at("message"), "Request timed out after 90 seconds");
  EXPECT_EQ(answer.contents(0).text().text(), "Request timed out after 90 seconds");
}

TEST_F(Rpc, Fault09_Timeout_Is600sByDefault_OneDayAtMost) {
  auto unsaid = ask(question("q1", "Anybody?"));
  auto endless = ask(question("q2", "Anybody?", 2'000'000'000));
  auto negative = ask(question("q3", "Anybody?", -5));
  server_.advance(std::chrono::seconds(600));
  EXPECT_EQ(unsaid->answer().meta().at("message"), "Request timed out after 600 seconds");
  EXPECT_EQ(negative->answer().meta().at("error"), "timeout");
  EXPECT_FALSE(endless->response);
  server_.schedulers[0].advance(std::chrono::hours(24));
  server_.run();
  EXPECT_EQ(endless->answer().meta().at("message"), "Request timed out after 86400 seconds");
}

TEST_F(Rpc, MissingRequest_IsErrorResultInBand) {
  pb::AskQuestionRequest message;
  message.set_id("q1");
  message.set_usertoken("tok");
  const auto answer = ask(rpc_request(encode(message)))->answer();
  EXPECT_EQ(answer.id(), "q1");
  EXPECT_TRUE(answer.iserror());
  EXPECT_EQ(answer.meta().at("error"), "invalid_request");
  EXPECT_EQ(answer.meta().at("message"), "Request field is required");
  EXPECT_EQ(answer.contents(0).text().text(), "Request field is required");
}

TEST_F(Rpc, StoppingServer_SaysSo_QuestionSurvives) {
  auto call = ask(question("q1", "Which way?"));
  server_.hub->shut_down();
  server_.run();
  const auto answer = call->answer();
  EXPECT_EQ(answer.id(), "q1");
  EXPECT_TRUE(answer.iserror());
  EXPECT_EQ(answer.meta().at("error"), "shutting_down");
  EXPECT_FALSE(answer.contents(0).text().text().empty());
  EXPECT_EQ(ask(question("q2", "Late?"))->answer().meta().at("error"), "shutting_down");
  server_.restart();
  auto again = ask(question("q1", "Which way?"));
  EXPECT_FALSE(again->response);
  reply("q1", "left");
  EXPECT_EQ(again->answer().contents(0).text().text(), "left");
}

TEST_F(Rpc, RevokedToken_EndsWaitUnauthenticated) {
  auto call = ask(question("q1", "Which way?"));
  server_.hub->revoke("t1");
  server_.run();
  EXPECT_EQ(call->response->status, 401);
}

TEST_F(Rpc, FullQueue_IsResourceExhausted) {
  session::SessionLimits limits;
  limits.max_pending = 1;
  AssistantServer server(1, {}, limits);
  server.call(RpcMethod::ask_question, question("q1", "One?"));
  server.run();
  auto call = server.call(RpcMethod::ask_question, question("q2", "Two?"));
  server.run();
  EXPECT_EQ(call->response->status, 429);
  EXPECT_THAT(call->response->body, HasSubstr("resource_exhausted"));
}

TEST_F(Rpc, FailedStore_IsErrorOfCall) {
  server_.store.fail_next(1, {core::Code::data_loss, "disk", ""});
  EXPECT_EQ(ask(question("q1", "One?"))->response->status, 500);
}

// --- ids -----------------------------------------------------------------------------------------

TEST_F(Rpc, SameIdAndRequest_AttachesOrReturnsAnswer) {
  auto first = ask(question("q1", "Which way?"));
  auto second = ask(question("q1", "Which way?"));
  reply("q1", "left");
  auto later = ask(question("q1", "Which way?"));
  for (const auto& call : {first, second, later}) {
    EXPECT_EQ(call->answer().contents(0).text().text(), "left");
  }
}

TEST_F(Rpc, SameIdWithOtherRequest_AlreadyExists) {
  ask(question("q1", "Which way?"));
  auto other = ask(question("q1", "Something else?"));
  EXPECT_EQ(other->response->status, 409);
  EXPECT_THAT(other->response->body, HasSubstr("already_exists"));
  reply("q1", "left");
  EXPECT_EQ(ask(question("q1", "Something else?"))->response->status, 409) << "answered, too";
}

TEST_F(Rpc, EmptyId_IsReplaced_AttachesToNothing) {
  auto first = ask(question("", "Which way?"));
  auto second = ask(question("", "Which way?"));
  Ui ui(server_);
  ui.enter("tok");
  ui.send_cmd("GetPendingMessages");
  const auto list = ui.take().at(0).getpendingmessagesresponse();
  ASSERT_EQ(list.pending_messages_size(), 2);
  const std::string id = list.pending_messages(0).ask_question_request().id();
  EXPECT_FALSE(id.empty());
  ui.send(question_reply(id, "left"));
  EXPECT_EQ(first->answer().id(), id);
  EXPECT_FALSE(second->response);
}

TEST_F(Rpc, OverlongId_IsRefused) {
  EXPECT_EQ(ask(question(std::string(257, 'x'), "Which way?"))->response->status, 400);
  pb::AskQuestionRequest many;
  many.set_usertoken("tok");
  for (int i = 0; i < 101; ++i) many.mutable_request()->add_questions()->set_question("Which?");
  EXPECT_EQ(ask(rpc_request(encode(many)))->response->status, 400);
  many.mutable_request()->clear_questions();
  pb::Question& one = *many.mutable_request()->add_questions();
  for (int i = 0; i < 101; ++i) one.add_options()->set_label("a");
  const auto refused = ask(rpc_request(encode(many)))->response;
  EXPECT_EQ(refused->status, 400);
  EXPECT_THAT(refused->body, HasSubstr("At most 100 questions"));
}

// --- callers that disconnect ---------------------------------------------------------------------

TEST_F(Rpc, LostCaller_CancelsQuestionAfterGrace) {
  auto call = ask(question("q1", "Which way?"));
  call->gone();
  server_.run();
  EXPECT_TRUE(server_.session("t1")->is_pending("q1"));
  server_.advance(std::chrono::seconds(2));
  EXPECT_FALSE(call->response);
  const auto answer = ask(question("q1", "Which way?"))->answer();
  EXPECT_EQ(answer.meta().at("error"), "cancelled");
  EXPECT_EQ(answer.contents(0).text().text(), "Request was cancelled by client");
}

TEST_F(Rpc, CallerReturningInGrace_FindsQuestionOpen) {
  auto call = ask(question("q1", "Which way?"));
  call->gone();
  server_.run();
  server_.advance(std::chrono::seconds(1));
  auto again = ask(question("q1", "Which way?"));
  server_.advance(std::chrono::seconds(5));
  reply("q1", "left");
  EXPECT_EQ(again->answer().contents(0).text().text(), "left");
}

TEST_F(Rpc, CallerGoneBeforeSession_AsksNothing) {
  auto call = server_.call(RpcMethod::ask_question, question("q1", "Which way?"));
  call->gone();
  server_.run();
  EXPECT_FALSE(call->response);
  server_.advance(std::chrono::seconds(3));
  EXPECT_EQ(server_.hub->shard(0).counts().pending, 0U);
}

TEST_F(Rpc, ConnectTimeout_BoundsWait) {
  net::Request request = question("q1", "Which way?");
  request.headers.set("Connect-Timeout-Ms", "1500");
  auto call = ask(std::move(request));
  server_.advance(core::Millis(1'400));
  EXPECT_FALSE(call->response);
  server_.advance(core::Millis(100));
  EXPECT_EQ(call->response->status, 504);
  EXPECT_THAT(call->response->body, HasSubstr("deadline_exceeded"));
  server_.advance(std::chrono::seconds(3));
  EXPECT_EQ(server_.hub->shard(0).counts().pending, 0U) << "nobody waits for it any more";
}

TEST_F(Rpc, ZeroConnectTimeout_AsksNothing) {
  net::Request request = question("q1", "Which way?");
  request.headers.set("Connect-Timeout-Ms", "0");
  EXPECT_EQ(ask(std::move(request))->response->status, 504);
  EXPECT_EQ(server_.hub->shard(0).counts().sessions, 0U);
}

TEST_F(Rpc, CallOnAnyShard_IsAnsweredThere) {
  AssistantServer server(4);
  for (std::size_t home = 0; home < 4; ++home) {
    const std::string id = "q" + std::to_string(home);
    auto call = server.call(RpcMethod::ask_question, question(id, "Which way?"), home);
    auto gone = server.call(RpcMethod::ask_question, question(id + "b", "Which way?"), home);
    server.run();
    Ui ui(server, {}, home);
    ui.enter("tok");
    ui.send(question_reply(id, "left"));
    EXPECT_EQ(call->answer().contents(0).text().text(), "left");
    gone->gone();
    server.run();
    EXPECT_FALSE(gone->response);
  }
}

// --- the Connect protocol ------------------------------------------------------------------------

TEST_F(Rpc, SpeaksJson) {
  auto call = ask(rpc_request(R"({"ID":"q1","UserToken":"tok","Request":{"Question":"Way?"}})",
                              "application/json"));
  reply("q1", "left");
  EXPECT_EQ(call->response->headers.get("Content-Type"), "application/json");
  EXPECT_EQ(call->response->body,
            R"({"ID":"q1","contents":[{"type":1,"text":{"type":"text","text":"left"}}]})");
}

TEST_F(Rpc, Gzip_IsReadAndWritten) {
  net::Request request = question("q1", "Which way?");
  request.body = *net::gzip(request.body);
  request.headers.set("Content-Encoding", "gzip");
  request.headers.set("Accept-Encoding", "gzip");
  auto call = ask(std::move(request));
  reply("q1", std::string(5'000, 'x'));
  EXPECT_EQ(call->response->headers.get("Content-Encoding"), "gzip");
  pb::AskQuestionResponse answer;
  ASSERT_TRUE(answer.ParseFromString(*net::gunzip(call->response->body, 100'000)));
  EXPECT_EQ(answer.contents(0).text().text().size(), 5'000U);
}

TEST_F(Rpc, ProtocolViolations_AreRefused) {
  const auto status = [this](auto change) {
    net::Request request = question("q1", "Which way?");
    change(request);
    auto call = ask(std::move(request));
    return call->response ? call->response->status : 0;
  };
  EXPECT_EQ(status([](net::Request& r) { r.headers.set("Connect-Protocol-Version", "2"); }), 400);
  EXPECT_EQ(status([](net::Request& r) { r.headers.set("Connect-Timeout-Ms", "soon"); }), 400);
  EXPECT_EQ(status([](net::Request& r) { r.headers.set("Content-Encoding", "br"); }), 501);
  EXPECT_EQ(status([](net::Request& r) { r.headers.set("Content-Type", "application/grpc"); }),
            415);
  EXPECT_EQ(status([](net::Request& r) { r.body = "\xff"; }), 400);
  EXPECT_EQ(status([](net::Request& r) { r.body.append(17U << 20U, '\0'); }), 429);
  EXPECT_EQ(status([](net::Request& r) { r.headers.set("Authorization", "Bearer other"); }), 401)
      << "two tokens that differ";
  EXPECT_EQ(server_.hub->shard(0).counts().pending, 0U);
  EXPECT_EQ(server_.context->counters().rpc_refused.value(), 7.0);
}

TEST_F(Rpc, Fault03_WrongToken_IsUnauthenticated) {
  auto call = ask(question("q1", "Which way?", 0, "wrong"));
  EXPECT_EQ(call->response->status, 401);
  EXPECT_THAT(call->response->body, HasSubstr(R"("code":"unauthenticated")"));
  EXPECT_EQ(server_.verifier.last_peer, "192.0.2.8");
}

TEST_F(Rpc, TooManyFailuresOfAddress_AreResourceExhausted) {
  server_.verifier.exhausted = true;
  EXPECT_EQ(ask(question("q1", "Which way?"))->response->status, 429);
}

TEST_F(Rpc, Token_MayBeBearer) {
  net::Request request = question("q1", "Which way?", 0, "");
  request.headers.set("Authorization", "Bearer tok");
  auto call = ask(std::move(request));
  EXPECT_FALSE(call->response);
  EXPECT_TRUE(server_.session("t1")->is_pending("q1"));
}

TEST_F(Rpc, ClientInfo_NeedsValidToken) {
  pb::McpClientInfoRequest message;
  message.set_usertoken("tok");
  message.mutable_request()->set_clientname("editor");
  auto good = server_.call(RpcMethod::send_mcp_client_info, rpc_request(encode(message)));
  pb::McpClientInfoResponse response;
  ASSERT_TRUE(response.ParseFromString(good->response->body));
  EXPECT_TRUE(response.success());
  message.set_usertoken("wrong");
  auto bad = server_.call(RpcMethod::send_mcp_client_info, rpc_request(encode(message)));
  EXPECT_EQ(bad->response->status, 401);
}

// --- routes --------------------------------------------------------------------------------------

class Routes : public Rpc {
 protected:
  Routes() { install(router_, *server_.context); }

  net::Response post(std::string_view path) {
    net::Request request = question("q1", "Which way?", 0, "wrong");
    request.path = std::string(path);
    auto caller = std::make_shared<Caller>();
    const auto match = router_.match("POST", path);
    EXPECT_NE(match.handler, nullptr);
    if (match.handler == nullptr) return {};
    (*match.handler)(std::move(request), net::Responder(std::make_unique<FakeResponder>(
                                             caller, server_.schedulers[0])));
    return caller->response.value_or(net::Response());
  }

  net::Router router_;
};

TEST_F(Routes, EveryMethod_IsServedOnlyByPost) {
  for (const char* name : {"AskQuestion", "TaskFinish", "WorkReport", "SendMcpClientInfo"}) {
    const std::string path = std::string("/agentassistproto.SrvAgentAssist/") + name;
    EXPECT_EQ(post(path).status, 401) << name;
    const auto get = router_.match("GET", path);
    EXPECT_TRUE(get.found_path);
    EXPECT_EQ(get.handler, nullptr);
    EXPECT_THAT(get.allow, HasSubstr("POST"));
  }
}

TEST_F(Routes, UnknownMethod_Is404) {
  const net::Response response = post("/agentassistproto.SrvAgentAssist/Nonsense");
  EXPECT_EQ(response.status, 404);
  EXPECT_THAT(response.body, HasSubstr("unimplemented"));
}

TEST_F(Routes, WebSocket_IsAtWsWithFrameLimit) {
  const auto match = router_.match("GET", "/ws");
  ASSERT_NE(match.acceptor, nullptr);
  EXPECT_EQ(match.websocket_options->max_message_bytes, 16U << 20U);
  net::Request request;
  request.query = "gen=2&ack=1";
  EXPECT_TRUE((*match.acceptor)(request));
  request.query = "gen=9";
  const auto refused = (*match.acceptor)(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, 400);
}

TEST(HelloOf, GenerationAndAck_AreRead) {
  net::Request request;
  EXPECT_EQ(hello_of(request)->generation, Generation::unknown);
  EXPECT_FALSE(hello_of(request)->ack);
  request.query = "gen=3&ack=1";
  EXPECT_EQ(hello_of(request)->generation, Generation::third);
  EXPECT_TRUE(hello_of(request)->ack);
  request.query = "ack=yes";
  EXPECT_EQ(hello_of(request).error().field, "ack");
}

}  // namespace
}  // namespace parley::assistant
