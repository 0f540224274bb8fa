// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/net/websocket/websocket_codec.h"
#include "base/net/websocket/websocket_connection.h"
#include "base/net/websocket/websocket_reader.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/net/memory_network.h"

namespace parley::net {

// A client that records each frame of the server as one word: "text:hello", "close:1002".
class RawClient : public StreamHandler {
 public:
  explicit RawClient(std::unique_ptr<Stream> of) : stream(std::move(of)) {
    stream->set_handler(this);
  }

  void send(Opcode opcode, std::string_view payload, bool fin = true, bool compressed = false) {
    std::string frame;
    append_frame(frame,
                 {.opcode = opcode,
                  .fin = fin,
                  .compressed = compressed,
                  .mask = MaskKey{'\x12', '\x34', '\x56', '\x78'}},
                 payload);
    stream->write(frame);
  }
  void close(std::uint16_t code, std::string_view reason = {}) {
    send(Opcode::close, close_payload(code, reason));
  }

  void on_data(Stream&, char* data, std::size_t size) override {
    while (true) {
      const WebSocketReader::Event event = reader.next(data, size);
      switch (event.kind) {
        case WebSocketReader::Kind::need_more:
          return;
        case WebSocketReader::Kind::message:
          add(event.opcode == Opcode::text ? "text" : "binary", event);
          break;
        case WebSocketReader::Kind::ping:
          add("ping", event);
          break;
        case WebSocketReader::Kind::pong:
          add("pong", event);
          break;
        case WebSocketReader::Kind::close: {
          const CloseInfo info = parse_close_payload(event.payload);
          seen.push_back("close:" + std::to_string(info.code));
          close_reason = info.reason;
          return;
        }
        case WebSocketReader::Kind::violation:
          seen.push_back(std::string("violation:") + event.reason);
          return;
      }
    }
  }
  void on_end(Stream&) override { ended = true; }
  void on_closed(Stream&) override { closed = true; }

  std::unique_ptr<Stream> stream;
  WebSocketReader reader{WebSocketSide::client, 1U << 30U, true};
  std::vector<std::string> seen;
  std::string close_reason;
  bool ended = false;
  bool closed = false;

 private:
  void add(const char* kind, const WebSocketReader::Event& event) {
    std::string word = std::string(kind) + (event.compressed ? "*" : "") + ":";
    word += event.payload.size() > 40 ? std::to_string(event.payload.size()) + " bytes"
                                      : std::string(event.payload);
    seen.push_back(std::move(word));
  }
};

// Records the callbacks of the server's side, and runs the functions that a test sets for them.
struct ServerLog {
  WebSocket* socket = nullptr;
  std::vector<std::string> events;
  std::function<void(WebSocket&, MessageType, std::string_view)> on_message;
  std::function<void(WebSocket&)> on_open;
  std::function<void()> on_close;
  bool destroyed = false;
};

class LoggingHandler : public WebSocketHandler {
 public:
  explicit LoggingHandler(ServerLog& log) : log_(log) {}
  ~LoggingHandler() override { log_.destroyed = true; }
  void on_open(WebSocket& socket) override {
    log_.socket = &socket;
    if (log_.on_open) log_.on_open(socket);
  }
  void on_message(WebSocket& socket, MessageType type, std::string_view data) override {
    if (log_.on_message) {
      log_.on_message(socket, type, data);
    } else if (type == MessageType::text) {
      socket.send_text(data);
    } else {
      socket.send_binary(data);
    }
  }
  void on_close(WebSocket& socket, std::uint16_t code, std::string_view reason) override {
    EXPECT_FALSE(socket.open());
    log_.events.push_back(std::to_string(code) + " " + std::string(reason));
    if (log_.on_close) log_.on_close();
  }

 private:
  ServerLog& log_;
};

// A connection between a WebSocketService and a raw client, on one thread.
class WebSocketTest : public ::testing::Test {
 protected:
  void open(MemoryNetworkOptions network_options = {}, WebSocketParams params = {},
            std::string_view already_read = {}) {
    service.emplace(limits, nullptr, [this] { ++gone; });
    network.emplace(std::move(network_options));
    auto pair = network->make_pair(scheduler, scheduler);
    client.emplace(std::move(pair.first));
    service->adopt(std::move(pair.second), std::make_unique<LoggingHandler>(log), std::move(params),
                   already_read);
  }
  void run() { scheduler.run_ready(); }

  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  WebSocketLimits limits;
  ServerLog log;
  int gone = 0;
  std::optional<MemoryNetwork> network;
  std::optional<RawClient> client;
  std::optional<WebSocketService> service;
};

}  // namespace parley::net
