// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/session/shown.h"
#include "tests/support/assistant/assistant_fixture.h"

namespace parley::assistant {
namespace {

using testing::SizeIs;

TEST(Answerers, OwnPage_IsToldTheTokenInPlaceOfTheNickname) {
  AssistantServer server;
  Ui al(server);
  al.enter("tok", "Al");
  Ui page(server, {.aware = true});
  page.enter("tok", "Merry Otter");
  const auto call = server.call(RpcMethod::ask_question, question("q1", "Which way?"));
  server.run();
  page.take();
  al.send(question_reply("q1", "left"));
  const auto told = page.take();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].nickname(), "name");
}

TEST(Answerers, OwnPage_IsToldTheWayOfTheAnswer_OthersAndAgentsAreNot) {
  AssistantServer server;
  Ui al(server);
  al.enter("tok", "Al");
  Ui bo(server);
  bo.enter("tok", "Bo");
  Ui page(server, {.aware = true});
  page.enter("tok", "Merry Otter");
  const auto call = server.call(RpcMethod::ask_question, question("q1", "Which way?"));
  server.run();
  page.take();
  bo.take();
  al.send(question_reply("q1", "left"));
  const auto told = page.take();
  ASSERT_THAT(told, SizeIs(1));
  const auto& meta = told[0].askquestionresponse().meta();
  ASSERT_EQ(meta.count(std::string(kChannelMeta)), 1U);
  EXPECT_EQ(meta.at(std::string(kChannelMeta)), "assistant");
  const auto other = bo.take();
  ASSERT_THAT(other, SizeIs(1));
  EXPECT_TRUE(other[0].askquestionresponse().meta().empty());
  ASSERT_TRUE(call->response);
  EXPECT_TRUE(call->answer().meta().empty());
}

TEST(Answerers, ReplyToAnotherText_HasNoEffect_ItsHashReachesNoAgent) {
  AssistantServer server;
  Ui al(server);
  al.enter("tok", "Al");
  const auto call = server.call(RpcMethod::ask_question, question("q1", "Which way?"));
  server.run();
  pb::WebsocketMessage reply = question_reply("q1", "left");
  auto& meta = *reply.mutable_askquestionresponse()->mutable_meta();
  meta[std::string(kShownMeta)] = std::string(64, 'a');
  al.send(reply);
  EXPECT_FALSE(call->response);
  session::Interaction shown;
  shown.prompt.text = "Which way?";
  meta[std::string(kShownMeta)] = session::shown_digest(shown);
  al.send(reply);
  ASSERT_TRUE(call->response);
  EXPECT_TRUE(call->answer().meta().empty());
}

}  // namespace
}  // namespace parley::assistant
