// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/external_agent/request_table.h"

#include <gtest/gtest.h>

#include "dialects/external_agent/relay_session.h"

namespace parley::external_agent {
namespace {

class RequestTableTest : public testing::Test {
 protected:
  Request& add(std::uint64_t number, MessageKind kind, const MemberPtr& agent) {
    return table.add(number, kind, agent, "\"id\"", core::MonoTime());
  }
  RequestTable table{2};
  MemberPtr one = std::make_shared<Member>();
  MemberPtr two = std::make_shared<Member>();
};

TEST_F(RequestTableTest, Requests_AreFoundByNumberAndKind) {
  add(1, MessageKind::snapshot_get, one);
  add(2, MessageKind::tool_call, two);
  EXPECT_EQ(table.find(2)->agent, two);
  EXPECT_EQ(table.find(3), nullptr);
  EXPECT_EQ(table.oldest(MessageKind::tool_result)->number, 2U);
  EXPECT_EQ(table.oldest(MessageKind::error)->number, 1U);
  EXPECT_EQ(table.oldest(MessageKind::session_ended), nullptr);
  table.remove(*table.find(1));
  EXPECT_EQ(table.find(1), nullptr);
  EXPECT_EQ(table.front().number, 2U);
}

TEST_F(RequestTableTest, Limit_CountsOnlyRequestsWithReply) {
  add(1, MessageKind::tool_call, one);
  add(2, MessageKind::tool_call, one);
  EXPECT_FALSE(table.has_room(MessageKind::snapshot_get));
  EXPECT_TRUE(table.has_room(MessageKind::agent_message));
  for (std::uint64_t i = 0; i < 2 * RequestTable::kMaxSilent; ++i) {
    add(10 + i, MessageKind::agent_message, one);
  }
  EXPECT_EQ(table.find(10), nullptr) << "the oldest is forgotten";
  EXPECT_NE(table.find(10 + 2 * RequestTable::kMaxSilent - 1), nullptr);
  EXPECT_EQ(table.waiting(), 2U);
  EXPECT_EQ(table.oldest(MessageKind::error)->number, 1U) << "an error is for who waits";
}

TEST_F(RequestTableTest, ForgottenAgent_KeepsEndOfStudy) {
  add(1, MessageKind::tool_call, one);
  add(2, MessageKind::session_end, one).study = "s-1";
  table.remove_of(*one);
  EXPECT_EQ(table.find(1), nullptr);
  EXPECT_NE(table.find(2), nullptr);
  EXPECT_EQ(table.waiting(), 1U);
  EXPECT_EQ(table.take_all().size(), 1U);
  EXPECT_TRUE(table.empty());
  EXPECT_TRUE(table.has_room(MessageKind::tool_call));
}

TEST_F(RequestTableTest, Table_KeepsNoAgentAlive) {
  add(1, MessageKind::tool_call, one);
  table.remove(*table.find(1));
  EXPECT_EQ(one.use_count(), 1);
}

TEST_F(RequestTableTest, ReusedNode_RemembersNothing) {
  Request& first = add(1, MessageKind::session_end, one);
  first.study = "s-1";
  first.reason = "r";
  table.remove(first);
  const Request& again = add(2, MessageKind::session_end, two);
  EXPECT_EQ(again.study + again.reason, "");
}

TEST(RequestId, RequestId_IsReadBackExactly) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{17}, ~std::uint64_t{0}}) {
    std::string raw;
    append_request_id(raw, number);
    EXPECT_EQ(request_number(raw), number);
  }
  for (const char* raw : {"", "17", "\"r-\"", "\"r-1", "\"r-x\"", "\"r--1\"", "\"r-1 \"", "\"R-1\"",
                          "\"r-18446744073709551616\"", "\"r-", "null"}) {
    EXPECT_EQ(request_number(raw), std::nullopt) << raw;
  }
}

}  // namespace
}  // namespace parley::external_agent
