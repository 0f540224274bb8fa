// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/websocket/websocket_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/core/append_within.h"
#include "base/core/assert.h"
#include "base/core/utf8.h"
#include "base/net/loop/stream.h"
#include "base/net/websocket/websocket.h"

namespace parley::net {
namespace {

constexpr const char* kTooBig = "message too big";
constexpr const char* kNotUtf8 = "text is not UTF-8";

WebSocketReader::Event violation(std::uint16_t code, const char* reason) {
  WebSocketReader::Event event;
  event.kind = WebSocketReader::Kind::violation;
  event.code = code;
  event.reason = reason;
  return event;
}

WebSocketReader::Kind control_kind(Opcode opcode) {
  if (opcode == Opcode::ping) return WebSocketReader::Kind::ping;
  if (opcode == Opcode::pong) return WebSocketReader::Kind::pong;
  return WebSocketReader::Kind::close;
}

// The number of bytes of an incomplete character at the end of `text`: 0 to 3.
std::size_t open_tail(std::string_view text) {
  const std::size_t most = std::min<std::size_t>(3, text.size());
  for (std::size_t back = 1; back <= most; ++back) {
    const auto c = static_cast<unsigned char>(text[text.size() - back]);
    if ((c & 0xc0U) == 0x80U) continue;
    const std::size_t length = c >= 0xf0U ? 4 : c >= 0xe0U ? 3 : c >= 0xc0U ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

// True if a character begins with these bytes. Tries the lowest and the highest continuation byte.
bool can_begin_character(std::string_view tail) {
  const auto c = static_cast<unsigned char>(tail.front());
  const std::size_t length = c >= 0xf0U ? 4 : c >= 0xe0U ? 3 : 2;
  for (const char filler : {'\x80', '\xbf'}) {
    std::string whole(tail);
    whole.append(length - tail.size(), filler);
    if (core::is_utf8(whole)) return true;
  }
  return false;
}

}  // namespace

// An incomplete message or frame.
struct WebSocketReader::Assembly {
  std::array<char, kMaxFrameHeader> head{};
  std::size_t head_size = 0;
  bool in_frame = false;
  FrameHeader frame;
  std::uint64_t frame_taken = 0;  // received payload bytes of the frame

  bool in_message = false;
  Opcode opcode = Opcode::text;
  bool compressed = false;
  std::string message;
  std::size_t checked = 0;  // bytes of `message` known to be UTF-8
  std::string control;      // payload of the control frame being read

  bool checks_text() const { return opcode == Opcode::text && !compressed; }

  // False as soon as the text cannot become valid UTF-8.
  bool check_text(bool complete) {
    const std::string_view rest = std::string_view(message).substr(checked);
    if (complete) return core::is_utf8(rest);
    const std::size_t tail = open_tail(rest);
    if (!core::is_utf8(rest.substr(0, rest.size() - tail))) return false;
    checked = message.size() - tail;
    return tail == 0 || can_begin_character(rest.substr(rest.size() - tail));
  }
};

WebSocketReader::WebSocketReader(WebSocketSide side, std::size_t max_message_bytes, bool deflate)
    : max_message_bytes_(max_message_bytes), side_(side), deflate_(deflate) {}

WebSocketReader::~WebSocketReader() = default;

std::size_t WebSocketReader::held() const {
  return assembly_ ? assembly_->message.size() + assembly_->control.size() : 0;
}

void WebSocketReader::drop() {
  over_ = true;
  assembly_.reset();
}

std::size_t WebSocketReader::room() const {
  return assembly_ ? assembly_->message.capacity() + assembly_->control.size() : 0;
}

WebSocketReader::Event WebSocketReader::next(char*& data, std::size_t& size) {
  PARLEY_ASSERT(!over_, "WebSocket reader: " + std::to_string(size) +
                            " bytes are given behind a close frame or a violation");
  const Event event = read_event(data, size);
  over_ = event.kind == Kind::close || event.kind == Kind::violation;
  PARLEY_ASSERT(event.kind != Kind::need_more || size == 0,
                "WebSocket reader: asks for more with " + std::to_string(size) + " bytes left");
  return event;
}

WebSocketReader::Event WebSocketReader::read_event(char*& data, std::size_t& size) {
  if (std::exchange(release_, false)) assembly_.reset();
  Event event;
  if (!assembly_ && whole_frame(data, size, event)) return event;
  while (size > 0) {
    if (!assembly_) assembly_ = std::make_unique<Assembly>();
    if (!assembly_->in_frame && !take_header(data, size, event)) return event;
    if (!assembly_->in_frame) break;
    if (!take_payload(data, size, event)) return event;
    if (assembly_->frame_taken < assembly_->frame.payload) break;
    event = finish_frame();
    if (event.kind != Kind::need_more) return event;
  }
  return event;
}

// The common case: the given bytes contain a complete frame that is a message or a control frame.
// False: they do not, and nothing was consumed.
bool WebSocketReader::whole_frame(char*& data, std::size_t& size, Event& event) {
  const HeaderResult parsed = parse_frame_header({data, size}, side_, deflate_);
  if (parsed.status == HeaderStatus::bad) {
    event = violation(close_code::kProtocolError, parsed.violation);
    return true;
  }
  if (parsed.status == HeaderStatus::need_more) return false;
  const FrameHeader& header = parsed.header;
  if (header.opcode == Opcode::continuation) {
    event = violation(close_code::kProtocolError, "continuation frame without a message");
    return true;
  }
  if (!is_control_opcode(header.opcode) && header.payload > max_message_bytes_) {
    event = violation(close_code::kMessageTooBig, kTooBig);
    return true;
  }
  if (!header.fin || header.payload > size - header.size) return false;
  const auto length = static_cast<std::size_t>(header.payload);
  char* const payload = data + header.size;
  if (header.masked) apply_mask(payload, length, header.mask);
  data = payload + length;
  size -= header.size + length;
  event.payload = {payload, length};
  if (is_control_opcode(header.opcode)) {
    event.kind = control_kind(header.opcode);
    return true;
  }
  event.kind = Kind::message;
  event.opcode = header.opcode;
  event.compressed = header.compressed;
  if (header.opcode == Opcode::text && !header.compressed && !core::is_utf8(event.payload)) {
    event = violation(close_code::kInvalidPayload, kNotUtf8);
  }
  return true;
}

const char* WebSocketReader::check_sequence(const FrameHeader& header) const {
  if (is_control_opcode(header.opcode)) return nullptr;
  if (header.opcode == Opcode::continuation) {
    return assembly_->in_message ? nullptr : "continuation frame without a message";
  }
  return assembly_->in_message ? "a new message before the end of a fragmented one" : nullptr;
}

// Completes the header from the kept and the new bytes. False: stop; the reason is in `event`.
bool WebSocketReader::take_header(char*& data, std::size_t& size, Event& event) {
  Assembly& a = *assembly_;
  PARLEY_ASSERT(a.head_size < a.head.size(), "WebSocket reader: " + std::to_string(a.head_size) +
                                                 " bytes of a header are not enough");
  const std::size_t count = std::min(size, a.head.size() - a.head_size);
  std::copy_n(data, count, a.head.begin() + static_cast<std::ptrdiff_t>(a.head_size));
  const HeaderResult parsed =
      parse_frame_header({a.head.data(), a.head_size + count}, side_, deflate_);
  if (parsed.status == HeaderStatus::bad) {
    event = violation(close_code::kProtocolError, parsed.violation);
    return false;
  }
  if (parsed.status == HeaderStatus::need_more) {
    a.head_size += count;
    data += count;
    size -= count;
    return false;
  }
  PARLEY_ASSERT(parsed.header.size > a.head_size && parsed.header.size <= a.head_size + count,
                "WebSocket reader: a header of " + std::to_string(parsed.header.size) +
                    " bytes, and " + std::to_string(a.head_size) + " were read before");
  const std::size_t used = parsed.header.size - a.head_size;
  data += used;
  size -= used;
  a.head_size = 0;
  a.frame = parsed.header;
  a.frame_taken = 0;
  a.in_frame = true;
  if (const char* fault = check_sequence(a.frame)) {
    event = violation(close_code::kProtocolError, fault);
    return false;
  }
  if (is_control_opcode(a.frame.opcode)) {
    a.control.clear();
  } else {
    // The limit may have been lowered since the message began.
    const std::size_t room = max_message_bytes_ - std::min(max_message_bytes_, a.message.size());
    if (a.frame.payload > room) {
      event = violation(close_code::kMessageTooBig, kTooBig);
      return false;
    }
    if (a.frame.opcode != Opcode::continuation) {
      a.in_message = true;
      a.opcode = a.frame.opcode;
      a.compressed = a.frame.compressed;
    }
  }
  // A frame without payload is complete with its header.
  if (size == 0 && a.frame.payload == 0) {
    event = finish_frame();
    return false;
  }
  return true;
}

bool WebSocketReader::take_payload(char*& data, std::size_t& size, Event& event) {
  Assembly& a = *assembly_;
  PARLEY_ASSERT(a.in_frame && a.frame_taken <= a.frame.payload,
                "WebSocket reader: " + std::to_string(a.frame_taken) + " bytes are read of " +
                    std::to_string(a.frame.payload));
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>(size, a.frame.payload - a.frame_taken));
  if (a.frame.masked) {
    apply_mask(data, count, a.frame.mask, static_cast<std::size_t>(a.frame_taken % 4));
  }
  const bool control = is_control_opcode(a.frame.opcode);
  if (control) {
    PARLEY_ASSERT(a.control.size() + count <= kMaxControlPayload,
                  "WebSocket reader: a control frame has " +
                      std::to_string(a.control.size() + count) + " bytes");
    a.control.append(data, count);
  } else {
    const auto rest = static_cast<std::size_t>(a.frame.payload - a.frame_taken);
    core::append_within(a.message, {data, count}, a.message.size() + rest + Stream::kReadPadding);
  }
  a.frame_taken += count;
  data += count;
  size -= count;
  const bool message_complete = a.frame.fin && a.frame_taken == a.frame.payload;
  if (!control && a.checks_text() && !message_complete && !a.check_text(false)) {
    event = violation(close_code::kInvalidPayload, kNotUtf8);
    return false;
  }
  return true;
}

WebSocketReader::Event WebSocketReader::finish_frame() {
  Assembly& a = *assembly_;
  PARLEY_ASSERT(a.in_frame && a.frame_taken == a.frame.payload,
                "WebSocket reader: a frame ends after " + std::to_string(a.frame_taken) + " of " +
                    std::to_string(a.frame.payload) + " bytes");
  a.in_frame = false;
  Event event;
  if (is_control_opcode(a.frame.opcode)) {
    event.kind = control_kind(a.frame.opcode);
    a.control.reserve(a.control.size() + Stream::kReadPadding);
    event.payload = a.control;
    release_ = !a.in_message;
    return event;
  }
  if (!a.frame.fin) return event;
  if (a.checks_text() && !a.check_text(true)) {
    return violation(close_code::kInvalidPayload, kNotUtf8);
  }
  a.message.reserve(a.message.size() + Stream::kReadPadding);
  event.kind = Kind::message;
  event.opcode = a.opcode;
  event.compressed = a.compressed;
  event.payload = a.message;
  release_ = true;
  return event;
}

}  // namespace parley::net
