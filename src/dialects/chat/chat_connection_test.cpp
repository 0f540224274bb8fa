// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/chat_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/tool/batch.h"
#include "tests/support/chat/chat_world.h"
#include "tests/support/session/test_actors.h"

namespace parley::chat {
namespace {

using agent::testing::FakeReply;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kReadFile =
    R"({"toolSchemas":[{"name":"readFile","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}]})";

class ChatTest : public ::testing::Test {
 protected:
  void replies(std::deque<FakeReply> all) { world_.runs.models.model->replies = std::move(all); }
  void calls_echo() {
    tool_->approval = tool::Approval::ask;
    world_.runs.tools.tools.add(tool_);
    replies({FakeReply::call("c1", "echo", R"({"text":"hi"})"), FakeReply::text("Done.")});
  }
  void calls_read_file() {
    replies(
        {FakeReply::call("c1", "readFile", R"({"path":"a.txt"})"), FakeReply::text("It says hi.")});
  }
  void hold() {
    FakeReply later = FakeReply::text("Later.");
    later.holds = true;
    replies({later});
  }
  std::string last_to_model() {
    return world_.runs.models.model->requests.back().messages.back().content;
  }
  // An answer to the call "c1".
  static std::string answer(const std::string& tool, const std::string& rest) {
    return R"("data":{"toolCallId":"c1","toolName":")" + tool + "\"," + rest + "}";
  }

  ChatWorld world_;
  std::shared_ptr<agent::testing::FakeTool> tool_ = agent::testing::echo_tool();
};

// --- order of both generations -------------------------------------------------------------------

TEST_F(ChatTest, FirstGeneration_GetsSingleComplete_Last) {
  replies({FakeReply::text("Hello.")});
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Hi");
  EXPECT_THAT(peer.told(), ElementsAre("THINKING", "STREAM Hello.", "AGENT_COMPLETE"));
  EXPECT_THAT(peer.socket.texts.back(),
              AllOf(HasSubstr(R"("requestId":"1")"), HasSubstr(R"("data":{})"),
                    HasSubstr(R"("timestamp":1)")));
}

TEST_F(ChatTest, SecondGeneration_GetsCompletePerModelCall) {
  replies({FakeReply::text("Hello.")});
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Hi", R"({"type":"USER_MESSAGE"})");
  EXPECT_THAT(peer.told(),
              ElementsAre("STARTED", "THINKING", "STREAM Hello.", "AGENT_COMPLETE", "COMPLETE"));
  EXPECT_THAT(peer.socket.texts[3], AllOf(HasSubstr(R"("inputTokens":10,"outputTokens":5)"),
                                          HasSubstr(R"("maxMessages":500,"messageCount":2)")));
}

TEST_F(ChatTest, Message_ShowsGeneration) {
  replies({FakeReply::text("Hello.")});
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Hi", R"({"agentCode":"WORKFLOW_CHAT"})");
  EXPECT_THAT(peer.told().front(), "STARTED");
}

TEST_F(ChatTest, ModelWithoutTokenCounts_IsCompleted) {
  FakeReply silent = FakeReply::text("Hello.");
  silent.usage.reset();
  replies({silent});
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Hi");
  EXPECT_THAT(peer.told(), testing::Contains("AGENT_COMPLETE"));
}

TEST_F(ChatTest, ModelFailure_IsError_NextMessageRuns) {
  FakeReply broken;
  broken.error = core::Error{core::Code::unavailable, "The model is away.", ""};
  replies({broken});
  ChatPeer first(world_, Generation::first);
  first.message("1", "Hi", "{}");
  EXPECT_THAT(first.told(), ElementsAre("THINKING", HasSubstr("ERROR"), "AGENT_COMPLETE"));
  ChatPeer second(world_, Generation::second);
  replies({broken});
  second.message("2", "Hi", "{}");
  EXPECT_THAT(second.told(), ElementsAre("STARTED", "THINKING", HasSubstr("The model is away."),
                                         "AGENT_COMPLETE", "COMPLETE"));
  replies({FakeReply::text("Back.")});
  second.message("3", "Hi", "{}");
  EXPECT_THAT(second.told(), testing::Contains("STREAM Back."));
}

