// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Commands, continued conversations, and the frames of Parley's own page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialects/chat/message_list.h"
#include "tests/support/chat/chat_world.h"

namespace parley::chat {
namespace {

using agent::testing::FakeReply;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class ChatConversation : public ::testing::Test {
 protected:
  void replies(std::deque<FakeReply> all) { world_.runs.models.model->replies = std::move(all); }
  // The texts of the last request to the model, without the system prompt.
  std::vector<std::string> sent() {
    std::vector<std::string> out;
    const auto& messages = world_.runs.models.model->requests.back().messages;
    for (std::size_t i = 1; i < messages.size(); ++i) out.push_back(messages[i].content);
    return out;
  }
  static void order(ChatPeer& peer, std::string_view request_id, const std::string& command) {
    peer.say("USER_ORDER", request_id, R"("content":")" + command + "\"");
  }

  ChatWorld world_;
};

TEST_F(ChatConversation, Interrupt_KeepsSpokenText) {
  FakeReply stopped = FakeReply::text("It begins with");
  stopped.stalls = true;
  replies({stopped, FakeReply::text("Go on.")});
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Tell me", "{}");
  peer.say("INTERRUPT", "1");
  EXPECT_THAT(peer.told(), ElementsAre("STARTED", "THINKING", "STREAM It begins with",
                                       "AGENT_COMPLETE", "INTERRUPTED"))
      << "a page moves the text to its messages with AGENT_COMPLETE";
  peer.message("2", "And then?", "{}");
  EXPECT_THAT(sent(), ElementsAre("Tell me", StartsWith("It begins with"), "And then?"));
}

// --- commands ------------------------------------------------------------------------------------

TEST_F(ChatConversation, Counters_TellMessagesOfConversation) {
  world_.runs.tools.tools.add(agent::testing::echo_tool());
  replies({FakeReply::call("c1", "echo", R"({"text":"hi"})"), FakeReply::text("Done.")});
  ChatPeer first(world_, Generation::first);
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Go", "{}");
  // First the request and the reply with its call, then also the result and the second reply.
  EXPECT_THAT(peer.socket.texts, Contains(HasSubstr(R"("messageCount":2)")));
  EXPECT_THAT(peer.socket.texts, Contains(HasSubstr(R"("messageCount":4)")));
  order(peer, "2", "/clear");
  EXPECT_THAT(peer.socket.texts,
              Contains(AllOf(HasSubstr("AGENT_TOKEN_USAGE"), HasSubstr(R"("messageCount":0)"))));
  for (const std::string& frame : first.socket.texts) {
    EXPECT_THAT(frame, Not(HasSubstr("messageCount")));
  }
}

TEST_F(ChatConversation, Summary_LeavesFewerMessages) {
  replies({FakeReply::text("Blue."), FakeReply::text("A summary.")});
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "My colour is blue", "{}");
  order(peer, "2", "/compact");
  EXPECT_THAT(peer.socket.texts,
              Contains(AllOf(HasSubstr("AGENT_TOKEN_USAGE"), HasSubstr(R"("messageCount":1)"))));
}

TEST_F(ChatConversation, Help_StaysInSession_AgentIsNotTold) {
  replies({FakeReply::text("Hello.")});
  ChatPeer peer(world_, Generation::second);
  ChatPeer other(world_, Generation::first);
  order(peer, "1", "/help");
  EXPECT_THAT(other.told(), ElementsAre(StartsWith("STREAM Commands"), "AGENT_COMPLETE"));
  order(peer, "2", "/dance");
  EXPECT_THAT(other.told(), IsEmpty()) << "an error is told to its own connection";
  ChatPeer back(world_, Generation::second, 0, true);
  EXPECT_THAT(back.told(), ElementsAre("USER_ORDER", "STARTED", "AGENT_MESSAGE_BLOCK", "COMPLETE"));
  peer.message("3", "Hi", "{}");
  EXPECT_THAT(sent(), ElementsAre("Hi"));
  std::string list;
  list_messages(world_.runs.store, *world_.runs.service, "alice", world_.code,
                world_.runs.scheduler,
                [&list](const core::Result<std::string>& all) { list = all.value(); });
  world_.run();
  EXPECT_THAT(list, AllOf(HasSubstr(R"("role":"USER_ORDER","content":"/help")"),
                          HasSubstr(R"("role":"AGENT_MESSAGE","content":"Commands)"),
                          Not(HasSubstr("/dance"))));
}

