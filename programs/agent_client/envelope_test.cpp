// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/agent_client/envelope.h"

#include <gtest/gtest.h>

#include "base/net/loop/stream.h"

namespace parley::agent_client {
namespace {

core::Result<Envelope> read(std::string text) {
  const std::size_t size = text.size();
  text.append(net::Stream::kReadPadding, '\0');
  return read_envelope(std::string_view(text).substr(0, size));
}

TEST(AgentEnvelopeTest, ClientMembers_AreRead) {
  const auto envelope = read(
      R"({"v":"mvp-0.2","type":"tool.result","replyTo":"req-1","extra":[1],"payload":{"ok":true}})");
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->type, "tool.result");
  EXPECT_EQ(envelope->reply_to, "\"req-1\"");
  EXPECT_EQ(envelope->id, "");
  EXPECT_EQ(envelope->payload, R"({"ok":true})");
}

TEST(AgentEnvelopeTest, Ids_OfAnyType_KeepSpelling) {
  EXPECT_EQ(read(R"({"type":"t","id": 7 ,"payload":null})")->id, "7");
  EXPECT_EQ(read(R"({"type":"t","id":{"a": [1, 2]}})")->id, R"({"a": [1, 2]})");
  EXPECT_EQ(read(R"({"type":"t","payload":null})")->payload, "null");
}

TEST(AgentEnvelopeTest, OtherThanEnvelope_IsRefused) {
  for (const char* text : {"", "{}", "[]", "17", "hello", R"({"type":1})", R"({"type":"")"}) {
    EXPECT_FALSE(read(text)) << text;
  }
}

TEST(AgentEnvelopeTest, Version_IsWrittenFirst_EmptyPayloadIsObject) {
  EXPECT_EQ(write_envelope({"snapshot.get", "\"r1\""}),
            R"({"v":"mvp-0.2","type":"snapshot.get","id":"r1","payload":{}})");
  EXPECT_EQ(write_envelope({"tool.result", "", "7", R"({"ok":true})"}),
            R"({"v":"mvp-0.2","type":"tool.result","replyTo":7,"payload":{"ok":true}})");
}

TEST(AgentEnvelopeTest, MembersOfPayload_AreFound) {
  const std::string payload =
      R"({"code":"UNKNOWN_TOOL","message":"a \"b\"","hostActive":true,"n":1})";
  EXPECT_EQ(text_member(payload, "message"), "a \"b\"");
  EXPECT_EQ(text_member(payload, "code"), "UNKNOWN_TOOL");
  EXPECT_EQ(text_member(payload, "n"), "");
  EXPECT_EQ(text_member(payload, "missing"), "");
  EXPECT_EQ(text_member("null", "code"), "");
  EXPECT_TRUE(true_member(payload, "hostActive"));
  EXPECT_FALSE(true_member(payload, "n"));
  EXPECT_FALSE(true_member("[]", "hostActive"));
}

}  // namespace
}  // namespace parley::agent_client
