// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/websocket/websocket_codec.h"

namespace parley::net {

// Reads messages from the bytes of one direction of a WebSocket. A whole frame that lies in the
// bytes given is unmasked and handed out in place; only what is cut, or fragmented, is copied.
// Between messages it owns no memory but itself.
class WebSocketReader {
 public:
  enum class Kind : std::uint8_t { need_more, message, ping, pong, close, violation };

  struct Event {
    Kind kind = Kind::need_more;
    Opcode opcode = Opcode::text;  // of a message: text or binary
    // A compressed message is handed out as it came; its text is not checked yet.
    bool compressed = false;
    // Valid until the next call of next(), with Stream::kReadPadding readable bytes behind it.
    std::string_view payload;
    // The close code and the reason of a violation.
    std::uint16_t code = 0;
    const char* reason = "";
  };

  // Messages over `max_message_bytes` (as they come, compressed or not) are refused as soon as a
  // header shows it, with 1009.
  WebSocketReader(WebSocketSide side, std::size_t max_message_bytes, bool deflate);
  ~WebSocketReader();

  // Takes bytes from the front of `data`, up to the end of one event, and moves `data` and `size`
  // past them. `data` is changed (unmasked) and has Stream::kReadPadding readable bytes behind its
  // end. need_more: all was taken. next() must not be called after a violation or a close.
  Event next(char*& data, std::size_t& size);

  // Limits messages that begin from now on, and the rest of one that has begun.
  void set_max_message_bytes(std::size_t bytes) { max_message_bytes_ = bytes; }

  // True if no message is incomplete.
  bool idle() const { return assembly_ == nullptr; }
  // Bytes held of an incomplete message.
  std::size_t held() const;
  // Drops the incomplete message. next() must not be called afterwards.
  void drop();
  // The memory that these bytes take.
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
  bool over_ = false;     // nothing more may be given
  bool release_ = false;  // the message handed out last lies in assembly_, which is done with
};

}  // namespace parley::net