TEST_F(ChatConversation, Help_WithoutStorage_IsAnswered) {
  ChatPeer peer(world_, Generation::first);
  world_.gate.close("No room on the disk.");
  order(peer, "1", "/help");
  EXPECT_THAT(peer.told(), ElementsAre(StartsWith("STREAM Commands"), "AGENT_COMPLETE"));
  EXPECT_TRUE(world_.runs.store.events(world_.code).empty());
}

TEST_F(ChatConversation, Clear_BeginsNewConversationInEveryTab) {
  replies({FakeReply::text("Blue."), FakeReply::text("Which?")});
  ChatPeer peer(world_, Generation::second);
  ChatPeer first(world_, Generation::first);
  peer.message("1", "My colour is blue", "{}");
  peer.told();
  first.told();
  order(peer, "2", "/clear");
  EXPECT_THAT(peer.told(), ElementsAre("STARTED", "CLEAR", "AGENT_TOKEN_USAGE", "COMPLETE"));
  EXPECT_THAT(peer.socket.texts.at(peer.socket.texts.size() - 2), HasSubstr(R"("totalTokens":0)"));
  EXPECT_THAT(first.told(), ElementsAre(StartsWith("STREAM"), "AGENT_COMPLETE"));
  peer.message("3", "Which is it?", "{}");
  EXPECT_THAT(sent(), ElementsAre("Which is it?"));
}

// A page that was reloaded does not know the request of a tool that waits for it, and has no button
// to stop the run.
TEST_F(ChatConversation, Clear_EndsRunThatWaitsForReloadedPage) {
  replies({FakeReply::call("c1", "readFile", "{}"), FakeReply::text("New.")});
  {
    ChatPeer before(world_, Generation::second);
    before.message("1", "Read it", R"({"toolSchemas":[{"name":"readFile"}]})");
    EXPECT_TRUE(before.has_frame("AGENT_TOOL_CALL_REQUEST"));
  }
  ChatPeer peer(world_, Generation::second);
  EXPECT_THAT(peer.told(), ElementsAre("REQUEST readFile"));
  peer.message("2", "Hi", "{}");
  EXPECT_THAT(peer.told(), ElementsAre(HasSubstr("/clear ends it too")));
  order(peer, "3", "/clear");
  EXPECT_THAT(peer.told(),
              ElementsAre("INTERRUPTED", "STARTED", "CLEAR", "AGENT_TOKEN_USAGE", "COMPLETE"));
  peer.message("4", "Hello", "{}");
  EXPECT_THAT(peer.told(), Contains("STREAM New."));
  EXPECT_THAT(sent(), ElementsAre("Hello"));
}

TEST_F(ChatConversation, Compact_ShowsSummary_NextMessageKnowsIt) {
  replies({FakeReply::text("Blue."), FakeReply::text("The person likes blue."),
           FakeReply::text("Blue."), FakeReply::text("All of it."), FakeReply::text("Yes.")});
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "My colour is blue", "{}");
  peer.told();
  order(peer, "2", "/compact");
  EXPECT_THAT(peer.told(), ElementsAre("STARTED", "SUMMARY", "AGENT_MESSAGE_BLOCK",
                                       "AGENT_TOKEN_USAGE", "COMPLETE"));
  EXPECT_THAT(peer.socket.texts.at(peer.socket.texts.size() - 3),
              HasSubstr("The person likes blue."));
  peer.message("3", "Which is it?", "{}");
  EXPECT_THAT(sent(), ElementsAre(HasSubstr("The person likes blue."), "Which is it?"));
  ChatPeer first(world_, Generation::first);
  order(first, "4", "/compact");
  EXPECT_THAT(first.told(),
              ElementsAre("SUMMARY", "SUMMARY_COMPLETE", "STREAM All of it.", "AGENT_COMPLETE"));
}

