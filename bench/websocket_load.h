// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace parley::bench {

// Many WebSocket connections to one server, driven by one thread over epoll: a load of low cost. It
// knows the size of the server's frames and only counts bytes.
class WebSocketLoad {
 public:
  static constexpr std::size_t kPayloadBytes = 128;

  // Opens `count` connections to ws://127.0.0.1:port/path; ends this program on failure.
  WebSocketLoad(int port, const std::string& path, std::size_t count);
  WebSocketLoad(const WebSocketLoad&) = delete;
  WebSocketLoad& operator=(const WebSocketLoad&) = delete;
  ~WebSocketLoad();

  // Sends `count` messages, at most kMaxBurst, on connection `index` with one write.
  void send(std::size_t index, std::size_t count);
  static constexpr std::size_t kMaxBurst = 16;
  // Waits once and returns the number of messages that arrived. With `answer`, answers each with
  // another.
  std::size_t poll_once(bool answer);
  // Waits until `count` messages have arrived.
  void await_messages(std::size_t count);
  std::size_t size() const { return connections_.size(); }

 private:
  struct Connection {
    int fd = -1;
    std::size_t bytes = 0;  // of an incomplete frame
  };

  int epoll_;
  std::vector<Connection> connections_;
  std::size_t frame_bytes_ = 0;
  std::string frames_;  // kMaxBurst copies of the frame
};

}  // namespace parley::bench
