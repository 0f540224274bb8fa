// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/websocket/websocket_codec.h"

#include <cstring>

#include "base/core/utf8.h"
#include "base/net/websocket/websocket.h"

namespace parley::net {
namespace {

constexpr unsigned kFin = 0x80;
constexpr unsigned kRsv1 = 0x40;
constexpr unsigned kRsv23 = 0x30;
constexpr unsigned kMaskBit = 0x80;
constexpr std::uint64_t kLength16 = 126;
constexpr std::uint64_t kLength64 = 127;

unsigned byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

std::uint64_t read_big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = (value << 8U) | byte_at(bytes, at + i);
  return value;
}

HeaderResult bad(const char* violation) {
  HeaderResult result;
  result.status = HeaderStatus::bad;
  result.violation = violation;
  return result;
}

const char* check_first_byte(unsigned first, bool deflate) {
  const unsigned opcode = first & 0x0fU;
  if ((first & kRsv23) != 0) return "a reserved bit is set";
  if ((opcode > 2 && opcode < 8) || opcode > 10) return "reserved opcode";
  if ((first & kRsv1) != 0 && (!deflate || opcode == 0 || opcode >= 8)) {
    return "RSV1 is set, but compression was not negotiated";
  }
  if (opcode >= 8 && (first & kFin) == 0) return "fragmented control frame";
  return nullptr;
}

const char* check_second_byte(unsigned second, bool control, WebSocketSide reader) {
  const bool masked = (second & kMaskBit) != 0;
  if (masked != (reader == WebSocketSide::server)) {
    return masked ? "masked frame from a server" : "unmasked frame from a client";
  }
  if (control && (second & 0x7fU) > kMaxControlPayload) return "control frame over 125 bytes";
  return nullptr;
}

}  // namespace

HeaderResult parse_frame_header(std::string_view bytes, WebSocketSide reader, bool deflate) {
  HeaderResult result;
  FrameHeader& header = result.header;
  if (bytes.empty()) return result;
  const unsigned first = byte_at(bytes, 0);
  if (const char* violation = check_first_byte(first, deflate)) return bad(violation);
  if (bytes.size() < 2) return result;
  const unsigned second = byte_at(bytes, 1);
  header.fin = (first & kFin) != 0;
  header.compressed = (first & kRsv1) != 0;
  header.opcode = static_cast<Opcode>(first & 0x0fU);
  header.masked = (second & kMaskBit) != 0;
  if (const char* violation = check_second_byte(second, is_control_opcode(header.opcode), reader)) {
    return bad(violation);
  }
  header.payload = second & 0x7fU;
  header.size = 2;
  if (header.payload >= kLength16) {
    const std::size_t width = header.payload == kLength16 ? 2 : 8;
    if (bytes.size() < header.size + width) return result;
    header.payload = read_big_endian(bytes, header.size, width);
    header.size += width;
    if (header.payload < kLength16 || (width == 8 && header.payload <= 0xffffU)) {
      return bad("length is not in its shortest form");
    }
    if ((header.payload >> 63U) != 0) return bad("length has its highest bit set");
  }
  if (header.masked) {
    if (bytes.size() < header.size + header.mask.size()) return result;
    std::memcpy(header.mask.data(), bytes.data() + header.size, header.mask.size());
    header.size += header.mask.size();
  }
  result.status = HeaderStatus::ok;
  return result;
}

void apply_mask(char* data, std::size_t size, const MaskKey& key, std::size_t phase) {
  MaskKey turned;
  for (std::size_t i = 0; i < turned.size(); ++i) turned[i] = key[(phase + i) % key.size()];
  std::uint32_t word = 0;
  std::memcpy(&word, turned.data(), sizeof(word));
  const std::uint64_t wide = (static_cast<std::uint64_t>(word) << 32U) | word;
  std::size_t at = 0;
  for (; at + sizeof(wide) <= size; at += sizeof(wide)) {
    std::uint64_t part = 0;
    std::memcpy(&part, data + at, sizeof(part));
    part ^= wide;
    std::memcpy(data + at, &part, sizeof(part));
  }
  for (std::size_t i = 0; at < size; ++at, ++i) {
    data[at] = static_cast<char>(data[at] ^ turned[i % turned.size()]);
  }
}

std::size_t write_frame_header(char* out, const FrameHead& head, std::uint64_t payload) {
  const auto put = [&out](std::size_t at, std::uint64_t value) {
    out[at] = static_cast<char>(static_cast<unsigned char>(value & 0xffU));
  };
  put(0,
      (head.fin ? kFin : 0U) | (head.compressed ? kRsv1 : 0U) | static_cast<unsigned>(head.opcode));
  const unsigned mask_bit = head.mask ? kMaskBit : 0U;
  std::size_t size = 2;
  std::size_t width = 0;
  if (payload < kLength16) {
    put(1, mask_bit | payload);
  } else {
    width = payload <= 0xffffU ? 2 : 8;
    put(1, mask_bit | (width == 2 ? kLength16 : kLength64));
  }
  for (std::size_t i = 0; i < width; ++i) put(size++, payload >> (8 * (width - 1 - i)));
  if (head.mask) {
    std::memcpy(out + size, head.mask->data(), head.mask->size());
    size += head.mask->size();
  }
  return size;
}

void append_frame(std::string& out, const FrameHead& head, std::string_view payload) {
  std::array<char, kMaxFrameHeader> header;
  const std::size_t size = write_frame_header(header.data(), head, payload.size());
  out.append(header.data(), size);
  const std::size_t begin = out.size();
  out.append(payload);
  if (head.mask) apply_mask(out.data() + begin, payload.size(), *head.mask);
}

std::string close_payload(std::uint16_t code, std::string_view reason) {
  std::string payload;
  if (code == close_code::kNoStatus) return payload;
  payload.push_back(static_cast<char>(static_cast<unsigned char>(code >> 8U)));
  payload.push_back(static_cast<char>(static_cast<unsigned char>(code & 0xffU)));
  payload.append(core::utf8_truncate(reason, kMaxCloseReason));
  return payload;
}

bool is_sendable_close_code(std::uint16_t code) {
  if (code >= 3000) return code <= 4999;
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
}

CloseInfo parse_close_payload(std::string_view payload) {
  CloseInfo info;
  if (payload.empty()) {
    info.code = close_code::kNoStatus;
    return info;
  }
  if (payload.size() < 2) {
    info.violation = close_code::kProtocolError;
    return info;
  }
  info.code = static_cast<std::uint16_t>(read_big_endian(payload, 0, 2));
  info.reason = payload.substr(2);
  if (!is_sendable_close_code(info.code)) {
    info.violation = close_code::kProtocolError;
  } else if (!core::is_utf8(info.reason)) {
    info.violation = close_code::kInvalidPayload;
  }
  return info;
}

}  // namespace parley::net