// --- tools ---------------------------------------------------------------------------------------

TEST_F(ChatTest, ClientTool_IsExecutedByClient) {
  calls_read_file();
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Read it", kReadFile);
  EXPECT_THAT(peer.told(), ElementsAre("THINKING", "TOOL_CALLING", "REQUEST readFile"));
  EXPECT_THAT(peer.socket.texts.back(),
              AllOf(HasSubstr(R"("toolArgs":"{\"path\":\"a.txt\"}")"),
                    HasSubstr(R"("isClientTool":true)"), HasSubstr(R"("toolCallId":"c1")")));
  // Without a toolCallId, as in the protocol's text.
  peer.say(
      "AGENT_TOOL_CALL_RESPONSE", "1",
      R"("data":{"toolName":"readFile","isClientTool":true,"isAllow":true,"success":true,"result":"hi"})");
  EXPECT_THAT(peer.told(), ElementsAre("TOOL_COMPLETE", "STREAM It says hi.", "AGENT_COMPLETE"));
  EXPECT_THAT(last_to_model(), HasSubstr("hi"));
}

// The page of the first generation echoes `toolCallId`; clients of the text spread the members of
// the request, its type among them, into their answer.
TEST_F(ChatTest, EchoOfRequest_LeavesGeneration) {
  calls_read_file();
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Read it", kReadFile);
  peer.told();
  peer.say("AGENT_TOOL_CALL_RESPONSE", "1",
           R"("data":{"toolCallId":"c1","toolName":"readFile","toolArgs":"{\"path\":\"a.txt\"}",)"
           R"("isClientTool":true,"isMcpTool":false,"isAllow":true,"success":true,"result":"hi"})");
  EXPECT_THAT(peer.told(), ElementsAre("TOOL_COMPLETE", "STREAM It says hi.", "AGENT_COMPLETE"));
}

TEST_F(ChatTest, EchoOfTypeOfRequest_IsTaken) {
  calls_read_file();
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Read it", kReadFile);
  peer.told();
  peer.say("AGENT_TOOL_CALL_RESPONSE", "1",
           answer("readFile", R"("type":"AGENT_TOOL_CALL_REQUEST","isAllow":true,"result":"hi")"));
  EXPECT_THAT(peer.told(), testing::Contains("STREAM It says hi."));
}

// Existing pages of the second generation ask their person only about such calls, and allow all
// others of the server by themselves.
TEST_F(ChatTest, CallThatAsks_IsMarked) {
  calls_echo();
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Go", "{}");
  EXPECT_THAT(peer.socket.texts.back(), HasSubstr(R"("isClientTool":false,"isMcpTool":true)"));
}

TEST_F(ChatTest, FailedOrRefusedClientTool_IsToldToModel) {
  ChatPeer peer(world_, Generation::second);
  for (const auto& [rest, expected] :
       {std::pair{R"("isAllow":true,"success":false,"error":"No such file.")", "No such file."},
        {R"("isAllow":false)", "The person refused this call."}}) {
    calls_read_file();
    peer.message("1", "Read it", kReadFile);
    peer.say("AGENT_TOOL_CALL_RESPONSE", "1",
             R"("data":{"toolName":"readFile",)" + std::string(rest) + "}");
    EXPECT_THAT(last_to_model(), HasSubstr(expected));
  }
}

TEST_F(ChatTest, ServerTool_RunsOnlyWhenAllowed) {
  calls_echo();
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Go", "{}");
  EXPECT_THAT(peer.told(),
              ElementsAre("STARTED", "THINKING", "AGENT_COMPLETE", "TOOL_CALLING", "REQUEST echo"));
  EXPECT_THAT(tool_->calls, IsEmpty());
  peer.say("AGENT_TOOL_CALL_RESPONSE", "1", answer("echo", R"("isAllow":true)"));
  EXPECT_THAT(tool_->calls, SizeIs(1));
  EXPECT_THAT(peer.told(), ElementsAre("TERMINAL_OUTPUT_START", "STREAM hi", "TERMINAL_OUTPUT_END",
                                       "TOOL_COMPLETE", "THINKING", "STREAM Done.",
                                       "AGENT_COMPLETE", "COMPLETE"));
}

TEST_F(ChatTest, DeniedServerTool_NeverRuns) {
  calls_echo();
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Go", "{}");
  peer.say("AGENT_TOOL_CALL_RESPONSE", "1",
           answer("echo", R"("isAllow":false,"success":true,"result":"as if")"));
  EXPECT_THAT(tool_->calls, IsEmpty());
  EXPECT_THAT(last_to_model(), testing::Not(HasSubstr("as if")));
}

TEST_F(ChatTest, BadAnswers_AreErrors_ToolStillWaits) {
  calls_echo();
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Go", "{}");
  peer.told();
  const std::vector<std::pair<std::string, std::string>> bad = {
      {R"("data":{"toolCallId":"c1","toolName":"echo"})", "\"data.isAllow\" is missing"},
      {R"("data":{"toolCallId":"c1","toolName":"echo","isAllow":"yes"})", "must be true or false"},
      {R"("data":{"toolCallId":"c1","isAllow":true})", "\"data.toolName\" is missing"},
      {R"("data":{"toolCallId":"c9","toolName":"echo","isAllow":true})", "No call of \"echo\""},
      {R"("data":{"toolCallId":"c1","toolName":"bash","isAllow":true})",
       "must be the name of the tool in the call"},
      {R"("data":{"toolCallId":"c1","toolName":"echo","toolArgs":"{}","isAllow":true})",
       "must be equal to the arguments of the call"},
      {R"("timestamp":1)", "\"data\" is missing"},
  };
  for (const auto& [rest, message] : bad) {
    peer.say("AGENT_TOOL_CALL_RESPONSE", "1", rest);
    EXPECT_THAT(peer.told(), ElementsAre(AllOf(StartsWith("ERROR"), HasSubstr(message))));
  }
  peer.say("AGENT_TOOL_CALL_RESPONSE", "0", answer("echo", R"("isAllow":true)"));
  EXPECT_THAT(peer.told(), ElementsAre(HasSubstr("No call of")));
  EXPECT_THAT(tool_->calls, IsEmpty());
  peer.say("AGENT_TOOL_CALL_RESPONSE", "1",
           answer("echo", R"("toolArgs":"{\"text\":\"hi\"}","isAllow":true)"));
  EXPECT_THAT(tool_->calls, SizeIs(1));
  peer.told();
  peer.say("AGENT_TOOL_CALL_RESPONSE", "1", answer("echo", R"("isAllow":true)"));
  EXPECT_THAT(peer.told(), ElementsAre(HasSubstr("No call of")));
}

TEST_F(ChatTest, AnswersWithoutCallIds_TakeOneCallEach) {
  tool_->approval = tool::Approval::ask;
  world_.runs.tools.tools.add(tool_);
  world_.runs.tools.tools.add(tool::make_batch(world_.runs.tools.tools));
  replies({FakeReply::call("c1", "batch",
                           R"({"calls":[{"tool":"echo","parameters":{"text":"a"}},)"
                           R"({"tool":"echo","parameters":{"text":"b"}}]})"),
           FakeReply::text("Done.")});
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Go");
  EXPECT_THAT(peer.told(), ElementsAre("THINKING", "TOOL_CALLING", "REQUEST echo", "REQUEST echo"));
  const std::string allowed =
      peer.frame("AGENT_TOOL_CALL_RESPONSE", "1", R"("data":{"toolName":"echo","isAllow":true})");
  peer.put(allowed);
  peer.put(allowed);
  peer.put(allowed);
  world_.run();
  EXPECT_THAT(tool_->calls, SizeIs(2));
  EXPECT_THAT(peer.told(), ElementsAre(HasSubstr("No call of"), "TOOL_COMPLETE", "STREAM Done.",
                                       "AGENT_COMPLETE"));
}

TEST_F(ChatTest, Approval_MayBeGivenInInbox) {
  calls_echo();
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Go", "{}");
  session::Session* inbox = world_.runs.hub->shard(0).find("assistant-alice");
  ASSERT_NE(inbox, nullptr);
  inbox->answer(inbox->pending().at(0)->key, session::Answer{false, {{"allow", "true"}}, {}},
                session::person("phone", "Alice"), nullptr);
  world_.run();
  EXPECT_THAT(tool_->calls, SizeIs(1));
  peer.told();
  peer.say("AGENT_TOOL_CALL_RESPONSE", "1", answer("echo", R"("isAllow":false)"));
  EXPECT_THAT(peer.told(), ElementsAre(HasSubstr("No call of")));
}

TEST_F(ChatTest, BadTools_AreRefusedWithReason) {
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Go", R"({"toolSchemas":[{"name":"a"},{"name":"a"}]})");
  EXPECT_THAT(peer.told(), ElementsAre(HasSubstr("\"a\" is given twice"), "AGENT_COMPLETE"));
}

// --- interrupting --------------------------------------------------------------------------------

TEST_F(ChatTest, Interrupt_EndsRun_NothingFollows) {
  for (const Generation generation : {Generation::first, Generation::second}) {
    hold();
    ChatPeer peer(world_, generation);
    peer.message("1", "Hi", "{}");
    peer.told();
    peer.say("INTERRUPT", "1");
    world_.runs.scheduler.advance(core::Millis(200));
    world_.run();
    if (generation == Generation::first) {
      EXPECT_THAT(peer.told(), ElementsAre("INTERRUPTED", "AGENT_COMPLETE"));
    } else {
      EXPECT_THAT(peer.told(), ElementsAre("INTERRUPTED"));
    }
  }
}

TEST_F(ChatTest, Interrupt_ReleasesClientTool) {
  calls_read_file();
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Read it", kReadFile);
  peer.told();
  peer.say("INTERRUPT", "1");
  world_.runs.scheduler.advance(core::Millis(200));
  world_.run();
  EXPECT_THAT(peer.told(), ElementsAre("INTERRUPTED", "AGENT_COMPLETE"));
  peer.say("AGENT_TOOL_CALL_RESPONSE", "1",
           answer("readFile", R"("isAllow":true,"success":true,"result":"late")"));
  EXPECT_THAT(peer.told(), ElementsAre(HasSubstr("No call of")));
}

TEST_F(ChatTest, RepeatedInterrupts_ActOnce_NextMessageIsTaken) {
  calls_read_file();
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Read it", kReadFile);
  peer.told();
  for (int i = 0; i < 500; ++i) peer.put(peer.frame("INTERRUPT", "1"));
  world_.runs.scheduler.advance(core::Millis(200));
  world_.run();
  EXPECT_THAT(peer.told(), ElementsAre("INTERRUPTED"));
  replies({FakeReply::text("Hello.")});
  peer.message("2", "Hi", "{}");
  EXPECT_THAT(peer.told(), testing::Contains("STREAM Hello."));
}

// The launch waits for an MCP server that never answers.
TEST_F(ChatTest, Interrupt_DuringLaunch_EndsItAtOnce) {
  world_.runs.tools.silent = true;
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Hi");
  EXPECT_THAT(peer.told(), IsEmpty());
  peer.say("INTERRUPT", "1");
  EXPECT_THAT(peer.told(), ElementsAre("INTERRUPTED", "AGENT_COMPLETE"));
  world_.runs.tools.silent = false;
  replies({FakeReply::text("Hello.")});
  peer.message("2", "Hi");
  EXPECT_THAT(peer.told(), ElementsAre("THINKING", "STREAM Hello.", "AGENT_COMPLETE"));
}

TEST_F(ChatTest, Interrupt_WithoutItsRun_OnlyCompletes) {
  ChatPeer peer(world_, Generation::first);
  peer.say("INTERRUPT", "1");
  EXPECT_THAT(peer.told(), ElementsAre("AGENT_COMPLETE"));
  hold();
  peer.message("2", "Hi");
  peer.told();
  peer.say("INTERRUPT", "1");
  EXPECT_THAT(peer.told(), ElementsAre("AGENT_COMPLETE"));
  EXPECT_EQ(world_.runs.service->counts().live, 1U);
}

// --- one run at a time, two tabs, reconnection ---------------------------------------------------

TEST_F(ChatTest, SecondMessage_DuringRun_IsErrorOfItsRequest) {
  hold();
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Hi");
  peer.told();
  peer.message("2", "And?");
  EXPECT_THAT(peer.told(), ElementsAre(HasSubstr("A run of this session goes on")));
  EXPECT_THAT(peer.socket.texts.back(), HasSubstr(R"("requestId":"2")"));
  world_.runs.models.model->release();
  world_.run();
  EXPECT_THAT(peer.told(), ElementsAre("STREAM Later.", "AGENT_COMPLETE"));
}

TEST_F(ChatTest, TwoTabs_SeeSameRun) {
  replies({FakeReply::text("Hello.")});
  ChatPeer one(world_, Generation::first);
  ChatPeer two(world_, Generation::second);
  one.message("1", "Hi");
  EXPECT_THAT(one.told(), ElementsAre("THINKING", "STREAM Hello.", "AGENT_COMPLETE"));
  EXPECT_THAT(two.told(),
              ElementsAre("STARTED", "THINKING", "STREAM Hello.", "AGENT_COMPLETE", "COMPLETE"));
  EXPECT_THAT(two.socket.texts.back(), HasSubstr(R"("requestId":"1")"));
}

TEST_F(ChatTest, Run_SurvivesConnection_MissedEventsComeOnRequest) {
  hold();
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Hi");
  simdjson::dom::parser parser;
  const std::uint64_t seen = parser.parse(peer.socket.texts.back())["seq"].get_uint64();
  peer.leave();
  world_.runs.models.model->release();
  world_.run();
  ChatPeer back(world_, Generation::first, seen);
  EXPECT_THAT(back.told(), ElementsAre("STREAM Later.", "AGENT_COMPLETE"));
  EXPECT_THAT(back.socket.texts.back(), HasSubstr(R"("requestId":"1")"));
  ChatPeer without(world_, Generation::first);
  EXPECT_THAT(without.told(), IsEmpty());
}

TEST_F(ChatTest, OpenToolRequest_ComesAgain) {
  calls_read_file();
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Read it", kReadFile);
  peer.leave();
  ChatPeer back(world_, Generation::first);
  EXPECT_THAT(back.told(), ElementsAre("REQUEST readFile"));
  back.say("AGENT_TOOL_CALL_RESPONSE", "1",
           answer("readFile", R"("isAllow":true,"success":true,"result":"hi")"));
  EXPECT_THAT(back.told(), testing::Contains("STREAM It says hi."));
}

TEST_F(ChatTest, RunLostByRestart_IsOver_ChatGoesOn) {
  for (const Generation generation : {Generation::first, Generation::second}) {
    hold();
    ChatPeer peer(world_, generation);
    peer.message("1", "Hi", "{}");
    peer.leave();
    world_.restart();
    ChatPeer back(world_, generation);
    if (generation == Generation::first) {
      EXPECT_THAT(back.told(), ElementsAre(HasSubstr("was interrupted"), "AGENT_COMPLETE"));
    } else {
      EXPECT_THAT(back.told(),
                  ElementsAre(HasSubstr("was interrupted"), "AGENT_COMPLETE", "COMPLETE"));
    }
    replies({FakeReply::text("Hello.")});
    back.message("2", "Again", "{}");
    EXPECT_THAT(back.told(), testing::Contains("STREAM Hello."));
  }
}

TEST_F(ChatTest, ToolOfRunLostByRestart_IsNotRequestedAgain) {
  calls_read_file();
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Read it", kReadFile);
  peer.leave();
  world_.restart();
  ChatPeer back(world_, Generation::first);
  EXPECT_THAT(back.told(), ElementsAre(HasSubstr("was interrupted"), "AGENT_COMPLETE"));
}

// --- the rest ------------------------------------------------------------------------------------

TEST_F(ChatTest, Ping_WhileToolWaits_IsAnswered) {
  calls_echo();
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Go", "{}");
  peer.told();
  peer.say("PING", "7");
  EXPECT_THAT(peer.told(), ElementsAre("PONG"));
  EXPECT_THAT(peer.socket.texts.back(), HasSubstr(R"("requestId":"7")"));
}

TEST_F(ChatTest, Orders_HelpAndUnknown) {
  ChatPeer first(world_, Generation::first);
  first.say("USER_ORDER", "1", R"("content":"/help")");
  EXPECT_THAT(first.told(), ElementsAre(StartsWith("STREAM Commands"), "AGENT_COMPLETE"));
  ChatPeer second(world_, Generation::second);
  second.say("USER_ORDER", "2", R"("content":"/help")");
  EXPECT_THAT(second.told(), ElementsAre("STARTED", "AGENT_MESSAGE_BLOCK", "COMPLETE"))
      << "pages show no tokens after an AGENT_COMPLETE without them";
  EXPECT_THAT(first.told(), SizeIs(2)) << "every connection is shown it";
  first.say("USER_ORDER", "3", R"("content":"/dance")");
  EXPECT_THAT(first.told(),
              ElementsAre(AllOf(HasSubstr("/dance"), HasSubstr("/help")), "AGENT_COMPLETE"));
}

TEST_F(ChatTest, TextBeginningWithSlash_IsOrdinary) {
  replies({FakeReply::text("It is a folder.")});
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "/usr, what is it?");
  EXPECT_THAT(peer.told(), testing::Contains("STREAM It is a folder."));
}

TEST_F(ChatTest, IllFormedMessages_AreErrors_SocketStays) {
  ChatPeer peer(world_, Generation::first);
  const std::string head = R"({"sessionCode":")" + world_.code + "\",";
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"{", "not JSON"},
      {"[]", "must be a JSON object"},
      {"{}", "\"type\" is missing"},
      {R"({"type":"AGENT_STREAM","requestId":"5"})", "no message type \"AGENT_STREAM\""},
      {R"({"type":"PING","requestId":"5"})", "\"sessionCode\" is missing"},
      {R"({"type":"PING","requestId":"5","sessionCode":"session_x"})",
       "not that of this connection"},
      {head + R"("type":"PING"})", "\"requestId\" is missing"},
      {head + R"("type":"PING","requestId":")" + std::string(200, 'x') + "\"}", "longer than"},
      {head + R"("type":"USER_MESSAGE","requestId":"5"})", "\"content\" is missing"},
      {head + R"("type":"USER_MESSAGE","requestId":"5","content":"x","data":7})",
       "must be an object"},
      {head + R"("type":"USER_MESSAGE","requestId":"5","content":"x","data":{"type":"PING"}})",
       "\"data.type\""},
      {head + R"("type":"USER_MESSAGE","requestId":"5","content":"x","data":{"toolSchemas":{}}})",
       "must be an array"},
      {head +
           R"("type":"USER_MESSAGE","requestId":"5","content":"x","data":{"toolSchemas":[{"name":7}]}})",
       "\"data.toolSchemas[].name\" must be a string"},
      {head +
           R"("type":"USER_MESSAGE","requestId":"5","content":"x","data":{"workflowContent":"{"}})",
       "\"data.workflowContent\" must be a JSON object"},
      {head + R"("type":"USER_MESSAGE","requestId":"5","content":"x","data":{"workflowContent":")" +
           std::string(kMaxWorkflowBytes + 1, 'x') + "\"}}",
       "larger than"},
  };
  for (const auto& [text, message] : bad) {
    peer.send(text);
    std::vector<std::string> told = peer.told();
    const bool is_turn = text.find("USER_MESSAGE") != std::string::npos;
    EXPECT_EQ(told.size(), is_turn ? 2U : 1U) << "its client waits for AGENT_COMPLETE";
    if (is_turn) {
      EXPECT_EQ(told.back(), "AGENT_COMPLETE");
    }
    EXPECT_THAT(told.front(), AllOf(StartsWith("ERROR"), HasSubstr(message)));
    EXPECT_EQ(text.find(R"("requestId":"5")") != std::string::npos,
              peer.socket.texts.back().find(R"("requestId":"5")") != std::string::npos);
  }
  EXPECT_TRUE(peer.socket.open());
}

