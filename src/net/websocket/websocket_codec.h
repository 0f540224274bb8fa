// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The frames of RFC 6455, section 5: pure functions over bytes.
namespace parley::net {

enum class Opcode : std::uint8_t {
  continuation = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10,
};

constexpr bool is_control(Opcode opcode) { return static_cast<std::uint8_t>(opcode) >= 8; }

// Which side reads or writes: a client masks what it sends, a server does not.
enum class WebSocketSide : std::uint8_t { server, client };

using MaskKey = std::array<char, 4>;

inline constexpr std::size_t kMaxFrameHeader = 14;
inline constexpr std::size_t kMaxControlPayload = 125;
inline constexpr std::size_t kMaxCloseReason = 123;

struct FrameHeader {
  bool fin = true;
  bool compressed = false;  // RSV1
  bool masked = false;
  Opcode opcode = Opcode::text;
  MaskKey mask{};
  std::uint64_t payload = 0;  // bytes
  std::size_t size = 0;       // bytes of the header itself
};

enum class HeaderStatus : std::uint8_t { ok, need_more, bad };

struct HeaderResult {
  HeaderStatus status = HeaderStatus::need_more;
  FrameHeader header;
  const char* violation = nullptr;  // with `bad`: what rule was broken; the close code is 1002
};

// Reads the header at the front of `bytes`, sent to `reader`. Checks all that one frame shows:
// reserved bits (RSV1 is allowed on data frames when `deflate`), reserved opcodes, masking,
// shortest form of the length, control frames whole and at most 125 bytes. A fault is reported as
// soon as the bytes that show it are there.
HeaderResult parse_frame_header(std::string_view bytes, WebSocketSide reader, bool deflate);

// XORs `size` bytes with the mask; `phase` is the number of payload bytes that came before, modulo
// 4. Masks and unmasks.
void apply_mask(char* data, std::size_t size, const MaskKey& key, std::size_t phase = 0);

struct FrameHead {
  Opcode opcode = Opcode::text;
  bool fin = true;
  bool compressed = false;
  std::optional<MaskKey> mask = std::nullopt;  // a client's frame
};

// Writes a frame header to `out` (at least kMaxFrameHeader bytes); returns its size.
std::size_t write_frame_header(char* out, const FrameHead& head, std::uint64_t payload);

// Appends a whole frame, masked if the head says so.
void append_frame(std::string& out, const FrameHead& head, std::string_view payload);

// The payload of a close frame. kNoStatus gives an empty one; the reason is cut to
// kMaxCloseReason bytes between two characters.
std::string close_payload(std::uint16_t code, std::string_view reason);

// True if a close frame may carry this code (RFC 6455 section 7.4 and the IANA registry).
bool is_sendable_close_code(std::uint16_t code);

struct CloseInfo {
  std::uint16_t code = 0;  // kNoStatus if the payload is empty
  std::string_view reason;
  // Not 0 if the payload breaks a rule: the code to fail the connection with.
  std::uint16_t violation = 0;
};

CloseInfo parse_close_payload(std::string_view payload);

}  // namespace parley::net
