// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the rights of user interfaces and agents, and of the cost of wrong tokens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "identity/access/access_table.h"
#include "tests/support/assistant/assistant_fixture.h"

namespace parley::assistant {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kSocket = "/ws ";

TEST(UiRights, Login_NeedsRead) {
  AssistantServer server;
  server.verifier.rights = auth::Rights::all().without(auth::Right::read);
  Ui ui(server);
  ui.log_in("tok");
  const auto sent = ui.take();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_FALSE(sent[0].userloginresponse().success());
  EXPECT_THAT(ui.socket.close_reason, HasSubstr("\"read\""));
  EXPECT_EQ(ui.socket.close_code, net::close_code::kUnauthenticated);
}

TEST(UiRights, ReplyWithoutRight_LeavesQuestionPending) {
  AssistantServer server;
  server.verifier.rights = auth::Rights::all().without(auth::Right::answer);
  Ui ui(server);
  ui.enter("tok");
  const auto caller = server.call(RpcMethod::ask_question, question("q1", "Which way?"));
  server.run();
  ui.take();
  ui.send(question_reply("q1", "Left"));
  EXPECT_TRUE(server.session("t1")->is_pending("q1"));
  EXPECT_FALSE(caller->response);
  const auto sent = ui.take();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_TRUE(sent[0].checkmessagevalidityresponse().validity().at("q1"));
  EXPECT_EQ(server.context->counters().forbidden.value(), 1.0);
  caller->gone();
}

TEST(UiRights, EachCommand_NeedsItsRow) {
  for (const access::Row& row : access::rows()) {
    if (row.method != "message" || !row.where.starts_with(kSocket)) continue;
    const std::string_view command = row.where.substr(kSocket.size());
    if (command == "UserLogin") continue;
    for (const auth::Right right : auth::kAllRights) {
      AssistantServer server;
      Ui ui(server);
      server.verifier.rights = {auth::Right::read, right};
      ui.enter("tok");
      ui.send_cmd(command);
      const bool lacks = access::missing(row, server.verifier.rights).has_value();
      EXPECT_EQ(server.context->counters().forbidden.value(), lacks ? 1.0 : 0.0)
          << command << " with " << auth::right_name(right);
      EXPECT_EQ(server.context->counters().unknown_commands.value(), 0.0) << command;
    }
  }
}

TEST(UiRights, Asking_NeedsAsk) {
  AssistantServer server;
  server.verifier.rights = auth::Rights::all().without(auth::Right::ask);
  const auto caller = server.call(RpcMethod::ask_question, question("q1", "Which way?"));
  server.run();
  ASSERT_TRUE(caller->response);
  EXPECT_EQ(caller->response->status, 403);
  EXPECT_THAT(caller->response->body, HasSubstr("permission_denied"));
  EXPECT_THAT(caller->response->body, HasSubstr("ask"));
  net::Request head = rpc_request("");
  head.headers.set("Authorization", "Bearer tok");
  const auto admission = admit_rpc(*server.context, RpcMethod::ask_question, head);
  ASSERT_FALSE(admission);
  EXPECT_EQ(admission.error().status, 403);
}

TEST(Guessing, WrongLogin_IsAnsweredAfterWait) {
  AssistantServer server;
  server.verifier.wait = core::Millis(400);
  Ui ui(server);
  ui.log_in("wrong");
  EXPECT_THAT(ui.take(), IsEmpty());
  server.advance(core::Millis(300));
  EXPECT_TRUE(ui.socket.is_open);
  server.advance(core::Millis(100));
  EXPECT_THAT(ui.take_cmds(), ElementsAre("UserLogin"));
  EXPECT_EQ(ui.socket.close_code, net::close_code::kUnauthenticated);
}

TEST(Guessing, WrongTokenOfCall_IsAnsweredLater) {
  AssistantServer server;
  server.verifier.wait = core::Millis(400);
  const auto caller = server.call(RpcMethod::ask_question, question("q", "?", 0, "wrong"));
  server.run();
  ASSERT_TRUE(caller->response);
  EXPECT_EQ(caller->response->status, 401);
  EXPECT_EQ(caller->response->delay, core::Millis(400));
}

}  // namespace
}  // namespace parley::assistant
