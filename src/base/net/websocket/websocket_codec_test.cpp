// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/websocket/websocket_codec.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/net/websocket/websocket.h"
#include "base/net/websocket/websocket_handshake.h"

namespace parley::net {
namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out.push_back(static_cast<char>(value));
  return out;
}

HeaderStatus status_of(const std::string& data, WebSocketSide reader = WebSocketSide::server,
                       bool deflate = false) {
  return parse_frame_header(data, reader, deflate).status;
}

// RFC 6455 section 5.7.
TEST(FrameCodec, StandardExamples_AreWritten) {
  std::string out;
  append_frame(out, {.opcode = Opcode::text}, "Hello");
  EXPECT_EQ(out, bytes({0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f}));
  out.clear();
  append_frame(out, {.opcode = Opcode::text, .mask = MaskKey{0x37, '\xfa', 0x21, 0x3d}}, "Hello");
  EXPECT_EQ(out, bytes({0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58}));
  out.clear();
  append_frame(out, {.opcode = Opcode::text, .fin = false}, "Hel");
  append_frame(out, {.opcode = Opcode::continuation}, "lo");
  EXPECT_EQ(out, bytes({0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f}));
  out.clear();
  append_frame(out, {.opcode = Opcode::ping}, "Hello");
  EXPECT_EQ(out, bytes({0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f}));
  out.clear();
  append_frame(out, {.opcode = Opcode::binary}, std::string(256, 'x'));
  EXPECT_EQ(out.substr(0, 4), bytes({0x82, 0x7e, 0x01, 0x00}));
  out.clear();
  append_frame(out, {.opcode = Opcode::binary}, std::string(65536, 'x'));
  EXPECT_EQ(out.substr(0, 10), bytes({0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0}));
}

TEST(FrameCodec, EveryLength_IsReadBack) {
  for (const std::uint64_t length : {0ULL, 1ULL, 125ULL, 126ULL, 127ULL, 65535ULL, 65536ULL,
                                     (1ULL << 32U) + 5, (1ULL << 63U) - 1}) {
    for (const bool masked : {false, true}) {
      std::string out(kMaxFrameHeader, '\0');
      FrameHead head{.opcode = Opcode::binary, .fin = false};
      if (masked) head.mask = MaskKey{1, 2, 3, 4};
      out.resize(write_frame_header(out.data(), head, length));
      const WebSocketSide reader = masked ? WebSocketSide::server : WebSocketSide::client;
      for (std::size_t cut = 0; cut < out.size(); ++cut) {
        EXPECT_EQ(status_of(out.substr(0, cut), reader), HeaderStatus::need_more);
      }
      const HeaderResult parsed = parse_frame_header(out, reader, false);
      ASSERT_EQ(parsed.status, HeaderStatus::ok);
      EXPECT_EQ(parsed.header.payload, length);
      EXPECT_EQ(parsed.header.size, out.size());
      EXPECT_EQ(parsed.header.masked, masked);
      EXPECT_FALSE(parsed.header.fin);
      EXPECT_EQ(parsed.header.opcode, Opcode::binary);
    }
  }
}

TEST(FrameCodec, BrokenHeader_IsRefusedImmediately) {
  struct Case {
    const char* what;
    std::string data;
  };
  const std::vector<Case> cases = {
      {"RSV2", bytes({0xa1})},
      {"RSV3", bytes({0x91})},
      {"RSV1 without compression", bytes({0xc1})},
      {"opcode 3", bytes({0x83})},
      {"opcode 7", bytes({0x87})},
      {"opcode 11", bytes({0x8b})},
      {"opcode 15", bytes({0x8f})},
      {"fragmented ping", bytes({0x09})},
      {"fragmented close", bytes({0x08})},
      {"not masked", bytes({0x81, 0x05})},
      {"ping of 126 bytes", bytes({0x89, 0xfe})},
      {"close with a 64-bit length", bytes({0x88, 0xff})},
      {"125 in 16 bits", bytes({0x82, 0xfe, 0, 125})},
      {"65535 in 64 bits", bytes({0x82, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff})},
      {"length over 63 bits", bytes({0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0})},
  };
  for (const Case& c : cases) {
    const HeaderResult parsed = parse_frame_header(c.data, WebSocketSide::server, false);
    EXPECT_EQ(parsed.status, HeaderStatus::bad) << c.what;
    EXPECT_NE(parsed.violation, nullptr) << c.what;
  }
  EXPECT_EQ(status_of(bytes({0x81, 0x85}), WebSocketSide::client), HeaderStatus::bad)
      << "masked server";
}

