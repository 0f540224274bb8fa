// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Isolation of tokens: no data crosses from one to another, and no token is ever sent out
// (contract decision 2; faults 2 and 3).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>

#include "tests/support/assistant/assistant_fixture.h"

namespace parley::assistant {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class TwoTokens : public testing::Test {
 protected:
  TwoTokens() {
    mine_id_ = mine_.enter("tok", "Mine");
    theirs_id_ = theirs_.enter("other", "Theirs");
    mine_.take();
    theirs_.take();
  }

  AssistantServer server_{2};
  Ui mine_{server_};
  Ui theirs_{server_, {}, 1};
  std::string mine_id_;
  std::string theirs_id_;
};

TEST_F(TwoTokens, Fault02_QuestionsAndNotifications_StayWithToken) {
  Ui second(server_);
  second.enter("tok", "Second");
  auto call = server_.call(RpcMethod::ask_question, question("q1", "Secret?"));
  server_.call(RpcMethod::task_finish, report("r1", "Secret done."));
  server_.run();
  mine_.send(question_reply("q1", "secret answer"));
  EXPECT_TRUE(call->response);
  EXPECT_THAT(second.take_cmds(), ElementsAre("AskQuestion", "TaskFinish", "WorkReport",
                                              "AskQuestionReplyNotification"));
  EXPECT_THAT(theirs_.take(), IsEmpty());
}

TEST_F(TwoTokens, Fault02_Cancellations_StayWithToken) {
  server_.call(RpcMethod::ask_question, question("q1", "Quick?", 5));
  server_.run();
  server_.advance(std::chrono::seconds(5));
  EXPECT_THAT(mine_.take_cmds(), ElementsAre("AskQuestion", "RequestCancelled"));
  EXPECT_THAT(theirs_.take(), IsEmpty());
}

TEST_F(TwoTokens, Fault03_QuestionOfOtherToken_CannotBeAnswered) {
  auto call = server_.call(RpcMethod::ask_question, question("q1", "Secret?"));
  server_.run();
  theirs_.send(question_reply("q1", "stolen"));
  EXPECT_FALSE(call->response);
  const auto told = theirs_.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_FALSE(told[0].checkmessagevalidityresponse().validity().at("q1"))
      << "for this token there is no such question";
}

TEST_F(TwoTokens, Fault03_ValidityAndPendingLists_StayWithToken) {
  server_.call(RpcMethod::ask_question, question("q1", "Secret?"));
  server_.run();
  pb::WebsocketMessage check;
  check.set_cmd("CheckMessageValidity");
  check.mutable_checkmessagevalidityrequest()->add_request_ids("q1");
  theirs_.send(check);
  pb::WebsocketMessage pending;
  pending.set_cmd("GetPendingMessages");
  pending.mutable_getpendingmessagesrequest()->set_user_token("tok");
  theirs_.send(pending);
  const auto told = theirs_.take();
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_FALSE(told[0].checkmessagevalidityresponse().validity().at("q1"));
  EXPECT_EQ(told[1].getpendingmessagesresponse().total_count(), 0);
}

TEST_F(TwoTokens, SameIdInTwoTokens_IsTwoQuestions) {
  auto first = server_.call(RpcMethod::ask_question, question("q1", "Mine?"));
  auto second = server_.call(RpcMethod::ask_question, question("q1", "Theirs?", 0, "other"));
  server_.run();
  theirs_.send(question_reply("q1", "for them"));
  EXPECT_FALSE(first->response);
  EXPECT_EQ(second->answer().contents(0).text().text(), "for them");
}

TEST_F(TwoTokens, PresenceAndUserLists_StayWithToken) {
  Ui second(server_);
  second.enter("tok", "Second");
  second.hang_up();
  EXPECT_THAT(theirs_.take(), IsEmpty());
  pb::WebsocketMessage users;
  users.set_cmd("GetOnlineUsers");
  users.mutable_getonlineusersrequest()->set_user_token("tok");
  theirs_.send(users);
  EXPECT_EQ(theirs_.take().at(0).getonlineusersresponse().total_count(), 0);
}

TEST_F(TwoTokens, Chat_DoesNotCross) {
  pb::WebsocketMessage chat;
  chat.set_cmd("SendChatMessage");
  chat.mutable_sendchatmessagerequest()->set_receiver_client_id(theirs_id_);
  chat.mutable_sendchatmessagerequest()->set_content("hi");
  mine_.send(chat);
  EXPECT_THAT(theirs_.take(), IsEmpty());
  EXPECT_EQ(server_.context->counters().undeliverable.value(), 1.0);
}

TEST_F(TwoTokens, ForwardMessages_DoNotCross) {
  pb::WebsocketMessage query;
  query.set_cmd("ForwardStateQuery");
  query.mutable_forwardstatequeryrequest()->set_target_client_id(theirs_id_);
  mine_.send(query);
  pb::WebsocketMessage answer;
  answer.set_cmd("ForwardStateQueryResponse");
  answer.mutable_forwardstatequeryresponse()->set_target_client_id(theirs_id_);
  mine_.send(answer);
  pb::WebsocketMessage error;
  error.set_cmd("ForwardDeliveryError");
  error.mutable_forwarddeliveryerrornotification()->set_target_client_id(theirs_id_);
  mine_.send(error);
  pb::WebsocketMessage changed;
  changed.set_cmd("ForwardStateChanged");
  changed.mutable_forwardstatechangednotification();
  mine_.send(changed);
  EXPECT_THAT(theirs_.take(), IsEmpty());
}

TEST_F(TwoTokens, Fault03_RpcWithoutToken_IsRefusedUnshown) {
  auto call = server_.call(RpcMethod::ask_question, question("q1", "Anyone?", 0, ""));
  server_.run();
  ASSERT_TRUE(call->response);
  EXPECT_EQ(call->response->status, 401);
  EXPECT_THAT(mine_.take(), IsEmpty());
  EXPECT_THAT(theirs_.take(), IsEmpty());
}

TEST_F(TwoTokens, Fault03_Tokens_AreInNoFrameToUi) {
  server_.verifier.ids["very-secret-token"] = "t1";
  Ui second(server_);
  pb::WebsocketMessage login;
  second.log_in("very-secret-token", "Second");
  server_.call(RpcMethod::ask_question, question("q1", "One?", 0, "very-secret-token"));
  server_.call(RpcMethod::work_report, report("r1", "Done.", "very-secret-token"));
  server_.run();
  second.send_cmd("GetPendingMessages");
  pb::WebsocketMessage reply = question_reply("q1", "yes");
  reply.mutable_askquestionrequest()->set_usertoken("very-secret-token");
  second.send(reply);
  std::size_t frames = 0;
  for (Ui* ui : {&mine_, &second}) {
    for (const std::string& bytes : ui->socket.sent) {
      ++frames;
      EXPECT_THAT(bytes, Not(HasSubstr("very-secret")));
    }
  }
  EXPECT_GE(frames, 8U);
}

TEST_F(TwoTokens, Fault03_TokensAndQuestions_AreNotLogged) {
  std::ostringstream lines;
  const auto before = spdlog::default_logger();
  const auto logger = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(lines));
  logger->set_level(spdlog::level::trace);
  spdlog::set_default_logger(logger);
  server_.verifier.ids["very-secret-token"] = "t1";
  Ui ui(server_);
  ui.log_in("very-secret-wrong");
  Ui good(server_);
  good.log_in("very-secret-token");
  server_.call(RpcMethod::ask_question, question("q1", "very-secret", 0, "very-secret-token"));
  server_.run();
  pb::WebsocketMessage reply = question_reply("q1", "very-secret");
  reply.mutable_askquestionrequest()->set_usertoken("very-secret-token");
  reply.mutable_askquestionresponse()->mutable_contents(0)->set_type(77);
  good.send(reply);
  good.send_bytes("\xff very-secret");
  good.send_bytes("very-secret", net::MessageType::text);
  spdlog::set_default_logger(before);
  EXPECT_THAT(lines.str(), HasSubstr("frame ignored")) << "the log does say what happened";
  EXPECT_THAT(lines.str(), Not(HasSubstr("very-secret")));
}

}  // namespace
}  // namespace parley::assistant