TEST_F(ChatConversation, CompactOfEmptyConversation_SaysSo) {
  ChatPeer peer(world_, Generation::second);
  order(peer, "1", "/compact");
  EXPECT_THAT(peer.told(), ElementsAre("STARTED", "AGENT_MESSAGE_BLOCK", "COMPLETE"));
  EXPECT_TRUE(world_.runs.models.model->requests.empty());
}

TEST_F(ChatConversation, ContextOverLimit_IsSummarised) {
  world_.runs.models.model->limit = 3'000;
  const std::string much(6'000, 'a');
  replies({FakeReply::text(much), FakeReply::text("Many letters."), FakeReply::text("Yes.")});
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Write", "{}");
  peer.told();
  peer.message("2", much, "{}");
  EXPECT_THAT(peer.told(), ElementsAre("STARTED", "THINKING", "SUMMARY", "AGENT_MESSAGE_BLOCK",
                                       "AGENT_TOKEN_USAGE", "THINKING", "STREAM Yes.",
                                       "AGENT_COMPLETE", "COMPLETE"));
}

TEST_F(ChatConversation, TokenCounters_TellModelLimit) {
  replies({FakeReply::text("Hello.")});
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Hi", "{}");
  EXPECT_THAT(peer.socket.texts,
              Contains(AllOf(HasSubstr("AGENT_COMPLETE"), HasSubstr(R"("maxTokens":128000)"))));
}

// --- plans and status ----------------------------------------------------------------------------

TEST_F(ChatConversation, Status_IsCard) {
  replies({FakeReply::call("c1", "status_update",
                           R"({"message":"Looking","phase":"discovery","title":"Nodes"})"),
           FakeReply::text("Done.")});
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Look", "{}");
  EXPECT_THAT(peer.told(), Contains("STATUS_UPDATE"));
  EXPECT_THAT(peer.socket.texts, Contains(HasSubstr(R"(\"phase\":\"discovery\")")));
  ChatPeer first(world_, Generation::first, 0);
  EXPECT_THAT(first.told(), Not(Contains("STATUS_UPDATE")));
}

TEST_F(ChatConversation, TodoList_IsCardOnceWritten) {
  auto todo = std::make_shared<agent::testing::FakeTool>(
      "todo_write", R"({"type":"object"})",
      [](const auto& /*context*/, const auto& /*arguments*/) { return tool::ToolResult::ok(""); });
  world_.runs.tools.tools.add(todo);
  replies({FakeReply::call("c1", "todo_write",
                           R"({"todos":[{"content":"Look","status":"in_progress"},)"
                           R"({"content":"Old","status":"cancelled"}]})"),
           FakeReply::text("Done.")});
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Plan", "{}");
  EXPECT_THAT(peer.told(), Contains("TODO_WRITE"));
  EXPECT_THAT(peer.socket.texts,
              Contains(AllOf(HasSubstr(R"(\"activeForm\":\"Look\",\"status\":\"in_progress\")"),
                             Not(HasSubstr("Old")))));
}

// --- replacing a message -------------------------------------------------------------------------

TEST_F(ChatConversation, Replaces_ContinuesBeforeThatMessage) {
  replies({FakeReply::text("One."), FakeReply::text("Two."), FakeReply::text("Three."),
           FakeReply::text("Four."), FakeReply::text("Five.")});
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "a", "{}");
  peer.message("2", "b", "{}");
  peer.message("3", "B", R"({"replaces":"2"})");
  EXPECT_THAT(sent(), ElementsAre("a", "One.", "B"));
  peer.message("4", "c", "{}");
  EXPECT_THAT(sent(), ElementsAre("a", "One.", "B", "Three.", "c"));
  peer.message("5", "A", R"({"replaces":"1"})");
  EXPECT_THAT(sent(), ElementsAre("A"));
}

