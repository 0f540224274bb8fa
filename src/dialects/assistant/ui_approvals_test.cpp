// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Approvals of tools, as the user interfaces of this dialect see and answer them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/session/approval.h"
#include "tests/support/assistant/assistant_fixture.h"
#include "tests/support/session/test_actors.h"

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
    server_.ask_in_run("t1", std::move(request), std::move(done));
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
  EXPECT_TRUE(request.question().starts_with(request.questions(0).question()))
      << "whichever a client shows";
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

// The pages of the first two generations show field 2, and have the buttons OK and CONTINUE.
TEST_F(Approvals, Choices_AreInTextOfClientsThatShowNothingElse) {
  Ui second(server_, {Generation::second});
  Ui third(server_, {Generation::third});
  Ui own(server_, {Generation::first, true, true});
  for (Ui* ui : {&second, &third, &own}) ui->enter("tok");
  ask_approval("a1", [](const core::Result<session::InteractionPtr>&) {});
  const auto text = [](Ui& ui) {
    return ui.take().back().askquestionrequest().request().question();
  };
  const std::string plain = "Allow `bash` to run?\n\n{\"command\":\"make\"}";
  EXPECT_EQ(text(al_),
            plain + "\n\nAnswer with one of these words, or in your own:\n\n- Allow\n- Deny");
  EXPECT_THAT(text(second), HasSubstr("- Allow\n- Deny"));
  EXPECT_EQ(text(third), plain) << "it shows the choices of field 7";
  EXPECT_EQ(text(own), plain);
}

TEST_F(Approvals, Frames_AreEncodedOnceForEachForm) {
  Ui same(server_);
  Ui own(server_, {Generation::first, true, true});
  for (Ui* ui : {&same, &own}) ui->enter("tok");
  for (Ui* ui : {&al_, &same, &own}) ui->take();
  ask_approval("a1", [](const core::Result<session::InteractionPtr>&) {});
  ASSERT_THAT(al_.socket.shared, SizeIs(1));
  EXPECT_EQ(al_.socket.shared[0], same.socket.shared[0]);
  EXPECT_NE(al_.socket.shared[0], own.socket.shared[0]);
}

TEST_F(Approvals, ButtonsOfOriginalPages_DecideNothing_AskAgain) {
  session::InteractionPtr closed;
  ask_approval("r/approval/c",
               [&closed](core::Result<session::InteractionPtr> it) { closed = *it; });
  al_.take();
  std::string id = "r/approval/c";
  for (const char* button : {"OK", "Continue", "yes do it"}) {
    al_.send(question_reply(id, button));
    EXPECT_FALSE(closed) << button;
    const auto sent = al_.take();
    ASSERT_THAT(sent, SizeIs(1)) << button;
    EXPECT_EQ(sent[0].cmd(), "AskQuestion");
    const pb::AskQuestionRequest& again = sent[0].askquestionrequest();
    EXPECT_NE(again.id(), id) << "the page has closed the card with this ID";
    EXPECT_THAT(again.request().question(), HasSubstr("answer with \"Allow\" or \"Deny\""));
    EXPECT_THAT(again.request().question(), HasSubstr(R"({"command":"make"})"));
    id = again.id();
  }
  al_.send(question_reply(id, "Allow"));
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->outcome.answer, session::approval_answer({true, ""}));
}

TEST_F(Approvals, CardThatWasAskedAgain_EndsWithItsInteraction) {
  Ui bo(server_);
  bo.enter("tok", "Bo");
  ask_approval("a1", [](const core::Result<session::InteractionPtr>&) {});
  al_.send(question_reply("a1", "OK"));
  bo.take();
  const std::string id = al_.take().back().askquestionrequest().id();
  pb::WebsocketMessage check;
  check.set_cmd("CheckMessageValidity");
  check.mutable_checkmessagevalidityrequest()->add_request_ids(id);
  al_.send(check);
  EXPECT_TRUE(al_.take()[0].checkmessagevalidityresponse().validity().at(id));
  bo.send(question_reply("a1", "Deny"));
  const auto told = al_.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].askquestionrequest().id(), id);
  EXPECT_EQ(told[0].askquestionresponse().id(), id);
  al_.send(question_reply(id, "Allow"));
  const auto late = al_.take();
  ASSERT_THAT(late, SizeIs(1));
  EXPECT_FALSE(late[0].checkmessagevalidityresponse().validity().at(id));
}

TEST_F(Approvals, CardAfterReconnection_StillAnswers) {
  session::InteractionPtr closed;
  ask_approval("a1", [&closed](core::Result<session::InteractionPtr> it) { closed = *it; });
  al_.hang_up();
  Ui again(server_);
  again.enter("tok", "Al");
  again.send(question_reply("a1/again/1", "Deny, not now"));
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->outcome.answer, session::approval_answer({false, "not now"}));
}

TEST_F(Approvals, ConsentOnOwnPage_LeavesCardOpen) {
  Ui own(server_, {Generation::first, true, true});
  own.enter("tok");
  ask_approval("a1", [](const core::Result<session::InteractionPtr>&) {});
  own.take();
  own.send(question_reply("a1", "OK"));
  const auto sent = own.take();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_TRUE(sent[0].checkmessagevalidityresponse().validity().at("a1"));
}

// The client joins between the answer in the run and its commit.
TEST_F(Approvals, EndThatWasBeingStoredAtLogin_IsTold) {
  ask_approval("a1", [](const core::Result<session::InteractionPtr>&) {});
  server_.store.step_by_step();
  server_.hub->with_session({"run", "loom", "t1"}, [](core::Result<session::Session*> run) {
    (*run)->answer("a1", {}, session::person("run page", "Ann"), nullptr);
  });
  server_.advance(core::Millis(10));
  Ui late(server_);
  late.enter("tok", "Late");
  server_.store.proceed(1);
  server_.run();
  EXPECT_THAT(late.take_cmds(), testing::Contains("AskQuestionReplyNotification"));
}

}  // namespace
}  // namespace parley::assistant
