// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"
#include "base/core/scheduler.h"
#include "base/net/loop/stream.h"

namespace parley::net {

// Close codes (RFC 6455 section 7.4.1; from 4000 on Parley's own).
namespace close_code {
inline constexpr std::uint16_t kNormal = 1000;
inline constexpr std::uint16_t kGoingAway = 1001;
inline constexpr std::uint16_t kProtocolError = 1002;
inline constexpr std::uint16_t kUnsupportedData = 1003;
inline constexpr std::uint16_t kNoStatus = 1005;  // never sent: the peer gave no code
inline constexpr std::uint16_t kAbnormal = 1006;  // never sent: there was no close frame
inline constexpr std::uint16_t kInvalidPayload = 1007;
inline constexpr std::uint16_t kPolicyViolation = 1008;
inline constexpr std::uint16_t kMessageTooBig = 1009;
inline constexpr std::uint16_t kInternalError = 1011;
inline constexpr std::uint16_t kTryAgainLater = 1013;  // the consumer was too slow
inline constexpr std::uint16_t kUnauthenticated = 4401;
}  // namespace close_code

enum class MessageType : std::uint8_t { text, binary };

// One message, encoded once as a server's frame, for any number of connections. The compressed form
// is made for the first connection that needs it, and shared too. Any thread may hold a message;
// only one thread at a time may send it (each shard makes its own).
class OutgoingMessage {
 public:
  // Text must be UTF-8.
  static std::shared_ptr<OutgoingMessage> make(MessageType type, std::string_view payload);
  virtual ~OutgoingMessage() = default;
};
using OutgoingMessagePtr = std::shared_ptr<OutgoingMessage>;

// An open WebSocket, after the handshake, seen from the server's side. Belongs to one thread at a
// time. Made and owned by net; a handler holds a reference until its on_close().
class WebSocket {
 public:
  virtual ~WebSocket() = default;

  // Queues a message; all messages of one turn of the loop are sent with one write. When the queue
  // passes the limit of the server (bytes, see SendLimit, or messages) the connection is closed
  // with 1013 and the text of set_resume_hint(); nothing is thrown, later sends are no-ops.
  virtual void send(const OutgoingMessagePtr& message) = 0;
  virtual void send_text(std::string_view text) = 0;
  virtual void send_binary(std::string_view bytes) = 0;
  // Starts the closing handshake: no more messages are delivered, and a pause of reading ends.
  // `reason`: at most 123 bytes.
  virtual void close(std::uint16_t code, std::string_view reason) = 0;
  // The close reason for a consumer that is too slow: how the client may resume.
  virtual void set_resume_hint(std::string hint) = 0;
  // The number of the last event of its session that was sent in full; the reason above then begins
  // with "resume after seq N". Cheap enough for every event.
  virtual void set_resume_seq(std::uint64_t seq) { (void)seq; }
  virtual std::size_t queued_bytes() const = 0;
  virtual bool open() const = 0;
  // Pauses or resumes reading, for back-pressure on the peer. Does nothing once it is closed.
  virtual void pause_reading(bool pause) = 0;
  // Marks the sender as known: from now on messages may have their full size, and the bytes of an
  // incomplete message count to the budget of `account` (a token's id).
  virtual void admit(std::string_view account) = 0;
  // Moves the connection, with its handler and all bytes read and queued, to another thread.
  // Messages that have arrived already are delivered there, after `arrived`. Only as the last act
  // of a handler's call.
  virtual void move_to(core::Scheduler& target, absl::AnyInvocable<void()> arrived) = 0;
  // Gives the connection away: `take` gets the stream, with all bytes queued, and those behind the
  // message that is handled. The handler is destroyed without on_close(). Only as the last act of a
  // handler's call.
  virtual void give_away(TakeOver take) = 0;
  // True if permessage-deflate was agreed.
  virtual bool compresses() const = 0;
  // Sets the ping interval and the longest silence of this peer, in place of the server's; the
  // silence is measured from now. Checked about once a second. Both 0: the server's values again.
  virtual void set_heartbeat(core::Millis interval, core::Millis timeout) = 0;
  virtual core::Scheduler& scheduler() = 0;
  virtual const std::string& peer() const = 0;
  virtual const std::string& subprotocol() const = 0;
};

// Callbacks of a WebSocket. Owned by the connection; destroyed after on_close(). An exception of a
// callback closes its own connection only.
class WebSocketHandler {
 public:
  virtual ~WebSocketHandler() = default;
  virtual void on_open(WebSocket& socket) = 0;
  // A whole message. `data` is valid during the call and has Stream::kReadPadding readable bytes
  // behind its end; text has been checked to be UTF-8.
  virtual void on_message(WebSocket& socket, MessageType type, std::string_view data) = 0;
  // Called once, for any reason; `code` is the peer's, or kAbnormal. The socket can no longer be
  // used.
  virtual void on_close(WebSocket& socket, std::uint16_t code, std::string_view reason) = 0;
};

}  // namespace parley::net
