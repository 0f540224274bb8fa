// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <array>
#include <boost/json/parse.hpp>

#include "base/core/base64.h"
#include "base/core/hex.h"
#include "tools/conformance/bytes.h"
#include "tools/conformance/canned_server.h"
#include "tools/conformance/wire.h"

namespace parley::conformance {
namespace {

using testing::HasSubstr;

constexpr int kSocketPatienceMs = 10'000;

// The answer to the upgrade with the accept value of RFC 6455 section 1.3.
std::string upgraded(const std::string& head, const std::string& more = {}) {
  const std::size_t at = head.find("Sec-WebSocket-Key: ") + 19;
  const std::string text =
      head.substr(at, head.find("\r\n", at) - at) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
         more + "Sec-WebSocket-Accept: " +
         core::base64_encode({reinterpret_cast<const char*>(digest.data()), digest.size()}) +
         "\r\n\r\n";
}

// Opens a WebSocket to a server that sends `frames` and receives once.
core::Result<Received> receive_from(const std::string& frames) {
  CannedServer server([&](const std::string& head) { return upgraded(head) + frames; });
  WebSocketSettings settings;
  settings.path = "/ws";
  auto wire = open_websocket(server.target(), settings, in_ms(kSocketPatienceMs));
  if (!wire) return core::fail(wire.error());
  return (*wire)->receive(in_ms(kSocketPatienceMs));
}

std::string bytes(std::string_view hex) { return from_hex(hex).value(); }

TEST(WebSocketWire, Text_IsReadAsJson) {
  const auto got = receive_from(bytes("8107") + R"({"a":1})");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->value, boost::json::parse(R"({"a":1})"));
}

TEST(WebSocketWire, FragmentsAroundPing_AreJoined) {
  const auto got = receive_from(bytes("0103") + "[1," + bytes("8900") + bytes("8002") + "2]");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->value, boost::json::parse("[1,2]"));
}

TEST(WebSocketWire, CloseCodeAndReason_AreTold) {
  const auto got = receive_from(bytes("8805 1131") + "bye");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->kind, Received::Kind::closed);
  EXPECT_EQ(got->code, 4401);
  EXPECT_EQ(got->reason, "bye");
}

TEST(WebSocketWire, ProtocolViolation_Closes1002) {
  for (const char* frame : {"8181 00000000 41", "f100", "8300", "0900", "8000"}) {
    const auto got = receive_from(bytes(frame));
    ASSERT_TRUE(got) << frame;
    EXPECT_EQ(got->kind, Received::Kind::closed) << frame;
    EXPECT_THAT(got->code, testing::AnyOf(1002, 1006)) << frame;
  }
}

TEST(WebSocketWire, LongControlFrame_Closes1002) {
  const auto got = receive_from(bytes("897e007e") + std::string(126, 'x'));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->kind, Received::Kind::closed);
  EXPECT_EQ(got->code, 1002);
}

TEST(WebSocketWire, RefusedUpgrade_IsError) {
  CannedServer server(
      [](const std::string&) { return "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"; });
  WebSocketSettings settings;
  const auto wire = open_websocket(server.target(), settings, in_ms(kSocketPatienceMs));
  ASSERT_FALSE(wire);
  EXPECT_THAT(wire.error().message, HasSubstr("403"));
}

TEST(WebSocketWire, WrongAccept_IsError) {
  CannedServer server([](const std::string&) {
    return "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: AAAA\r\n\r\n";
  });
  const auto wire = open_websocket(server.target(), WebSocketSettings(), in_ms(kSocketPatienceMs));
  ASSERT_FALSE(wire);
  EXPECT_THAT(wire.error().message, HasSubstr("Accept"));
}

TEST(WebSocketWire, SentMaskedFrames_AreRefusedByOwnReader) {
  CannedServer server([](const std::string& head) { return upgraded(head); });
  {
    auto wire = open_websocket(server.target(), WebSocketSettings(), in_ms(kSocketPatienceMs));
    ASSERT_TRUE(wire);
    Outgoing what;
    what.frame = boost::json::parse(R"({"opcode": 3, "fin": false, "masked": false, "text": "x"})")
                     .as_object();
    ASSERT_TRUE((*wire)->send(what, in_ms(kSocketPatienceMs)));
    Outgoing text;
    text.text = "hello";
    ASSERT_TRUE((*wire)->send(text, in_ms(kSocketPatienceMs)));
  }
  const std::string& all = server.received();
  const std::string frames = all.substr(all.find("\r\n\r\n") + 4);
  ASSERT_EQ(frames.size(), 3U + 2U + 4U + 5U);
  EXPECT_EQ(core::hex_text(frames.substr(0, 3)), "030178");
  EXPECT_EQ(core::hex_text(frames.substr(3, 2)), "8185");
  EXPECT_NE(frames.substr(9), "hello");
}

}  // namespace
}  // namespace parley::conformance