TEST_F(ChatConversation, ReplacesForeignMessage_IsError) {
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "a", "{}");
  peer.message("2", "A", R"({"replaces":"1"})");
  peer.told();
  peer.message("3", "b", R"({"replaces":"1"})");
  EXPECT_THAT(peer.told(),
              ElementsAre(HasSubstr("must be the id of a message of this conversation")));
  order(peer, "4", "/clear");
  peer.told();
  peer.message("5", "b", R"({"replaces":"2"})");
  EXPECT_THAT(peer.told(),
              ElementsAre(HasSubstr("must be the id of a message of this conversation")));
}

TEST_F(ChatConversation, ReplacesBehindRunOfElsewhere_IsFound) {
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "a", "{}");
  ASSERT_TRUE(world_.runs.start("elsewhere", world_.code));
  peer.message("2", "b", "{}");
  replies({FakeReply::text("Anew.")});
  peer.message("3", "A", R"({"replaces":"1"})");
  EXPECT_THAT(sent(), ElementsAre("A"));
}

// --- Parley's own page ---------------------------------------------------------------------------

TEST_F(ChatConversation, Detail_TellsMessagesAndTools) {
  auto tool = agent::testing::echo_tool();
  world_.runs.tools.tools.add(tool);
  replies({FakeReply::call("c1", "echo", R"({"text":"hi"})"), FakeReply::text("Done.")});
  ChatPeer plain(world_, Generation::second);
  ChatPeer page(world_, Generation::second, std::nullopt, true);
  page.message("1", "Call", "{}");
  EXPECT_THAT(page.told(), ElementsAre("USER_MESSAGE", "STARTED", "THINKING", "AGENT_COMPLETE",
                                       "TOOL_CALLING", "TERMINAL_OUTPUT_START", "STREAM hi",
                                       "TERMINAL_OUTPUT_END", "TOOL_RESULT", "TOOL_COMPLETE",
                                       "THINKING", "STREAM Done.", "AGENT_COMPLETE", "COMPLETE"));
  EXPECT_THAT(page.socket.texts,
              Contains(AllOf(HasSubstr("TOOL_CALLING"), HasSubstr(R"("toolName":"echo")"),
                             HasSubstr(R"("toolArgs":"{\"text\":\"hi\"}")"))));
  EXPECT_THAT(page.socket.texts,
              Contains(AllOf(HasSubstr("TOOL_RESULT"), HasSubstr(R"("success":true)"))));
  EXPECT_THAT(plain.told(), AllOf(Not(Contains("TOOL_RESULT")), Not(Contains("USER_MESSAGE"))));
  // A replay sends the same frames.
  ChatPeer later(world_, Generation::second, 0, true);
  EXPECT_THAT(later.told(), AllOf(Contains("USER_MESSAGE"), Contains("TOOL_RESULT")));
}

TEST_F(ChatConversation, Detail_TellsAnswerGivenElsewhere) {
  auto tool = agent::testing::echo_tool();
  tool->approval = tool::Approval::ask;
  world_.runs.tools.tools.add(tool);
  replies({FakeReply::call("c1", "echo", R"({"text":"hi"})"), FakeReply::text("Done.")});
  ChatPeer page(world_, Generation::second, std::nullopt, true);
  ChatPeer phone(world_, Generation::second);
  page.message("1", "Call", "{}");
  phone.say("AGENT_TOOL_CALL_RESPONSE", "1",
            R"("data":{"toolCallId":"c1","toolName":"echo","isAllow":true})");
  EXPECT_THAT(page.told(), Contains("TOOL_ANSWERED"));
  EXPECT_THAT(page.socket.texts,
              Contains(AllOf(HasSubstr("TOOL_ANSWERED"), HasSubstr(R"("isAllow":true)"),
                             HasSubstr(R"("by":"Alice")"))));
}

TEST_F(ChatConversation, RepeatedDetail_TellsAnswerOfRequest) {
  auto tool = agent::testing::echo_tool();
  tool->approval = tool::Approval::ask;
  world_.runs.tools.tools.add(tool);
  for (const auto& [allow, expected] :
       {std::pair{"true", R"("isAllow":true)"}, {"false", R"("isAllow":false)"}}) {
    replies({FakeReply::call("c1", "echo", R"({"text":"hi"})"), FakeReply::text("Done.")});
    ChatPeer peer(world_, Generation::second);
    peer.message("1", "Call", "{}");
    peer.say(
        "AGENT_TOOL_CALL_RESPONSE", "1",
        R"("data":{"toolCallId":"c1","toolName":"echo","isAllow":)" + std::string(allow) + "}");
    ChatPeer back(world_, Generation::second, 0, true);
    std::vector<std::string> told = back.told();
    const auto answered = std::find(told.begin(), told.end(), "TOOL_ANSWERED");
    ASSERT_NE(answered, told.end());
    EXPECT_LT(answered, std::find(told.begin(), told.end(), "TOOL_RESULT"));
    EXPECT_THAT(back.socket.texts,
                Contains(AllOf(HasSubstr("TOOL_ANSWERED"), HasSubstr(expected),
                               HasSubstr(R"("by":"Alice")"), HasSubstr(R"("state":"answered")"),
                               HasSubstr(R"("seq":)"))));
    world_.code = world_.make_session("alice", "");
  }
}

TEST_F(ChatConversation, RepeatedDetail_TellsWithdrawnRequest) {
  auto tool = agent::testing::echo_tool();
  tool->approval = tool::Approval::ask;
  world_.runs.tools.tools.add(tool);
  replies({FakeReply::call("c1", "echo", R"({"text":"hi"})")});
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Call", "{}");
  peer.say("INTERRUPT", "1");
  world_.runs.scheduler.advance(core::Millis(200));
  world_.run();
  ChatPeer back(world_, Generation::second, 0, true);
  EXPECT_THAT(back.socket.texts,
              Contains(AllOf(HasSubstr("TOOL_ANSWERED"), HasSubstr(R"("isAllow":false)"),
                             HasSubstr(R"("state":"cancelled")"))));
}

TEST_F(ChatConversation, Replay_IsOfNewestMessages_SaysSo) {
  world_.context->options.replayed_messages = 2;
  ChatPeer peer(world_, Generation::second);
  for (const char* id : {"1", "2", "3"}) {
    replies({FakeReply::text(std::string("Reply ") + id)});
    peer.message(id, "Hi", "{}");
  }
  ChatPeer back(world_, Generation::second, 0);
  EXPECT_THAT(back.told(), ElementsAre("REPLAY_CUT", "STARTED", "THINKING", "STREAM Reply 2",
                                       "AGENT_COMPLETE", "COMPLETE", "STARTED", "THINKING",
                                       "STREAM Reply 3", "AGENT_COMPLETE", "COMPLETE"));
  EXPECT_THAT(back.socket.texts.front(),
              AllOf(HasSubstr(R"("after":)"), HasSubstr("/messages"), Not(HasSubstr("requestId"))));
  EXPECT_EQ(world_.context->counters.replays_cut.value(), 1.0);
  simdjson::dom::parser parser;
  const std::uint64_t begins =
      parser.parse(back.socket.texts.front())["data"]["after"].get_uint64();
  ChatPeer rest(world_, Generation::second, begins);
  EXPECT_THAT(rest.told(), SizeIs(10));
  ChatPeer newer(world_, Generation::second, begins + 1, true);
  EXPECT_THAT(newer.told(), Not(Contains("REPLAY_CUT")));
}

TEST_F(ChatConversation, Replay_CountsRunsBegunElsewhere) {
  world_.context->options.replayed_messages = 1;
  for (const char* text : {"One", "Two"}) {
    replies({FakeReply::text(text)});
    run::RunRequest request;
    request.owner = "alice";
    request.session = world_.code;
    request.dialect = run::kChatDialect;
    request.message = model::Message::user("Hi");
    bool begun = false;
    world_.runs.service->start(request, world_.runs.scheduler,
                               [&begun](const auto& run) { begun = run.has_value(); });
    world_.wait([&begun] { return begun; });
    world_.run();
  }
  ChatPeer back(world_, Generation::first, 0);
  EXPECT_THAT(back.told(), ElementsAre("REPLAY_CUT", "THINKING", "STREAM Two", "AGENT_COMPLETE"));
}

// --- scopes of approvals ------------------------------------------------------------------------

TEST_F(ChatConversation, ScopeOfApproval_IsKept_CanBeRevoked) {
  auto tool = agent::testing::echo_tool();
  tool->approval = tool::Approval::ask;
  world_.runs.tools.tools.add(tool);
  const auto call = [this](const std::string& id) {
    replies({FakeReply::call(id, "echo", R"({"text":"hi"})"), FakeReply::text("Done.")});
  };
  const auto allowed = [this] {
    std::optional<core::Result<std::vector<AllowedTool>>> out;
    world_.sessions->list_allowed("alice", world_.runs.scheduler,
                                  [&out](auto all) { out = std::move(all); });
    world_.run();
    return out->value();
  };
  ChatPeer peer(world_, Generation::second);
  call("c1");
  peer.message("1", "Call", "{}");
  peer.say("AGENT_TOOL_CALL_RESPONSE", "1",
           R"("data":{"toolCallId":"c1","toolName":"echo","isAllow":true,"scope":"session"})");
  ASSERT_EQ(allowed().size(), 1U);
  EXPECT_EQ(allowed()[0].session, world_.code);
  EXPECT_EQ(allowed()[0].tool, (run::ToolOrigin{"echo", "builtin"}));
  call("c2");
  peer.message("2", "Again", "{}");
  EXPECT_THAT(tool->calls, ElementsAre("c1", "c2"));
  world_.sessions->disallow("alice", {{"echo", ""}, world_.code}, world_.runs.scheduler,
                            [](const core::Result<void>& gone) { EXPECT_TRUE(gone); });
  world_.run();
  call("c3");
  peer.message("3", "Again", "{}");
  EXPECT_THAT(tool->calls, ElementsAre("c1", "c2")) << "it asks again";
}

TEST_F(ChatConversation, RequestsOfSameReply_ComeTogether_ScopeClosesRest) {
  auto tool = agent::testing::echo_tool();
  tool->approval = tool::Approval::ask;
  world_.runs.tools.tools.add(tool);
  FakeReply reply;
  reply.calls = {{"c1", "echo", R"({"text":"a"})"},
                 {"c2", "echo", R"({"text":"b"})"},
                 {"c3", "echo", R"({"text":"c"})"}};
  replies({reply, FakeReply::text("Done.")});
  ChatPeer first(world_, Generation::first);
  ChatPeer peer(world_, Generation::second, std::nullopt, true);
  peer.message("1", "Call", "{}");
  EXPECT_THAT(first.told(), ElementsAre("THINKING", "TOOL_CALLING", "REQUEST echo", "REQUEST echo",
                                        "REQUEST echo"));
  EXPECT_THAT(peer.told(), ElementsAre("USER_MESSAGE", "STARTED", "THINKING", "AGENT_COMPLETE",
                                       "TOOL_CALLING", "REQUEST echo", "TOOL_CALLING",
                                       "REQUEST echo", "TOOL_CALLING", "REQUEST echo"));
  peer.say("AGENT_TOOL_CALL_RESPONSE", "1",
           R"("data":{"toolCallId":"c3","toolName":"echo","isAllow":false})");
  EXPECT_THAT(tool->calls, IsEmpty());
  peer.say("AGENT_TOOL_CALL_RESPONSE", "1",
           R"("data":{"toolCallId":"c2","toolName":"echo","isAllow":true,"scope":"session"})");
  EXPECT_THAT(tool->calls, ElementsAre("c1", "c2"));
  const auto answered = [&peer](const std::string& call, const std::string& allow) {
    return std::count_if(
        peer.socket.texts.begin(), peer.socket.texts.end(), [&](const std::string& frame) {
          return frame.find("TOOL_ANSWERED") != std::string::npos &&
                 frame.find("\"toolCallId\":\"" + call + "\",\"isAllow\":" + allow) !=
                     std::string::npos;
        });
  };
  EXPECT_EQ(answered("c1", "true"), 1);
  EXPECT_EQ(answered("c2", "true"), 1);
  EXPECT_EQ(answered("c3", "false"), 1);
  EXPECT_THAT(first.told(), ElementsAre("TOOL_COMPLETE", "STREAM Done.", "AGENT_COMPLETE"));
}

// --- attachments ---------------------------------------------------------------------------------

TEST_F(ChatConversation, Media_AreGivenToModel) {
  ChatPeer peer(world_, Generation::second);
  peer.message(
      "1", "Look",
      R"({"multimodalContents":[)"
      R"({"type":"image","isUseBase64":true,"base64Data":"aGk=","mimeType":"image/jpeg","uploadFileName":"a.jpg"},)"
      R"({"type":"image","url":"https://x.test/b.png"},)"
      R"({"type":"image","url":"/api/v1/files/download/c.png","uploadFileName":"c.png"},)"
      R"({"type":"pdfFile","base64Data":"aGk=","uploadFileName":"d.pdf"}]})");
  // The third may be an upload, which is looked for on another thread.
  world_.wait([&] { return !world_.runs.models.model->requests.empty(); });
  const model::Message& message = world_.runs.models.model->requests.back().messages.back();
  ASSERT_EQ(message.parts.size(), 4U);
  EXPECT_EQ(message.parts[1].type, model::Part::Type::image_base64);
  EXPECT_EQ(message.parts[1].media_type, "image/jpeg");
  EXPECT_EQ(message.parts[2].type, model::Part::Type::image_url);
  EXPECT_EQ(message.parts[3].type, model::Part::Type::file);
  EXPECT_THAT(message.content, AllOf(HasSubstr("[image: a.jpg]"), HasSubstr("[image: c.png"),
                                     HasSubstr("[pdfFile: d.pdf]")));
}

constexpr const char* kPicture =
    R"({"multimodalContents":[{"type":"image","isUseBase64":true,"base64Data":"aGVsbG8=",)"
    R"("mimeType":"image/jpeg","uploadFileName":"a.jpg"}]})";

TEST_F(ChatConversation, ModelWithoutImages_IsTold_ClientToo) {
  world_.runs.models.model->takes = model::MediaKinds().add(model::MediaKind::file);
  replies({FakeReply::text("I cannot see it."), FakeReply::text("Nor now.")});
  ChatPeer first(world_, Generation::first);
  ChatPeer second(world_, Generation::second);
  second.message("1", "Look", kPicture);
  const model::Message sent = world_.runs.models.model->requests.back().messages.back();
  for (const model::Part& part : sent.parts) EXPECT_EQ(part.type, model::Part::Type::text);
  EXPECT_THAT(sent.content, AllOf(HasSubstr("Look"), HasSubstr("Not shown to you"),
                                  HasSubstr("image \"a.jpg\" (image/jpeg, 5 bytes)")));
  EXPECT_THAT(second.told(), ElementsAre("STARTED", "THINKING", "STATUS_UPDATE",
                                         "STREAM I cannot see it.", "AGENT_COMPLETE", "COMPLETE"));
  EXPECT_THAT(second.socket.texts[2],
              AllOf(HasSubstr("a.jpg"), HasSubstr(R"(\"phase\":\"discovery\")")));
  EXPECT_THAT(first.told(),
              ElementsAre("THINKING", "THINKING", "STREAM I cannot see it.", "AGENT_COMPLETE"));
  EXPECT_THAT(first.socket.texts[1], HasSubstr("a.jpg"));
  // The picture stays in the conversation; the next message has no notice of it again.
  second.message("2", "And now?", "{}");
  EXPECT_THAT(second.told(), Not(Contains("STATUS_UPDATE")));
  world_.runs.models.model->takes = model::MediaKinds::all();
  replies({FakeReply::text("A cat.")});
  second.message("3", "And now?", "{}");
  const auto& messages = world_.runs.models.model->requests.back().messages;
  EXPECT_TRUE(std::any_of(messages.begin(), messages.end(), [](const model::Message& each) {
    return each.parts.size() == 2 && each.parts[1].type == model::Part::Type::image_base64;
  }));
}

}  // namespace
}  // namespace parley::chat