TEST_F(ChatTest, IllFormedMessage_DuringItsRun_DoesNotCompleteIt) {
  hold();
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Hi");
  peer.told();
  peer.say("USER_MESSAGE", "1");
  EXPECT_THAT(peer.told(), ElementsAre(HasSubstr("\"content\" is missing")));
}

// Browsers write 2^64-1 as 18446744073709552000.
TEST_F(ChatTest, WorkflowWithIntegerAbove64Bits_IsTaken) {
  replies({FakeReply::text("Hello.")});
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Hi",
               R"({"workflowContent":"{\"nodes\":[],\"extra\":{\"max\":18446744073709552000}}"})");
  EXPECT_THAT(peer.told(), ElementsAre("THINKING", "STREAM Hello.", "AGENT_COMPLETE"));
}

TEST_F(ChatTest, EndedToken_ClosesConnection) {
  ChatPeer peer(world_, Generation::first);
  world_.tokens.forget("tok");
  peer.say("PING", "1");
  EXPECT_EQ(peer.socket.close_code, net::close_code::kUnauthenticated);
}

TEST_F(ChatTest, DeletedSession_TakesNoMessage) {
  ChatPeer peer(world_, Generation::first);
  bool gone = false;
  world_.sessions->remove("alice", world_.code, world_.runs.scheduler,
                          [&gone](const auto& done) { gone = done.has_value(); });
  world_.wait([&gone] { return gone; });
  peer.message("1", "Hi");
  EXPECT_THAT(peer.told(),
              ElementsAre(HasSubstr("There is no such chat session"), "AGENT_COMPLETE"));
}

TEST_F(ChatTest, FullDisk_RefusesMessageUnrecorded) {
  ChatPeer peer(world_, Generation::first);
  world_.gate.close("No room on the disk.");
  peer.message("1", "Hi");
  EXPECT_THAT(peer.told(), ElementsAre("ERROR No room on the disk.", "AGENT_COMPLETE"));
  EXPECT_THAT(world_.runs.store.events(world_.code), IsEmpty());
  world_.gate.open();
  replies({FakeReply::text("Hello.")});
  peer.message("2", "Hi");
  EXPECT_THAT(peer.told(), testing::Contains("STREAM Hello."));
}

TEST_F(ChatTest, Rules_AreToldToModel) {
  world_.code = world_.make_session("alice", "Speak like a pirate.");
  replies({FakeReply::text("Arr.")});
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Hi");
  EXPECT_THAT(last_to_model(), AllOf(HasSubstr("Hi"), HasSubstr("Speak like a pirate.")));
}

}  // namespace
}  // namespace parley::chat
