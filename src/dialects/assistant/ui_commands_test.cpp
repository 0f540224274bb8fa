// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/assistant/assistant_fixture.h"

namespace parley::assistant {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class Commands : public testing::Test {
 protected:
  Commands() { al_id_ = al_.enter("tok", "Al"); }

  void ask(std::string_view id, std::string_view text) {
    calls_.push_back(server_.call(RpcMethod::ask_question, question(id, text)));
    server_.run();
  }
  void work_report(std::string_view id, std::string_view text) {
    calls_.push_back(server_.call(RpcMethod::work_report, report(id, text)));
    server_.run();
  }

  AssistantServer server_;
  Ui al_{server_};
  std::string al_id_;
  std::vector<std::shared_ptr<Caller>> calls_;
};

// --- questions shown -----------------------------------------------------------------------------

TEST_F(Commands, Question_IsShownWholeWithoutToken) {
  ask("q1", "Which way?");
  const auto sent = al_.take();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].cmd(), "AskQuestion");
  EXPECT_EQ(sent[0].askquestionrequest().id(), "q1");
  EXPECT_EQ(sent[0].askquestionrequest().usertoken(), "");
  EXPECT_EQ(sent[0].askquestionrequest().request().question(), "Which way?");
  EXPECT_EQ(sent[0].askquestionrequest().request().projectdirectory(), "/p");
  EXPECT_EQ(sent[0].askquestionrequest().timestamp(), 1'700'000'000'000) << "Unix milliseconds";
}

TEST_F(Commands, Report_UntilGenerationIsKnown_HasBothSpellings) {
  work_report("r1", "Done.");
  const auto sent = al_.take();
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_EQ(sent[0].cmd(), "TaskFinish");
  EXPECT_EQ(sent[1].cmd(), "WorkReport");
  for (const auto& message : sent) {
    EXPECT_EQ(message.taskfinishrequest().id(), "r1");
    EXPECT_EQ(message.taskfinishrequest().usertoken(), "");
    EXPECT_EQ(message.taskfinishrequest().request().summary(), "Done.");
  }
}

TEST_F(Commands, Reply_ShowsGeneration_EndsDoubling) {
  Ui bo(server_);
  bo.enter("tok", "Bo");
  work_report("r1", "Done.");
  al_.take();
  bo.take();
  al_.send(report_reply("WorkReportReply", "r1", "fine"));
  EXPECT_THAT(bo.take_cmds(),
              ElementsAre("TaskFinishReplyNotification", "WorkReportReplyNotification"));
  work_report("r2", "More done.");
  EXPECT_THAT(al_.take_cmds(), ElementsAre("WorkReport"));
  bo.take();
  bo.send(report_reply("TaskFinishReply", "r2", "fine"));
  EXPECT_THAT(al_.take_cmds(), ElementsAre("WorkReportReplyNotification"));
  work_report("r3", "All done.");
  EXPECT_THAT(bo.take_cmds(), ElementsAre("TaskFinish"));
}

TEST_F(Commands, GenerationInUrl_Wins) {
  Ui first(server_, {.generation = Generation::first});
  Ui second(server_, {.generation = Generation::second});
  Ui third(server_, {.generation = Generation::third});
  for (Ui* ui : {&first, &second, &third}) ui->enter("tok");
  for (Ui* ui : {&first, &second, &third}) ui->take();
  work_report("r1", "Done.");
  EXPECT_THAT(first.take_cmds(), ElementsAre("TaskFinish"));
  EXPECT_THAT(second.take_cmds(), ElementsAre("WorkReport"));
  EXPECT_THAT(third.take_cmds(), ElementsAre("WorkReport"));
  first.send(report_reply("WorkReportReply", "r1", "fine"));
  work_report("r2", "Done.");
  EXPECT_THAT(first.take_cmds(), ElementsAre("TaskFinish"));
}

// --- replies -------------------------------------------------------------------------------------

TEST_F(Commands, Reply_ReachesAgent_IsNotifiedToOthers) {
  Ui bo(server_);
  bo.enter("tok", "Bo");
  ask("q1", "Which way?");
  al_.take();
  bo.take();
  al_.send(question_reply("q1", "left"));
  ASSERT_TRUE(calls_[0]->response);
  EXPECT_EQ(calls_[0]->answer().contents(0).text().text(), "left");
  EXPECT_THAT(al_.take(), IsEmpty()) << "the replier is not notified";
  const auto told = bo.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].cmd(), "AskQuestionReplyNotification");
  EXPECT_EQ(told[0].askquestionrequest().id(), "q1");
  EXPECT_EQ(told[0].askquestionrequest().request().question(), "Which way?");
  EXPECT_EQ(told[0].askquestionrequest().usertoken(), "");
  EXPECT_EQ(told[0].askquestionresponse().contents(0).text().text(), "left");
  EXPECT_EQ(told[0].strparam(), "Response received from client " + al_id_);
  EXPECT_EQ(told[0].nickname(), "Al");
}

