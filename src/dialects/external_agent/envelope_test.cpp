// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/external_agent/envelope.h"

#include <gtest/gtest.h>

namespace parley::external_agent {
namespace {

std::string forwarded(std::string_view text, const Rewrite& rewrite = {}) {
  EnvelopeReader reader(64);
  if (reader.read(text) != ReadResult::ok) return "unreadable";
  std::string out;
  append_forwarded(out, reader.envelope(), rewrite);
  return out;
}

TEST(Envelope, RelayMembers_AreRead) {
  EnvelopeReader reader(64);
  ASSERT_EQ(reader.read(R"({"v":"mvp-0.2","type":"tool.call","id":7,"replyTo":"x","payload":{}})"),
            ReadResult::ok);
  const Envelope& envelope = reader.envelope();
  EXPECT_EQ(envelope.type, "tool.call");
  EXPECT_EQ(envelope.id, "7");
  EXPECT_EQ(envelope.reply_to, "\"x\"");
  EXPECT_EQ(envelope.payload, "{}");
  EXPECT_TRUE(envelope.speaks_our_version());
}

TEST(Envelope, PreviousMessage_LeavesNothing) {
  EnvelopeReader reader(64);
  ASSERT_EQ(reader.read(R"({"v":"x","type":"a","id":7,"replyTo":"x","payload":{"k":1}})"),
            ReadResult::ok);
  ASSERT_EQ(reader.read(R"({"type":"b"})"), ReadResult::ok);
  const Envelope& envelope = reader.envelope();
  EXPECT_TRUE(envelope.id.empty() && envelope.reply_to.empty() && envelope.payload.empty());
  EXPECT_TRUE(envelope.speaks_our_version());
  EXPECT_EQ(envelope.payload_text("k"), std::nullopt);
}

TEST(Envelope, EscapedNamesAndTypes_AreEqual) {
  EnvelopeReader reader(64);
  ASSERT_EQ(reader.read(R"({"\u0074ype":"tool\u002ecall","i\u0064":1})"), ReadResult::ok);
  EXPECT_EQ(reader.envelope().type, "tool.call");
  EXPECT_EQ(reader.envelope().id, "1");
}

TEST(Envelope, LastMemberOfName_Counts) {
  EnvelopeReader reader(64);
  ASSERT_EQ(reader.read(R"({"type":1,"type":"a","id":1,"id":2})"), ReadResult::ok);
  EXPECT_EQ(reader.envelope().type, "a");
  EXPECT_EQ(reader.envelope().id, "2");
  EXPECT_EQ(reader.read(R"({"type":"a","type":1})"), ReadResult::malformed);
  EXPECT_EQ(forwarded(R"({"id":1,"type":"b","id":2,"type":"a","payload":1,"payload":{}})"),
            R"({"v":"mvp-0.2","id":2,"type":"a","payload":{}})");
}

TEST(Envelope, Forwarding_PutsVersionFirst) {
  EXPECT_EQ(forwarded(R"({"type":"a"})"), R"({"v":"mvp-0.2","type":"a"})");
  EXPECT_EQ(forwarded(R"({"type":"a","v":"mvp-0.9"})"), R"({"v":"mvp-0.9","type":"a"})");
  EXPECT_EQ(forwarded(R"({"type":"a","v":null})"), R"({"v":null,"type":"a"})");
  EXPECT_EQ(forwarded(R"({"v":"x", "type" : "a" })"), R"({"v":"x","type":"a"})");
}

TEST(Envelope, Forwarding_KeepsUnknownMembers) {
  EXPECT_EQ(forwarded(R"({"x":[1, 2],"type":"a","y":{"id":1},"z":"\u00e9"})"),
            R"({"v":"mvp-0.2","x":[1, 2],"type":"a","y":{"id":1},"z":"\u00e9"})");
}

TEST(Envelope, Forwarding_MapsIds) {
  Rewrite rewrite;
  rewrite.id = "\"r-1\"";
  EXPECT_EQ(forwarded(R"({"type":"a","id":{"k":1},"b":2})", rewrite),
            R"({"v":"mvp-0.2","type":"a","id":"r-1","b":2})");
  EXPECT_EQ(forwarded(R"({"type":"a"})", rewrite), R"({"v":"mvp-0.2","type":"a","id":"r-1"})");
  Rewrite reply;
  reply.reply_to = "[1]";
  EXPECT_EQ(forwarded(R"({"type":"a","replyTo":"r-1"})", reply),
            R"({"v":"mvp-0.2","type":"a","replyTo":[1]})");
  EXPECT_EQ(forwarded(R"({"type":"a"})", reply), R"({"v":"mvp-0.2","type":"a","replyTo":[1]})");
  reply.reply_to = "";
  EXPECT_EQ(forwarded(R"({"type":"a","replyTo":"r-1","id":"h"})", reply),
            R"({"v":"mvp-0.2","type":"a","id":"h"})");
}

TEST(Envelope, Forwarding_PutsStudyIdIntoPayload) {
  Rewrite rewrite;
  rewrite.session_id = "s-1";
  EXPECT_EQ(
      forwarded(R"({"type":"a","payload":{"x":1, "sessionId" : 7,"y":{"sessionId":0}}})", rewrite),
      R"({"v":"mvp-0.2","type":"a","payload":{"x":1, "sessionId" : "s-1","y":{"sessionId":0}}})");
  EXPECT_EQ(forwarded(R"({"type":"a","payload":{"sessionId":1,"session\u0049d":2}})", rewrite),
            R"({"v":"mvp-0.2","type":"a","payload":{"sessionId":"s-1","session\u0049d":"s-1"}})");
  EXPECT_EQ(forwarded(R"({"type":"a","payload":{"x":1}})", rewrite),
            R"({"v":"mvp-0.2","type":"a","payload":{"sessionId":"s-1","x":1}})");
  EXPECT_EQ(forwarded(R"({"type":"a","payload":{ }})", rewrite),
            R"({"v":"mvp-0.2","type":"a","payload":{"sessionId":"s-1"}})");
  for (const char* text : {R"({"type":"a","payload":null})", R"({"type":"a"})"}) {
    EXPECT_EQ(forwarded(text, rewrite),
              R"({"v":"mvp-0.2","type":"a","payload":{"sessionId":"s-1"}})");
  }
}

TEST(Envelope, NullReplyTo_IsMissing) {
  EnvelopeReader reader(64);
  ASSERT_EQ(reader.read(R"({"type":"a","replyTo":null,"id":null})"), ReadResult::ok);
  EXPECT_EQ(reader.envelope().reply_to, "");
  EXPECT_EQ(reader.envelope().id, "null");
}

TEST(Envelope, Fault_IsNamed) {
  EnvelopeReader reader(3);
  EXPECT_EQ(reader.read("nonsense"), ReadResult::malformed);
  EXPECT_EQ(reader.read(R"({"payload":{}})"), ReadResult::malformed);
  EXPECT_EQ(reader.read(R"({"type":"a","payload":[[[]]]})"), ReadResult::too_deep);
  EXPECT_EQ(reader.read(R"({"type":"a","id":")" + std::string(1'100, 'x') + "\"}"),
            ReadResult::long_id);
}

}  // namespace
}  // namespace parley::external_agent
