// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Questions of the agent in a chat: shown as the end of its turn, answered by the next message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialects/chat/message_list.h"
#include "runtime/tool/ask_question.h"
#include "tests/support/chat/chat_world.h"
#include "tests/support/session/test_actors.h"

namespace parley::chat {
namespace {

using agent::testing::FakeReply;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kColour =
    R"({"question":"Which colour?","choices":[{"label":"Red","description":"warm"},{"label":"Blue"}]})";

class ChatQuestion : public ::testing::Test {
 protected:
  void asks() {
    world_.runs.tools.tools.add(tool::make_ask_question(*world_.runs.inbox));
    world_.runs.models.model->replies = {FakeReply::call("c1", "ask_question", kColour),
                                         FakeReply::text("It is done.")};
  }
  // The last result of a tool that the model was given.
  std::string result() { return world_.runs.models.model->requests.back().messages.back().content; }
  session::Session* inbox() { return world_.runs.hub->shard(0).find("assistant-alice"); }
  std::size_t questions_in_inbox() { return inbox() == nullptr ? 0 : inbox()->pending().size(); }
  std::string messages() {
    std::string out;
    list_messages(world_.runs.store, *world_.runs.service, "alice", world_.code,
                  world_.runs.scheduler,
                  [&out](const core::Result<std::string>& list) { out = list.value(); });
    world_.run();
    return out;
  }

  ChatWorld world_;
};

TEST_F(ChatQuestion, SecondGeneration_NextMessageIsAnswer) {
  asks();
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Paint it", "{}");
  EXPECT_THAT(peer.told(), ElementsAre("STARTED", "THINKING", "AGENT_COMPLETE", "TOOL_CALLING",
                                       "AGENT_MESSAGE_BLOCK", "COMPLETE"));
  EXPECT_TRUE(peer.has_frame(R"(Which colour?\n\n- Red: warm\n- Blue\n\nThe next message is)"));
  EXPECT_EQ(questions_in_inbox(), 1U) << "the question is in the inbox too";
  peer.message("2", "Blue, please", "{}");
  EXPECT_THAT(peer.told(), ElementsAre("STARTED", "TOOL_COMPLETE", "THINKING", "STREAM It is done.",
                                       "AGENT_COMPLETE", "COMPLETE"));
  EXPECT_THAT(peer.socket.texts.back(), HasSubstr(R"("requestId":"2")"));
  EXPECT_THAT(result(), EndsWith("Blue, please"));
  EXPECT_EQ(questions_in_inbox(), 0U);
  EXPECT_THAT(messages(),
              AllOf(HasSubstr(R"("requestId":"1","role":"AGENT_MESSAGE","content":"Which colour?)"),
                    HasSubstr(R"("requestId":"2","role":"USER","content":"Blue, please")"),
                    HasSubstr(R"("requestId":"2","role":"ASSISTANT")")));
}

TEST_F(ChatQuestion, FirstGeneration_EachRequestHasOneComplete) {
  asks();
  ChatPeer peer(world_, Generation::first);
  peer.message("1", "Paint it");
  EXPECT_THAT(peer.told(), ElementsAre("THINKING", "TOOL_CALLING",
                                       StartsWith("STREAM Which colour?"), "AGENT_COMPLETE"));
  peer.message("2", "Blue");
  EXPECT_THAT(peer.told(),
              ElementsAre("THINKING", "TOOL_COMPLETE", "STREAM It is done.", "AGENT_COMPLETE"));
  EXPECT_THAT(result(), EndsWith("Blue"));
}

TEST_F(ChatQuestion, AnsweredElsewhere_RunGoesOnUnderItsId) {
  asks();
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Paint it", "{}");
  peer.told();
  session::Answer red;
  red.contents.push_back({session::Content::Type::text, "Red", {}, {}, {}});
  inbox()->answer(inbox()->pending().at(0)->key, red, session::person("phone", "Alice"), nullptr);
  world_.run();
  EXPECT_THAT(peer.told(), ElementsAre("STARTED", "TOOL_COMPLETE", "THINKING", "STREAM It is done.",
                                       "AGENT_COMPLETE", "COMPLETE"));
  EXPECT_THAT(peer.socket.texts.back(), HasSubstr(R"("requestId":"run-)"));
  EXPECT_THAT(result(), EndsWith("Red"));
  peer.message("2", "Thank you", "{}");
  EXPECT_THAT(peer.told(), Contains("STARTED")) << "a message of its own";
}

TEST_F(ChatQuestion, ReloadedPage_IsShownQuestionAndAnswers) {
  asks();
  { ChatPeer(world_, Generation::second).message("1", "Paint it", "{}"); }
  ChatPeer peer(world_, Generation::second);
  EXPECT_THAT(messages(), HasSubstr(R"("role":"AGENT_MESSAGE","content":"Which colour?)"));
  peer.message("2", "Blue", "{}");
  EXPECT_THAT(peer.told(), Contains("STREAM It is done."));
  ChatPeer replayed(world_, Generation::second, 0);
  EXPECT_THAT(replayed.told(),
              ElementsAre("STARTED", "THINKING", "AGENT_COMPLETE", "TOOL_CALLING",
                          "AGENT_MESSAGE_BLOCK", "COMPLETE", "STARTED", "TOOL_COMPLETE", "THINKING",
                          "STREAM It is done.", "AGENT_COMPLETE", "COMPLETE"));
}

TEST_F(ChatQuestion, AfterRestart_RunIsLost_NextMessageBeginsAnother) {
  asks();
  { ChatPeer(world_, Generation::second).message("1", "Paint it", "{}"); }
  world_.restart();
  EXPECT_THAT(messages(), HasSubstr("AGENT_ERROR")) << "the run was lost with its server";
  ChatPeer peer(world_, Generation::second);
  world_.runs.models.model->replies = {FakeReply::text("A new run.")};
  peer.message("2", "Blue", "{}");
  EXPECT_THAT(peer.told(), Contains("STREAM A new run."));
}

TEST_F(ChatQuestion, Interrupt_WithdrawsQuestion) {
  asks();
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Paint it", "{}");
  peer.told();
  peer.say("INTERRUPT", "1");
  EXPECT_THAT(peer.told(), ElementsAre("INTERRUPTED"));
  EXPECT_EQ(questions_in_inbox(), 0U);
}

TEST_F(ChatQuestion, Clear_EndsRunThatAsks) {
  asks();
  ChatPeer peer(world_, Generation::second);
  peer.message("1", "Paint it", "{}");
  peer.told();
  peer.say("USER_ORDER", "2", R"("content":"/clear")");
  EXPECT_THAT(peer.told(),
              ElementsAre("INTERRUPTED", "STARTED", "CLEAR", "AGENT_TOKEN_USAGE", "COMPLETE"));
  EXPECT_EQ(questions_in_inbox(), 0U);
}

TEST_F(ChatQuestion, SecondAnswer_IsRefused) {
  asks();
  ChatPeer one(world_, Generation::first);
  ChatPeer two(world_, Generation::first);
  one.message("1", "Paint it");
  one.told();
  two.told();
  const std::string rest = R"("content":"Blue","data":{"workflowContent":""})";
  one.put(one.frame("USER_MESSAGE", "2", rest));
  two.put(two.frame("USER_MESSAGE", "3", rest));
  world_.run();
  EXPECT_THAT(one.told(), Contains("STREAM It is done."));
  EXPECT_THAT(two.told(), Contains(HasSubstr("The question is already answered.")));
}

}  // namespace
}  // namespace parley::chat