TEST_F(Commands, Fault12_ReportNotifications_NameClient) {
  Ui bo(server_);
  bo.enter("tok", "Bo");
  work_report("r1", "Done.");
  bo.take();
  al_.send(report_reply("TaskFinishReply", "r1", "fine"));
  const auto told = bo.take();
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_EQ(told[0].strparam(), "Task completion confirmed by client " + al_id_);
  EXPECT_EQ(told[1].strparam(), "Work report confirmed by client " + al_id_);
  EXPECT_EQ(told[1].taskfinishresponse().contents(0).text().text(), "fine");
}

TEST_F(Commands, ReplierWithAck_IsToldOfOwnReplyAfterCommit) {
  Ui page(server_, {.generation = Generation::first, .ack = true});
  const std::string id = page.enter("tok", "Page");
  ask("q1", "Which way?");
  page.take();
  page.send_bytes(encode(question_reply("q1", "left")));
  EXPECT_THAT(page.take(), IsEmpty()) << "not durable yet";
  server_.run();
  const auto told = page.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].cmd(), "AskQuestionReplyNotification");
  EXPECT_EQ(told[0].strparam(), "Response received from client " + id);
}

TEST_F(Commands, FirstReply_Wins_LoserIsToldOnce) {
  Ui bo(server_);
  bo.enter("tok", "Bo");
  ask("q1", "Which way?");
  al_.take();
  bo.take();
  al_.send_bytes(encode(question_reply("q1", "left")));
  bo.send_bytes(encode(question_reply("q1", "right")));
  server_.run();
  EXPECT_EQ(calls_[0]->answer().contents(0).text().text(), "left");
  const auto told = bo.take();
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_EQ(told[0].cmd(), "AskQuestionReplyNotification");
  EXPECT_EQ(told[0].askquestionresponse().contents(0).text().text(), "left");
  EXPECT_EQ(told[1].cmd(), "CheckMessageValidity");
  EXPECT_FALSE(told[1].checkmessagevalidityresponse().validity().at("q1"));
  EXPECT_THAT(al_.take(), IsEmpty()) << "a losing reply has no effect on others";
}

TEST_F(Commands, Fault06_LateReply_IsToldWinnerAlone) {
  ask("q1", "Which way?");
  al_.send(question_reply("q1", "left"));
  Ui bo(server_);
  bo.enter("tok", "Bo");
  al_.take();
  bo.send(question_reply("q1", "right"));
  const auto told = bo.take();
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_EQ(told[0].askquestionresponse().contents(0).text().text(), "left");
  EXPECT_EQ(told[1].cmd(), "CheckMessageValidity");
  EXPECT_THAT(al_.take(), IsEmpty());
  EXPECT_EQ(calls_[0]->answer().contents(0).text().text(), "left");
}

TEST_F(Commands, ReplyAfterDeadline_IsToldExpiry) {
  calls_.push_back(server_.call(RpcMethod::ask_question, question("q1", "Quick?", 5)));
  server_.run();
  server_.advance(std::chrono::seconds(5));
  al_.take();
  al_.send(question_reply("q1", "yes"));
  const auto told = al_.take();
  ASSERT_THAT(told, SizeIs(1)) << "RequestCancelled came when the time was up";
  EXPECT_FALSE(told[0].checkmessagevalidityresponse().validity().at("q1"));
}

TEST_F(Commands, LateReply_AfterNotification_IsNotNotifiedAgain) {
  Ui bo(server_);
  bo.enter("tok", "Bo");
  ask("q1", "Which way?");
  al_.send(question_reply("q1", "left"));
  al_.take();
  EXPECT_THAT(bo.take_cmds(), ElementsAre("AskQuestion", "AskQuestionReplyNotification"));
  bo.send(question_reply("q1", "right"));
  EXPECT_THAT(bo.take_cmds(), ElementsAre("CheckMessageValidity"));
  al_.send(question_reply("q1", "left again"));
  EXPECT_THAT(al_.take_cmds(), ElementsAre("AskQuestionReplyNotification", "CheckMessageValidity"))
      << "the winner had not been told that its first reply counts";
}

