// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/net/http/http.h"
#include "base/net/loop/stream.h"
#include "base/net/websocket/websocket.h"
#include "base/net/websocket/websocket_codec.h"
#include "base/net/websocket/websocket_deflate.h"
#include "base/net/websocket/websocket_reader.h"

namespace parley::net {

struct WebSocketClientOptions {
  std::string target = "/";
  std::string host = "localhost";  // the Host field
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::vector<std::string> subprotocols = {};
  bool offer_deflate = false;
  std::size_t max_message_bytes = 64U << 20U;
  core::Millis handshake_timeout{10'000};
  core::Millis close_timeout{5'000};
  bool answer_pings = true;  // false: simulates a lost peer, for tests
};

class WebSocketClient;

// Callbacks of a client. They run on its scheduler. The client may be destroyed inside on_close()
// and on_refused(), and in no other call.
class WebSocketClientHandler {
 public:
  virtual ~WebSocketClientHandler() = default;
  virtual void on_open(WebSocketClient& client) = 0;
  // `data` as in WebSocketHandler::on_message().
  virtual void on_message(WebSocketClient& client, MessageType type, std::string_view data) = 0;
  virtual void on_ping(WebSocketClient& client, std::string_view payload) {
    (void)client;
    (void)payload;
  }
  virtual void on_pong(WebSocketClient& client, std::string_view payload) {
    (void)client;
    (void)payload;
  }
  // The end of an open connection; `code` is the peer's, or kAbnormal.
  virtual void on_close(WebSocketClient& client, std::uint16_t code, std::string_view reason) = 0;
  // The connection never opened. `response` is the server's answer, with status 0 if there was
  // none.
  virtual void on_refused(WebSocketClient& client, const core::Error& error,
                          const Response& response) = 0;
};

// A WebSocket client: for the conformance runner, tests and benchmarks. Belongs to one scheduler.
class WebSocketClient final : private StreamHandler {
 public:
  WebSocketClient(core::Entropy& entropy, WebSocketClientHandler& handler,
                  WebSocketClientOptions options);
  ~WebSocketClient() override;

  // Connects and sends the opening handshake. Call once.
  void connect(Network& network, core::Scheduler& scheduler, const Endpoint& to);
  // The same over an open stream. Call once.
  void start(std::unique_ptr<Stream> stream);

  void send_text(std::string_view text) { send(Opcode::text, text); }
  void send_binary(std::string_view bytes) { send(Opcode::binary, bytes); }
  void ping(std::string_view payload) { write_frame({.opcode = Opcode::ping}, payload); }
  // Sends any frame, also an invalid one; masked.
  void send_frame(Opcode opcode, bool fin, std::string_view payload);
  // Sends any bytes.
  void send_raw(std::string_view bytes);
  // Starts the closing handshake; kNoStatus sends no code.
  void close(std::uint16_t code, std::string_view reason);
  void pause_reading(bool pause);
  // Closes the connection without a close frame. No callback follows.
  void cut();

  bool open() const { return state_ == State::open; }
  std::size_t queued_bytes() const { return stream_ ? stream_->queued() : 0; }
  // From the server's answer; valid once open.
  const std::string& subprotocol() const { return subprotocol_; }
  bool compressed() const { return deflate_.has_value(); }
  const Headers& headers() const { return response_.headers; }

 private:
  enum class State : std::uint8_t { idle, handshake, open, closing, ended };

  void on_data(Stream& stream, char* data, std::size_t size) override;
  void on_end(Stream& stream) override;
  void on_closed(Stream& stream) override;

  void send_handshake();
  void take_head();
  bool parse_head(std::string_view head);
  std::optional<std::string> check_answer();
  void refuse(core::Code code, std::string message);
  void process(char* data, std::size_t size);
  void handle(const WebSocketReader::Event& event);
  void deliver(const WebSocketReader::Event& event);
  void on_close_frame(std::string_view payload);
  void send(Opcode opcode, std::string_view payload);
  void write_frame(FrameHead head, std::string_view payload);
  void fail(std::uint16_t code, const char* reason);
  void end(std::uint16_t code, std::string_view reason);
  void set_timer(core::Millis delay);
  void cancel_timer();

  core::Entropy& entropy_;
  WebSocketClientHandler& handler_;
  WebSocketClientOptions options_;
  core::Scheduler* scheduler_ = nullptr;
  std::unique_ptr<Stream> stream_;
  // Shared with a connection attempt; the inner pointer is null once the client is destroyed.
  std::shared_ptr<WebSocketClient*> self_;
  std::string key_;
  std::string head_;  // the received part of the answer's head
  Response response_;
  std::string subprotocol_;
  std::optional<DeflateParams> deflate_;
  std::unique_ptr<DeflateCodec> codec_;
  std::unique_ptr<WebSocketReader> reader_;
  core::TimerId timer_ = 0;
  State state_ = State::idle;
};

}  // namespace parley::net
