// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Approvals of tools, as the user interfaces of this dialect see and answer them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/assistant/assistant_fixture.h"
#include "session/approval.h"
#include "session/test_actors.h"

namespace parley::assistant {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class Approvals : public testing::Test {
 protected:
  Approvals() { al_.enter("tok", "Al"); }

  // Makes a tool of a run wait for its approval.
  void ask_approval(const std::string& key, session::Session::AskDone done) {
    session::AskRequest request{session::Authority::of_run()};
    request.key = key;
    request.kind = session::InteractionKind::tool_approval;
    request.prompt.text = "Allow `bash` to run?\n\n{\"command\":\"make\"}";
    request.prompt.questions = {{"Go?", "bash", {{"Allow", ""}, {"Deny", ""}}, false, true}};
    request.prompt.agent_name = "react";
    server_.session("t1")->ask(std::move(request), std::move(done));
    server_.run();
  }

  AssistantServer server_;
  Ui al_{server_};
};

TEST_F(Approvals, ToolApproval_IsQuestionWithAllowAndDeny) {
  ask_approval("a1", [](const core::Result<session::InteractionPtr>&) {});
  const auto sent = al_.take();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].cmd(), "AskQuestion");
  EXPECT_EQ(sent[0].askquestionrequest().id(), "a1");
  const pb::McpAskQuestionRequest& request = sent[0].askquestionrequest().request();
  EXPECT_EQ(request.agentname(), "react");
  EXPECT_THAT(request.question(), HasSubstr("bash"));
  EXPECT_THAT(request.question(), HasSubstr(R"({"command":"make"})"));
  ASSERT_EQ(request.questions_size(), 1);
  ASSERT_EQ(request.questions(0).options_size(), 2);
  EXPECT_EQ(request.questions(0).question(), request.question()) << "whichever a client shows";
  EXPECT_EQ(request.questions(0).options(0).label(), "Allow");
  EXPECT_EQ(request.questions(0).options(1).label(), "Deny");
}

TEST_F(Approvals, ReplyToToolApproval_IsVerdict_ToldToOthers) {
  Ui bo(server_);
  bo.enter("tok", "Bo");
  session::InteractionPtr closed;
  ask_approval("a1", [&closed](core::Result<session::InteractionPtr> it) { closed = *it; });
  bo.take();
  al_.send(question_reply("a1", "Deny, use the script"));
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->outcome.answer, session::approval_answer({false, "use the script"}));
  const auto told = bo.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].cmd(), "AskQuestionReplyNotification");
  EXPECT_EQ(told[0].askquestionrequest().request().questions_size(), 1);
  EXPECT_EQ(told[0].askquestionresponse().contents(0).text().text(), "Deny: use the script");
  closed.reset();
  ask_approval("a2", [&closed](core::Result<session::InteractionPtr> it) { closed = *it; });
  al_.send(question_reply("a2", "Allow"));
  ASSERT_TRUE(closed);
  EXPECT_TRUE(session::approval_verdict(closed->outcome.answer).allow);
}

TEST_F(Approvals, ToolApproval_IsPendingForLateClients_UntilEnd) {
  ask_approval("a1", [](const core::Result<session::InteractionPtr>&) {});
  al_.take();
  al_.send_cmd("GetPendingMessages");
  auto told = al_.take();
  ASSERT_THAT(told, SizeIs(1));
  ASSERT_EQ(told[0].getpendingmessagesresponse().total_count(), 1);
  EXPECT_EQ(told[0].getpendingmessagesresponse().pending_messages(0).message_type(), "AskQuestion");
  Ui bo(server_);
  bo.log_in("tok", "Bo");
  bo.send_cmd("GetPendingMessages");
  EXPECT_EQ(bo.take().back().getpendingmessagesresponse().total_count(), 1);
  al_.take();
  server_.session("t1")->cancel("a1", "The run was cancelled.", session::person("", ""), nullptr);
  server_.run();
  told = al_.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].requestcancellednotification().message_type(), "AskQuestion");
  EXPECT_EQ(told[0].requestcancellednotification().reason(), "The run was cancelled.");
}

TEST_F(Approvals, ToolApprovalInWords_GetsChoices) {
  session::AskRequest request{session::Authority::of_run()};
  request.key = "a1";
  request.kind = session::InteractionKind::tool_approval;
  request.prompt.text = "May bash run?";
  server_.session("t1")->ask(std::move(request),
                             [](const core::Result<session::InteractionPtr>&) {});
  server_.run();
  const auto sent = al_.take();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].askquestionrequest().request().questions_size(), 1);
}

}  // namespace
}  // namespace parley::assistant