TEST_F(Commands, ReplyToUnknownId_GetsTrueState) {
  Ui bo(server_);
  bo.enter("tok", "Bo");
  al_.take();
  al_.send(question_reply("nobody asked", "yes"));
  const auto told = al_.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].cmd(), "CheckMessageValidity");
  EXPECT_FALSE(told[0].checkmessagevalidityresponse().validity().at("nobody asked"));
  EXPECT_THAT(bo.take(), IsEmpty());
}

TEST_F(Commands, Fault06_ReplyWithoutResponse_GetsTrueState) {
  ask("q1", "Which way?");
  al_.take();
  pb::WebsocketMessage reply = question_reply("q1", "left");
  reply.clear_askquestionresponse();
  al_.send(reply);
  const auto told = al_.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_TRUE(told[0].checkmessagevalidityresponse().validity().at("q1"));
  EXPECT_FALSE(calls_[0]->response);
  al_.send(question_reply("q1", "left"));
  EXPECT_TRUE(calls_[0]->response) << "the question could still be answered";
}

TEST_F(Commands, ReplyOfOtherKind_DoesNotAnswer) {
  ask("q1", "Which way?");
  al_.take();
  al_.send(report_reply("TaskFinishReply", "q1", "left"));
  auto told = al_.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_TRUE(told[0].checkmessagevalidityresponse().validity().at("q1"));
  EXPECT_FALSE(calls_[0]->response);
  work_report("r1", "Done.");
  al_.take();
  al_.send(question_reply("r1", "thanks"));
  told = al_.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_TRUE(told[0].checkmessagevalidityresponse().validity().at("r1"));
  EXPECT_FALSE(calls_[1]->response);
  al_.send(question_reply("q1", "left"));
  al_.send(report_reply("TaskFinishReply", "r1", "thanks"));
  EXPECT_TRUE(calls_[0]->response && calls_[1]->response);
}

TEST_F(Commands, ReplyWithUnreadableContent_GetsTrueState) {
  ask("q1", "Which way?");
  al_.take();
  pb::WebsocketMessage reply = question_reply("q1", "left");
  reply.mutable_askquestionresponse()->mutable_contents(0)->set_type(77);
  al_.send(reply);
  EXPECT_TRUE(al_.take().at(0).checkmessagevalidityresponse().validity().at("q1"));
  EXPECT_FALSE(calls_[0]->response);
}

TEST_F(Commands, ReplyWithoutRequest_IsKnownByResponseId) {
  ask("q1", "Which way?");
  pb::WebsocketMessage reply = question_reply("q1", "left");
  reply.clear_askquestionrequest();
  al_.send(reply);
  EXPECT_TRUE(calls_[0]->response);
  al_.take();
  reply.mutable_askquestionresponse()->clear_id();
  al_.send(reply);
  EXPECT_THAT(al_.take(), IsEmpty());
  EXPECT_EQ(server_.context->counters().malformed_frames.value(), 1.0);
}

TEST_F(Commands, UnstorableReply_IsToldQuestionIsOpen) {
  ask("q1", "Which way?");
  al_.take();
  server_.store.fail_next(1, {core::Code::data_loss, "disk", ""});
  al_.send(question_reply("q1", "left"));
  EXPECT_TRUE(al_.take().at(0).checkmessagevalidityresponse().validity().at("q1"));
  EXPECT_FALSE(calls_[0]->response);
  al_.send(question_reply("q1", "left"));
  EXPECT_TRUE(calls_[0]->response);
}

TEST_F(Commands, Fault04_ErrorReply_ReachesAgentWithContents) {
  ask("q1", "Delete it all?");
  pb::WebsocketMessage reply = question_reply("q1", "never");
  reply.mutable_askquestionresponse()->set_iserror(true);
  (*reply.mutable_askquestionresponse()->mutable_meta())["why"] = "policy";
  al_.send(reply);
  const pb::AskQuestionResponse answer = calls_[0]->answer();
  EXPECT_TRUE(answer.iserror());
  EXPECT_EQ(answer.meta().at("why"), "policy");
  EXPECT_EQ(answer.contents(0).text().text(), "never");
}