TEST(FrameCodec, Rsv1_IsAllowedOnlyOnFirstDataFrame) {
  EXPECT_EQ(status_of(bytes({0xc1}), WebSocketSide::server, true), HeaderStatus::need_more);
  EXPECT_EQ(status_of(bytes({0x42}), WebSocketSide::server, true), HeaderStatus::need_more);
  EXPECT_EQ(status_of(bytes({0xc0}), WebSocketSide::server, true), HeaderStatus::bad);
  EXPECT_EQ(status_of(bytes({0xc9}), WebSocketSide::server, true), HeaderStatus::bad);
  EXPECT_EQ(status_of(bytes({0xc8}), WebSocketSide::server, true), HeaderStatus::bad);
}

TEST(FrameCodec, Masking_InAnyPieces_GivesSameBytes) {
  const MaskKey key{'\x11', '\x92', '\x33', '\xf4'};
  std::string plain;
  for (int i = 0; i < 67; ++i) plain.push_back(static_cast<char>(i * 7));
  std::string expected = plain;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = static_cast<char>(expected[i] ^ key[i % 4]);
  }
  for (std::size_t cut = 0; cut <= plain.size(); ++cut) {
    std::string masked = plain;
    apply_mask(masked.data(), cut, key);
    apply_mask(masked.data() + cut, masked.size() - cut, key, cut);
    EXPECT_EQ(masked, expected) << cut;
  }
}

TEST(ClosePayload, Payload_CarriesCodeAndReason) {
  const std::string payload = close_payload(4001, "so long");
  const CloseInfo info = parse_close_payload(payload);
  EXPECT_EQ(info.code, 4001);
  EXPECT_EQ(info.reason, "so long");
  EXPECT_EQ(info.violation, 0);
  EXPECT_EQ(close_payload(close_code::kNoStatus, "ignored"), "");
  EXPECT_EQ(parse_close_payload("").code, close_code::kNoStatus);
}

TEST(ClosePayload, LongReason_IsCutBetweenCharacters) {
  std::string reason(122, 'a');
  reason += "\xe4\xb8\xad";
  EXPECT_EQ(close_payload(1000, reason).size(), 2 + 122U);
}

TEST(ClosePayload, SendableCodes_AreKnown) {
  for (const int code : {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014,
                         3000, 3999, 4000, 4401, 4999}) {
    EXPECT_TRUE(is_sendable_close_code(static_cast<std::uint16_t>(code))) << code;
  }
  for (const int code : {0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535}) {
    EXPECT_FALSE(is_sendable_close_code(static_cast<std::uint16_t>(code))) << code;
    EXPECT_EQ(parse_close_payload(close_payload(static_cast<std::uint16_t>(code), "")).violation,
              code == close_code::kNoStatus ? 0 : close_code::kProtocolError)
        << code;
  }
  EXPECT_EQ(parse_close_payload("x").violation, close_code::kProtocolError);
  EXPECT_EQ(parse_close_payload(bytes({0x03, 0xe8, 0xff})).violation, close_code::kInvalidPayload);
}

// RFC 6455 section 1.3.
TEST(Handshake, StandardKey_IsAnswered) {
  EXPECT_EQ(websocket_accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

}  // namespace
}  // namespace parley::net
