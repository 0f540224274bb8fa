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

constexpr bool is_control_opcode(Opcode opcode) { return static_cast<std::uint8_t>(opcode) >= 8; }

// The side that reads or writes: a client masks its frames, a server does not.
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
  const char* violation = nullptr;  // with `bad`: the violated rule; the close code is 1002
};

// Parses the header at the front of `bytes`, received by `reader`. Checks all rules of a single
// frame: reserved bits (RSV1 is allowed on data frames if `deflate`), reserved opcodes, masking,
// shortest form of the length, control frames not fragmented and at most 125 bytes. Reports a
// violation as soon as its bytes have arrived.
HeaderResult parse_frame_header(std::string_view bytes, WebSocketSide reader, bool deflate);

// Masks or unmasks: XORs `size` bytes with the key. `phase`: the number of earlier payload bytes,
// modulo 4.
void apply_mask(char* data, std::size_t size, const MaskKey& key, std::size_t phase = 0);

struct FrameHead {
  Opcode opcode = Opcode::text;
  bool fin = true;
  bool compressed = false;
  std::optional<MaskKey> mask = std::nullopt;  // set in a client's frame
};

// Writes a frame header to `out` (at least kMaxFrameHeader bytes); returns its size.
std::size_t write_frame_header(char* out, const FrameHead& head, std::uint64_t payload);

// Appends a whole frame, masked if `head` has a mask.
void append_frame(std::string& out, const FrameHead& head, std::string_view payload);

// The payload of a close frame. kNoStatus gives an empty one; the reason is cut to
// kMaxCloseReason bytes between two characters.
std::string close_payload(std::uint16_t code, std::string_view reason);

// True if a close frame may carry this code (RFC 6455 section 7.4 and the IANA registry).
bool is_sendable_close_code(std::uint16_t code);

struct CloseInfo {
  std::uint16_t code = 0;  // kNoStatus if the payload is empty
  std::string_view reason;
  // The close code for a payload that breaks a rule; otherwise 0.
  std::uint16_t violation = 0;
};

CloseInfo parse_close_payload(std::string_view payload);

}  // namespace parley::net