TEST_F(Commands, Fault06_ManyRepliesAtOnce_AllCount) {
  for (int i = 0; i < 100; ++i) ask("q" + std::to_string(i), "Which way?");
  for (int i = 0; i < 100; ++i) {
    al_.send_bytes(encode(question_reply("q" + std::to_string(i), "left")));
  }
  EXPECT_TRUE(al_.socket.paused);
  server_.run();
  EXPECT_FALSE(al_.socket.paused);
  for (const auto& call : calls_) EXPECT_EQ(call->answer().contents(0).text().text(), "left");
}

// --- ends without an answer ----------------------------------------------------------------------

TEST_F(Commands, Deadline_IsToldToEveryUi) {
  Ui page(server_, {.generation = Generation::second});
  page.enter("tok");
  work_report("r1", "Done.");
  al_.take();
  page.take();
  server_.advance(std::chrono::seconds(600));
  const auto once = al_.take();
  ASSERT_THAT(once, SizeIs(1)) << "RequestCancelled has one name in all generations";
  EXPECT_EQ(once[0].requestcancellednotification().message_type(), "WorkReport");
  const auto told = page.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].cmd(), "RequestCancelled");
  EXPECT_EQ(told[0].requestcancellednotification().request_id(), "r1");
  EXPECT_EQ(told[0].requestcancellednotification().reason(), "Request timed out after 600 seconds");
}

TEST_F(Commands, LostCaller_IsToldToEveryUiAfterGrace) {
  ask("q1", "Which way?");
  al_.take();
  calls_[0]->gone();
  server_.run();
  EXPECT_THAT(al_.take(), IsEmpty());
  server_.advance(std::chrono::seconds(2));
  const auto told = al_.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].requestcancellednotification().reason(), "Request was cancelled by client");
  EXPECT_EQ(told[0].requestcancellednotification().message_type(), "AskQuestion");
}

// --- queries of state ----------------------------------------------------------------------------

TEST_F(Commands, Validity_IsTrueOnlyForPendingQuestions) {
  ask("q1", "One?");
  ask("q2", "Two?");
  al_.send(question_reply("q2", "yes"));
  al_.take();
  pb::WebsocketMessage check;
  check.set_cmd("CheckMessageValidity");
  for (const char* id : {"q1", "q2", "q3"}) {
    check.mutable_checkmessagevalidityrequest()->add_request_ids(id);
  }
  al_.send(check);
  const auto told = al_.take();
  ASSERT_THAT(told, SizeIs(1));
  const auto& validity = told[0].checkmessagevalidityresponse().validity();
  EXPECT_EQ(validity.size(), 3U);
  EXPECT_TRUE(validity.at("q1"));
  EXPECT_FALSE(validity.at("q2"));
  EXPECT_FALSE(validity.at("q3"));
}

TEST_F(Commands, ValidityCheckOfTooManyIds_IsRefused) {
  pb::WebsocketMessage check;
  check.set_cmd("CheckMessageValidity");
  for (int i = 0; i < 10'001; ++i) {
    check.mutable_checkmessagevalidityrequest()->add_request_ids(std::to_string(i));
  }
  al_.send(check);
  EXPECT_THAT(al_.take(), IsEmpty());
  EXPECT_EQ(server_.context->counters().malformed_frames.value(), 1.0);
}

