// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/net/loop/assembly_budget.h"
#include "base/net/loop/send_limit.h"
#include "base/net/loop/stream.h"
#include "base/net/websocket/websocket.h"
#include "base/net/websocket/websocket_codec.h"
#include "base/net/websocket/websocket_deflate.h"
#include "base/net/websocket/websocket_reader.h"
#include "base/net/websocket/websocket_shard.h"

// The server's side of one WebSocket. Only net includes this.

namespace parley::net {

// The only production implementation of OutgoingMessage: a server's frame, and the compressed one
// once requested.
class EncodedMessage final : public OutgoingMessage {
 public:
  EncodedMessage(MessageType type, std::string_view payload);

  const SharedBytes& frame() const { return frame_; }
  // The compressed frame for a peer with these parameters; the plain one if compression is not
  // worthwhile or the peer's window is too small.
  const SharedBytes& compressed(DeflateCodec& codec, const DeflateParams& peer);

 private:
  MessageType type_;
  bool tried_ = false;
  std::size_t header_size_ = 0;
  SharedBytes frame_;
  SharedBytes compressed_;
};

// True if a message of `size` bytes is worth compressing for this peer. A message that fits into
// the peer's window can be inflated with any window used for compression.
bool pays_to_compress(std::size_t size, const DeflateParams& peer);

class ServerSocket final : public WebSocket, private StreamHandler {
 public:
  ServerSocket(std::unique_ptr<Stream> stream, std::unique_ptr<WebSocketHandler> handler,
               const WebSocketParams& params, const std::string& subprotocol);
  ~ServerSocket() override;

  void send(const OutgoingMessagePtr& message) override;
  void send_text(std::string_view text) override { send_now(Opcode::text, text); }
  void send_binary(std::string_view bytes) override { send_now(Opcode::binary, bytes); }
  void close(std::uint16_t code, std::string_view reason) override;
  void set_resume_hint(std::string hint) override { resume_hint_ = std::move(hint); }
  void set_resume_seq(std::uint64_t seq) override { resume_seq_ = seq; }
  std::size_t queued_bytes() const override { return stream_->queued(); }
  bool open() const override { return state_ == State::open; }
  void pause_reading(bool pause) override;
  void admit(std::string_view account) override;
  void move_to(core::Scheduler& target, absl::AnyInvocable<void()> arrived) override;
  void give_away(TakeOver take) override;
  bool compresses() const override { return deflate_.has_value(); }
  void set_heartbeat(core::Millis interval, core::Millis timeout) override;
  core::Scheduler& scheduler() override { return stream_->scheduler(); }
  const std::string& peer() const override { return stream_->peer(); }
  const std::string& subprotocol() const override { return *subprotocol_; }

  // Attaches the socket to a shard; `self` is its entry in the shard's list.
  void settle(WebSocketShard& shard, WebSocketShard::List::iterator self);
  // The lowest allowed rate of a message, checked once per pong_timeout.
  // Limit (WebSocket, bytes): least rate of a message in a second, checked once in `timeouts.pong`.
  // Reached: closed with 1008, counted.
  static constexpr std::size_t kMinMessageBytesPerSecond = 512;
  // Sets the limits of a known or an unknown sender. Before start().
  void begin(const WebSocketParams& params);
  // Calls on_open(), then delivers `already_read`.
  void start(std::string_view already_read);
  enum class Sweep : std::uint8_t { keep, cut };
  // Sends a ping when it is due. `cut`: a time-out has ended the connection, and the owner destroys
  // it.
  Sweep sweep();

 private:
  enum class State : std::uint8_t {
    open,
    closing,  // our close frame is sent, the peer's has not arrived
    ended,    // on_close() has run; the stream is being finished
  };
  // To another thread, or out of this object.
  struct Move {
    core::Scheduler* target = nullptr;
    absl::AnyInvocable<void()> arrived;
    TakeOver take;  // set: the stream leaves, and this object ends
  };

  void on_data(Stream& stream, char* data, std::size_t size) override;
  void on_end(Stream& stream) override;
  void on_drained(Stream& stream) override;
  void on_closed(Stream& stream) override;

  void process(char* data, std::size_t size);
  void process_copy(std::string_view bytes);
  void handle(const WebSocketReader::Event& event);
  void deliver(const WebSocketReader::Event& event);
  void hand_over(Opcode opcode, std::string_view message);
  void on_close_frame(std::string_view payload);
  void send_now(Opcode opcode, std::string_view payload);
  void write_frame(const FrameHead& head, std::string_view payload);
  void count_out(std::size_t bytes);
  void pong(std::string_view payload);
  bool may_queue(std::size_t bytes);
  void hold_budget();
  void begin_message();
  bool message_stalls();
  std::string resume_reason() const;
  // "WebSocket of 127.0.0.1, state 0", for assertions.
  std::string label() const;
  void send_close(std::uint16_t code, std::string_view reason);
  void fail(std::uint16_t code, const char* reason);
  void resume_for_end();
  void end(std::uint16_t code, std::string_view reason);
  void begin_move(Move move);
  void leave(std::string_view carried);
  void land(absl::AnyInvocable<void()> arrived, std::string_view carried);

  WebSocketShard* shard_ = nullptr;
  WebSocketShard::List::iterator self_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<WebSocketHandler> handler_;
  const std::string* subprotocol_;
  std::unique_ptr<Move> move_;  // requested during a handler's call
  std::string resume_hint_;
  std::optional<std::uint64_t> resume_seq_;
  WebSocketReader reader_;
  AssemblyShare share_;
  std::unique_ptr<std::string> late_pong_;  // waits for room in the queue
  SendLimit send_limit_;
  std::uint64_t written_ = 0;          // bytes of all frames so far
  std::size_t max_message_bytes_;      // limit once the sender is known
  std::size_t message_limit_;          // the current limit
  std::size_t rate_mark_ = 0;          // bytes of the incomplete message at rate_tick_
  std::size_t last_queued_ = 0;        // bytes queued after the last send
  std::uint32_t queued_messages_ = 0;  // messages in the queue; an estimate while it drains
  std::uint32_t active_tick_ = 0;      // time of the last received bytes
  std::uint32_t ping_tick_ = 0;
  std::uint32_t rate_tick_ = 0;
  std::uint32_t close_tick_ = 0;
  std::uint32_t ping_ticks_ = 0;  // set_heartbeat(); both 0: the server's values
  std::uint32_t silence_ticks_ = 0;
  std::uint16_t sent_code_ = 0;  // code of our close frame
  std::optional<DeflateParams> deflate_;
  State state_ = State::open;
  bool dispatching_ = false;
  bool paused_ = false;
};

}  // namespace parley::net
