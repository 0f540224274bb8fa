// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/net/websocket/websocket_codec.h"

namespace parley::net {

// Reads messages from the bytes of one direction of a WebSocket. A frame that lies completely in
// the given bytes is unmasked and returned in place; only partial frames and fragmented messages
// are copied. Between messages the reader owns no heap memory.
class WebSocketReader {
 public:
  enum class Kind : std::uint8_t { need_more, message, ping, pong, close, violation };

  struct Event {
    Kind kind = Kind::need_more;
    Opcode opcode = Opcode::text;  // for a message: text or binary
    // True: the message is returned compressed, and its text is not checked yet.
    bool compressed = false;
    // Valid until the next call of next(), with Stream::kReadPadding readable bytes behind it.
    std::string_view payload;
    // The close code and the reason of a violation.
    std::uint16_t code = 0;
    const char* reason = "";
  };

  // Messages above `max_message_bytes` (as received, compressed or not) are refused with 1009 as
  // soon as a header announces them.
  WebSocketReader(WebSocketSide side, std::size_t max_message_bytes, bool deflate);
  ~WebSocketReader();

  // Consumes bytes from the front of `data`, up to the end of one event, and moves `data` and
  // `size` past them. `data` is unmasked in place and has Stream::kReadPadding readable bytes
  // behind its end. need_more: all bytes were consumed. next() must not be called after a violation
  // or a close.
  Event next(char*& data, std::size_t& size);

  // Limits messages that begin from now on, and the rest of one that has begun.
  void set_max_message_bytes(std::size_t bytes) { max_message_bytes_ = bytes; }

  // True if no message is incomplete.
  bool idle() const { return assembly_ == nullptr; }
  // Bytes held of an incomplete message.
  std::size_t held() const;
  // Drops the incomplete message. next() must not be called afterwards.
  void drop();
  // The memory that the incomplete message occupies, in bytes.
  std::size_t room() const;

 private:
  struct Assembly;

  Event read_event(char*& data, std::size_t& size);
  bool whole_frame(char*& data, std::size_t& size, Event& event);
  Event finish_frame();
  const char* check_sequence(const FrameHeader& header) const;
  bool take_header(char*& data, std::size_t& size, Event& event);
  bool take_payload(char*& data, std::size_t& size, Event& event);

  std::size_t max_message_bytes_;
  std::unique_ptr<Assembly> assembly_;  // null between messages
  WebSocketSide side_;
  bool deflate_;
  bool over_ = false;     // next() must not be called any more
  bool release_ = false;  // assembly_ holds the message returned last; the next call releases it
};

}  // namespace parley::net