TEST_F(Commands, Fault10_PendingMessages_AreInCreationOrder) {
  Ui page(server_, {.generation = Generation::second});
  page.enter("tok");
  server_.advance(core::Millis(1'234));
  ask("zz first", "One?");
  server_.advance(core::Millis(1));
  work_report("mm second", "Done.");
  server_.advance(core::Millis(1));
  server_.call(RpcMethod::ask_question, question("aa third", "Three?", 77));
  server_.run();
  page.take();
  page.send_cmd("GetPendingMessages");
  const auto list = page.take().at(0).getpendingmessagesresponse();
  ASSERT_EQ(list.pending_messages_size(), 3);
  EXPECT_EQ(list.total_count(), 3);
  EXPECT_EQ(list.pending_messages(0).message_type(), "AskQuestion");
  EXPECT_EQ(list.pending_messages(0).ask_question_request().id(), "zz first");
  EXPECT_EQ(list.pending_messages(0).created_at(), 1'700'000'001'234);
  EXPECT_EQ(list.pending_messages(0).timeout(), 0) << "as the asker gave it";
  EXPECT_EQ(list.pending_messages(1).message_type(), "WorkReport");
  EXPECT_EQ(list.pending_messages(1).task_finish_request().request().summary(), "Done.");
  EXPECT_EQ(list.pending_messages(2).ask_question_request().id(), "aa third");
  EXPECT_EQ(list.pending_messages(2).timeout(), 77);
  EXPECT_EQ(list.pending_messages(2).ask_question_request().usertoken(), "");
}

TEST_F(Commands, ReportsOfUnknownGeneration_AreListedTwice) {
  work_report("r1", "Done.");
  al_.take();
  al_.send_cmd("GetPendingMessages");
  const auto list = al_.take().at(0).getpendingmessagesresponse();
  ASSERT_EQ(list.pending_messages_size(), 2);
  EXPECT_EQ(list.pending_messages(0).message_type(), "TaskFinish");
  EXPECT_EQ(list.pending_messages(1).message_type(), "WorkReport");
}

TEST_F(Commands, Fault05_LateUi_GetsOpenQuestions) {
  AssistantServer server;
  auto call = server.call(RpcMethod::ask_question, question("q1", "Anybody there?"));
  server.run();
  EXPECT_FALSE(call->response) << "nobody is online: it waits";
  Ui ui(server);
  ui.enter("tok");
  ui.send_cmd("GetPendingMessages");
  EXPECT_EQ(ui.take().at(0).getpendingmessagesresponse().total_count(), 1);
  ui.send(question_reply("q1", "yes"));
  EXPECT_EQ(call->answer().contents(0).text().text(), "yes");
}

TEST_F(Commands, PendingMessages_BehindLongQueue_AreAnsweredOnce) {
  ask("q1", "Which way?");
  al_.take();
  al_.socket.stuck = 9U << 20U;
  al_.send_cmd("GetPendingMessages");
  al_.send_cmd("GetPendingMessages");
  server_.advance(std::chrono::seconds(60));
  EXPECT_THAT(al_.take(), IsEmpty());
  ask("q2", "And then?");
  al_.take();
  al_.socket.stuck = 0;
  server_.advance(std::chrono::seconds(1));
  const auto list = al_.take();
  ASSERT_THAT(list, SizeIs(1)) << "one list answers all who asked";
  EXPECT_EQ(list[0].getpendingmessagesresponse().total_count(), 2) << "as it is now";
  al_.send_cmd("GetPendingMessages");
  EXPECT_THAT(al_.take_cmds(), ElementsAre("GetPendingMessages"));
}

TEST_F(Commands, OnlineUsers_AreOthersOfToken) {
  Ui bo(server_);
  const std::string bo_id = bo.enter("tok", "Bo");
  Ui cy(server_);
  const std::string cy_id = cy.enter("tok", "Cy");
  al_.take();
  al_.send_cmd("GetOnlineUsers");
  const auto list = al_.take().at(0).getonlineusersresponse();
  EXPECT_EQ(list.total_count(), 2);
  std::vector<std::string> ids;
  for (const auto& user : list.online_users()) {
    ids.push_back(user.client_id());
    EXPECT_EQ(user.connected_at(), 1'700'000'000) << "Unix seconds";
  }
  EXPECT_THAT(ids, UnorderedElementsAre(bo_id, cy_id));
}

// --- chat and forwarding -------------------------------------------------------------------------

pb::WebsocketMessage chat_to(const std::string& receiver, std::string_view text) {
  pb::WebsocketMessage message;
  message.set_cmd("SendChatMessage");
  message.mutable_sendchatmessagerequest()->set_receiver_client_id(receiver);
  message.mutable_sendchatmessagerequest()->set_content(std::string(text));
  return message;
}

TEST_F(Commands, ChatMessage_ReachesOnlyReceiver) {
  Ui bo(server_);
  const std::string bo_id = bo.enter("tok", "Bo");
  Ui cy(server_);
  cy.enter("tok", "Cy");
  al_.take();
  bo.take();
  pb::WebsocketMessage message = chat_to(bo_id, "hi");
  message.mutable_sendchatmessagerequest()->mutable_forward_target()->set_mode(
      pb::ForwardTarget::SPECIFIC_WINDOW);
  message.mutable_sendchatmessagerequest()->mutable_forward_target()->set_window_id("w7");
  al_.send(message);
  EXPECT_THAT(al_.take(), IsEmpty());
  EXPECT_THAT(cy.take(), IsEmpty());
  const auto told = bo.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].cmd(), "ChatMessageNotification");
  const pb::ChatMessage& chat = told[0].chatmessagenotification().chat_message();
  EXPECT_EQ(chat.sender_client_id(), al_id_);
  EXPECT_EQ(chat.sender_nickname(), "Al");
  EXPECT_EQ(chat.receiver_client_id(), bo_id);
  EXPECT_EQ(chat.receiver_nickname(), "Bo");
  EXPECT_EQ(chat.content(), "hi");
  EXPECT_EQ(chat.sent_at(), 1'700'000'000) << "Unix seconds";
  EXPECT_EQ(chat.message_id().substr(0, 5), "chat_");
  EXPECT_EQ(chat.forward_target().mode(), pb::ForwardTarget::SPECIFIC_WINDOW);
  EXPECT_EQ(chat.forward_target().window_id(), "w7");
}

TEST_F(Commands, Fault08_UndeliverableChatMessage_IsOnlyCounted) {
  Ui bo(server_);
  const std::string bo_id = bo.enter("tok", "Bo");
  bo.hang_up();
  al_.take();
  al_.send(chat_to(bo_id, "hi"));
  al_.send(chat_to("", "hi"));
  al_.send(chat_to(al_id_, ""));
  EXPECT_THAT(al_.take(), IsEmpty());
  EXPECT_EQ(server_.context->counters().undeliverable.value(), 3.0);
}

TEST_F(Commands, ForwardMessages_AreRelayedWithTrueSender) {
  Ui bo(server_);
  const std::string bo_id = bo.enter("tok", "Bo");
  al_.take();
  pb::WebsocketMessage query;
  query.set_cmd("ForwardStateQuery");
  query.mutable_forwardstatequeryrequest()->set_request_id("f1");
  query.mutable_forwardstatequeryrequest()->set_target_client_id(bo_id);
  query.mutable_forwardstatequeryrequest()->set_requester_client_id("somebody else");
  query.set_strparam("not relayed");
  al_.send(query);
  const auto asked = bo.take();
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_EQ(asked[0].cmd(), "ForwardStateQuery");
  EXPECT_EQ(asked[0].forwardstatequeryrequest().requester_client_id(), al_id_);
  EXPECT_EQ(asked[0].forwardstatequeryrequest().request_id(), "f1");
  EXPECT_EQ(asked[0].strparam(), "");

  pb::WebsocketMessage answer;
  answer.set_cmd("ForwardStateQueryResponse");
  pb::ForwardStateQueryResponse& body = *answer.mutable_forwardstatequeryresponse();
  body.set_request_id("f1");
  body.set_target_client_id(al_id_);
  body.set_forward_enabled(true);
  body.add_windows()->set_title("Editor");
  bo.send(answer);
  const auto answered = al_.take();
  ASSERT_THAT(answered, SizeIs(1));
  EXPECT_EQ(answered[0].forwardstatequeryresponse().responder_client_id(), bo_id);
  EXPECT_EQ(answered[0].forwardstatequeryresponse().windows(0).title(), "Editor");

  pb::WebsocketMessage error;
  error.set_cmd("ForwardDeliveryError");
  error.mutable_forwarddeliveryerrornotification()->set_target_client_id(al_id_);
  error.mutable_forwarddeliveryerrornotification()->set_reason("gone");
  bo.send(error);
  const auto failed = al_.take();
  ASSERT_THAT(failed, SizeIs(1));
  EXPECT_EQ(failed[0].forwarddeliveryerrornotification().peer_client_id(), bo_id);
}

TEST_F(Commands, ForwardState_IsToldToOthers) {
  Ui bo(server_);
  bo.enter("tok", "Bo");
  Ui cy(server_);
  cy.enter("tok", "Cy");
  al_.take();
  bo.take();
  pb::WebsocketMessage changed;
  changed.set_cmd("ForwardStateChanged");
  changed.mutable_forwardstatechangednotification()->set_forward_enabled(true);
  al_.send(changed);
  EXPECT_THAT(al_.take(), IsEmpty());
  for (Ui* ui : {&bo, &cy}) {
    const auto told = ui->take();
    ASSERT_THAT(told, SizeIs(1));
    EXPECT_EQ(told[0].forwardstatechangednotification().source_client_id(), al_id_);
  }
}

TEST_F(Commands, ForwardMessageWithoutReceiver_IsCounted) {
  pb::WebsocketMessage query;
  query.set_cmd("ForwardStateQuery");
  query.mutable_forwardstatequeryrequest()->set_target_client_id("nobody");
  al_.send(query);
  EXPECT_THAT(al_.take(), IsEmpty());
  EXPECT_EQ(server_.context->counters().undeliverable.value(), 1.0);
}

}  // namespace
}  // namespace parley::assistant
