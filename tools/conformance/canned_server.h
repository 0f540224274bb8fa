// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>
#include <thread>

#include "tools/conformance/channel.h"

namespace parley::conformance {

// Accepts one connection on a free port, reads up to a blank line, sends the result of `answer`
// for that head, and then collects all further bytes. For tests.
class CannedServer {
 public:
  using Answer = std::function<std::string(const std::string& head)>;

  explicit CannedServer(Answer answer) : answer_(std::move(answer)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    (void)bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    listen(listener_, 1);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    target_.host = "127.0.0.1";
    target_.port = std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { serve(); });
  }
  CannedServer(const CannedServer&) = delete;
  CannedServer& operator=(const CannedServer&) = delete;
  ~CannedServer() { received(); }

  const Target& target() const { return target_; }

  // All received bytes. Blocks until the client has closed.
  const std::string& received() {
    if (thread_.joinable()) thread_.join();
    return received_;
  }

 private:
  void serve() {
    const int peer = accept(listener_, nullptr, nullptr);
    std::array<char, 4096> buffer{};
    bool answered = false;
    while (true) {
      const ssize_t got = recv(peer, buffer.data(), buffer.size(), 0);
      if (got <= 0) break;
      received_.append(buffer.data(), static_cast<std::size_t>(got));
      if (answered || received_.find("\r\n\r\n") == std::string::npos) continue;
      answered = true;
      const std::string bytes = answer_(received_);
      send(peer, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (bytes.ends_with("[close]")) break;
    }
    close(peer);
    close(listener_);
  }

  Answer answer_;
  Target target_;
  std::string received_;
  int listener_ = -1;
  std::thread thread_;
};

}  // namespace parley::conformance
