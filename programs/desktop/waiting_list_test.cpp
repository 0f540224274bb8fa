// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/waiting_list.h"

#include <gtest/gtest.h>

namespace parley::desktop {
namespace {

pb::WebsocketMessage asked(const std::string& key, std::int64_t at = 1) {
  pb::WebsocketMessage message;
  message.set_cmd("AskQuestion");
  message.mutable_askquestionrequest()->set_id(key);
  message.mutable_askquestionrequest()->set_timestamp(at);
  message.mutable_askquestionrequest()->mutable_request()->set_question("May I?");
  message.mutable_askquestionrequest()->mutable_request()->set_mcpclientname("client");
  return message;
}

pb::WebsocketMessage listed(const std::vector<std::string>& keys) {
  pb::WebsocketMessage message;
  message.set_cmd("GetPendingMessages");
  for (const std::string& key : keys) {
    pb::PendingMessage& entry =
        *message.mutable_getpendingmessagesresponse()->add_pending_messages();
    entry.set_message_type(key.starts_with('r') ? "WorkReport" : "AskQuestion");
    if (key.starts_with('r')) {
      entry.mutable_task_finish_request()->set_id(key);
    } else {
      entry.mutable_ask_question_request()->set_id(key);
    }
  }
  return message;
}

std::vector<std::string> keys_of(const std::vector<WaitingItem>& items) {
  std::vector<std::string> keys;
  keys.reserve(items.size());
  for (const WaitingItem& item : items) keys.push_back(item.key);
  return keys;
}

using Keys = std::vector<std::string>;

TEST(WaitingList, Question_IsNewOnce) {
  WaitingList list;
  const std::vector<WaitingItem> fresh = list.apply(asked("q1"));
  ASSERT_EQ(fresh.size(), 1U);
  EXPECT_EQ(fresh[0].text, "May I?");
  EXPECT_EQ(fresh[0].agent, "client");
  EXPECT_TRUE(list.apply(asked("q1")).empty());
  EXPECT_EQ(list.items().size(), 1U);
}

TEST(WaitingList, LongTexts_AreCut) {
  pb::WebsocketMessage message = asked("q1");
  pb::McpAskQuestionRequest& said = *message.mutable_askquestionrequest()->mutable_request();
  said.set_question(std::string(5'000'000, 'x'));
  said.set_agentname(std::string(5'000'000, 'a'));
  said.set_projectdirectory(std::string(5'000'000, 'p'));
  const std::vector<WaitingItem> fresh = WaitingList().apply(message);
  ASSERT_EQ(fresh.size(), 1U);
  EXPECT_EQ(fresh[0].text, std::string(1'000, 'x'));
  EXPECT_EQ(fresh[0].agent, std::string(200, 'a'));
  EXPECT_EQ(fresh[0].project, std::string(200, 'p'));
}

TEST(WaitingList, Items_AreInOrderOfAsking) {
  WaitingList list;
  list.apply(asked("late", 9));
  list.apply(asked("early", 2));
  EXPECT_EQ(keys_of(list.items()), (Keys{"early", "late"}));
}

TEST(WaitingList, ListAfterReconnecting_RevealsOnlyTheNew) {
  WaitingList list;
  EXPECT_EQ(keys_of(list.apply(listed({"q1", "r1"}))), (Keys{"q1", "r1"}));
  EXPECT_EQ(list.items()[1].kind, WaitingKind::report);
  EXPECT_EQ(keys_of(list.apply(listed({"q2", "r1"}))), (Keys{"q2"}));
  EXPECT_EQ(keys_of(list.items()), (Keys{"q2", "r1"}));
}

TEST(WaitingList, End_RemovesTheItem) {
  WaitingList list;
  list.apply(listed({"q1", "q2", "r1"}));
  pb::WebsocketMessage answered;
  answered.set_cmd("AskQuestionReplyNotification");
  answered.mutable_askquestionrequest()->set_id("q1");
  list.apply(answered);
  pb::WebsocketMessage confirmed;
  confirmed.set_cmd("WorkReportReplyNotification");
  confirmed.mutable_taskfinishrequest()->set_id("r1");
  list.apply(confirmed);
  pb::WebsocketMessage cancelled;
  cancelled.set_cmd("RequestCancelled");
  cancelled.mutable_requestcancellednotification()->set_request_id("q2");
  list.apply(cancelled);
  EXPECT_TRUE(list.items().empty());
}

TEST(WaitingList, OtherFrames_ChangeNothing) {
  WaitingList list;
  list.apply(asked("q1"));
  pb::WebsocketMessage other;
  other.set_cmd("UserConnectionStatusNotification");
  EXPECT_TRUE(list.apply(other).empty());
  EXPECT_TRUE(list.apply(asked("")).empty());
  EXPECT_EQ(list.items().size(), 1U);
}

}  // namespace
}  // namespace parley::desktop
